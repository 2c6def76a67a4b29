//! A world compiled from a model of other people's files, driven as its own stack drives it.

mod handles;
mod mirror;
mod numbers;
mod pictures;

use std::collections::BTreeSet;

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_assets::source::{SourceModel, SourceRobot};
use longarm_types::{DMat3, DVec3, Pose, SUBSTEPS, ToolScale};
use mujoco_rs::prelude::*;

use crate::SimError;
use crate::control::{ArmReading, Osc};
use crate::world::{compile_model, diverged, read_arm, rows_to_mat};
use handles::{ArmHandles, find};

pub use numbers::{ElementNumbers, ModelNumbers};
pub use pictures::SourceCameras;

/// A model from files with its state, its arm's controller and its gripper.
///
/// It is stepped by tool deltas and a gripper command, seven numbers, 25 physics steps each; torques
/// are computed at every physics step. Nothing allocates in [`SourceWorld::step`].
pub struct SourceWorld {
    data: MjData<Box<MjModel>>,
    arm: ArmHandles,
    home: Joints,
    robot: SourceRobot,
    scale: ToolScale,
    osc: Osc,
    /// Where between its limits each finger's target is, −1 to 1.
    grip: [f64; 2],
}

impl SourceWorld {
    /// Compile a model and find its robot. The arm stands in its home posture.
    pub fn new(model: &SourceModel, robot: &SourceRobot) -> Result<Self, SimError> {
        let compiled = compile_model(&model.xml, &model.files)?;
        let arm = ArmHandles::find(&compiled, robot)?;
        let mut home = [0.0; MAX_JOINTS];
        for (to, from) in home.iter_mut().zip(&robot.home) {
            *to = *from;
        }
        let mut data =
            MjData::try_new(Box::new(compiled)).map_err(|e| SimError::Compile(e.to_string()))?;
        data.forward();
        let osc = Osc::new(robot.osc, home, &arm.read(&data));
        let mut out =
            Self { data, arm, home, robot: robot.clone(), scale: robot.scale, osc, grip: [0.0; 2] };
        out.reset();
        Ok(out)
    }

    /// Begin again: the state the model was compiled with, the arm in its home posture, the fingers
    /// where they begin. The controller notes what it finds and uses that for its first torques, unless
    /// [`SourceWorld::tell_controller`] says that something has changed.
    pub fn reset(&mut self) {
        self.data.reset();
        for (i, q) in self.arm.qpos.iter().enumerate() {
            self.data.qpos_mut()[*q] = self.home[i];
        }
        for (q, at) in &self.arm.fingers {
            self.data.qpos_mut()[*q] = *at;
        }
        self.grip = [0.0; 2];
        self.data.forward();
        let reading = self.arm.read(&self.data);
        self.osc = Osc::new(self.robot.osc, self.home, &reading);
        self.osc.keep(reading);
    }

    /// Let the controller hold the arm where it is now, and use what it feels now.
    pub fn tell_controller(&mut self) {
        self.osc = Osc::new(self.robot.osc, self.home, &self.arm.read(&self.data));
    }

    /// Put a body that is fixed to its parent somewhere else.
    pub fn place(&mut self, body: usize, pose: &Pose) {
        // SAFETY: poses of bodies may change between steps; no size or index of the model does.
        #[allow(unsafe_code)]
        let model = unsafe { self.data.model_mut() };
        model.body_pos_mut()[body] = pose.pos.to_array();
        model.body_quat_mut()[body] = pose.wxyz();
    }

    /// How many numbers a state has: time, positions, velocities.
    pub fn state_len(&self) -> usize {
        1 + self.data.qpos().len() + self.data.qvel().len()
    }

    /// Set time, positions and velocities of all joints, in this order. False if there are more or
    /// fewer numbers than [`SourceWorld::state_len`]; nothing is changed then.
    pub fn set_state(&mut self, state: &[f64]) -> bool {
        if state.len() != self.state_len() {
            return false;
        }
        let (time, rest) = (state[0], &state[1..]);
        let (qpos, qvel) = rest.split_at(self.data.qpos().len());
        self.data.set_time(time);
        self.data.qpos_mut().copy_from_slice(qpos);
        self.data.qvel_mut().copy_from_slice(qvel);
        self.data.forward();
        true
    }

    /// Advance one control step: six numbers of a tool delta and a gripper command, each −1 to 1.
    pub fn step(&mut self, action: &[f64; 7]) -> Result<(), SimError> {
        self.step_seen(action, SUBSTEPS, |_| {})
    }

    /// The same; `see` is called once, after `after` physics steps, with poses as computed for the
    /// last of them. So observations of a stack are taken that samples them a little early.
    pub fn step_seen(
        &mut self,
        action: &[f64; 7],
        after: u32,
        mut see: impl FnMut(&Self),
    ) -> Result<(), SimError> {
        let [delta @ .., grip] = *action;
        let mut torques = [0.0; MAX_JOINTS];
        let mut bias = [0.0; MAX_JOINTS];
        for k in 0..SUBSTEPS {
            self.data.step1();
            let (data, arm) = (&self.data, &self.arm);
            if k == 0 {
                self.osc.command(&delta, self.scale, || arm.read(data));
            }
            for (bias, dof) in bias.iter_mut().zip(&arm.qvel) {
                *bias = data.qfrc_bias()[*dof];
            }
            self.osc.torques(k, &bias, || arm.read(data), &mut torques);
            self.drive(&torques, grip);
            self.data.step2();
            if k + 1 == after {
                see(self);
            }
        }
        diverged(&self.data)
    }

    fn drive(&mut self, torques: &Joints, grip: f64) {
        let ctrl = self.data.ctrl_mut();
        for ((motor, [low, high]), torque) in self.arm.motors.iter().zip(torques) {
            ctrl[*motor] = torque.clamp(*low, *high);
        }
        // The sign decides: half a command closes as fast as a whole one.
        let way = match grip {
            g if g > 0.0 => 1.0,
            g if g < 0.0 => -1.0,
            _ => 0.0,
        };
        for (at, (servo, [low, high], sign)) in self.grip.iter_mut().zip(&self.arm.servos) {
            *at = (*at + sign * self.robot.gripper.speed * way).clamp(-1.0, 1.0);
            ctrl[*servo] = 0.5 * (high + low) + 0.5 * (high - low) * *at;
        }
    }

    /// Compute where everything is at this very moment. After a control step poses are those before
    /// its last physics step.
    pub fn refresh(&mut self) {
        self.data.kinematics();
    }

    /// Find a body by name.
    pub fn body(&self, name: &str) -> Result<usize, SimError> {
        find(self.data.model(), MjtObjBase::mjOBJ_BODY, "body", name)
    }

    /// Find a site by name.
    pub fn site(&self, name: &str) -> Result<usize, SimError> {
        find(self.data.model(), MjtObjBase::mjOBJ_SITE, "site", name)
    }

    /// Find where a joint's position is among all.
    pub fn joint(&self, name: &str) -> Result<usize, SimError> {
        let joint = find(self.data.model(), MjtObjBase::mjOBJ_JOINT, "joint", name)?;
        Ok(self.data.model().jnt_qposadr()[joint] as usize)
    }

    /// Return where a body is.
    pub fn body_pose(&self, body: usize) -> Pose {
        Pose::from_arrays(self.data.xpos()[body], self.data.xquat()[body])
    }

    /// Return where a site is and how it is turned.
    pub fn site_pose(&self, site: usize) -> (DVec3, DMat3) {
        (DVec3::from(self.data.site_xpos()[site]), rows_to_mat(&self.data.site_xmat()[site]))
    }

    /// Return where the tool is and how it is turned.
    pub fn tool(&self) -> (DVec3, DMat3) {
        self.site_pose(self.arm.tool)
    }

    /// Return all joint positions.
    pub fn positions(&self) -> &[f64] {
        self.data.qpos()
    }

    /// Return how many contacts there are.
    pub fn contacts(&self) -> usize {
        self.data.contact().len()
    }

    /// Return the felt geoms (group 0) of bodies whose names begin so.
    pub fn felt_geoms(&self, prefix: &str) -> BTreeSet<i32> {
        let model = self.data.model();
        let own = |g: &usize| {
            let body = model.geom_bodyid()[*g] as usize;
            let name = model.id_to_name(MjtObjBase::mjOBJ_BODY, body).unwrap_or("");
            name.starts_with(prefix) && model.geom_group()[*g] == 0
        };
        (0..model.ffi().ngeom as usize).filter(own).map(|g| g as i32).collect()
    }

    /// Return whether a geom of one set touches one of another.
    pub fn touch(&self, a: &BTreeSet<i32>, b: &BTreeSet<i32>) -> bool {
        self.data.contact().iter().any(|c| {
            let [g, h] = c.geom;
            (a.contains(&g) && b.contains(&h)) || (a.contains(&h) && b.contains(&g))
        })
    }
}

impl ArmHandles {
    fn read(&self, data: &MjData<Box<MjModel>>) -> ArmReading {
        read_arm(data, &self.qpos, &self.qvel, self.tool)
    }
}
