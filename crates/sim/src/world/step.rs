//! One control step: the controller's commands, MuJoCo's steps, what is wrong afterwards.

use longarm_types::{MAX_ACTION, SUBSTEPS};
use mujoco_rs::prelude::*;

use super::World;
use crate::SimError;

impl World {
    /// Advance one control step under an action of [`World::control`] that was already checked.
    pub fn step(&mut self, action: &[f32]) -> Result<(), SimError> {
        let mut clipped = [0.0; MAX_ACTION];
        if self.control.clip(action, &mut clipped) {
            self.clipped += 1;
        }
        if self.is_sourced() {
            return self.step_source(&clipped);
        }
        self.command(&clipped);
        for k in 0..SUBSTEPS {
            self.step_media();
            if !self.guided.is_empty() {
                self.lead(k);
            }
            if self.fresh {
                self.data.step1();
                self.apply_control(k);
                self.data.step2();
                continue;
            }
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
        // A medium that blows up takes bodies along, so it is asked first.
        self.check_media()?;
        self.check()?;
        self.let_go();
        for &(q, pitch) in &self.belts {
            // A belt's slats repeat: it moves on for ever without going anywhere.
            let at = &mut self.data.qpos_mut()[q];
            *at -= (*at / pitch).floor() * pitch;
        }
        self.snapshot.step += 1;
        self.carry_limbs();
        self.refresh();
        self.digest_state();
        Ok(())
    }

    pub(super) fn check(&self) -> Result<(), SimError> {
        diverged(&self.data)
    }
}

/// Say what is wrong after a step, by MuJoCo's warnings.
pub(crate) fn diverged(data: &MjData<Box<MjModel>>) -> Result<(), SimError> {
    const BAD: [(MjtWarning, &str); 5] = [
        (MjtWarning::mjWARN_BADQPOS, "a position is not finite"),
        (MjtWarning::mjWARN_BADQVEL, "a velocity is not finite"),
        (MjtWarning::mjWARN_BADQACC, "an acceleration is not finite"),
        (MjtWarning::mjWARN_CONTACTFULL, "there are more contacts than memory for them"),
        (MjtWarning::mjWARN_CNSTRFULL, "there are more constraints than memory for them"),
    ];
    let warnings = &data.ffi().warning;
    match BAD.iter().find(|(w, _)| warnings[*w as usize].number > 0) {
        Some(&(_, what)) => Err(SimError::Diverged { time: data.time(), what }),
        None => Ok(()),
    }
}
