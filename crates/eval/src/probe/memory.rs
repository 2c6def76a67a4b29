//! Of which subtasks the present observation does not decide that they are to be done now.
//!
//! The expert's episode of a seed is compared with itself, and with the episodes of the same seed in which
//! one drawn variable has another value. What counts is the moment of decision: from when a subtask
//! becomes the one to be done until something moves. Two decisions *look alike* if all that the task
//! speaks of is the same as far as it is seen, what is seen lies on the same bodies, and the hand
//! holds the same in about the same place. They look *exactly* alike if objects and hand are where
//! they were to within [`TOLERANCE`]: then nothing but memory tells, not even the posture that the
//! last step ended in. A subtask depends on memory if its decision looks like one at which something
//! else is to be done, and it is not the first: before the first there is nothing to remember.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use longarm_sim::{Env, EnvSettings, SimError};
use longarm_task::plan::{Op, Subtasks};
use longarm_task::{BodyId, Reactive, Scene, Snapshot, TaskSpec, View, sample, sample_with};
use longarm_types::{Pose, Seed};
use rayon::prelude::*;
use serde::Serialize;

use super::Handicap;
use super::visible::{Kinds, TOLERANCE, Visible};
use crate::{Watcher, images_for, run_episode};

/// Control steps between moments that are looked at, and at least between two of one episode that are
/// compared.
const EVERY: u32 = 2;
const APART: u32 = 30;
/// Metres within which what a hand holds is in about the same place.
pub const HELD_NEAR: f64 = 0.1;

/// A decision that looks like that of a subtask and asks for another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confused {
    /// Control step of the decision.
    pub step: u32,
    /// What is to be done at the other.
    pub with: String,
    /// Control step of the other.
    pub other_step: u32,
    /// The episode of the other: the same, or that with another value of a variable.
    pub episode: String,
    /// Metres by which the worst visible object is elsewhere, where both look exactly alike.
    pub worst: Option<f64>,
}

/// What the present observation says about a subtask.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SubtaskProbe {
    /// What is to be done, in the words of the first episode.
    pub sentence: String,
    /// Whether memory decides it, in some episode.
    pub memory_dependent: bool,
    /// Whether it does although one may look at poses and posture as well.
    pub exactly: bool,
    /// Episodes in which its decision looks like another.
    pub aliased: u64,
    /// Episodes looked at.
    pub episodes: u64,
    /// Share of the moments of decision at which the expert without memory would do it.
    pub reactive_right: f64,
    /// An example, the most alike.
    pub example: Option<Confused>,
}

/// A look at the scene before a subtask changes it.
struct Look {
    visible: Visible,
    /// The expert without memory would do the same.
    right: bool,
}

/// From when a subtask becomes the one to be done until something moves.
struct Decision {
    at: usize,
    step: u32,
    sentence: String,
    snapshot: Snapshot,
    /// Bodies that were seen at some moment of it.
    seen: Vec<bool>,
    looks: Vec<Look>,
    over: bool,
    relations: Relations,
}

/// What can be told of a scene without measuring it.
#[derive(Default, PartialEq)]
struct Relations {
    truths: Vec<bool>,
    /// What is seen and lies on what.
    supports: Vec<(BodyId, BodyId)>,
    held: Vec<BodyId>,
}

impl Decision {
    /// Whether something is elsewhere than at the beginning, or was taken.
    fn changed(&self, now: &Snapshot) -> bool {
        let before = &self.snapshot;
        (0..now.bodies.len()).any(|b| {
            let (far, turn) = before.bodies[b].pose.error_to(&now.bodies[b].pose);
            let moved = far > TOLERANCE.object || turn > TOLERANCE.object_turn;
            moved || now.held(b) && !before.held(b)
        })
    }

    fn relate(&mut self, reactive: &Reactive) {
        let (now, seen) = (&self.snapshot, &self.seen);
        let truths = reactive.truths(&View::seeing(now, seen));
        let bodies = 1..now.bodies.len();
        let held: Vec<BodyId> = bodies.clone().filter(|b| now.held(*b)).collect();
        let lying = bodies.filter(|b| seen[*b] && !now.held(*b));
        let on = |b: BodyId| {
            let below = 0..now.bodies.len();
            below.filter(move |c| now.rests_on.get(b, *c)).map(move |c| (b, c))
        };
        self.relations = Relations { truths, supports: lying.flat_map(on).collect(), held };
    }

    /// Whether both look alike, and if they do exactly how far the worst object is off.
    fn like(&self, other: &Self) -> Option<Option<f64>> {
        let place = |d: &Self, b: BodyId| -> Pose { d.snapshot.bodies[b].pose };
        let near = |b: &BodyId| place(self, *b).error_to(&place(other, *b)).0 < HELD_NEAR;
        let exactly = self.looks.iter().flat_map(|a| {
            other.looks.iter().filter_map(|b| a.visible.alike(&b.visible, &TOLERANCE))
        });
        let exactly = exactly.min_by(f64::total_cmp);
        let alike = self.relations == other.relations && self.relations.held.iter().all(near);
        (alike || exactly.is_some()).then_some(exactly)
    }
}

/// The decisions of the expert's episode in a scene.
#[derive(Default)]
struct Album {
    /// What tells its scene from that of the seed.
    name: String,
    kinds: Option<Kinds>,
    subtasks: Option<Subtasks>,
    reactive: Option<Reactive>,
    seen: Vec<bool>,
    decisions: Vec<Decision>,
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
        if let Some(reactive) = &album.reactive {
            album.decisions.iter_mut().for_each(|d| d.relate(reactive));
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
        let step = env.snapshot().step;
        let new = self.decisions.last().is_none_or(|d| d.at != at);
        if new {
            self.decisions.push(Decision {
                at,
                step,
                sentence: subtasks.sentence().to_owned(),
                snapshot: env.snapshot().clone(),
                seen: vec![false; env.snapshot().bodies.len()],
                looks: Vec::new(),
                over: false,
                relations: Relations::default(),
            });
        }
        let Some(decision) = self.decisions.last_mut() else { return };
        if decision.over || !new && !step.is_multiple_of(EVERY) {
            return;
        }
        if decision.changed(env.snapshot()) {
            decision.over = true;
            return;
        }
        let visible = Visible::new(env, kinds, &mut self.seen);
        for (known, now) in decision.seen.iter_mut().zip(&self.seen) {
            *known |= now;
        }
        let view = View::seeing(env.snapshot(), &self.seen);
        let chosen: Option<&Op> = reactive.next(&view).map(|(c, _)| &c.op);
        let right = subtasks.plan()[at].choices.iter().any(|c| Some(&c.op) == chosen);
        decision.looks.push(Look { visible, right });
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

/// The scenes of a seed: as it is drawn, and with each variable at each of its other values.
fn scenes(task: &TaskSpec, seed: Seed) -> Result<Vec<(Scene, String)>, SimError> {
    let drawn = sample(task, seed)?;
    let own = drawn.variables.clone();
    let name = |name: &str, value: i64| format!("{name} {value}");
    let all = own.iter().map(|(n, v)| name(n, *v)).collect::<Vec<_>>().join(", ");
    let mut out = vec![(drawn, all)];
    for (variable, values) in &task.variables {
        let values: BTreeSet<i64> = values.iter().copied().collect();
        for value in values.into_iter().filter(|v| own.get(variable) != Some(v)) {
            let mut fixed: BTreeMap<String, i64> = own.clone();
            fixed.insert(variable.clone(), value);
            out.push((sample_with(task, seed, &fixed)?, name(variable, value)));
        }
    }
    Ok(out)
}

/// Return what the present observation says about each subtask of a task, over some seeds.
pub fn subtasks(
    task: &Arc<TaskSpec>,
    seeds: Range<u64>,
    workers: usize,
) -> Result<Vec<SubtaskProbe>, SimError> {
    let mut out: Vec<SubtaskProbe> = Vec::new();
    let mut rights: Vec<(u64, u64)> = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build();
    for seed in seeds {
        let scenes = scenes(task, Seed(seed))?;
        let play = || -> Result<Vec<Album>, SimError> {
            scenes.into_par_iter().map(|(scene, name)| Album::of(task, scene, name)).collect()
        };
        let albums = match &pool {
            Ok(pool) => pool.install(play)?,
            Err(_) => play()?,
        };
        for (own, album) in albums.iter().enumerate() {
            let steps = album.subtasks.as_ref().map_or(0, |s| s.plan().len());
            for at in 0..steps {
                let decisions = || album.decisions.iter().filter(|d| d.at == at);
                if out.len() == at {
                    out.push(SubtaskProbe {
                        sentence: decisions()
                            .next()
                            .map(|d| d.sentence.clone())
                            .unwrap_or_default(),
                        memory_dependent: false,
                        exactly: false,
                        aliased: 0,
                        episodes: 0,
                        reactive_right: 0.0,
                        example: None,
                    });
                    rights.push((0, 0));
                }
                let found = decisions().filter_map(|d| confused(d, own, &albums));
                let best = found.min_by(more_alike);
                let looks = decisions().flat_map(|d| &d.looks);
                rights[at].0 += looks.clone().filter(|l| l.right).count() as u64;
                rights[at].1 += looks.count() as u64;
                out[at].learn(best, at > 0);
            }
        }
    }
    for (probe, (right, all)) in out.iter_mut().zip(rights) {
        probe.reactive_right = right as f64 / all.max(1) as f64;
    }
    Ok(out)
}

impl SubtaskProbe {
    /// Take in an episode.
    fn learn(&mut self, found: Option<Confused>, may_remember: bool) {
        self.episodes += 1;
        let Some(found) = found else { return };
        self.aliased += 1;
        self.memory_dependent |= may_remember;
        self.exactly |= may_remember && found.worst.is_some();
        if self.example.as_ref().is_none_or(|e| more_alike(&found, e).is_lt()) {
            self.example = Some(found);
        }
    }
}

/// Those that look exactly alike first, then by how much they differ.
fn more_alike(a: &Confused, b: &Confused) -> std::cmp::Ordering {
    let off = |c: &Confused| c.worst.unwrap_or(f64::INFINITY);
    off(a).total_cmp(&off(b))
}

/// Return the decision most like this one at which something else is to be done.
fn confused(d: &Decision, own: usize, albums: &[Album]) -> Option<Confused> {
    let mut best: Option<Confused> = None;
    for (k, album) in albums.iter().enumerate() {
        let others = album.decisions.iter().filter(|o| o.sentence != d.sentence);
        for o in others.filter(|o| k != own || o.step.abs_diff(d.step) >= APART) {
            let Some(worst) = d.like(o) else { continue };
            let episode = match k == own {
                true => "the same episode".to_owned(),
                false => format!("the episode with {}", album.name),
            };
            let one = Confused {
                step: d.step,
                with: o.sentence.clone(),
                other_step: o.step,
                episode,
                worst,
            };
            if best.as_ref().is_none_or(|b| more_alike(&one, b).is_lt()) {
                best = Some(one);
            }
        }
    }
    best
}
