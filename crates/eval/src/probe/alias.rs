//! Moments that look alike and ask for different actions, in one episode or in two.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use longarm_sim::{Env, EnvSettings, ImageSettings, SimError};
use longarm_task::{Scene, TaskSpec, sample, sample_with};
use longarm_types::Seed;

use super::Handicap;
use crate::{Watcher, run_episode};

/// Two moments count as alike below this mean difference of all downsampled pixels, in grey levels …
pub const ALIKE_MEAN: f64 = 2.0;
/// … and this largest difference of any one of them.
pub const ALIKE_MOST: f64 = 32.0;
/// Side of the squares pixels are averaged over: a millimetre that an object has shifted in the hand is
/// no cue.
pub const BLOCK: usize = 16;
/// Control steps between moments that are looked at, and at least between two that are compared.
const EVERY: u32 = 2;
const APART: u32 = 30;
/// Moments by which one and the same change of subtask may be shifted.
const NEAR: usize = 5;

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

/// Two moments of one episode that look alike although the expert acts differently.
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

struct Seen {
    moment: Moment,
    /// What the cameras show, downsampled.
    picture: Vec<f32>,
    /// What the expert does within [`NEAR`] moments before and after.
    around: Vec<String>,
}

#[derive(Default)]
struct Album {
    moments: Vec<Seen>,
}

impl Album {
    /// Of the expert's episode in a scene.
    fn of(task: &Arc<TaskSpec>, scene: Scene) -> Result<Self, SimError> {
        let images = Some(ImageSettings::default());
        let mut env = Env::new(task.clone(), EnvSettings { images })?;
        env.reset_scene(scene)?;
        let mut album = Self::default();
        let mut actor = Handicap::None.actor();
        run_episode(&mut env, &mut actor, "expert", &mut album);
        let doing: Vec<String> = album.moments.iter().map(|m| m.moment.doing.clone()).collect();
        for (i, m) in album.moments.iter_mut().enumerate() {
            let near = i.saturating_sub(NEAR)..(i + NEAR + 1).min(doing.len());
            m.around = doing[near].to_vec();
            m.around.dedup();
        }
        Ok(album)
    }
}

impl Watcher for Album {
    fn after_action(&mut self, env: &mut Env, doing: &str) {
        let step = env.snapshot().step;
        let new = self.moments.last().is_none_or(|m| m.moment.doing != doing);
        if !step.is_multiple_of(EVERY) && !new {
            return;
        }
        let completed = env.tracker().status().completed();
        let mut picture = Vec::new();
        for image in &env.observe().cameras {
            downsample(&image.rgb, image.width, image.height, &mut picture);
        }
        let moment = Moment { step, doing: doing.to_owned(), completed };
        self.moments.push(Seen { moment, picture, around: Vec::new() });
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

/// Aliased moments of the expert's episode of a seed, the most alike first, one per pair of actions
/// done.
pub fn aliases(task: &Arc<TaskSpec>, seed: Seed) -> Result<Vec<Alias>, SimError> {
    let moments = Album::of(task, sample(task, seed)?)?.moments;
    let pairs = moments.iter().enumerate().flat_map(|(i, a)| {
        let later = moments[i + 1..].iter().filter(|b| b.moment.step >= a.moment.step + APART);
        later.map(move |b| (a, b))
    });
    Ok(alike(pairs))
}

/// Two scenes of one seed with other values of a variable, and moments of their episodes that look
/// alike although the expert acts differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Twins {
    /// The variable.
    pub variable: String,
    /// Its value in the episode of each [`Alias::first`], and in that of the seconds.
    pub values: [i64; 2],
    /// The moments.
    pub aliases: Vec<Alias>,
}

/// What aliases across episodes: for each variable of a task, the episodes of a seed that differ in
/// its value.
pub fn twins(task: &Arc<TaskSpec>, seed: Seed) -> Result<Vec<Twins>, SimError> {
    let mut out = Vec::new();
    for (name, values) in &task.variables {
        let values: BTreeSet<i64> = values.iter().copied().collect();
        let mut albums = Vec::new();
        for value in values {
            let fixed = BTreeMap::from([(name.clone(), value)]);
            albums.push((value, Album::of(task, sample_with(task, seed, &fixed)?)?.moments));
        }
        for (i, (v, a)) in albums.iter().enumerate() {
            for (w, b) in &albums[i + 1..] {
                let pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
                let aliases = alike(pairs.filter(|(p, q)| p.moment.doing != q.moment.doing));
                out.push(Twins { variable: name.clone(), values: [*v, *w], aliases });
            }
        }
    }
    Ok(out)
}

/// Those that look alike and ask for different actions, the most alike first, one per pair of actions
/// done.
fn alike<'a>(pairs: impl Iterator<Item = (&'a Seen, &'a Seen)>) -> Vec<Alias> {
    let mut found: Vec<Alias> = Vec::new();
    for (p, q) in pairs {
        let (a, b) = (&p.moment, &q.moment);
        // The same words with another count are another subtask: once more, or stop. But one and the
        // same change of subtask, seen a moment sooner and a moment later, is not a riddle.
        let same = a.doing == b.doing && a.completed == b.completed;
        let crossed = p.around.contains(&b.doing) && q.around.contains(&a.doing);
        if same || a.doing != b.doing && crossed {
            continue;
        }
        let (mut sum, mut most) = (0.0, 0.0f64);
        for (x, y) in p.picture.iter().zip(&q.picture) {
            let d = f64::from((x - y).abs());
            sum += d;
            most = most.max(d);
            if most >= ALIKE_MOST {
                break;
            }
        }
        let mean = sum / p.picture.len().max(1) as f64;
        if mean < ALIKE_MEAN && most < ALIKE_MOST {
            found.push(Alias { first: a.clone(), second: b.clone(), mean, most });
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
    kept
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
