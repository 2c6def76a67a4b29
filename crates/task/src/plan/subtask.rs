//! Which step of the plan is to be done now, whoever acts.

use std::sync::Arc;

use super::{Onlooker, Op, Planned};
use crate::predicate::{Bound, View};
use crate::stage::{Order, Stages};
use crate::{Scene, Snapshot, SpecError, StageTracker, TaskSpec};

/// Updates for which what a step needs must be missing before an earlier step counts as to be done again:
/// a grip that slips for a moment is not lost.
const MISSING: u32 = 10;

/// Follows an episode along its plan: the true subtask of the moment, and the sentence for it.
///
/// A step is done when what it brings about has held for as long as a stage made of it would need, one
/// after the other. Stages may be fewer than the steps of the plan. When what the present step needs
/// is lost, as when an object was dropped, the last earlier step that brings it about is told again.
#[derive(Clone, Debug)]
pub struct Subtasks {
    plan: Arc<Vec<Planned>>,
    onlooker: Arc<Onlooker>,
    tracker: StageTracker,
    /// The task wants the steps in this order.
    ordered: bool,
    /// Each step is a whole pick and place.
    whole: bool,
    missing: u32,
    at: Option<usize>,
    sentence: String,
}

impl Subtasks {
    /// Begin in a scene, at its first moment.
    pub fn new(
        spec: &TaskSpec,
        bound: &Bound,
        scene: &Scene,
        now: &Snapshot,
    ) -> Result<Self, SpecError> {
        let plan = spec.plan.steps(bound, scene)?;
        let steps = TaskSpec {
            stages: Stages::FromPlan(Order::Sequential),
            finally: None,
            quiet: None,
            forbid: Vec::new(),
            ..spec.clone()
        };
        let mut tracker = StageTracker::bound(&steps, bound, scene)?;
        tracker.measure_dense(false);
        tracker.begin(now);
        let ordered = match &spec.stages {
            Stages::FromPlan(order) => *order == Order::Sequential,
            Stages::Listed(stages) => {
                stages.iter().enumerate().skip(1).all(|(i, s)| s.after.contains(&(i - 1)))
            }
            Stages::Placed(_) => false,
        };
        let mut out = Self {
            whole: plan.iter().any(|p| matches!(p.step.op, Op::PickPlace { .. })),
            plan: Arc::new(plan),
            onlooker: Arc::new(Onlooker::new(spec, bound, scene)),
            tracker,
            ordered,
            missing: 0,
            at: None,
            sentence: String::new(),
        };
        out.tell(now);
        Ok(out)
    }

    /// Take in the next moment.
    pub fn update(&mut self, now: &Snapshot) {
        self.tracker.update(now);
        self.tell(now);
    }

    /// The steps of the plan in this scene.
    pub fn plan(&self) -> &[Planned] {
        &self.plan
    }

    /// The step to be done, as an index into the plan; `None` once all are done.
    pub fn at(&self) -> Option<usize> {
        self.at
    }

    /// What to tell somebody to do now; empty once all is done.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    fn tell(&mut self, now: &Snapshot) {
        let at = if self.whole { self.first_undone(now) } else { self.present(now) };
        if at == self.at && (at.is_none() || !self.sentence.is_empty()) {
            return;
        }
        // Objects are named as they are when a step begins: what is carried across stays the same one.
        self.at = at;
        self.sentence = match at {
            Some(i) => self.onlooker.sentence(&self.plan[i].step, now),
            None => String::new(),
        };
    }

    fn first_undone(&self, now: &Snapshot) -> Option<usize> {
        self.plan.iter().position(|p| p.choices.first().is_some_and(|c| !c.effect.holds(now)))
    }

    fn present(&mut self, now: &Snapshot) -> Option<usize> {
        let first = self.tracker.current()?;
        let at = if self.ordered { first } else { self.past_done(first, now) };
        let view = View::full(now);
        let step = &self.plan[at];
        let possible = |p: &Planned| {
            p.choices.iter().any(|c| c.precondition.holds_in(&view) || c.effect.holds_in(&view))
        };
        self.missing = if possible(step) { 0 } else { self.missing + 1 };
        if self.missing < MISSING {
            return Some(at);
        }
        let due = |p: &Planned| p.choices.iter().any(|c| c.due(&view));
        Some((0..at).rev().find(|j| due(&self.plan[*j])).unwrap_or(at))
    }

    /// Skip steps that take what is where the next step brings it already: somebody did it earlier.
    fn past_done(&self, from: usize, now: &Snapshot) -> usize {
        let subject = |i: usize| self.plan[i].step.op.subject();
        let mut at = from;
        while at + 1 < self.plan.len()
            && subject(at) == subject(at + 1)
            && self.plan[at + 1].choices.iter().all(|c| c.effect.holds(now))
        {
            at = (at + 2).min(self.plan.len() - 1);
        }
        at
    }
}
