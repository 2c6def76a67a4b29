//! What drives the robot of a model from files: its controller, its gripper, at every physics step.

use std::time::{Duration, Instant};

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_assets::source::SourceRobot;
use mujoco_rs::prelude::*;

use super::handles::ArmHandles;
use crate::SimError;
use crate::control::{ArmReading, Osc};
use crate::world::read_arm;

type Data = MjData<Box<MjModel>>;

/// The controller of an arm and the targets of its fingers. Nothing allocates while it drives.
pub(crate) struct SourceDrive {
    pub(crate) arm: ArmHandles,
    home: Joints,
    robot: SourceRobot,
    pub(crate) state: DriveState,
}

/// What changes while it drives: copying it copies all.
#[derive(Clone)]
pub(crate) struct DriveState {
    pub(super) osc: Osc,
    /// Where between its limits each finger's target is, −1 to 1.
    pub(super) grip: [f64; 2],
}

impl ArmHandles {
    fn read(&self, data: &Data) -> ArmReading {
        read_arm(data, &self.qpos, &self.qvel, self.tool)
    }
}

impl SourceDrive {
    /// Find the robot in a compiled model.
    pub(crate) fn new(data: &Data, robot: &SourceRobot) -> Result<Self, SimError> {
        let arm = ArmHandles::find(data.model(), robot)?;
        let mut home = [0.0; MAX_JOINTS];
        for (to, from) in home.iter_mut().zip(&robot.home) {
            *to = *from;
        }
        let osc = Osc::new(robot.osc, home, &arm.read(data));
        let state = DriveState { osc, grip: [0.0; 2] };
        Ok(Self { arm, home, robot: robot.clone(), state })
    }

    /// Set the arm to its home posture and the fingers to where they begin. The controller notes what it
    /// finds and uses that for its first torques, unless [`SourceDrive::tell`] says that something has
    /// changed.
    pub(crate) fn reset(&mut self, data: &mut Data) {
        self.go_home(data);
        data.forward();
        self.note(data);
    }

    /// The same where a state is set next. Contacts are not looked for: before that, all objects of a model may
    /// lie in one another.
    pub(crate) fn reset_before_state(&mut self, data: &mut Data) {
        self.go_home(data);
        data.kinematics();
        data.com_pos();
        data.make_m();
        self.note(data);
    }

    fn go_home(&self, data: &mut Data) {
        for (i, (q, v)) in self.arm.qpos.iter().zip(&self.arm.qvel).enumerate() {
            data.qpos_mut()[*q] = self.home[i];
            data.qvel_mut()[*v] = 0.0;
        }
        for finger in &self.arm.fingers {
            data.qpos_mut()[finger.qpos] = finger.home;
            data.qvel_mut()[finger.qvel] = 0.0;
        }
    }

    fn note(&mut self, data: &Data) {
        let reading = self.arm.read(data);
        self.state.grip = [0.0; 2];
        self.state.osc = Osc::new(self.robot.osc, self.home, &reading);
        self.state.osc.keep(reading);
    }

    /// Let the controller hold the arm where it is now, and use what it feels now.
    pub(crate) fn tell(&mut self, data: &Data) {
        self.state.osc = Osc::new(self.robot.osc, self.home, &self.arm.read(data));
    }

    /// Take physics step `k` of a control step; the time that MuJoCo takes is added to `spent`.
    pub(crate) fn substep(
        &mut self,
        data: &mut Data,
        k: u32,
        action: &[f64; 7],
        mut spent: Option<&mut Duration>,
    ) {
        let [delta @ .., grip] = *action;
        let mut timed = |data: &mut Data, step: fn(&mut Data)| match &mut spent {
            None => step(data),
            Some(spent) => {
                let begun = Instant::now();
                step(data);
                **spent += begun.elapsed();
            }
        };
        timed(data, Data::step1);
        let (osc, arm) = (&mut self.state.osc, &self.arm);
        if k == 0 {
            osc.command(&delta, self.robot.scale, || arm.read(data));
        }
        let (mut torques, mut bias) = ([0.0; MAX_JOINTS], [0.0; MAX_JOINTS]);
        for (bias, dof) in bias.iter_mut().zip(&arm.qvel) {
            *bias = data.qfrc_bias()[*dof];
        }
        osc.torques(k, &bias, || arm.read(data), &mut torques);
        self.drive(data, &torques, grip);
        timed(data, Data::step2);
    }

    fn drive(&mut self, data: &mut Data, torques: &Joints, grip: f64) {
        let ctrl = data.ctrl_mut();
        for ((motor, [low, high]), torque) in self.arm.motors.iter().zip(torques) {
            ctrl[*motor] = torque.clamp(*low, *high);
        }
        // The sign decides: half a command closes as fast as a whole one.
        let way = match grip {
            g if g > 0.0 => 1.0,
            g if g < 0.0 => -1.0,
            _ => 0.0,
        };
        for (at, (servo, [low, high], sign)) in self.state.grip.iter_mut().zip(&self.arm.servos) {
            *at = (*at + sign * self.robot.gripper.speed * way).clamp(-1.0, 1.0);
            ctrl[*servo] = 0.5 * (high + low) + 0.5 * (high - low) * *at;
        }
    }
}
