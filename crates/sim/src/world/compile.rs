//! From a structure to a compiled model with its handles.

use longarm_assets::kinematics::MAX_JOINTS;
use longarm_assets::{BodyRole, Composed, Structure, compose, robots};
use longarm_task::Snapshot;
use longarm_types::RunningHash;
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::mj_auxiliary::MjVfs;

use super::World;
use super::handles::{RobotHandles, body_handle, find_lamps, geom_owners, hand_handles, id};
use crate::SimError;
use crate::contacts::ContactTracker;
use crate::control::ArmController;

/// Keeps MuJoCo from writing MUJOCO_LOG.TXT into the user's folder. What matters among its warnings
/// is read from the simulation's state after every control step.
fn quiet_mujoco() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: every use of MuJoCo in this crate goes through a compiled model, and none is compiled
    // before this has returned.
    #[allow(unsafe_code)]
    ONCE.call_once(|| unsafe { install_logging_hook() });
}

/// Compiles MJCF text with the files it names.
fn compile(composed: &Composed) -> Result<MjModel, SimError> {
    quiet_mujoco();
    let fail = |e: &dyn std::fmt::Display| SimError::Compile(e.to_string());
    let mut vfs = MjVfs::new();
    for (name, bytes) in &composed.files {
        vfs.add_from_buffer(name, bytes).map_err(|e| fail(&e))?;
    }
    vfs.add_from_buffer("longarm.xml", composed.xml.as_bytes()).map_err(|e| fail(&e))?;
    MjModel::from_xml_vfs("longarm.xml", &vfs).map_err(|e| fail(&e))
}

impl World {
    /// Compiles a structure. The world is empty of meaning until [`World::reset`].
    pub fn new(structure: &Structure) -> Result<Self, SimError> {
        let composed = compose(structure);
        let model = compile(&composed)?;
        let handles = composed
            .bodies
            .iter()
            .map(|b| body_handle(&model, b))
            .collect::<Result<Vec<_>, _>>()?;
        let spec = robots::spec(structure.rig.robot);
        let chain = spec.chain(&structure.rig.mount);
        let mut robot = RobotHandles {
            dof: chain.dof(),
            qpos: [0; MAX_JOINTS],
            qvel: [0; MAX_JOINTS],
            actuators: [0; MAX_JOINTS],
            tool_site: id(&model, MjtObjBase::mjOBJ_SITE, "site", "robot/tool")?,
            hand: hand_handles(&model, &spec.gripper, &composed.bodies)?,
        };
        let mut feed = [0.0; MAX_JOINTS];
        for (i, joint) in spec.links.iter().filter_map(|l| l.joint.as_ref()).enumerate() {
            let name = format!("robot/{}", joint.name);
            let j = id(&model, MjtObjBase::mjOBJ_JOINT, "joint", &name)?;
            robot.qpos[i] = model.jnt_qposadr()[j] as usize;
            robot.qvel[i] = model.jnt_dofadr()[j] as usize;
            robot.actuators[i] = id(&model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", &name)?;
            feed[i] = joint.kv / joint.kp;
        }
        let mut home = [0.0; MAX_JOINTS];
        home[..robot.dof].copy_from_slice(&structure.rig.home[..robot.dof]);
        let owner = geom_owners(&model, &handles)?;
        let n = composed.bodies.len();
        let mut tinted = Vec::new();
        for g in 0..model.ffi().ngeom as usize {
            let Some(name) = model.id_to_name(MjtObjBase::mjOBJ_GEOM, g) else { continue };
            let Some((object, _)) = name.split_once("/tint") else { continue };
            if let Some(i) = structure.instances.iter().position(|o| o.name == object) {
                tinted.push((g, i, model.geom_rgba()[g]));
            }
        }
        let belts = (0..model.ffi().njnt as usize)
            .filter(|&j| {
                let name = model.id_to_name(MjtObjBase::mjOBJ_JOINT, j);
                name.is_some_and(|n| n.ends_with("/belt_joint"))
            })
            .map(|j| model.jnt_qposadr()[j] as usize)
            .collect();
        let lamps = find_lamps(&model, structure, &composed, &handles);
        let data =
            MjData::try_new(Box::new(model)).map_err(|e| SimError::Compile(e.to_string()))?;
        Ok(Self {
            data,
            structure: structure.clone(),
            handles,
            controller: ArmController::new(chain, feed, &home),
            contacts: ContactTracker::new(owner, n),
            snapshot: Snapshot::empty(n, &structure.rig.limb_names()),
            hash: RunningHash::default(),
            clipped: 0,
            boxes: composed
                .bodies
                .iter()
                .map(|b| match b.role {
                    BodyRole::Object(i) => Some(composed.infos[i].bounds),
                    _ => None,
                })
                .collect(),
            bodies: composed.bodies,
            robot,
            tinted,
            home,
            belts,
            lamps,
            physics: None,
        })
    }
}
