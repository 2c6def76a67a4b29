//! Saving a moment and returning to it.

use longarm_task::Snapshot;
use longarm_types::RunningHash;
use mujoco_rs::prelude::*;

use super::World;
use super::handles::HandHandles;
use crate::SimError;
use crate::contacts::ContactTracker;
use crate::control::ArmController;

/// Everything needed to return to a moment exactly.
pub struct Checkpoint {
    data: MjData<Box<MjModel>>,
    controller: ArmController,
    contacts: ContactTracker,
    snapshot: Snapshot,
    hash: RunningHash,
    clipped: u32,
    holding: Option<usize>,
}

impl World {
    /// Saves this moment exactly.
    pub fn save(&self) -> Checkpoint {
        Checkpoint {
            data: self.data.clone(),
            controller: self.controller.clone(),
            contacts: self.contacts.clone(),
            snapshot: self.snapshot.clone(),
            hash: self.hash.clone(),
            clipped: self.clipped,
            holding: match self.robot.hand {
                HandHandles::Suction { holding, .. } => holding,
                HandHandles::Parallel { .. } => None,
            },
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
        self.controller = c.controller.clone();
        self.contacts = c.contacts.clone();
        self.snapshot = c.snapshot.clone();
        self.hash = c.hash.clone();
        self.clipped = c.clipped;
        if let HandHandles::Suction { holding, .. } = &mut self.robot.hand {
            *holding = c.holding;
        }
        Ok(())
    }
}
