//! Where bodies, joints and actuators live in MuJoCo's arrays, found by name once.

use longarm_assets::kinematics::MAX_JOINTS;
use longarm_assets::robots::Gripper;
use longarm_assets::{Body, BodyRole, Composed, Structure};
use mujoco_rs::prelude::*;

use crate::SimError;
use crate::contacts::Owner;

/// Where a tracked body's numbers live in MuJoCo's arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyHandle {
    pub body: usize,
    /// First of seven positions and six velocities, for free bodies.
    pub free: Option<(usize, usize)>,
    /// Position and velocity address of a part's joint.
    pub joint: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub(super) struct RobotHandles {
    pub dof: usize,
    pub qpos: [usize; MAX_JOINTS],
    pub qvel: [usize; MAX_JOINTS],
    pub actuators: [usize; MAX_JOINTS],
    pub tool_site: usize,
    pub hand: HandHandles,
}

#[derive(Clone, Debug)]
pub(super) enum HandHandles {
    Parallel {
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
    let mut handle = BodyHandle { body: b, free: None, joint: None };
    if first >= 0 {
        let j = first as usize;
        let at = (model.jnt_qposadr()[j] as usize, model.jnt_dofadr()[j] as usize);
        match body.role {
            BodyRole::Object(_) if model.jnt_type()[j] == MjtJoint::mjJNT_FREE => {
                handle.free = Some(at);
            }
            BodyRole::Part(..) => handle.joint = Some(at),
            _ => {}
        }
    }
    Ok(handle)
}

pub(super) fn hand_handles(
    model: &MjModel,
    gripper: &Gripper,
    bodies: &[Body],
) -> Result<HandHandles, SimError> {
    Ok(match gripper {
        Gripper::Parallel { opening, .. } => {
            let (mut fingers, mut speeds) = ([0; 2], [0; 2]);
            for (k, pad) in ["robot/pad_left", "robot/pad_right"].into_iter().enumerate() {
                let geom = id(model, MjtObjBase::mjOBJ_GEOM, "geom", pad)?;
                let body = model.geom_bodyid()[geom] as usize;
                let joint = usize::try_from(model.body_jntadr()[body]).map_err(|_| {
                    SimError::Missing { kind: "finger joint of geom", name: pad.into() }
                })?;
                fingers[k] = model.jnt_qposadr()[joint] as usize;
                speeds[k] = model.jnt_dofadr()[joint] as usize;
            }
            HandHandles::Parallel {
                actuator: id(model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", "robot/gripper")?,
                fingers,
                speeds,
                travel: opening / 2.0,
            }
        }
        Gripper::Suction { .. } => HandHandles::Suction {
            cup: id(model, MjtObjBase::mjOBJ_BODY, "body", "robot/cup")?,
            welds: bodies
                .iter()
                .map(|b| {
                    model.name_to_id(MjtObjBase::mjOBJ_EQUALITY, &format!("suction/{}", b.name))
                })
                .collect(),
            holding: None,
        },
    })
}

pub(super) fn geom_owners(model: &MjModel, handles: &[BodyHandle]) -> Result<Vec<Owner>, SimError> {
    let nbody = model.ffi().nbody as usize;
    let mut of_body = vec![None; nbody];
    for (i, h) in handles.iter().enumerate() {
        of_body[h.body] = Some(Owner::Body(i));
    }
    let finger = |pad: &str| {
        model.name_to_id(MjtObjBase::mjOBJ_GEOM, pad).map(|g| model.geom_bodyid()[g] as usize)
    };
    let cup = model.name_to_id(MjtObjBase::mjOBJ_BODY, "robot/cup");
    for b in 1..nbody {
        let name = model.id_to_name(MjtObjBase::mjOBJ_BODY, b).unwrap_or("");
        if of_body[b].is_some() {
            continue;
        }
        of_body[b] = if Some(b) == finger("robot/pad_left") || Some(b) == cup {
            Some(Owner::Left)
        } else if Some(b) == finger("robot/pad_right") {
            Some(Owner::Right)
        } else if name.starts_with("robot/") {
            Some(Owner::Robot)
        } else {
            // Parents come before children in MuJoCo's order.
            of_body[model.body_parentid()[b] as usize]
        };
    }
    Ok(model.geom_bodyid().iter().map(|&b| of_body[b as usize].unwrap_or(Owner::Body(0))).collect())
}
