//! Of which subtasks the present observation does not decide that they are to be done now.
//!
//! The expert's episode of a seed is compared with itself, and with the episodes of the same seed in which
//! one drawn variable has another value. A subtask is *aliased* where one of its moments looks the
//! same as a moment at which something else is to be done ([`Visible`]): who sees only the present
//! cannot know. It depends on memory if it is aliased and not the first: before the first there is
//! nothing to remember.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use longarm_sim::{Env, EnvSettings, SimError};
use longarm_task::plan::{Op, Subtasks};
use longarm_task::{Reactive, Scene, TaskSpec, View, sample, sample_with};
use longarm_types::Seed;
use serde::Serialize;

use super::Handicap;
use super::visible::{Kinds, TOLERANCE, Visible};
use crate::{Watcher, images_for, run_episode};

/// Control steps between moments that are looked at, and at least between two of one episode that are
/// compared.
const EVERY: u32 = 2;
const APART: u32 = 30;
/// Moments by which one and the same change of subtask may be shifted.
const NEAR: usize = 5;

/// A moment that looks like one of a subtask and asks for another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confused {
    /// Control step of the moment.
    pub step: u32,
    /// What is to be done at the other.
    pub with: String,
    /// Control step of the other.
    pub other_step: u32,
    /// The episode of the other: this one, or that with another value of a variable.
    pub episode: String,
    /// Metres by which the worst visible object is elsewhere.
    pub worst: f64,
}

/// What the present observation says about a subtask.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SubtaskProbe {
    /// What is to be done, in the words of the first episode.
    pub sentence: String,
    /// Whether memory decides it, in some episode.
    pub memory_dependent: bool,
    /// Episodes in which it is aliased, and all.
    pub aliased: u64,
    /// Episodes looked at.
    pub episodes: u64,
    /// Share of the moments (the aliased ones, where there are some) at which the expert without memory
    /// would do it.
    pub reactive_right: f64,
    /// An example, the most alike.
    pub example: Option<Confused>,
}

/// A moment of an episode.
struct Instant {
    step: u32,
    at: usize,
    sentence: String,
    visible: Visible,
    /// The expert without memory would do the same.
    right: bool,
    /// What is to be done within [`NEAR`] moments before and after.
    around: Vec<String>,
}

/// The moments of the expert's episode in a scene.
#[derive(Default)]
struct Album {
    /// What tells its scene from that of the seed.
    name: String,
    kinds: Option<Kinds>,
    subtasks: Option<Subtasks>,
    reactive: Option<Reactive>,
    seen: Vec<bool>,
    last: String,
    moments: Vec<Instant>,
    failure: Option<SimError>,
}

impl Album {
    fn of(task: &Arc<TaskSpec>, scene: Scene, name: String) -> Result<Self, SimError> {
        let mut env = Env::new(task.clone(), EnvSettings { images: images_for("reactive") })?;
        env.reset_scene(scene)?;
        let mut album = Self { name, ..Self::default() };
        run_episode(&mut env, &mut Handicap::None.actor(), "expert", &mut album);
        if let Some(e) = album.failure.take() {
            return Err(e);
        }
        let all: Vec<String> = album.moments.iter().map(|m| m.sentence.clone()).collect();
        for (i, m) in album.moments.iter_mut().enumerate() {
            let near = i.saturating_sub(NEAR)..(i + NEAR + 1).min(all.len());
            m.around = all[near].to_vec();
            m.around.dedup();
        }
        Ok(album)
    }

    fn prepare(&mut self, env: &Env) -> Result<(), SimError> {
        let (spec, bound, scene) = (env.instance(), env.bound(), env.scene());
        self.subtasks = Some(Subtasks::new(spec, bound, scene, env.snapshot())?);
        self.reactive = Some(Reactive::new(&spec.plan, bound, scene)?);
        self.kinds = Some(Kinds::new(env));
        Ok(())
    }

    fn look(&mut self, env: &mut Env) {
        let (Some(subtasks), Some(reactive), Some(kinds)) =
            (&self.subtasks, &self.reactive, &self.kinds)
        else {
            return;
        };
        let Some(at) = subtasks.at() else { return };
        let new = self.last != subtasks.sentence();
        let step = env.snapshot().step;
        if !step.is_multiple_of(EVERY) && !new {
            return;
        }
        self.last = subtasks.sentence().to_owned();
        let visible = Visible::new(env, kinds, &mut self.seen);
        let view = View::seeing(env.snapshot(), &self.seen);
        let chosen: Option<&Op> = reactive.next(&view).map(|(c, _)| &c.op);
        let right = subtasks.plan()[at].choices.iter().any(|c| Some(&c.op) == chosen);
        let sentence = subtasks.sentence().to_owned();
        let moment = Instant { step, at, sentence, visible, right, around: Vec::new() };
        self.moments.push(moment);
    }
}

impl Watcher for Album {
    fn begun(&mut self, env: &mut Env) {
        self.failure = self.prepare(env).err();
        self.look(env);
    }

    fn after_action(&mut self, env: &mut Env, _: &str) {
        if let Some(subtasks) = &mut self.subtasks {
            subtasks.update(env.snapshot());
        }
        self.look(env);
    }
}

/// The albums of a seed: as it is drawn, and with each variable at each of its other values.
fn albums(task: &Arc<TaskSpec>, seed: Seed) -> Result<Vec<Album>, SimError> {
    let drawn = sample(task, seed)?;
    let own = drawn.variables.clone();
    let mut out = vec![Album::of(task, drawn, "the same episode".to_owned())?];
    for (name, values) in &task.variables {
        let values: BTreeSet<i64> = values.iter().copied().collect();
        for value in values.into_iter().filter(|v| own.get(name) != Some(v)) {
            let mut fixed: BTreeMap<String, i64> = own.clone();
            fixed.insert(name.clone(), value);
            let scene = sample_with(task, seed, &fixed)?;
            let was = own.get(name).copied().unwrap_or_default();
            out.push(Album::of(task, scene, format!("{name} {value} instead of {was}"))?);
        }
    }
    Ok(out)
}

/// Whether two moments are of one change of subtask, seen a moment sooner and a moment later.
fn crossed(a: &Instant, b: &Instant) -> bool {
    a.around.contains(&b.sentence) && b.around.contains(&a.sentence)
}

/// What the present observation says about each subtask of a task, over some seeds.
pub fn subtasks(
    task: &Arc<TaskSpec>,
    seeds: std::ops::Range<u64>,
) -> Result<Vec<SubtaskProbe>, SimError> {
    let mut out: Vec<SubtaskProbe> = Vec::new();
    let mut rights: Vec<(u64, u64)> = Vec::new();
    for seed in seeds {
        let albums = albums(task, Seed(seed))?;
        let Some(own) = albums.first() else { continue };
        let steps = own.subtasks.as_ref().map_or(0, |s| s.plan().len());
        for at in 0..steps {
            if out.len() == at {
                let first = own.moments.iter().find(|m| m.at == at);
                out.push(SubtaskProbe {
                    sentence: first.map(|m| m.sentence.clone()).unwrap_or_default(),
                    memory_dependent: false,
                    aliased: 0,
                    episodes: 0,
                    reactive_right: 0.0,
                    example: None,
                });
                rights.push((0, 0));
            }
            let moments: Vec<&Instant> = own.moments.iter().filter(|m| m.at == at).collect();
            let mut aliased: Vec<(&Instant, Confused)> = Vec::new();
            for m in &moments {
                aliased.extend(confused(m, &albums).map(|c| (*m, c)));
            }
            let probe = &mut out[at];
            probe.episodes += 1;
            probe.aliased += u64::from(!aliased.is_empty());
            probe.memory_dependent |= at > 0 && !aliased.is_empty();
            let judged: Vec<bool> = match aliased.is_empty() {
                true => moments.iter().map(|m| m.right).collect(),
                false => aliased.iter().map(|(m, _)| m.right).collect(),
            };
            rights[at].0 += judged.iter().filter(|r| **r).count() as u64;
            rights[at].1 += judged.len() as u64;
            let best =
                aliased.into_iter().map(|(_, c)| c).min_by(|a, b| a.worst.total_cmp(&b.worst));
            if let Some(best) = best
                && probe.example.as_ref().is_none_or(|e| best.worst < e.worst)
            {
                probe.example = Some(best);
            }
        }
    }
    for (probe, (right, all)) in out.iter_mut().zip(rights) {
        probe.reactive_right = right as f64 / all.max(1) as f64;
    }
    Ok(out)
}

/// The moment most like this one at which something else is to be done.
fn confused(m: &Instant, albums: &[Album]) -> Option<Confused> {
    let mut best: Option<Confused> = None;
    for (k, album) in albums.iter().enumerate() {
        let near = |o: &&Instant| k == 0 && o.step.abs_diff(m.step) < APART;
        let others = album.moments.iter().filter(|o| o.sentence != m.sentence);
        for o in others.filter(|o| !near(o) && !crossed(m, o)) {
            let Some(worst) = m.visible.alike(&o.visible, &TOLERANCE) else { continue };
            if best.as_ref().is_none_or(|b| worst < b.worst) {
                best = Some(Confused {
                    step: m.step,
                    with: o.sentence.clone(),
                    other_step: o.step,
                    episode: album.name.clone(),
                    worst,
                });
            }
        }
    }
    best
}
