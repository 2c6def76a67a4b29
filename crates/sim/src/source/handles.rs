//! Where a robot's numbers live in MuJoCo's arrays, found by name once.

use longarm_assets::kinematics::MAX_JOINTS;
use longarm_assets::source::SourceRobot;
use mujoco_rs::prelude::*;

use crate::SimError;

/// An arm of up to [`MAX_JOINTS`] joints, and its fingers.
pub(crate) struct ArmHandles {
    pub qpos: Vec<usize>,
    pub qvel: Vec<usize>,
    /// Motors and their limits.
    pub motors: Vec<(usize, [f64; 2])>,
    pub tool: usize,
    pub fingers: Vec<Finger>,
    /// Servos of the fingers, their limits, and the sign of closing.
    pub servos: Vec<(usize, [f64; 2], f64)>,
}

/// A finger's position and velocity, and where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finger {
    pub qpos: usize,
    pub qvel: usize,
    pub home: f64,
}

pub(crate) fn find(
    model: &MjModel,
    kind: MjtObjBase,
    what: &'static str,
    name: &str,
) -> Result<usize, SimError> {
    model.name_to_id(kind, name).ok_or_else(|| SimError::Missing { kind: what, name: name.into() })
}

impl ArmHandles {
    pub(super) fn find(model: &MjModel, robot: &SourceRobot) -> Result<Self, SimError> {
        let joint = |name: &String| find(model, MjtObjBase::mjOBJ_JOINT, "joint", name);
        let actuator = |name: &String| find(model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", name);
        let mut out = Self {
            qpos: Vec::new(),
            qvel: Vec::new(),
            motors: Vec::new(),
            tool: find(model, MjtObjBase::mjOBJ_SITE, "site", &robot.tool)?,
            fingers: Vec::new(),
            servos: Vec::new(),
        };
        for name in robot.joints.iter().take(MAX_JOINTS) {
            let j = joint(name)?;
            out.qpos.push(model.jnt_qposadr()[j] as usize);
            out.qvel.push(model.jnt_dofadr()[j] as usize);
        }
        for name in robot.motors.iter().take(MAX_JOINTS) {
            let a = actuator(name)?;
            out.motors.push((a, model.actuator_ctrlrange()[a]));
        }
        for (name, at) in &robot.gripper.joints {
            let j = joint(name)?;
            let (qpos, qvel) = (model.jnt_qposadr()[j] as usize, model.jnt_dofadr()[j] as usize);
            out.fingers.push(Finger { qpos, qvel, home: *at });
        }
        for (name, sign) in &robot.gripper.actuators {
            let a = actuator(name)?;
            out.servos.push((a, model.actuator_ctrlrange()[a], *sign));
        }
        Ok(out)
    }
}
