//! One control step: the controller's commands, MuJoCo's steps, what is wrong afterwards.

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_types::{MAX_ACTION, SUBSTEPS};
use mujoco_rs::prelude::*;

use super::World;
use super::handles::{EndHandles, LimbHandles};
use crate::SimError;

impl World {
    /// Advance one control step under an action of [`World::control`] that was already checked.
    pub fn step(&mut self, action: &[f32]) -> Result<(), SimError> {
        let mut clipped = [0.0; MAX_ACTION];
        if self.control.clip(action, &mut clipped) {
            self.clipped += 1;
        }
        for (limb, controller) in self.limbs.iter().zip(&mut self.controllers) {
            let q = limb.joints(self.data.qpos());
            controller.command(&self.control, &limb.name, &clipped, &q);
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
        for &(q, pitch) in &self.belts {
            // A belt's slats repeat: it moves on for ever without going anywhere.
            let at = &mut self.data.qpos_mut()[q];
            *at -= (*at / pitch).floor() * pitch;
        }
        self.snapshot.step += 1;
        self.refresh();
        self.digest_state();
        Ok(())
    }

    pub(super) fn apply_control(&mut self, k: u32) {
        for (limb, controller) in self.limbs.iter().zip(&self.controllers) {
            let mut ctrl = [0.0; MAX_JOINTS];
            controller.servo(k, &limb.joints(self.data.qpos()), &mut ctrl);
            let out = self.data.ctrl_mut();
            for i in 0..limb.dof {
                out[limb.actuators[i]] = ctrl[i];
            }
            match &limb.end {
                EndHandles::Gripper { actuator, travel, .. } => {
                    out[*actuator] = travel * 0.5 * (1.0 - controller.gripper());
                }
                EndHandles::Hand(joints) => {
                    for j in joints {
                        out[j.actuator] = j.home;
                    }
                }
                EndHandles::Suction { .. } => {}
            }
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

impl LimbHandles {
    /// The limb's joint positions among all.
    pub(super) fn joints(&self, qpos: &[f64]) -> Joints {
        let mut q = [0.0; MAX_JOINTS];
        for i in 0..self.dof {
            q[i] = qpos[self.qpos[i]];
        }
        q
    }
}
