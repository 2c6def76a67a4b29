//! Saving a moment of an episode, and returning to it.

use std::sync::Arc;

use longarm_task::TaskSpec;
use longarm_types::{Digest, Observation};

use super::{Env, EnvSettings, Episode};
use crate::{Checkpoint, SimError};

/// Everything needed to return to a moment of an episode exactly: world, stages, counters, streams of
/// noise, hashes, instruction.
pub struct EnvCheckpoint {
    task: Arc<TaskSpec>,
    task_hash: Digest,
    settings: EnvSettings,
    world: Checkpoint,
    episode: Episode,
    observation: Observation,
}

impl EnvCheckpoint {
    /// Return the hash over all states from the reset to this moment.
    pub fn state_hash(&self) -> Digest {
        self.world.state_hash()
    }
}

impl Env {
    /// Save this moment of the episode exactly.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn save(&self) -> EnvCheckpoint {
        EnvCheckpoint {
            task: Arc::clone(&self.task),
            task_hash: self.task_hash,
            settings: self.settings.clone(),
            world: self.world().save(),
            episode: self.episode().clone(),
            observation: self.observation.clone(),
        }
    }

    /// Return to a saved moment, bit for bit: going on from here is going on from there. It may have
    /// been saved in another environment of the same task, before or after any reset; what this one
    /// renders stays its own. A checkpoint that does not fit changes nothing.
    pub fn restore(&mut self, checkpoint: &EnvCheckpoint) -> Result<(), SimError> {
        if checkpoint.task_hash != self.task_hash {
            let (theirs, ours) = (checkpoint.task.id.clone(), self.task.id.clone());
            let same = if theirs == ours { " with other contents" } else { "" };
            return Err(SimError::ForeignTask { checkpoint: theirs, env: ours, same });
        }
        let slot = self.slot(&checkpoint.episode.scene.structure)?;
        slot.world.restore(&checkpoint.world)?;
        self.episode = Some(checkpoint.episode.clone());
        self.observation.clone_from(&checkpoint.observation);
        if self.settings != checkpoint.settings {
            // Pictures of other cameras.
            self.observation.cameras.clear();
            self.observation.cloud.clear();
        }
        Ok(())
    }
}
