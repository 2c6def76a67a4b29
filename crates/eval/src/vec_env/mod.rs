//! Many environments that step together, over threads that stay.
//!
//! Observations are written straight into buffers of the caller's, one array per [`Field`] with one
//! row per environment. What an environment does depends on its task, seed and actions only, so
//! neither the number of threads nor the company it is in changes anything.

mod fields;
mod share;
mod slot;
mod view;

use std::sync::Arc;

pub use fields::Field;
use fields::FieldBuffer;
use longarm_results::Trace;
use longarm_sim::EnvSettings;
use longarm_task::{Reward, TaskSpec};
use longarm_types::{Action, ActionSpec, EpisodeOutcome, EpisodeRecord, FieldType, Seed, TaskId};
use share::share;
use slot::{Setting, Slot};
pub use view::{Cameras, CloudView, ObservationView, Preset};

use crate::{ExecutionError, ExecutionOptions};

/// What is wrong with a set of environments, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VecEnvError(pub(crate) String);

/// What one environment is to do.
#[derive(Clone, Debug)]
pub enum Command {
    /// Nothing; its rows are left alone.
    Idle,
    /// Begin an episode.
    Reset {
        /// Task.
        task: Arc<TaskSpec>,
        /// Seed.
        seed: Seed,
    },
    /// Take its action.
    Step {
        /// Whether to observe afterwards: actions of a chunk need no pictures between them.
        look: bool,
    },
    /// Go on until a decision is wanted or the episode is over, then observe if it is not.
    Act {
        /// What was decided; empty where what was decided before is not used up.
        chunk: Vec<Action>,
        /// Most actions to take before observing.
        most: u32,
    },
}

/// Why an environment could not do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Policy error for a refused action, harness error otherwise.
    pub outcome: EpisodeOutcome,
    /// In one sentence.
    pub why: String,
}

/// How one environment stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Control steps since the reset.
    pub step: u32,
    /// All stages are completed.
    pub success: bool,
    /// Something forbidden happened.
    pub failed: bool,
    /// The horizon came first.
    pub truncated: bool,
    /// The episode is over: as above, or as the options have it.
    pub over: bool,
    /// A decision is wanted.
    pub asks: bool,
    /// 0–100.
    pub score: f64,
    /// What the last step was worth.
    pub reward: Reward,
    /// The stage to work on; −1 when there is none.
    pub stage: i32,
    /// What the policy is told from now on, where that has changed since the last time.
    pub told: Option<String>,
    /// What went wrong just now.
    pub fault: Option<Fault>,
}

/// What there is to know of the episode an environment is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episode {
    /// Task.
    pub task: TaskId,
    /// Seed.
    pub seed: u64,
    /// What the policy is told now.
    pub instruction: String,
    /// A seed for the policy's own randomness; says nothing about the scene.
    pub policy_seed: u64,
    /// Most control steps.
    pub horizon: u32,
}

/// Where observations go: for each field all environments' rows, one after the other.
#[derive(Debug)]
pub enum Buffer<'a> {
    /// Single-precision numbers.
    Numbers(&'a mut [f32]),
    /// Bytes: colours.
    Bytes(&'a mut [u8]),
    /// 32-bit integers: segment ids.
    Integers(&'a mut [i32]),
}

/// A picture for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// RGB, row by row from the top.
    pub rgb: Vec<u8>,
}

/// An episode to play by itself.
#[derive(Clone, Debug)]
pub struct Play {
    /// Task.
    pub task: Arc<TaskSpec>,
    /// Seed.
    pub seed: Seed,
    /// What is done; the expert decides when there is nothing here.
    pub actions: Option<Vec<Action>>,
}

/// One field over a whole episode.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Single-precision numbers.
    Numbers(Vec<f32>),
    /// Bytes: colours.
    Bytes(Vec<u8>),
    /// 32-bit integers: segment ids.
    Integers(Vec<i32>),
}

/// An episode kept whole.
#[derive(Clone, Debug)]
pub struct Recording {
    /// By field: what was seen before each action, and after the last.
    pub values: Vec<Values>,
    /// The actions, one after the other.
    pub actions: Vec<f32>,
    /// Values per action.
    pub dim: usize,
    /// The stage to work on before each action; −1 when there is none.
    pub stages: Vec<i32>,
    /// What the expert was doing.
    pub doing: Vec<String>,
    /// Score after each action.
    pub scores: Vec<f64>,
    /// What each action was worth.
    pub rewards: Vec<Reward>,
    /// What came of it.
    pub record: Option<EpisodeRecord>,
}

impl Recording {
    fn new(fields: &[Field], dim: usize) -> Self {
        let empty = |f: &Field| match f.number() {
            FieldType::U8 => Values::Bytes(Vec::new()),
            FieldType::I32 => Values::Integers(Vec::new()),
            _ => Values::Numbers(Vec::new()),
        };
        Self {
            values: fields.iter().map(empty).collect(),
            actions: Vec::new(),
            dim,
            stages: Vec::new(),
            doing: Vec::new(),
            scores: Vec::new(),
            rewards: Vec::new(),
            record: None,
        }
    }
}

/// Environments of tasks with one kind of observation and action.
pub struct VecEnv {
    slots: Vec<Slot>,
    fields: Vec<Field>,
    set: Setting,
    action: ActionSpec,
    /// Threads beside the calling one.
    pool: Option<rayon::ThreadPool>,
}

impl VecEnv {
    /// `count` environments for any of these tasks, which must look and act alike, on `threads`
    /// threads, the calling one among them.
    pub fn new(
        tasks: &[Arc<TaskSpec>],
        count: usize,
        view: &ObservationView,
        threads: usize,
    ) -> Result<Self, VecEnvError> {
        let first = tasks.first().ok_or_else(|| VecEnvError("there is no task".into()))?;
        if count == 0 {
            return Err(VecEnvError("there must be at least one environment".into()));
        }
        let fields = view.fields(first)?;
        let action = first.rig().action;
        for t in &tasks[1..] {
            if view.fields(t)? != fields || t.rig().action != action {
                let text = format!("{} and {} do not look and act alike", first.id, t.id);
                return Err(VecEnvError(text));
            }
        }
        let pool = |helpers| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(helpers)
                .thread_name(|i| format!("longarm-{i}"))
                .build()
                .map_err(|e| VecEnvError(format!("cannot start worker threads: {e}")))
        };
        let helpers = threads.clamp(1, count) - 1;
        let pool = (helpers > 0).then(|| pool(helpers)).transpose()?;
        Ok(Self {
            slots: std::iter::repeat_with(Slot::default).take(count).collect(),
            fields,
            set: Setting {
                env: EnvSettings { images: view.images(&first.rig()) },
                execution: ExecutionOptions::default(),
                dense: true,
            },
            action,
            pool,
        })
    }

    /// Let episodes that begin from now on run with these options.
    pub fn execute(&mut self, options: ExecutionOptions) -> Result<(), ExecutionError> {
        options.check()?;
        if let Some(images) = &mut self.set.env.images {
            images.noise = options.pixel_noise.unwrap_or(0.0);
        }
        self.set.execution = options;
        // Environments keep how they draw.
        self.slots.iter_mut().for_each(|s| *s = Slot::default());
        Ok(())
    }

    /// Measure dense reward in episodes that begin from now on, or save the time: it is NaN then.
    pub fn measure_dense(&mut self, on: bool) {
        self.set.dense = on;
    }

    /// The arrays of an observation.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Shape and meaning of actions.
    pub fn action(&self) -> &ActionSpec {
        &self.action
    }

    /// How many environments there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Lets every environment do as commanded, and says how each stands. `actions` holds one action
    /// per environment; `out` one buffer per field.
    pub fn advance(
        &mut self,
        commands: &[Command],
        actions: &[f32],
        out: Vec<Buffer<'_>>,
    ) -> Result<Vec<Status>, VecEnvError> {
        let (n, dim) = (self.slots.len(), self.action.dim());
        let wrong = |what: &str, got: usize, want: usize| {
            Err(VecEnvError(format!("{what}: there are {got} and should be {want}")))
        };
        if commands.len() != n {
            return wrong("commands", commands.len(), n);
        }
        if actions.len() != n * dim {
            return wrong("numbers in actions", actions.len(), n * dim);
        }
        if out.len() != self.fields.len() {
            return wrong("buffers", out.len(), self.fields.len());
        }
        let mut rows: Vec<Vec<FieldBuffer<'_>>> =
            (0..n).map(|_| Vec::with_capacity(out.len())).collect();
        for (buffer, field) in out.into_iter().zip(&self.fields) {
            let len = field.len();
            let got = match &buffer {
                Buffer::Numbers(b) => b.len(),
                Buffer::Bytes(b) => b.len(),
                Buffer::Integers(b) => b.len(),
            };
            if got != n * len {
                return wrong(&field.path.join("/"), got, n * len);
            }
            // A field without values has no chunks, and rows must stay in step with fields.
            match buffer {
                Buffer::Numbers(b) if len > 0 => {
                    let parts = b.chunks_exact_mut(len).map(FieldBuffer::Numbers);
                    rows.iter_mut().zip(parts).for_each(|(r, p)| r.push(p));
                }
                Buffer::Bytes(b) if len > 0 => {
                    let parts = b.chunks_exact_mut(len).map(FieldBuffer::Bytes);
                    rows.iter_mut().zip(parts).for_each(|(r, p)| r.push(p));
                }
                Buffer::Integers(b) if len > 0 => {
                    let parts = b.chunks_exact_mut(len).map(FieldBuffer::Integers);
                    rows.iter_mut().zip(parts).for_each(|(r, p)| r.push(p));
                }
                _ => rows.iter_mut().for_each(|r| r.push(FieldBuffer::Numbers(&mut []))),
            }
        }
        let Self { slots, fields, set, pool, .. } = self;
        let work = slots.iter_mut().zip(rows).zip(commands).zip(actions.chunks_exact(dim));
        Ok(share(pool.as_ref(), work, |(((slot, mut rows), command), action)| {
            slot.advance(command, action, fields, set, &mut rows)
        }))
    }

    /// The episode an environment is in.
    pub fn episode(&self, i: usize) -> Option<Episode> {
        self.slots.get(i)?.episode()
    }

    /// The episode so far as a record. `error` turns it into a policy or harness error.
    pub fn record(&self, i: usize, policy: &str, error: Option<Fault>) -> Option<EpisodeRecord> {
        self.slots.get(i)?.record(policy, error)
    }

    /// What segment ids mean in the present scene of an environment.
    pub fn segments(&self, i: usize) -> Option<Vec<(i32, String)>> {
        self.slots.get(i)?.segments()
    }

    /// The actions of the episode so far.
    pub fn trace(&self, i: usize) -> Option<&Trace> {
        self.slots.get(i)?.trace()
    }

    /// Views for people of these environments, in their own order.
    pub fn render(&mut self, which: &[usize]) -> Vec<Result<Picture, Fault>> {
        let Self { slots, pool, .. } = self;
        let chosen = slots.iter_mut().enumerate().filter(|(i, _)| which.contains(i));
        share(pool.as_ref(), chosen, |(_, slot)| slot.render())
    }

    /// Plays whole episodes, each in an environment of its own; at most [`len`](Self::len) at once.
    pub fn play(&mut self, episodes: &[Play]) -> Vec<Result<Recording, Fault>> {
        let Self { slots, fields, set, pool, .. } = self;
        let work = slots.iter_mut().zip(episodes);
        share(pool.as_ref(), work, |(slot, wanted)| slot.play(wanted, fields, set))
    }
}
