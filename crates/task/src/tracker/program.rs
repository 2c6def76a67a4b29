//! A task's stages and forbidden events bound to one scene: what never changes during an episode.

use longarm_types::hint;

use super::counter::CounterKind;
use crate::plan::Planned;
use crate::predicate::{
    BoundPredicate, HAND_AWAY, Handhold, all, grasped, hand_away, pouring, touching, upright,
};
use crate::sample::{fill, reader_name};
use crate::stage::{Count, Event, Stage, Stages, When, Window};
use crate::{Bound, LimbId, Scene, SpecError, TaskSpec};

#[derive(Debug)]
pub(super) struct Program {
    pub stages: Vec<BoundStage>,
    pub counts: Vec<BoundCount>,
    pub forbids: Vec<BoundForbid>,
    /// What the stage completed last needs besides, and for how many seconds.
    pub ending: Option<(BoundPredicate, f64)>,
    /// The task's own part of that.
    pub finally: Option<BoundPredicate>,
    /// Where the hand goes next.
    pub guide: Guide,
    /// Numbers kept of how far stages had to go when they opened.
    pub openings: usize,
    /// Names of the bodies.
    pub names: Vec<String>,
}

#[derive(Debug)]
pub(super) struct BoundStage {
    pub name: String,
    pub title: String,
    pub sentence: String,
    pub when: Condition,
    pub hold: f64,
    pub after: Vec<usize>,
    pub must_last: bool,
    pub window: Option<Window>,
    pub reset_arm_after: bool,
    /// What progress is measured by, where that is not `when`.
    pub measure: Option<BoundPredicate>,
    /// The stage's own numbers among [`Program::openings`].
    pub opened: std::ops::Range<usize>,
}

impl BoundStage {
    /// What progress is measured by, unless it counts events.
    pub fn measured(&self) -> Option<&BoundPredicate> {
        self.measure.as_ref().or(match &self.when {
            Condition::Holds(p) => Some(p),
            Condition::Count { .. } => None,
        })
    }

    /// Room for everything it measures, and for how long it held.
    pub fn gauges(&self) -> usize {
        match &self.when {
            Condition::Holds(p) => p.gauges() + 1,
            Condition::Count { .. } => 2,
        }
    }
}

/// The steps of the plan as places for the hand to be.
#[derive(Debug, Default)]
pub(super) struct Guide {
    pub steps: Vec<GuideStep>,
    /// Each stage is a step of the plan.
    pub by_stage: bool,
}

#[derive(Debug)]
pub(super) struct GuideStep {
    /// Where what it concerns can be acted on; empty where there is nothing to go to.
    pub holds: Vec<Handhold>,
    /// Whose hand goes there; any one's if `None`.
    pub limb: Option<LimbId>,
    /// What holds when it is done, for each object it may concern.
    pub effects: Vec<BoundPredicate>,
}

impl Guide {
    fn new(spec: &TaskSpec, bound: &Bound, planned: Vec<Planned>) -> Self {
        let step = |planned: Planned| {
            let mut holds = Vec::new();
            if let Some(name) = planned.step.op.subject() {
                bound.handholds(name, &mut holds);
            }
            let limb = planned.choices.first().and_then(|c| c.limb);
            let effects = planned.choices.into_iter().map(|c| c.effect).collect();
            GuideStep { holds, limb, effects }
        };
        let steps = planned.into_iter().map(step).collect();
        Self { steps, by_stage: matches!(spec.stages, Stages::FromPlan(_)) }
    }
}

#[derive(Debug)]
pub(super) enum Condition {
    Holds(BoundPredicate),
    Count { counter: usize, reach: u32 },
}

/// Stages that must be complete (or not yet) for an event to be looked at.
pub(super) type Gates = Vec<(usize, bool)>;

#[derive(Debug)]
pub(super) struct BoundCount {
    pub kind: CounterKind,
    pub gates: Gates,
}

#[derive(Debug)]
pub(super) struct BoundForbid {
    pub name: String,
    pub trigger: Trigger,
    pub revokes: Vec<usize>,
}

#[derive(Debug)]
pub(super) enum Trigger {
    Count { counter: usize, more_than: u32 },
    Holds { when: Box<BoundPredicate>, seconds: f64, gates: Gates },
}

impl Program {
    pub fn new(spec: &TaskSpec, bound: &Bound, scene: &Scene) -> Result<Self, SpecError> {
        let steps = spec.plan.steps(bound, scene)?;
        let list = spec.stages_along(&steps);
        let mut counts = Vec::new();
        let mut stages = Vec::new();
        let mut openings = 0;
        for s in &list {
            let when = match &s.when {
                When::Holds(p) => Condition::Holds(bound.predicate(p)?),
                When::Times { count, reach } => {
                    counts.push(bind_count(count, bound, Vec::new())?);
                    Condition::Count { counter: counts.len() - 1, reach: *reach }
                }
            };
            let measure = s.measure.as_ref().map(|p| bound.predicate(p)).transpose()?;
            let of_when = |c: &Condition| match c {
                Condition::Holds(p) => p.openings(),
                Condition::Count { .. } => 0,
            };
            let opened = measure.as_ref().map_or_else(|| of_when(&when), BoundPredicate::openings);
            let opened = openings..openings + opened;
            openings = opened.end;
            let title = spec.stage_title(&s.name);
            stages.push(BoundStage {
                name: s.name.clone(),
                sentence: fill(if s.sentence.is_empty() { &title } else { &s.sentence }, scene),
                title,
                when,
                measure,
                opened,
                hold: s.hold,
                after: s.after.clone(),
                must_last: s.must_last,
                window: s.window,
                reset_arm_after: s.reset_arm_after,
            });
        }
        let mut forbids = Vec::new();
        for f in &spec.forbid {
            forbids.push(BoundForbid {
                name: f.name.clone(),
                trigger: bind_event(spec, &f.event, bound, &list, Vec::new(), &mut counts)?,
                revokes: spec.revoked(f, &list),
            });
        }
        let quiet = spec.quiet.map(|_| hand_away(HAND_AWAY));
        let needs: Vec<_> = spec.finally.iter().cloned().chain(quiet).collect();
        let ending = match needs.is_empty() {
            true => None,
            false => Some((bound.predicate(&all(needs))?, spec.quiet.unwrap_or(0.0))),
        };
        let finally = spec.finally.as_ref().map(|p| bound.predicate(p)).transpose()?;
        let guide = Guide::new(spec, bound, steps);
        let names = bound.names().iter().map(|n| reader_name(scene, n)).collect();
        Ok(Self { stages, counts, forbids, ending, finally, guide, openings, names })
    }

    pub fn quiet_seconds(&self) -> f64 {
        self.ending.as_ref().map_or(0.0, |(_, s)| *s)
    }
}

fn bind_count(count: &Count, bound: &Bound, gates: Gates) -> Result<BoundCount, SpecError> {
    let kind = match count {
        Count::Rises(p) => CounterKind::Rises(bound.predicate(p)?),
        Count::Strokes { tool, surface, length } => {
            bound.predicate(&touching(tool, surface))?;
            match (bound.body(tool), bound.body(surface)) {
                (Some(tool), Some(surface)) => {
                    CounterKind::Strokes { tool, surface, length: *length }
                }
                // One of them is not in this scene: it never happens.
                _ => CounterKind::Rises(bound.predicate(&touching(tool, surface))?),
            }
        }
        Count::Pours { from, into } => CounterKind::Pours {
            pouring: bound.predicate(&pouring(from, into))?,
            upright: bound.predicate(&all([grasped(from), upright(from)]))?,
        },
    };
    Ok(BoundCount { kind, gates })
}

fn bind_event(
    spec: &TaskSpec,
    event: &Event,
    bound: &Bound,
    stages: &[Stage],
    mut gates: Gates,
    counts: &mut Vec<BoundCount>,
) -> Result<Trigger, SpecError> {
    let (name, complete, inner) = match event {
        Event::Times { count, more_than } => {
            counts.push(bind_count(count, bound, gates)?);
            return Ok(Trigger::Count { counter: counts.len() - 1, more_than: *more_than });
        }
        Event::Holds { when, seconds } => {
            let when = Box::new(bound.predicate(when)?);
            return Ok(Trigger::Holds { when, seconds: *seconds, gates });
        }
        Event::After { stage, event } => (stage, true, event),
        Event::Before { stage, event } => (stage, false, event),
    };
    let Some(i) = stages.iter().position(|s| s.name == *name) else {
        return Err(SpecError::Unknown {
            task: spec.id.to_string(),
            kind: "stage",
            name: name.clone(),
            hint: hint(name, stages.iter().map(|s| s.name.as_str())),
        });
    };
    gates.push((i, complete));
    bind_event(spec, inner, bound, stages, gates, counts)
}
