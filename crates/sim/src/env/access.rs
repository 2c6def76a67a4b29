//! What an environment tells about itself.

use std::sync::Arc;

use longarm_task::{Bound, Scene, Snapshot, StageTracker, TaskSpec};
use longarm_types::{ActionSpec, Observation, ObservationSpec};

use super::{Env, Slot, StepReport};
use crate::World;
use crate::cameras::CameraRig;
use crate::pick_place::PickPlaceReport;

impl Env {
    /// What was observed last, without looking again.
    pub fn last_observation(&self) -> &Observation {
        &self.observation
    }

    /// The cameras of the present world, if it renders.
    pub fn cameras(&mut self) -> Option<(&mut CameraRig, &World)> {
        let Slot { world, cameras } = self.slots.first_mut()?;
        cameras.as_mut().map(|c| (c, &*world))
    }

    /// The present world.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn world(&self) -> &World {
        &self.present().world
    }

    /// The present world, to experiment with; stages are not tracked.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.slots.first_mut().expect("reset comes before anything else").world
    }

    /// Privileged: what is true now.
    pub fn snapshot(&self) -> &Snapshot {
        self.world().snapshot()
    }

    /// Privileged: the scene of this episode.
    pub fn scene(&self) -> &Scene {
        &self.episode().scene
    }

    /// Privileged: names resolved to bodies.
    pub fn bound(&self) -> &Bound {
        &self.episode().bound
    }

    /// Stage progress.
    pub fn tracker(&self) -> &StageTracker {
        &self.episode().tracker
    }

    /// What the last pick-and-place action did.
    pub fn picked(&self) -> Option<&PickPlaceReport> {
        self.episode().picked.as_ref()
    }

    /// Where the last step led.
    pub fn report(&self) -> StepReport {
        self.episode().report
    }

    /// The task of this episode: an instance, where the task is a template.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn instance(&self) -> &Arc<TaskSpec> {
        &self.episode().spec
    }

    /// The task.
    pub fn task(&self) -> &Arc<TaskSpec> {
        &self.task
    }

    /// Shape and meaning of actions.
    pub fn action_spec(&self) -> &ActionSpec {
        &self.action
    }

    /// What is observed.
    pub fn observation_spec(&self) -> &ObservationSpec {
        &self.seen
    }
}
