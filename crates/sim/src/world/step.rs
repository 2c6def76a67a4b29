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
        self.check_flexes()?;
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
    use MjtWarning as W;
    const BAD: [(W, &str); 5] = [
        (W::mjWARN_BADQPOS, "a position is not finite"),
        (W::mjWARN_BADQVEL, "a velocity is not finite"),
        (W::mjWARN_BADQACC, "an acceleration is not finite"),
        (W::mjWARN_CONTACTFULL, "there are more contacts than memory for them"),
        (W::mjWARN_CNSTRFULL, "there are more constraints than memory for them"),
    ];
    let warnings = &data.ffi().warning;
    let Some(&(kind, what)) = BAD.iter().find(|(w, _)| warnings[*w as usize].number > 0) else {
        return Ok(());
    };
    let model = data.model();
    let number = warnings[kind as usize].lastinfo;
    let body = match kind {
        W::mjWARN_BADQPOS => {
            let joint = model.jnt_qposadr().iter().rposition(|&q| q <= number);
            joint.map(|j| model.jnt_bodyid()[j])
        }
        W::mjWARN_BADQVEL | W::mjWARN_BADQACC => {
            usize::try_from(number).ok().and_then(|d| model.dof_bodyid().get(d).copied())
        }
        _ => None,
    };
    let object = body.and_then(|mut body| {
        // What stands in the world on its own is the object.
        while model.body_parentid()[body as usize] > 0 {
            body = model.body_parentid()[body as usize];
        }
        model.id_to_name(MjtObjBase::mjOBJ_BODY, body as usize)
    });
    let what = object.map_or_else(|| what.to_owned(), |name| format!("{what}: {name}"));
    Err(SimError::Diverged { time: data.time(), what })
}
