//! Many environments that step together, over worker threads that stay.
//!
//! Observations are written straight into buffers of the caller's, one array per [`Field`] with one
//! row per environment. What an environment does depends on its task, seed and actions only, so
//! neither the number of threads nor the company it is in changes anything.

mod fields;
mod slot;

use std::sync::Arc;

use longarm_results::Trace;
use longarm_sim::EnvSettings;
use longarm_task::TaskSpec;
use longarm_types::{Action, ActionSpec, EpisodeOutcome, EpisodeRecord, Seed, TaskId};
use rayon::prelude::*;

use fields::Row;
pub use fields::{Cameras, Field, Preset, View};
use slot::Slot;

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
    /// 0–100.
    pub score: f64,
    /// The stage to work on; −1 when there is none.
    pub stage: i32,
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
    /// What the policy is told.
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
    /// Bytes of pictures.
    Pictures(&'a mut [u8]),
}

/// One field over a whole episode.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Single-precision numbers.
    Numbers(Vec<f32>),
    /// Bytes of pictures.
    Pictures(Vec<u8>),
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
    /// What came of it.
    pub record: Option<EpisodeRecord>,
}

impl Recording {
    fn new(fields: &[Field], dim: usize) -> Self {
        let empty = |f: &Field| match f.is_picture() {
            true => Values::Pictures(Vec::new()),
            false => Values::Numbers(Vec::new()),
        };
        Self {
            values: fields.iter().map(empty).collect(),
            actions: Vec::new(),
            dim,
            stages: Vec::new(),
            doing: Vec::new(),
            scores: Vec::new(),
            record: None,
        }
    }
}

/// Environments of tasks with one kind of observation and action.
pub struct VecEnv {
    slots: Vec<Slot>,
    fields: Vec<Field>,
    settings: EnvSettings,
    action: ActionSpec,
    pool: rayon::ThreadPool,
}

impl VecEnv {
    /// `count` environments for any of these tasks, which must look and act alike, on `threads`
    /// worker threads.
    pub fn new(
        tasks: &[Arc<TaskSpec>],
        count: usize,
        view: &View,
        threads: usize,
    ) -> Result<Self, VecEnvError> {
        let first = tasks.first().ok_or_else(|| VecEnvError("there is no task".into()))?;
        if count == 0 {
            return Err(VecEnvError("there must be at least one environment".into()));
        }
        let fields = view.fields(first)?;
        let action = first.rig.rig().action;
        for t in &tasks[1..] {
            if view.fields(t)? != fields || t.rig.rig().action != action {
                let text = format!("{} and {} do not look and act alike", first.id, t.id);
                return Err(VecEnvError(text));
            }
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.clamp(1, count))
            .thread_name(|i| format!("longarm-{i}"))
            .build()
            .map_err(|e| VecEnvError(format!("cannot start worker threads: {e}")))?;
        Ok(Self {
            slots: std::iter::repeat_with(Slot::default).take(count).collect(),
            fields,
            settings: EnvSettings { images: view.images() },
            action,
            pool,
        })
    }

    /// The arrays of an observation.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Shape and meaning of actions.
    pub fn action(&self) -> ActionSpec {
        self.action
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
        let (n, dim) = (self.slots.len(), self.action.dim);
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
        let mut rows: Vec<Vec<Row<'_>>> = (0..n).map(|_| Vec::with_capacity(out.len())).collect();
        for (buffer, field) in out.into_iter().zip(&self.fields) {
            let len = field.len();
            let got = match &buffer {
                Buffer::Numbers(b) => b.len(),
                Buffer::Pictures(b) => b.len(),
            };
            if got != n * len {
                return wrong(&field.path.join("/"), got, n * len);
            }
            // A field without values has no chunks, and rows must stay in step with fields.
            match buffer {
                Buffer::Numbers(b) if len > 0 => {
                    let parts = b.chunks_exact_mut(len).map(Row::Numbers);
                    rows.iter_mut().zip(parts).for_each(|(r, p)| r.push(p));
                }
                Buffer::Pictures(b) if len > 0 => {
                    let parts = b.chunks_exact_mut(len).map(Row::Picture);
                    rows.iter_mut().zip(parts).for_each(|(r, p)| r.push(p));
                }
                _ => rows.iter_mut().for_each(|r| r.push(Row::Numbers(&mut []))),
            }
        }
        let Self { slots, fields, settings, pool, .. } = self;
        let work: Vec<_> =
            slots.iter_mut().zip(rows).zip(commands).zip(actions.chunks_exact(dim)).collect();
        Ok(pool.install(|| {
            work.into_par_iter()
                .with_max_len(1)
                .map(|(((slot, mut rows), command), action)| {
                    slot.advance(command, action, fields, settings, &mut rows)
                })
                .collect()
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

    /// The actions of the episode so far.
    pub fn trace(&self, i: usize) -> Option<&Trace> {
        self.slots.get(i)?.trace()
    }

    /// Views for people of these environments: width, height and RGB of each.
    pub fn render(&mut self, which: &[usize]) -> Vec<Result<(usize, usize, Vec<u8>), Fault>> {
        let Self { slots, pool, .. } = self;
        let chosen: Vec<_> = slots
            .iter_mut()
            .enumerate()
            .filter(|(i, _)| which.contains(i))
            .map(|(_, s)| s)
            .collect();
        pool.install(|| chosen.into_par_iter().with_max_len(1).map(Slot::render).collect())
    }

    /// Plays whole episodes, each in an environment of its own: the expert's, or those of given
    /// actions. At most [`len`](Self::len) at once.
    pub fn play(
        &mut self,
        episodes: &[(Arc<TaskSpec>, Seed, Option<Vec<Action>>)],
    ) -> Vec<Result<Recording, Fault>> {
        let Self { slots, fields, settings, pool, .. } = self;
        let work: Vec<_> = slots.iter_mut().zip(episodes).collect();
        pool.install(|| {
            work.into_par_iter()
                .with_max_len(1)
                .map(|(slot, (task, seed, actions))| {
                    slot.play(task, *seed, actions.as_deref(), fields, settings)
                })
                .collect()
        })
    }
}
