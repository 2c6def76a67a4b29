//! One environment: a task, its worlds, its stages.

use std::borrow::Cow;
use std::sync::Arc;

use longarm_task::{Bound, Outcome, Scene, Snapshot, StageTracker, TaskSpec, sample};
use longarm_types::{
    Action, ActionError, ActionKind, ActionSpec, Digest, ENGINE_VERSION, EpisodeOutcome,
    EpisodeRecord, Observation, Pose, Proprioception, Rng, RunningHash, Seed,
};

use crate::cameras::{CameraRig, ImageSettings};
use crate::pick_place::{self, PickPlaceReport};
use crate::{SimError, World};

/// How many compiled structures an environment keeps.
const CACHED_WORLDS: usize = 4;

/// What an environment renders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnvSettings {
    /// Pictures for observations; `None` renders nothing.
    pub images: Option<ImageSettings>,
}

/// What one step led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepReport {
    /// Control steps since the reset; actions, where each is a whole pick-and-place.
    pub step: u32,
    /// All stages are completed.
    pub success: bool,
    /// Something forbidden happened.
    pub failed: bool,
    /// The horizon was reached first.
    pub truncated: bool,
}

impl StepReport {
    /// Whether the episode is over.
    pub fn done(&self) -> bool {
        self.success || self.failed || self.truncated
    }
}

struct Slot {
    world: World,
    cameras: Option<CameraRig>,
}

struct Episode {
    spec: Arc<TaskSpec>,
    scene: Scene,
    bound: Bound,
    tracker: StageTracker,
    actions: RunningHash,
    noise: Rng,
    report: StepReport,
    /// Actions taken.
    taken: u32,
    picked: Option<PickPlaceReport>,
}

/// A task one can reset and step. Holds compiled worlds for reuse across seeds.
pub struct Env {
    task: Arc<TaskSpec>,
    task_hash: Digest,
    settings: EnvSettings,
    /// Most recently used first.
    slots: Vec<Slot>,
    episode: Option<Episode>,
    observation: Observation,
    action: ActionSpec,
}

/// An observer of control steps, called beside the step loop.
pub type Observer<'a> = &'a mut dyn FnMut(&World);

impl Env {
    /// An environment for a task. Checks the task; compiles nothing yet.
    pub fn new(task: Arc<TaskSpec>, settings: EnvSettings) -> Result<Self, SimError> {
        task.validate()?;
        let rig = task.rig.rig();
        let action = rig.action;
        let task_hash = task.hash();
        Ok(Self {
            task,
            task_hash,
            settings,
            slots: Vec::new(),
            episode: None,
            observation: Observation {
                step: 0,
                time: 0.0,
                instruction: String::new(),
                proprioception: Proprioception {
                    joints: Vec::new(),
                    velocities: Vec::new(),
                    tool: Pose::IDENTITY,
                    opening: 1.0,
                },
                libero_origin: rig.libero_origin(),
                cameras: Vec::new(),
            },
            action,
        })
    }

    /// Samples the scene of a seed and puts it into a world.
    pub fn reset(&mut self, seed: Seed) -> Result<(), SimError> {
        let scene = sample(&self.task, seed)?;
        self.reset_to(scene)
    }

    /// Puts a given scene into a world.
    pub fn reset_to(&mut self, scene: Scene) -> Result<(), SimError> {
        self.episode = None;
        match self.slots.iter().position(|s| *s.world.structure() == scene.structure) {
            Some(i) => self.slots[..=i].rotate_right(1),
            None => {
                let world = World::new(&scene.structure)?;
                let cameras = match &self.settings.images {
                    Some(images) => Some(CameraRig::new(&world, images.clone())?),
                    None => None,
                };
                self.slots.truncate(CACHED_WORLDS - 1);
                self.slots.insert(0, Slot { world, cameras });
            }
        }
        let world = &mut self.slots[0].world;
        world.reset(&scene)?;
        let spec = match self.task.instance(scene.seed) {
            Cow::Borrowed(_) => Arc::clone(&self.task),
            Cow::Owned(instance) => Arc::new(instance),
        };
        let bound = Bound::new(&spec, &scene)?;
        let tracker = StageTracker::new(&spec, &scene)?;
        let n = world.dof();
        self.observation.proprioception.joints.resize(n, 0.0);
        self.observation.proprioception.velocities.resize(n, 0.0);
        self.observation.instruction.clone_from(&scene.instruction);
        self.episode = Some(Episode {
            noise: scene.seed.stream("pixel noise"),
            spec,
            scene,
            bound,
            tracker,
            actions: RunningHash::default(),
            report: StepReport { step: 0, success: false, failed: false, truncated: false },
            taken: 0,
            picked: None,
        });
        Ok(())
    }

    fn episode(&self) -> &Episode {
        self.episode.as_ref().expect("reset comes before anything else")
    }

    /// Takes one action. A refused action leaves the world unchanged.
    ///
    /// A pick-and-place action is judged when it is over and things have come to rest; one that
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
        let whole = self.action.kind == ActionKind::PickPlace;
        match self.action.check(values) {
            // A pose that is no pose is refused below, like any other that cannot be.
            Err(ActionError::NotFinite { .. }) if whole => {}
            checked => checked?,
        }
        let episode = self.episode.as_mut().expect("reset comes before anything else");
        let world = &mut self.slots[0].world;
        if whole {
            let report = pick_place::perform(world, values, observer)?;
            episode.picked = Some(report);
        } else {
            world.step(values)?;
            observer(world);
        }
        episode.taken += 1;
        let snapshot = world.snapshot();
        let step = if whole { episode.taken } else { snapshot.step };
        let before = episode.tracker.status().completed();
        let status = episode.tracker.update_at(step, snapshot);
        episode.report = StepReport {
            step,
            success: status.outcome == Outcome::Success,
            failed: matches!(status.outcome, Outcome::Forbidden(_)),
            truncated: step >= episode.spec.horizon,
        };
        let (completed, ended) = (status.completed(), status.ended());
        if completed > before && !ended && episode.tracker.neutral() {
            world.neutral();
        }
        episode.actions.singles(values);
        Ok(episode.report)
    }

    /// What the policy sees now. Renders if the environment renders.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn observe(&mut self) -> &Observation {
        let episode = self.episode.as_mut().expect("reset comes before anything else");
        let Slot { world, cameras } = &mut self.slots[0];
        let snap = world.snapshot();
        let obs = &mut self.observation;
        if self.task.stepwise {
            let said = episode.tracker.current().and_then(|i| episode.tracker.sentences().nth(i));
            obs.instruction.clear();
            obs.instruction.push_str(said.unwrap_or(&episode.scene.instruction));
        }
        obs.step = snap.step;
        obs.time = snap.time;
        let own = &mut obs.proprioception;
        world.read_joints(&mut own.joints, &mut own.velocities);
        own.tool = snap.hands[0].pose;
        own.opening = world.opening_share();
        if let Some(cameras) = cameras {
            cameras.draw(world, &mut episode.noise);
            cameras.copy_into(&mut obs.cameras);
        }
        obs
    }

    /// What was observed last, without looking again.
    pub fn last_observation(&self) -> &Observation {
        &self.observation
    }

    /// The cameras of the present world, if it renders.
    pub fn cameras(&mut self) -> Option<(&mut CameraRig, &World)> {
        let Slot { world, cameras } = &mut self.slots[0];
        cameras.as_mut().map(|c| (c, &*world))
    }

    /// The present world.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn world(&self) -> &World {
        &self.slots[0].world
    }

    /// The present world, to experiment with; stages are not tracked.
    ///
    /// # Panics
    /// Before the first reset.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.slots[0].world
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
    pub fn action_spec(&self) -> ActionSpec {
        self.action
    }

    /// The episode so far as a record. `error` turns it into a policy or harness error.
    pub fn record(&self, policy: &str, error: Option<(EpisodeOutcome, String)>) -> EpisodeRecord {
        let e = self.episode();
        let (outcome, reason) = match error {
            Some((outcome, why)) => (outcome, Some(why)),
            None if e.report.success => (EpisodeOutcome::Success, None),
            None => {
                let why = e.tracker.forbidden().map(|f| format!("forbidden: {f}"));
                (EpisodeOutcome::TaskFailure, why)
            }
        };
        EpisodeRecord {
            task: self.task.id.clone(),
            seed: e.scene.seed.0,
            policy: policy.to_owned(),
            outcome,
            reason,
            score: e.tracker.status().score(),
            stages: e.tracker.records(self.snapshot()),
            steps: e.report.step,
            clipped: self.world().clipped(),
            state_hash: self.world().state_hash(),
            action_hash: e.actions.digest(),
            task_hash: self.task_hash,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: crate::mujoco_version().to_owned(),
        }
    }
}
