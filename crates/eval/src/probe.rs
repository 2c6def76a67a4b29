//! Whether tasks measure what they claim: the expert under controlled handicaps, and moments that
//! look alike and ask for different actions.

mod alias;
mod memory;
mod reward;
mod robust;
mod visible;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use alias::{ALIKE_MEAN, ALIKE_MOST, Alias, BLOCK, Moment, Twins, aliases, twins};
pub use memory::{Confused, HELD_NEAR, SubtaskProbe, subtasks};
pub use reward::{Fall, RewardProbe, reward};
pub use robust::{MOVED, NOISE, Robustness, robustness};
pub use visible::{TOLERANCE, Tolerance};

use longarm_expert::{Budget, Cheat, Expert, Exploited, Memory};
use longarm_results::stats::{Interval, wilson};
use longarm_sim::batch::{self, Job};
use longarm_sim::{EnvSettings, ImageSettings};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeOutcome, EpisodeRecord, Seed};

use crate::{Actor, ExecutionOptions, images_for, try_episode};

/// What the expert suffers from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Handicap {
    /// Nothing.
    None,
    /// It has no memory: it acts on what the cameras show now.
    NoMemory,
    /// It sees everything but its own hand this many control steps late.
    Latency(u32),
    /// Gaussian noise on its actions, in their own units.
    Noise(f64),
}

impl Handicap {
    /// A word for it.
    pub fn name(&self) -> String {
        match self {
            Self::None => "expert".into(),
            Self::NoMemory => "no memory".into(),
            Self::Latency(k) => format!("latency {k}"),
            Self::Noise(s) => format!("noise {s}"),
        }
    }

    fn actor(&self) -> Actor {
        let expert = match self {
            Self::NoMemory => Expert::new(Memory::None),
            Self::Latency(k) => Expert::new(Memory::Whole).late(*k),
            Self::None | Self::Noise(_) => Expert::new(Memory::Whole),
        };
        Actor::Expert(Box::new(expert))
    }

    fn execution(&self) -> ExecutionOptions {
        match self {
            Self::Noise(s) => {
                ExecutionOptions { action_noise: Some(*s), ..ExecutionOptions::default() }
            }
            _ => ExecutionOptions::default(),
        }
    }
}

/// Let an adversary complete what stages it can in the scene of a seed.
pub fn exploited(
    task: &Arc<TaskSpec>,
    seed: Seed,
    budget: &Budget,
    cheat: Cheat,
) -> Result<Exploited, longarm_expert::ExpertError> {
    let mut env = longarm_sim::Env::new(Arc::clone(task), EnvSettings::default())?;
    env.reset(seed)?;
    longarm_expert::exploit(&env, budget, cheat)
}

/// How one handicap fared on one task.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The handicap.
    pub handicap: Handicap,
    /// Episodes that ran.
    pub episodes: u64,
    /// Full successes.
    pub won: u64,
    /// Full successes as a share, with its 95 % Wilson interval.
    pub success: Interval,
    /// Mean stage score.
    pub score: f64,
    /// Standard deviation of the stage score.
    pub spread: f64,
    /// Where episodes ended that did not succeed, and how often: the forbidden event, or the first
    /// stage that is missing.
    pub deaths: BTreeMap<String, u64>,
    /// Why episodes could not run.
    pub errors: Vec<String>,
}

/// Runs episodes of a task under a handicap.
pub fn handicapped(
    task: &Arc<TaskSpec>,
    handicap: Handicap,
    seeds: std::ops::Range<u64>,
    workers: usize,
    mut progress: impl FnMut(),
) -> Cell {
    let images = match handicap {
        Handicap::NoMemory => images_for("reactive"),
        _ => None,
    };
    let played = (handicap.name(), handicap.execution());
    let actor = || Ok(handicap.actor());
    tried(task, handicap, &played, images, &actor, seeds, workers, &mut progress)
}

/// Runs episodes of a task by a built-in policy.
pub fn won(
    task: &Arc<TaskSpec>,
    policy: &str,
    seeds: std::ops::Range<u64>,
    workers: usize,
) -> Cell {
    let played = (policy.to_owned(), ExecutionOptions::default());
    let actor = || Actor::named(policy).map_err(|e| e.to_string());
    let images = images_for(policy);
    tried(task, Handicap::None, &played, images, &actor, seeds, workers, &mut || {})
}

fn tried(
    task: &Arc<TaskSpec>,
    handicap: Handicap,
    (name, execution): &(String, ExecutionOptions),
    images: Option<ImageSettings>,
    actor: &(dyn Fn() -> Result<Actor, String> + Sync),
    seeds: std::ops::Range<u64>,
    workers: usize,
    progress: &mut dyn FnMut(),
) -> Cell {
    let jobs: Vec<Job> = seeds.map(|s| Job { task: task.clone(), seed: Seed(s) }).collect();
    let mut records: Vec<EpisodeRecord> = Vec::new();
    let mut errors = Vec::new();
    batch::run(
        &jobs,
        workers,
        &EnvSettings { images },
        |_, env| {
            let env = env.map_err(|e| e.to_string())?;
            let mut actor = actor()?;
            try_episode(env, &mut actor, name, execution, &mut crate::Unwatched)
                .map_err(|e| e.reason)
        },
        |_, r: Result<EpisodeRecord, String>| {
            match r {
                Ok(r) if r.outcome == EpisodeOutcome::HarnessError => {
                    errors.push(r.reason.unwrap_or_default());
                }
                Ok(r) => records.push(r),
                Err(e) => errors.push(e),
            }
            progress();
            true
        },
    );
    let n = records.len() as f64;
    let won = records.iter().filter(|r| r.outcome == EpisodeOutcome::Success).count() as u64;
    let score = records.iter().map(|r| r.score).sum::<f64>() / n.max(1.0);
    let square = records.iter().map(|r| (r.score - score) * (r.score - score)).sum::<f64>();
    let mut deaths = BTreeMap::new();
    for r in records.iter().filter(|r| r.outcome != EpisodeOutcome::Success) {
        let stage = r.stages.iter().find(|s| !s.completed).map(|s| s.name.as_str());
        let at = r.reason.as_deref().or(stage).unwrap_or("the end");
        *deaths.entry(at.to_owned()).or_insert(0) += 1;
    }
    Cell {
        handicap,
        episodes: records.len() as u64,
        won,
        success: wilson(won, records.len() as u64, 0.95),
        score,
        spread: (square / (n - 1.0).max(1.0)).sqrt(),
        deaths,
        errors,
    }
}
