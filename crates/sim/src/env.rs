//! One environment: a task, its worlds, its stages.

mod access;
mod checkpoint;
mod record;

pub use checkpoint::EnvCheckpoint;

use std::borrow::Cow;
use std::sync::Arc;

use longarm_assets::Structure;
use longarm_task::plan::Subtasks;
use longarm_task::{Bound, Outcome, Reward, Scene, Shows, StageTracker, TaskSpec, sample};
use longarm_types::{
    Action, ActionError, ActionSpec, Digest, Hints, Observation, ObservationSpec, Proprioception,
    Rng, RunningHash, Seed,
};

use crate::cameras::{CameraRig, ImageSettings};
use crate::pick_place::{self, PickPlaceReport};
use crate::{Recent, SimError, World};

/// How many compiled structures an environment keeps.
const CACHED_WORLDS: usize = 4;

/// What an environment renders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnvSettings {
    /// Pictures for observations; `None` renders nothing.
    pub images: Option<ImageSettings>,
}

/// What one step led to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Control steps since the reset; actions, where each is a whole pick-and-place.
    pub step: u32,
    /// All stages were completed, now or at an earlier step.
    pub success: bool,
    /// They are completed and what they achieved still stands.
    pub stands: bool,
    /// Something forbidden happened.
    pub failed: bool,
    /// The horizon was reached first.
    pub truncated: bool,
    /// What the step was worth.
    pub reward: Reward,
}

impl StepReport {
    /// Whether the episode is over, unless it is told to run on after its success.
    pub fn done(&self) -> bool {
        self.success || self.failed || self.truncated
    }
}

struct Slot {
    world: World,
    cameras: Option<CameraRig>,
}

#[derive(Clone)]
struct Episode {
    spec: Arc<TaskSpec>,
    scene: Arc<Scene>,
    bound: Arc<Bound>,
    tracker: StageTracker,
    actions: RunningHash,
    noise: Rng,
    report: StepReport,
    /// Actions taken.
    taken: u32,
    picked: Option<PickPlaceReport>,
    /// The policy is told one stage at a time.
    stepwise: bool,
    /// What is to be done now, where the policy is told.
    subtasks: Option<Subtasks>,
    /// What the task itself moves.
    shows: Option<Shows>,
    /// The last action of the policy's that was carried out.
    last: Action,
}

impl Episode {
    fn instruction(&self) -> &str {
        if let Some(hint) = self.hint().filter(|h| !h.is_empty()) {
            return hint;
        }
        let stage = self.tracker.current().filter(|_| self.stepwise);
        let said = stage.and_then(|i| self.tracker.sentences().nth(i));
        said.unwrap_or(&self.scene.instruction)
    }

    fn hint(&self) -> Option<&str> {
        self.subtasks.as_ref().map(Subtasks::sentence)
    }
}

/// A task one can reset and step. Holds compiled worlds for reuse across seeds.
pub struct Env {
    task: Arc<TaskSpec>,
    task_hash: Digest,
    settings: EnvSettings,
    slots: Recent<Slot>,
    episode: Option<Episode>,
    observation: Observation,
    action: ActionSpec,
    seen: ObservationSpec,
    /// Dense reward is measured.
    dense: bool,
}

/// An observer of control steps, called beside the step loop.
pub type Observer<'a> = &'a mut dyn FnMut(&World);

impl Env {
    /// An environment for a task. Checks the task; compiles nothing yet.
    pub fn new(task: Arc<TaskSpec>, settings: EnvSettings) -> Result<Self, SimError> {
        task.validate()?;
        let rig = task.rig();
        let action = rig.action.clone();
        let seen = match &settings.images {
            Some(images) => images.observation(&rig),
            None => ObservationSpec { cameras: Vec::new(), ..rig.observation() },
        };
        let task_hash = task.hash();
        Ok(Self {
            task,
            task_hash,
            settings,
            slots: Recent::new(CACHED_WORLDS),
            episode: None,
            observation: Observation {
                limbs: seen.limbs.iter().map(Proprioception::of).collect(),
                ..Observation::default()
            },
            action,
            seen,
            dense: true,
        })
    }

    /// Samples the scene of a seed and puts it into a world.
    pub fn reset(&mut self, seed: Seed) -> Result<(), SimError> {
        let scene = sample(&self.task, seed)?;
        self.reset_scene(scene)
    }

    /// Puts a given scene into a world.
    pub fn reset_scene(&mut self, scene: Scene) -> Result<(), SimError> {
        self.episode = None;
        let world = &mut self.slot(&scene.structure)?.world;
        world.reset(&scene)?;
        let spec = match self.task.instance(scene.seed) {
            Cow::Borrowed(_) => Arc::clone(&self.task),
            Cow::Owned(instance) => Arc::new(instance),
        };
        let bound = Bound::new(&spec, &scene)?;
        let mut tracker = StageTracker::bound(&spec, &bound, &scene)?;
        tracker.measure_dense(self.dense);
        let world = self.world();
        tracker.begin(world.snapshot());
        self.observation.instruction.clone_from(&scene.instruction);
        let mut shows = Shows::new(&spec, &scene, &spec.stage_names());
        if let Some(shows) = &mut shows {
            shows.cue(self.world().snapshot(), &tracker);
        }
        self.episode = Some(Episode {
            shows,
            last: self.action.idle(),
            noise: scene.seed.stream("pixel noise"),
            stepwise: spec.stepwise,
            subtasks: None,
            spec,
            scene: Arc::new(scene),
            bound: Arc::new(bound),
            report: StepReport { reward: tracker.reward(), ..StepReport::default() },
            tracker,
            actions: RunningHash::default(),
            taken: 0,
            picked: None,
        });
        Ok(())
    }

    /// The world of a structure with its cameras, compiled if it is not kept.
    fn slot(&mut self, structure: &Structure) -> Result<&mut Slot, SimError> {
        let (images, files) = (&self.settings.images, &self.task.files);
        self.slots.get(
            |s| s.world.structure() == structure,
            || {
                let world = match files {
                    None => World::new(structure)?,
                    Some(files) => World::from_source(structure, &files.scene()?)?,
                };
                let cameras = match images {
                    Some(images) => Some(CameraRig::new(&world, images.clone())?),
                    None => None,
                };
                Ok(Slot { world, cameras })
            },
        )
    }

    fn episode(&self) -> &Episode {
        self.episode.as_ref().expect("reset comes before anything else")
    }

    fn present(&self) -> &Slot {
        self.slots.first().expect("reset comes before anything else")
    }

    /// Takes one action. A refused action leaves the world unchanged.
    ///
    /// A pick-and-place action is judged when it is over and objects have come to rest; one that
    /// cannot be is a failed action with a reason ([`Env::picked`]), and the episode goes on.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn step(&mut self, action: &Action) -> Result<StepReport, SimError> {
        self.step_observed(action, &mut |_| {})
    }

    /// Like [`Env::step`], showing the world after every control step: a pick-and-place action is
    /// many of them.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn step_observed(
        &mut self,
        action: &Action,
        observer: Observer<'_>,
    ) -> Result<StepReport, SimError> {
        let values = action.values();
        let whole = self.action.whole_motions();
        match self.action.check(values) {
            // An invalid pose is refused below, like one out of reach.
            Err(ActionError::NotFinite { .. }) if whole => {}
            checked => checked?,
        }
        let episode = self.episode.as_mut().expect("reset comes before anything else");
        let slot = self.slots.first_mut().expect("reset comes before anything else");
        let world = &mut slot.world;
        let shown = episode.shows.as_ref().is_some_and(Shows::playing);
        if let Some(shows) = episode.shows.as_mut().filter(|_| shown) {
            world.guide(shows.advance());
            let held = self.action.held(&episode.last);
            world.step(held.values())?;
            observer(world);
        } else if whole {
            let report = pick_place::perform(world, values, observer)?;
            episode.picked = Some(report);
        } else {
            world.step(values)?;
            observer(world);
            episode.last = *action;
        }
        episode.taken += 1;
        let snapshot = world.snapshot();
        let step = if whole { episode.taken } else { snapshot.step };
        let before = episode.tracker.status().completed();
        // While something is shown nothing counts.
        let status = match shown {
            false => episode.tracker.update_at(step, snapshot),
            true => episode.tracker.status(),
        };
        let (completed, ended) = (status.completed(), status.ended());
        episode.report = StepReport {
            step,
            success: status.outcome == Outcome::Success,
            stands: status.stands,
            failed: matches!(status.outcome, Outcome::Forbidden(_)),
            truncated: step >= episode.spec.horizon,
            reward: Reward::default(),
        };
        if completed > before && !ended && episode.tracker.neutral() {
            world.reset_arm();
            episode.tracker.begin(world.snapshot());
        }
        if let Some(shows) = &mut episode.shows {
            let now = world.snapshot();
            if shown && !shows.playing() {
                episode.tracker.begin(now);
            }
            shows.cue(now, &episode.tracker);
        }
        if let Some(subtasks) = &mut episode.subtasks {
            subtasks.update(world.snapshot());
        }
        episode.report.reward = episode.tracker.reward();
        episode.actions.singles(values);
        Ok(episode.report)
    }

    /// What the policy sees now. Renders if the environment renders.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn observe(&mut self) -> &Observation {
        let episode = self.episode.as_mut().expect("reset comes before anything else");
        let slot = self.slots.first_mut().expect("reset comes before anything else");
        let Slot { world, cameras } = slot;
        world.prepare_observation();
        let snap = world.snapshot();
        let obs = &mut self.observation;
        if obs.instruction != episode.instruction() {
            episode.instruction().clone_into(&mut obs.instruction);
        }
        obs.step = snap.step;
        obs.time = snap.time;
        for (limb, own) in obs.limbs.iter_mut().enumerate() {
            world.read_limb(limb, own);
        }
        if let Some(cameras) = cameras {
            cameras.draw(world, &mut episode.noise);
            cameras.copy_into(&mut obs.cameras);
            cameras.cloud_into(&mut obs.cloud);
        }
        obs
    }

    /// What the policy is told now: the sentence of the present stage where the task is told step by
    /// step, else the whole.
    pub fn instruction(&self) -> &str {
        self.episode().instruction()
    }

    /// Tell the policy one stage at a time in this episode, or all at once, whatever the task says.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn tell_stepwise(&mut self, stepwise: bool) {
        self.episode.as_mut().expect("reset comes before anything else").stepwise = stepwise;
    }

    /// Give the policy hints in this episode, from its first moment on: call it after the reset.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn give(&mut self, hints: Hints) -> Result<(), SimError> {
        let now = self.present().world.snapshot();
        let episode = self.episode();
        let subtasks = match hints {
            Hints::None => None,
            Hints::Subtask => {
                Some(Subtasks::new(&episode.spec, &episode.bound, &episode.scene, now)?)
            }
        };
        if let Some(episode) = &mut self.episode {
            episode.subtasks = subtasks;
        }
        Ok(())
    }

    /// The true subtask of the moment, where hints are given; empty once all is done.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn hint(&self) -> Option<&str> {
        self.episode().hint()
    }

    /// Whether the task shows something in the step to come: the robot is held still, whatever it is told.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn shows(&self) -> bool {
        self.episode().shows.as_ref().is_some_and(Shows::playing)
    }

    /// Measure dense reward, from now on and in later episodes, or save the time where nobody reads
    /// it: it is NaN then. It is measured unless told otherwise.
    pub fn measure_dense(&mut self, on: bool) {
        let turned_on = on && !self.dense;
        self.dense = on;
        let (Some(episode), Some(slot)) = (&mut self.episode, self.slots.first()) else { return };
        episode.tracker.measure_dense(on);
        if turned_on {
            // What is open has its way to go from here.
            episode.tracker.open_from(slot.world.snapshot());
            episode.report.reward = episode.tracker.reward();
        }
    }
}
