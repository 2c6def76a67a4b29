//! What a world from files is asked, and where its limb's numbers are, found by name once.

use std::collections::{BTreeMap, BTreeSet};

use longarm_assets::Structure;
use longarm_assets::kinematics::MAX_JOINTS;
use longarm_assets::source::SourceRobot;
use longarm_task::{SourceGoal, SourceView};
use longarm_types::{DMat3, DVec3};
use mujoco_rs::prelude::*;

use crate::SimError;
use crate::contacts::Owner;
use crate::source::{felt_geoms, find, touch};
use crate::world::handles::{EndHandles, LimbHandles};
use crate::world::rows_to_mat;

/// What a goal asks about, found once.
#[derive(Default)]
pub(super) struct Names {
    bodies: BTreeMap<String, usize>,
    sites: BTreeMap<String, usize>,
    joints: BTreeMap<String, usize>,
    geoms: BTreeMap<String, BTreeSet<i32>>,
}

impl Names {
    pub(super) fn find(model: &MjModel, goal: &dyn SourceGoal) -> Result<Self, SimError> {
        let wanted = goal.names();
        let mut out = Self::default();
        for name in wanted.bodies {
            let id = find(model, MjtObjBase::mjOBJ_BODY, "body", &name)?;
            out.bodies.insert(name, id);
        }
        for name in wanted.sites {
            let id = find(model, MjtObjBase::mjOBJ_SITE, "site", &name)?;
            out.sites.insert(name, id);
        }
        for name in wanted.joints {
            let id = find(model, MjtObjBase::mjOBJ_JOINT, "joint", &name)?;
            out.joints.insert(name, model.jnt_qposadr()[id] as usize);
        }
        for name in wanted.objects {
            let geoms = felt_geoms(model, &format!("{name}_"));
            out.geoms.insert(name, geoms);
        }
        Ok(out)
    }
}

/// A moment as a goal looks at it.
pub(super) struct Look<'a> {
    pub data: &'a MjData<Box<MjModel>>,
    pub names: &'a Names,
}

impl SourceView for Look<'_> {
    fn body(&self, name: &str) -> DVec3 {
        self.names.bodies.get(name).map_or(DVec3::NAN, |b| DVec3::from(self.data.xpos()[*b]))
    }

    fn site(&self, name: &str) -> (DVec3, DMat3) {
        self.names.sites.get(name).map_or((DVec3::NAN, DMat3::IDENTITY), |s| {
            (DVec3::from(self.data.site_xpos()[*s]), rows_to_mat(&self.data.site_xmat()[*s]))
        })
    }

    fn joint(&self, name: &str) -> f64 {
        self.names.joints.get(name).map_or(f64::NAN, |q| self.data.qpos()[*q])
    }

    fn touch(&self, a: &str, b: &str) -> bool {
        match (self.names.geoms.get(a), self.names.geoms.get(b)) {
            (Some(a), Some(b)) => touch(self.data, a, b),
            _ => false,
        }
    }
}

/// Where the one limb of the rig has its numbers.
pub(super) fn limb(
    model: &MjModel,
    structure: &Structure,
    robot: &SourceRobot,
) -> Result<LimbHandles, SimError> {
    let name = structure.rig.limb_names().first().map(|n| (*n).to_string()).unwrap_or_default();
    let mut out = LimbHandles {
        name,
        dof: robot.joints.len().min(MAX_JOINTS),
        qpos: [0; MAX_JOINTS],
        qvel: [0; MAX_JOINTS],
        actuators: [0; MAX_JOINTS],
        tool_site: find(model, MjtObjBase::mjOBJ_SITE, "site", &robot.tool)?,
        end: EndHandles::Hand(Vec::new()),
        home: [0.0; MAX_JOINTS],
        force: [0.0; MAX_JOINTS],
        gains: [[0.0; 3]; MAX_JOINTS],
        torque: true,
    };
    for (i, name) in robot.joints.iter().take(MAX_JOINTS).enumerate() {
        let joint = find(model, MjtObjBase::mjOBJ_JOINT, "joint", name)?;
        out.qpos[i] = model.jnt_qposadr()[joint] as usize;
        out.qvel[i] = model.jnt_dofadr()[joint] as usize;
        out.home[i] = robot.home.get(i).copied().unwrap_or(0.0);
    }
    Ok(out)
}

/// What moves with the arm's first joint is the limb; all else is the world.
pub(super) fn owners(model: &MjModel, limb: &LimbHandles) -> Vec<Owner> {
    let joint = model.dof_jntid()[limb.qvel[0]] as usize;
    let first = model.jnt_bodyid()[joint] as usize;
    let mut of_limb = vec![false; model.ffi().nbody as usize];
    for body in 1..of_limb.len() {
        // Parents come before children in MuJoCo's order.
        of_limb[body] = body == first || of_limb[model.body_parentid()[body] as usize];
    }
    let owner = |b: &i32| match of_limb[*b as usize] {
        true => Owner::Limb { limb: 0, finger: None },
        false => Owner::Body(0),
    };
    model.geom_bodyid().iter().map(owner).collect()
}
