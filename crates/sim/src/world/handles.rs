//! Where bodies, joints and actuators live in MuJoCo's arrays, found by name once.

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_assets::robots::End;
use longarm_assets::{Body, BodyRole, Composed, RigLimb, Structure};
use mujoco_rs::prelude::*;

use super::flexes::node_bodies;
use crate::SimError;
use crate::contacts::Owner;

/// Where a tracked body's numbers live in MuJoCo's arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyHandle {
    pub body: usize,
    /// The body whose sleep tells whether it sleeps.
    pub sleeper: usize,
    /// First of seven positions and six velocities, for free bodies.
    pub free: Option<(usize, usize)>,
    /// Position and velocity address of a part's joint.
    pub joint: Option<(usize, usize)>,
    /// The first joint's id and whether it turns.
    pub axis: Option<(usize, bool)>,
}

/// Where a limb's numbers live in MuJoCo's arrays.
#[derive(Clone, Debug)]
pub(super) struct LimbHandles {
    pub name: String,
    pub dof: usize,
    pub qpos: [usize; MAX_JOINTS],
    pub qvel: [usize; MAX_JOINTS],
    pub actuators: [usize; MAX_JOINTS],
    pub tool_site: usize,
    pub end: EndHandles,
    /// The posture an episode begins in.
    pub home: Joints,
    /// Torque limits.
    pub force: Joints,
    /// Gain, stiffness and damping of each servo, as compiled.
    pub gains: [[f64; 3]; MAX_JOINTS],
    /// The servos are off and torques are applied.
    pub torque: bool,
}

#[derive(Clone, Debug)]
pub(super) enum EndHandles {
    Gripper {
        actuator: usize,
        /// Positions of the two finger joints.
        fingers: [usize; 2],
        /// Their velocities.
        speeds: [usize; 2],
        /// Travel of one finger.
        travel: f64,
    },
    Suction {
        cup: usize,
        /// Weld that attaches each tracked body, where there is one.
        welds: Vec<Option<usize>>,
        holding: Option<usize>,
    },
    Hand(Vec<HandJoint>),
}

/// A joint of a hand's finger.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandJoint {
    pub actuator: usize,
    pub qpos: usize,
    pub qvel: usize,
    pub home: f64,
    /// Its limits.
    pub range: [f64; 2],
}

pub(super) fn id(
    model: &MjModel,
    kind: MjtObjBase,
    what: &'static str,
    name: &str,
) -> Result<usize, SimError> {
    model.name_to_id(kind, name).ok_or_else(|| SimError::Missing { kind: what, name: name.into() })
}

/// Geoms named `{object}/lit_{part}`.
pub(super) fn find_lamps(
    model: &MjModel,
    structure: &Structure,
    composed: &Composed,
    handles: &[BodyHandle],
) -> Vec<(usize, usize, [f64; 2])> {
    let mut lamps = Vec::new();
    for (body, handle) in composed.bodies.iter().zip(handles) {
        let (BodyRole::Part(i, p), Some((q, _))) = (body.role, handle.joint) else { continue };
        let part = &composed.infos[i].parts[p];
        let name = format!("{}/lit_{}", structure.instances[i].name, part.name);
        if let Some(geom) = model.name_to_id(MjtObjBase::mjOBJ_GEOM, &name) {
            lamps.push((geom, q, part.open));
        }
    }
    lamps
}

pub(super) fn body_handle(model: &MjModel, body: &Body) -> Result<BodyHandle, SimError> {
    let b = id(model, MjtObjBase::mjOBJ_BODY, "body", &body.name)?;
    let first = model.body_jntadr()[b];
    let mut handle = BodyHandle { body: b, sleeper: b, free: None, joint: None, axis: None };
    if first >= 0 {
        let j = first as usize;
        let at = (model.jnt_qposadr()[j] as usize, model.jnt_dofadr()[j] as usize);
        match body.role {
            BodyRole::Object(_) if model.jnt_type()[j] == MjtJoint::mjJNT_FREE => {
                handle.free = Some(at);
            }
            BodyRole::Part(..) => {
                handle.joint = Some(at);
                handle.axis = Some((j, model.jnt_type()[j] == MjtJoint::mjJNT_HINGE));
            }
            _ => {}
        }
    }
    Ok(handle)
}

/// Finds a limb's joints, actuators, tool and end.
pub(super) fn limb_handles(
    model: &MjModel,
    limb: &RigLimb,
    bodies: &[Body],
) -> Result<LimbHandles, SimError> {
    let name = |what: &str| format!("{}{what}", limb.prefix);
    let mut out = LimbHandles {
        name: limb.name.clone(),
        dof: limb.home.len(),
        qpos: [0; MAX_JOINTS],
        qvel: [0; MAX_JOINTS],
        actuators: [0; MAX_JOINTS],
        tool_site: id(model, MjtObjBase::mjOBJ_SITE, "site", &name("tool"))?,
        end: end_handles(model, limb, bodies)?,
        home: [0.0; MAX_JOINTS],
        force: [0.0; MAX_JOINTS],
        gains: [[0.0; 3]; MAX_JOINTS],
        torque: false,
    };
    for (i, joint) in limb.spec().joints().enumerate() {
        out.force[i] = joint.force;
        let joint = joint_handle(model, &name(&joint.name))?;
        (out.qpos[i], out.qvel[i], out.actuators[i]) = joint;
        let (gain, bias) = (model.actuator_gainprm(), model.actuator_biasprm());
        let a = out.actuators[i];
        out.gains[i] = [gain[a][0], bias[a][1], bias[a][2]];
    }
    out.home[..out.dof].copy_from_slice(&limb.home);
    Ok(out)
}

/// Position, velocity and actuator of a joint.
pub(super) fn joint_handle(model: &MjModel, name: &str) -> Result<(usize, usize, usize), SimError> {
    let j = id(model, MjtObjBase::mjOBJ_JOINT, "joint", name)?;
    let actuator = id(model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", name)?;
    Ok((model.jnt_qposadr()[j] as usize, model.jnt_dofadr()[j] as usize, actuator))
}

fn end_handles(model: &MjModel, limb: &RigLimb, bodies: &[Body]) -> Result<EndHandles, SimError> {
    let name = |what: &str| format!("{}{what}", limb.prefix);
    Ok(match &limb.spec().end {
        End::Gripper(gripper) => {
            let (mut fingers, mut speeds) = ([0; 2], [0; 2]);
            for (k, finger) in gripper.fingers.iter().enumerate() {
                let joint = id(model, MjtObjBase::mjOBJ_JOINT, "joint", &name(&finger.joint))?;
                fingers[k] = model.jnt_qposadr()[joint] as usize;
                speeds[k] = model.jnt_dofadr()[joint] as usize;
            }
            EndHandles::Gripper {
                actuator: id(model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", &name("gripper"))?,
                fingers,
                speeds,
                travel: gripper.opening / 2.0,
            }
        }
        End::Suction(_) => EndHandles::Suction {
            cup: id(model, MjtObjBase::mjOBJ_BODY, "body", &limb.cup().unwrap_or_default())?,
            welds: bodies
                .iter()
                .map(|b| model.name_to_id(MjtObjBase::mjOBJ_EQUALITY, &limb.weld(&b.name)))
                .collect(),
            holding: None,
        },
        End::Hand(hand) => {
            let mut joints = Vec::new();
            for (i, (finger, joint)) in hand.joints().enumerate() {
                let found = joint_handle(model, &name(&format!("{finger}/{}", joint.name)))?;
                let (qpos, qvel, actuator) = found;
                let home = limb.fingers.get(i).copied().unwrap_or(0.0);
                joints.push(HandJoint { actuator, qpos, qvel, home, range: joint.range });
            }
            EndHandles::Hand(joints)
        }
    })
}

/// The finger of a limb that a body of its is, or is part of.
fn finger_of(limb: &RigLimb, body: &str) -> Option<u8> {
    let own = body.strip_prefix(&limb.prefix)?;
    let found = match &limb.spec().end {
        End::Gripper(g) => g.fingers.iter().position(|f| f.name == own),
        End::Suction(_) => (limb.cup().as_deref() == Some(body)).then_some(0),
        End::Hand(h) => {
            h.fingers.iter().position(|f| own.split_once('/').is_some_and(|(o, _)| o == f.name))
        }
    };
    found.map(|k| k as u8)
}

/// Who each geom and each flex belongs to.
pub(super) fn owners(
    model: &MjModel,
    handles: &[BodyHandle],
    limbs: &[RigLimb],
) -> (Vec<Owner>, Vec<Owner>) {
    let nbody = model.ffi().nbody as usize;
    let mut of_body = vec![None; nbody];
    for (i, h) in handles.iter().enumerate() {
        of_body[h.body] = Some(Owner::Body(i));
    }
    for b in 1..nbody {
        let name = model.id_to_name(MjtObjBase::mjOBJ_BODY, b).unwrap_or("");
        if of_body[b].is_some() {
            continue;
        }
        of_body[b] = if name.starts_with("robot/") {
            // What belongs to no limb is the base that all of them stand on.
            let limb = limbs.iter().position(|l| name.starts_with(&l.prefix)).unwrap_or(0);
            Some(Owner::Limb { limb, finger: finger_of(&limbs[limb], name) })
        } else {
            // Parents come before children in MuJoCo's order.
            of_body[model.body_parentid()[b] as usize]
        };
    }
    let owner = |&b: &i32| of_body[b as usize].unwrap_or(Owner::Body(0));
    // A flex belongs to whom its nodes do.
    let flexes = (0..model.flex_dim().len())
        .map(|f| node_bodies(model, f).first().map_or(Owner::Body(0), owner));
    (model.geom_bodyid().iter().map(owner).collect(), flexes.collect())
}
