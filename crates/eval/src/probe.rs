//! Whether tasks measure what they claim: the expert under controlled handicaps, and moments that
//! look alike and ask for different things.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_expert::{Expert, Memory};
use longarm_results::stats::{Interval, wilson};
use longarm_sim::batch::{self, Job};
use longarm_sim::{Env, EnvSettings, ImageSettings, SimError};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeOutcome, EpisodeRecord, Seed};

use crate::{Actor, Shaping, Watcher, images_for, run_episode, run_shaped};

/// What the expert suffers from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Handicap {
    /// Nothing.
    None,
    /// It has no memory: it acts on what the cameras show now.
    NoMemory,
    /// It sees everything but its own hand so many control steps late.
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

    fn shaping(&self) -> Shaping {
        match self {
            Self::Noise(s) => Shaping { action_noise: Some(*s), ..Shaping::default() },
            _ => Shaping::default(),
        }
    }
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
    let jobs: Vec<Job> = seeds.map(|s| Job { task: task.clone(), seed: Seed(s) }).collect();
    let images = match handicap {
        Handicap::NoMemory => images_for("reactive"),
        _ => None,
    };
    let mut records: Vec<EpisodeRecord> = Vec::new();
    let mut errors = Vec::new();
    let name = handicap.name();
    batch::run(
        &jobs,
        workers,
        &EnvSettings { images },
        |_, env| {
            let env = env.map_err(|e| e.to_string())?;
            let mut actor = handicap.actor();
            Ok(run_shaped(env, &mut actor, &name, &handicap.shaping(), &mut crate::Unwatched))
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

/// Two moments count as alike below this mean difference of all downsampled pixels, in grey levels …
pub const ALIKE_MEAN: f64 = 2.0;
/// … and this largest difference of any one of them.
pub const ALIKE_MOST: f64 = 32.0;
/// Side of the squares pixels are averaged over: a millimetre that a thing has shifted in the hand is
/// no cue.
pub const BLOCK: usize = 16;
/// Control steps between moments that are looked at, and at least between two that are compared.
const EVERY: u32 = 2;
const APART: u32 = 30;

/// A moment of an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Control step.
    pub step: u32,
    /// What the expert does next.
    pub doing: String,
    /// Stages completed by then.
    pub completed: usize,
}

/// Two moments of one episode that look alike although the expert does different things.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The earlier one.
    pub first: Moment,
    /// The later one.
    pub second: Moment,
    /// Mean difference of the downsampled pixels, in grey levels.
    pub mean: f64,
    /// Largest difference of one of them.
    pub most: f64,
}

#[derive(Default)]
struct Album {
    moments: Vec<(Moment, Vec<f32>)>,
}

impl Watcher for Album {
    fn after_action(&mut self, env: &mut Env, doing: &str) {
        let step = env.snapshot().step;
        let new = self.moments.last().is_none_or(|m| m.0.doing != doing);
        if !step.is_multiple_of(EVERY) && !new {
            return;
        }
        let completed = env.tracker().status().completed();
        let mut small = Vec::new();
        for image in &env.observe().cameras {
            downsample(&image.rgb, image.width, image.height, &mut small);
        }
        self.moments.push((Moment { step, doing: doing.to_owned(), completed }, small));
    }
}

/// Averages squares of [`BLOCK`] pixels, each colour by itself.
fn downsample(rgb: &[u8], width: usize, height: usize, out: &mut Vec<f32>) {
    for by in 0..height / BLOCK {
        for bx in 0..width / BLOCK {
            for c in 0..3 {
                let mut sum = 0u32;
                for y in by * BLOCK..(by + 1) * BLOCK {
                    for x in bx * BLOCK..(bx + 1) * BLOCK {
                        sum += u32::from(rgb[3 * (y * width + x) + c]);
                    }
                }
                out.push(sum as f32 / (BLOCK * BLOCK) as f32);
            }
        }
    }
}

/// Aliased moments of the expert's episode of a seed, the most alike first, one per pair of things
/// done.
pub fn aliases(task: &Arc<TaskSpec>, seed: Seed) -> Result<Vec<Alias>, SimError> {
    let mut env = Env::new(task.clone(), EnvSettings { images: Some(ImageSettings::default()) })?;
    env.reset(seed)?;
    let mut album = Album::default();
    let mut actor = Handicap::None.actor();
    run_episode(&mut env, &mut actor, "expert", &mut album);
    let mut found: Vec<Alias> = Vec::new();
    for (i, (a, p)) in album.moments.iter().enumerate() {
        for (b, q) in &album.moments[i + 1..] {
            // The same words with another count are another subtask: once more, or stop.
            if b.step < a.step + APART || (a.doing == b.doing && a.completed == b.completed) {
                continue;
            }
            let (mut sum, mut most) = (0.0, 0.0f64);
            for (x, y) in p.iter().zip(q) {
                let d = f64::from((x - y).abs());
                sum += d;
                most = most.max(d);
            }
            let mean = sum / p.len().max(1) as f64;
            if mean < ALIKE_MEAN && most < ALIKE_MOST {
                found.push(Alias { first: a.clone(), second: b.clone(), mean, most });
            }
        }
    }
    // Different words weigh more than the same words at another count.
    found.sort_by(|a, b| {
        let same = |x: &Alias| x.first.doing == x.second.doing;
        same(a).cmp(&same(b)).then(a.mean.total_cmp(&b.mean))
    });
    let mut kept: Vec<Alias> = Vec::new();
    for a in found {
        let known = |k: &Alias| {
            k.first.doing == a.first.doing
                && k.second.doing == a.second.doing
                && (k.first.completed, k.second.completed)
                    == (a.first.completed, a.second.completed)
        };
        if !kept.iter().any(known) {
            kept.push(a);
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downsampling_averages_squares() {
        let mut rgb = vec![0u8; 3 * 2 * BLOCK * BLOCK];
        for y in 0..BLOCK {
            for x in BLOCK..2 * BLOCK {
                rgb[3 * (y * 2 * BLOCK + x)] = 100;
            }
        }
        let mut out = Vec::new();
        downsample(&rgb, 2 * BLOCK, BLOCK, &mut out);
        assert_eq!(out, [0.0, 0.0, 0.0, 100.0, 0.0, 0.0]);
    }
}
