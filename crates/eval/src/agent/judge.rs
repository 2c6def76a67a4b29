//! Who was right: the planner's sentences, the actor's effects and the reporter's claims against the truth.

use longarm_agent::{Agent, Glimpse, Sighting, Turn};
use longarm_assets::Colour;
use longarm_results::{Attribution, Part};
use longarm_sim::Env;
use longarm_task::plan::Op;
use longarm_task::speech::Area;
use longarm_task::{Slot, Snapshot, speech};
use longarm_types::{DVec3, Pose};

use super::progress::Progress;
use super::report::report;

/// Metres within which an object is where it was to be brought, and a claim is about an object.
const THERE: f64 = 0.03;

/// What the actor is at.
#[derive(Debug)]
struct Doing {
    sentence: String,
    /// For whole motions: the object's body, and where the middle of its underside is to be.
    motion: Option<(usize, DVec3)>,
}

/// What was found of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The plan allows what was said; `None` where nothing was said.
    pub allowed: Option<bool>,
    /// What was said came about; `None` while it is not known.
    pub effect: Option<bool>,
}

/// Follows an episode beside an agent.
#[derive(Debug, Default)]
pub(super) struct Judge {
    found: Attribution,
    verdicts: Vec<Judgement>,
    doing: Option<Doing>,
}

impl Judge {
    /// What was found so far.
    pub(super) fn found(&self) -> Attribution {
        self.found
    }

    /// What was found of a question, by its place among all.
    pub(super) fn of(&self, turn: usize) -> Judgement {
        self.verdicts.get(turn).copied().unwrap_or_default()
    }

    /// Look at what became of the last action.
    pub(super) fn look_back(&mut self, env: &Env, progress: &Progress) {
        let Some(doing) = &self.doing else { return };
        match doing.motion {
            Some((body, to)) => {
                let off = underside(env, env.snapshot(), body) - to;
                // What is put into a bowl may sink or lean a little.
                let there = off.truncate().length() < THERE && off.z.abs() < THERE;
                self.settle(there);
            }
            None if progress.completed.is_some() => self.settle(true),
            None => {}
        }
    }

    /// Note how the present doing ended.
    fn settle(&mut self, came_about: bool) {
        self.doing = None;
        self.found.actor.count(came_about);
        if let Some(last) = self.verdicts.last_mut() {
            last.effect = Some(came_about);
        }
        if !came_about {
            self.found.blame(Part::Actor);
        }
    }

    /// Take in what an agent has just decided, before it is carried out.
    pub(super) fn decided(&mut self, env: &Env, progress: &Progress, agent: &Agent, says: &str) {
        for turn in &agent.turns()[self.verdicts.len()..] {
            self.claims(env, turn);
            let allowed = turn.said.as_deref().map(|said| allows(env, progress, said).is_some());
            self.verdicts.push(Judgement { allowed, effect: None });
            let missed = allowed.is_none() && progress.sentence().is_some();
            match allowed {
                Some(right) => self.found.planner.count(right),
                None => self.found.planner.missed += u32::from(missed),
            }
            if missed || allowed == Some(false) {
                self.found.blame(Part::Planner);
            }
        }
        if self.doing.as_ref().is_some_and(|d| d.sentence != says) {
            // Something else is to be done, and what was begun is not done.
            self.settle(false);
        }
        // Of the actor no more is asked than what the plan allows.
        if says.is_empty() || self.doing.is_some() {
            return;
        }
        if let Some(motion) = allows(env, progress, says) {
            match agent.refused() {
                true => {
                    self.found.actor.missed += 1;
                    self.found.blame(Part::Actor);
                }
                false => self.doing = Some(Doing { sentence: says.to_owned(), motion }),
            }
        }
    }

    /// The episode is over.
    pub(super) fn end(&mut self, env: &Env, progress: &mut Progress) {
        progress.update(env);
        self.look_back(env, progress);
        if self.doing.is_some() {
            self.settle(false);
        }
    }

    /// Compare what a reporter said with what is there.
    fn claims(&mut self, env: &Env, turn: &Turn) {
        let read = |s: &String| {
            Sighting::parse(s).map(Claim::Exact).or_else(|| Glimpse::parse(s).map(Claim::Rough))
        };
        let said: Vec<Claim> = turn.report.iter().filter_map(read).collect();
        if said.is_empty() {
            return;
        }
        let mut true_ones: Vec<Sighting> =
            report(env).iter().filter_map(|s| Sighting::parse(s)).collect();
        let wrong = |f: &Attribution| f.objects.wrong + f.colours.wrong + f.areas.wrong;
        let before = wrong(&self.found);
        for claim in &said {
            let best = true_ones.iter().map(|s| claim.off(s)).fold(f64::INFINITY, f64::min);
            let found = true_ones.iter().position(|s| claim.off(s) <= best);
            let found = found.filter(|_| best < THERE);
            self.found.objects.count(found.is_some());
            let Some(found) = found else { continue };
            let truth = true_ones.swap_remove(found);
            let (colour, area) = claim.says();
            self.found.colours.count(colour == truth.colour);
            self.found.areas.count(area == truth.area);
        }
        self.found.objects.missed += true_ones.len() as u32;
        if wrong(&self.found) > before {
            self.found.blame(Part::Reporter);
        }
    }
}

/// What a reporter says of one object: with its place, or without.
enum Claim {
    Exact(Sighting),
    Rough(Glimpse),
}

impl Claim {
    fn says(&self) -> (Option<Colour>, Option<Area>) {
        match self {
            Self::Exact(s) => (s.colour, s.area),
            Self::Rough(g) => (g.colour, g.area),
        }
    }

    /// How far it is from an object: metres, or less than what counts as there for each word that is wrong.
    fn off(&self, truth: &Sighting) -> f64 {
        let wrong = |differs: bool| if differs { THERE / 3.0 } else { 0.0 };
        match self {
            Self::Exact(s) if s.noun == truth.noun => {
                let [x, y] = [s.at[0] - truth.at[0], s.at[1] - truth.at[1]];
                DVec3::new(x, y, 0.0).length().max((s.top - truth.top).abs())
            }
            Self::Rough(g) if g.noun == truth.noun => {
                wrong(g.colour != truth.colour) + wrong(g.area != truth.area)
            }
            _ => f64::INFINITY,
        }
    }
}

/// Whether the plan allows what is said now; for whole motions also what is to be moved where.
fn allows(env: &Env, progress: &Progress, said: &str) -> Option<Option<(usize, DVec3)>> {
    if !progress.is_whole() {
        return (progress.sentence().as_deref() == Some(said)).then_some(None);
    }
    let (object, to) = understood(env, progress, said)?;
    let (bound, now) = (env.bound(), env.snapshot());
    let (body, place) = (bound.body(&object)?, bound.slot_pose(&to, now).ok()?);
    let mut after = now.clone();
    let pose = &mut after.bodies[body].pose;
    let rot = if to.turned.is_some() { place.rot } else { pose.rot };
    *pose = Pose::new(pose.pos + place.pos - underside(env, now, body), rot);
    progress.advances(now, &after).then_some(Some((body, place.pos)))
}

/// The object that a sentence means, and where it goes.
fn understood(env: &Env, progress: &Progress, said: &str) -> Option<(String, Slot)> {
    match progress.meant(said, env.snapshot()) {
        Some(Op::PickPlace { object, to }) => Some((object.clone(), to.clone())),
        _ => speech::understand(said, env.scene(), env.bound(), env.snapshot()).ok(),
    }
}

/// The middle of the underside of a body's object.
fn underside(env: &Env, now: &Snapshot, body: usize) -> DVec3 {
    let pose = &now.bodies[body].pose;
    let objects = env.scene().structure.instances.iter();
    let own = objects.into_iter().find(|i| env.bound().body(&i.name) == Some(body));
    own.map_or(pose.pos, |i| {
        let bounds = i.asset.info().bounds;
        bounds.centre_in(pose) - DVec3::Z * bounds.half_in(pose).z
    })
}
