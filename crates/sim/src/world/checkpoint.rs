//! Saving a moment and returning to it.

use longarm_task::Snapshot;
use longarm_types::RunningHash;
use mujoco_rs::prelude::*;

use super::World;
use super::handles::EndHandles;
use crate::SimError;
use crate::contacts::ContactTracker;
use crate::control::ArmController;

/// Everything needed to return to a moment exactly.
pub struct Checkpoint {
    data: MjData<Box<MjModel>>,
    controllers: Vec<ArmController>,
    contacts: ContactTracker,
    snapshot: Snapshot,
    hash: RunningHash,
    clipped: u32,
    /// What each limb's suction cup holds.
    holding: Vec<Option<usize>>,
}

impl World {
    /// Saves this moment exactly.
    pub fn save(&self) -> Checkpoint {
        Checkpoint {
            data: self.data.clone(),
            controllers: self.controllers.clone(),
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
        }
    }

    /// Returns to a saved moment, bit for bit.
    pub fn restore(&mut self, c: &Checkpoint) -> Result<(), SimError> {
        // A whole copy of MjData: setting the state vector is not exact while bodies sleep.
        c.data.copy_to(&mut self.data).map_err(|_| SimError::ForeignCheckpoint)?;
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
        self.controllers.clone_from(&c.controllers);
        self.contacts = c.contacts.clone();
        self.snapshot = c.snapshot.clone();
        self.hash = c.hash.clone();
        self.clipped = c.clipped;
        for (limb, held) in self.limbs.iter_mut().zip(&c.holding) {
            if let EndHandles::Suction { holding, .. } = &mut limb.end {
                *holding = *held;
            }
        }
        Ok(())
    }
}
