//! Saving a moment and returning to it.

use longarm_task::Snapshot;
use longarm_types::{Digest, Pose, RunningHash};
use mujoco_rs::prelude::*;

use super::World;
use super::base::BaseDrive;
use super::handles::EndHandles;
use super::limb::EndCommand;
use super::sourced::Moment;
use crate::SimError;
use crate::contacts::ContactTracker;
use crate::control::Controller;
use crate::medium::Jaws;

/// Everything needed to return to a moment exactly.
pub struct Checkpoint {
    data: MjData<Box<MjModel>>,
    controllers: Vec<Box<dyn Controller>>,
    ends: Vec<EndCommand>,
    bases: Vec<BaseDrive>,
    /// The states of media, by name.
    media: Vec<(String, Vec<f64>)>,
    /// Where solids were that media meet, and grippers.
    surroundings: (Vec<Pose>, Vec<Jaws>),
    /// Which limbs are driven by torques.
    torque: Vec<bool>,
    contacts: ContactTracker,
    snapshot: Snapshot,
    hash: RunningHash,
    clipped: u32,
    /// What each limb's suction cup holds.
    holding: Vec<Option<usize>>,
    source: Option<Moment>,
}

impl Checkpoint {
    /// Return the hash over all states from the reset to this moment.
    pub fn state_hash(&self) -> Digest {
        self.hash.digest()
    }
}

impl World {
    /// Saves this moment exactly.
    pub fn save(&self) -> Checkpoint {
        Checkpoint {
            data: self.data.clone(),
            controllers: self.controllers.clone(),
            ends: self.ends.clone(),
            bases: self.bases.clone(),
            media: self.save_media(),
            surroundings: self.save_surroundings(),
            torque: self.limbs.iter().map(|l| l.torque).collect(),
            contacts: self.contacts.clone(),
            snapshot: self.snapshot.clone(),
            hash: self.hash.clone(),
            clipped: self.clipped,
            holding: self
                .limbs
                .iter()
                .map(|limb| match limb.end {
                    EndHandles::Suction { holding, .. } => holding,
                    _ => None,
                })
                .collect(),
            source: self.save_source(),
        }
    }

    /// Returns to a saved moment, bit for bit.
    pub fn restore(&mut self, c: &Checkpoint) -> Result<(), SimError> {
        let before = self.save_media();
        // A whole copy of MjData: setting the state vector is not exact while bodies sleep.
        if !self.restore_media(&c.media) || c.data.copy_to(&mut self.data).is_err() {
            self.restore_media(&before);
            return Err(SimError::ForeignCheckpoint);
        }
        // SAFETY: both models were compiled from one structure, as `copy_to` has checked; only
        // numbers that may change between steps are copied.
        #[allow(unsafe_code)]
        let model = unsafe { self.data.model_mut() };
        let then = c.data.model();
        model.body_pos_mut().copy_from_slice(then.body_pos());
        model.body_quat_mut().copy_from_slice(then.body_quat());
        // SAFETY: as above; these are numbers, not indices.
        #[allow(unsafe_code)]
        unsafe { model.eq_data_mut() }.copy_from_slice(then.eq_data());
        model.geom_rgba_mut().copy_from_slice(then.geom_rgba());
        model.flex_rgba_mut().copy_from_slice(then.flex_rgba());
        self.restore_surroundings(&c.surroundings);
        for (limb, torque) in c.torque.iter().enumerate() {
            if self.limbs[limb].torque != *torque {
                self.set_servos(limb, !torque);
            }
        }
        self.controllers.clone_from(&c.controllers);
        self.fresh = self.controllers.iter().any(|c| c.needs_dynamics());
        self.ends.clone_from(&c.ends);
        self.bases.clone_from(&c.bases);
        self.contacts = c.contacts.clone();
        self.snapshot = c.snapshot.clone();
        self.hash = c.hash.clone();
        self.clipped = c.clipped;
        self.restore_source(c.source.as_ref());
        for (limb, held) in self.limbs.iter_mut().zip(&c.holding) {
            if let EndHandles::Suction { holding, .. } = &mut limb.end {
                *holding = *held;
            }
        }
        Ok(())
    }
}
