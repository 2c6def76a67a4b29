//! What limbs are told: routes from an action's numbers, servos and torques, ends.

use std::ops::Range;

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_task::LimbId;
use longarm_types::{Action, ActionSpec, ChannelKind, MAX_ACTION};
use mujoco_rs::prelude::*;

use super::World;
use super::base::BaseDrive;
use super::handles::{EndHandles, LimbHandles};
use super::reading::{mass, read_arm};
use crate::SimError;
use crate::control::{ArmReading, Controller, Drive};

/// What a limb feels of itself.
#[derive(Clone, Copy)]
pub struct LimbState<'a> {
    data: &'a MjData<Box<MjModel>>,
    qpos: &'a [f64],
    limb: &'a LimbHandles,
}

impl<'a> LimbState<'a> {
    #[inline]
    fn new(data: &'a MjData<Box<MjModel>>, limb: &'a LimbHandles) -> Self {
        Self { data, qpos: data.qpos(), limb }
    }

    /// Return the number of joints.
    pub fn dof(&self) -> usize {
        self.limb.dof
    }

    /// Return the position of one joint.
    #[inline]
    pub fn joint(&self, i: usize) -> f64 {
        self.qpos[self.limb.qpos[i]]
    }

    /// Return joint positions.
    pub fn joints(&self) -> Joints {
        let mut q = [0.0; MAX_JOINTS];
        for (i, q) in q.iter_mut().enumerate().take(self.limb.dof) {
            *q = self.joint(i);
        }
        q
    }

    /// Return joint velocities.
    pub fn velocities(&self) -> Joints {
        self.of_dofs(self.data.qvel())
    }

    /// Return the torques that hold the joints against what moving bodies and gravity do to them,
    /// less what the model compensates by itself.
    pub fn bias(&self) -> Joints {
        let (bias, own) = (self.data.qfrc_bias(), self.data.qfrc_gravcomp());
        let mut out = self.of_dofs(bias);
        for (out, own) in out.iter_mut().zip(self.of_dofs(own)) {
            *out -= own;
        }
        out
    }

    /// Return the inertia that joints feel, and between each two of them.
    pub fn mass(&self) -> [[f64; MAX_JOINTS]; MAX_JOINTS] {
        mass(self.data, &self.limb.qvel[..self.limb.dof])
    }

    /// Return all that the limb feels of itself.
    pub fn reading(&self) -> ArmReading {
        let LimbHandles { dof, qpos, qvel, tool_site, .. } = self.limb;
        read_arm(self.data, &qpos[..*dof], &qvel[..*dof], *tool_site)
    }

    fn of_dofs(&self, all: &[f64]) -> Joints {
        let mut out = [0.0; MAX_JOINTS];
        for i in 0..self.limb.dof {
            out[i] = all[self.limb.qvel[i]];
        }
        out
    }
}

/// Who takes the numbers of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taker {
    Arm(LimbId),
    End(LimbId),
    /// Index among the bases that move.
    Base(usize),
}

/// A channel of an action on its way to a limb.
#[derive(Clone, Debug)]
pub(super) struct Route {
    taker: Taker,
    kind: ChannelKind,
    numbers: Range<usize>,
}

/// Finds who takes each channel.
pub(super) fn routes(
    spec: &ActionSpec,
    limbs: &[LimbHandles],
    bases: &[BaseDrive],
) -> Result<Vec<Route>, SimError> {
    let route = |(channel, numbers): (&longarm_types::Channel, Range<usize>)| {
        let undriven = || SimError::Undriven { channel: channel.name.clone() };
        if let ChannelKind::BaseDelta(_) = channel.kind {
            let base = bases.iter().position(|b| b.channel == channel.name);
            let taker = Taker::Base(base.ok_or_else(undriven)?);
            return Ok(Route { taker, kind: channel.kind, numbers });
        }
        let limb = limbs.iter().position(|l| Some(&l.name) == channel.limb.as_ref());
        let limb = limb.ok_or_else(undriven)?;
        let taker = match channel.kind {
            ChannelKind::ToolDelta(_)
            | ChannelKind::JointTarget
            | ChannelKind::JointDelta { .. } => Taker::Arm(limb),
            ChannelKind::Gripper | ChannelKind::HandJoints => Taker::End(limb),
            ChannelKind::BaseDelta(_) | ChannelKind::PickPlace => return Err(undriven()),
        };
        Ok(Route { taker, kind: channel.kind, numbers })
    };
    spec.slices().map(route).collect()
}

/// What the end of a limb was told last.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EndCommand {
    /// −1 open … +1 closed.
    pub gripper: f64,
    /// Targets of a hand's joints.
    pub joints: Vec<f64>,
}

impl EndCommand {
    pub(super) fn new(end: &EndHandles) -> Self {
        let joints = match end {
            EndHandles::Hand(joints) => joints.iter().map(|j| j.home).collect(),
            _ => Vec::new(),
        };
        Self { gripper: -1.0, joints }
    }

    /// Open.
    pub(super) fn reset(&mut self, end: &EndHandles) {
        self.gripper = -1.0;
        if let EndHandles::Hand(joints) = end {
            for (target, j) in self.joints.iter_mut().zip(joints) {
                *target = j.home;
            }
        }
    }
}

impl World {
    /// Return what a limb feels of itself.
    pub fn limb_state(&self, limb: LimbId) -> LimbState<'_> {
        LimbState::new(&self.data, &self.limbs[limb])
    }

    /// Drive a limb by another controller from now on.
    pub fn set_controller(&mut self, limb: LimbId, mut controller: Box<dyn Controller>) {
        let joints = self.limb_state(limb).joints();
        if let Some(base) = self.carrier(limb) {
            controller.carry(&base);
        }
        controller.reset(&joints);
        self.controllers[limb] = controller;
        self.fresh = self.controllers.iter().any(|c| c.needs_dynamics());
    }

    /// Hands the numbers of an action to those who take them.
    pub(super) fn command(&mut self, numbers: &[f64; MAX_ACTION]) {
        for route in &self.routes {
            let numbers = &numbers[route.numbers.clone()];
            match route.taker {
                Taker::Arm(i) => {
                    let state = LimbState::new(&self.data, &self.limbs[i]);
                    self.controllers[i].command(route.kind, numbers, &state);
                }
                Taker::Base(i) => {
                    let base = &mut self.bases[i];
                    if let ChannelKind::BaseDelta(scale) = route.kind {
                        let measured = base.measured(&self.data);
                        base.controller.command(scale, numbers, measured);
                    }
                }
                Taker::End(i) => {
                    let end = &mut self.ends[i];
                    match (route.kind, numbers) {
                        (ChannelKind::Gripper, &[gripper]) => end.gripper = gripper,
                        _ => end.joints.copy_from_slice(numbers),
                    }
                }
            }
        }
    }

    /// Tells servos and joints what they are to do at physics step `k` of the control step.
    pub(super) fn apply_control(&mut self, k: u32) {
        let mut numbers = [0.0; MAX_JOINTS];
        for base in &self.bases {
            base.drive(k, &mut self.data);
        }
        for i in 0..self.limbs.len() {
            let state = LimbState::new(&self.data, &self.limbs[i]);
            match self.controllers[i].drive(k, &state, &mut numbers) {
                Drive::Servo => {
                    if self.limbs[i].torque {
                        self.switch_servos(i, true);
                    }
                    let limb = &self.limbs[i];
                    let out = self.data.ctrl_mut();
                    for i in 0..limb.dof {
                        out[limb.actuators[i]] = numbers[i];
                    }
                }
                Drive::Torque => {
                    if !self.limbs[i].torque {
                        self.switch_servos(i, false);
                    }
                    let limb = &self.limbs[i];
                    let out = self.data.qfrc_applied_mut();
                    for i in 0..limb.dof {
                        out[limb.qvel[i]] = numbers[i].clamp(-limb.force[i], limb.force[i]);
                    }
                }
            }
            let (limb, end) = (&self.limbs[i], &self.ends[i]);
            let out = self.data.ctrl_mut();
            match &limb.end {
                EndHandles::Gripper { actuator, travel, .. } => {
                    out[*actuator] = travel * 0.5 * (1.0 - end.gripper);
                }
                EndHandles::Hand(joints) => {
                    for (j, target) in joints.iter().zip(&end.joints) {
                        out[j.actuator] = *target;
                    }
                }
                EndHandles::Suction { .. } => {}
            }
        }
    }

    /// Switches a limb's servos on, or off so that torques alone move it.
    fn switch_servos(&mut self, limb: LimbId, on: bool) {
        self.set_servos(limb, on);
        let limb = &self.limbs[limb];
        for &dof in &limb.qvel[..limb.dof] {
            self.data.qfrc_applied_mut()[dof] = 0.0;
        }
    }

    /// Gives a limb's servos their strength, or none.
    pub(super) fn set_servos(&mut self, limb: LimbId, on: bool) {
        let limb = &mut self.limbs[limb];
        limb.torque = !on;
        for i in 0..limb.dof {
            let [gain, stiffness, damping] = if on { limb.gains[i] } else { [0.0; 3] };
            let a = limb.actuators[i];
            // SAFETY: gains may change between steps; no size or index of the model does.
            #[allow(unsafe_code)]
            let model = unsafe { self.data.model_mut() };
            // SAFETY: as above.
            #[allow(unsafe_code)]
            let gains = unsafe { model.actuator_gainprm_mut() };
            gains[a][0] = gain;
            let bias = &mut model.actuator_biasprm_mut()[a];
            (bias[1], bias[2]) = (stiffness, damping);
        }
    }

    /// Return the action of this world's control mode that moves limbs as an action of
    /// [`Rig::tool_actions`](longarm_assets::Rig::tool_actions) would.
    pub fn from_tool_action(&self, action: &[f32]) -> Action {
        let mut numbers = [0.0; MAX_ACTION];
        self.tool_actions.clip(action, &mut numbers);
        let mut out = self.control.idle();
        let tools = self.tool_actions.slices();
        for ((tool, from), (channel, to)) in tools.zip(self.control.slices()) {
            let (numbers, out) = (&numbers[from], &mut out.values_mut()[to]);
            let limb = self.limbs.iter().position(|l| Some(&l.name) == tool.limb.as_ref());
            let goal = limb.filter(|_| tool.kind != channel.kind).and_then(|i| {
                let controller = &self.controllers[i];
                let goal = controller.joint_goal(tool.kind, numbers, &self.limb_state(i))?;
                Some((goal, *controller.joint_targets()?))
            });
            for (i, out) in out.iter_mut().enumerate() {
                *out = match (goal, channel.kind) {
                    (Some((goal, _)), ChannelKind::JointTarget) => goal[i] as f32,
                    (Some((goal, now)), ChannelKind::JointDelta { radians }) => {
                        ((goal[i] - now[i]) / radians) as f32
                    }
                    _ => numbers[i] as f32,
                };
            }
        }
        out
    }
}
