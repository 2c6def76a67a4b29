//! One control step: the controller's commands, MuJoCo's steps, what is wrong afterwards.

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_assets::objects::conveyor::PITCH;
use longarm_types::SUBSTEPS;
use mujoco_rs::prelude::*;

use super::World;
use super::handles::HandHandles;
use crate::SimError;

impl World {
    /// Advances one control step under an end-effector action that was already checked.
    pub fn step(&mut self, action: &[f32]) -> Result<(), SimError> {
        let q = self.joints();
        if self.controller.command(action, &q) {
            self.clipped += 1;
        }
        for k in 0..SUBSTEPS {
            self.apply_control(k);
            match &mut self.physics {
                None => self.data.step(),
                Some(spent) => {
                    let t = std::time::Instant::now();
                    self.data.step();
                    *spent += t.elapsed();
                }
            }
        }
        self.check()?;
        for &q in &self.belts {
            // A belt's slats repeat: it moves on for ever without going anywhere.
            let at = &mut self.data.qpos_mut()[q];
            *at -= (*at / PITCH).floor() * PITCH;
        }
        self.snapshot.step += 1;
        self.refresh();
        self.digest_state();
        Ok(())
    }

    fn joints(&self) -> Joints {
        let mut q = [0.0; MAX_JOINTS];
        for i in 0..self.robot.dof {
            q[i] = self.data.qpos()[self.robot.qpos[i]];
        }
        q
    }

    pub(super) fn apply_control(&mut self, k: u32) {
        let mut ctrl = [0.0; MAX_JOINTS];
        self.controller.servo(k, &self.joints(), &mut ctrl);
        let out = self.data.ctrl_mut();
        for i in 0..self.robot.dof {
            out[self.robot.actuators[i]] = ctrl[i];
        }
        if let HandHandles::Parallel { actuator, travel, .. } = self.robot.hand {
            out[actuator] = travel * 0.5 * (1.0 - self.controller.gripper());
        }
    }

    pub(super) fn check(&self) -> Result<(), SimError> {
        const BAD: [(MjtWarning, &str); 3] = [
            (MjtWarning::mjWARN_BADQPOS, "a position is not finite"),
            (MjtWarning::mjWARN_BADQVEL, "a velocity is not finite"),
            (MjtWarning::mjWARN_BADQACC, "an acceleration is not finite"),
        ];
        let warnings = &self.data.ffi().warning;
        match BAD.iter().find(|(w, _)| warnings[*w as usize].number > 0) {
            Some(&(_, what)) => Err(SimError::Diverged { time: self.data.time(), what }),
            None => Ok(()),
        }
    }
}
