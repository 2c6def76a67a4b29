//! Which step of its plan an episode is at.

use longarm_sim::Env;
use longarm_task::plan::{Op, Subtasks};
use longarm_task::stage::Stages;
use longarm_task::{BoundPredicate, Goal, Predicate, Snapshot, SpecError};
use longarm_types::DVec3;

/// Metres an object must have been moved to count as put aside.
const ASIDE: f64 = 0.05;

/// A step of a plan of whole motions: its object's start, and when it counts as done.
struct Placing {
    body: usize,
    start: DVec3,
    belongs: Option<BoundPredicate>,
}

/// Which step of the plan an episode is at.
pub(super) struct Progress {
    subtasks: Subtasks,
    /// For plans of whole motions, step by step.
    placings: Vec<Placing>,
    at: Option<usize>,
    /// The step that was completed at this moment.
    pub(super) completed: Option<String>,
}

impl Progress {
    pub(super) fn new(env: &Env) -> Result<Self, SpecError> {
        let (spec, bound, now) = (env.instance(), env.bound(), env.snapshot());
        let subtasks = Subtasks::new(spec, bound, env.scene(), now)?;
        let goal = match &spec.stages {
            Stages::Placed(goal) => Some(goal),
            _ => None,
        };
        let mut placings = Vec::new();
        for step in subtasks.plan() {
            let Op::PickPlace { object, .. } = &step.step.op else { continue };
            let belongs = goal.and_then(|g| {
                let own = g.objects.iter().find(|b| b.object == *object)?;
                Some(Goal { slots: g.slots.clone(), objects: vec![own.clone()] })
            });
            let belongs = belongs
                .map(|g| bound.predicate(&Predicate::Placed { n: 1, goal: g }))
                .transpose()?;
            let body = bound.body(object).unwrap_or(0);
            placings.push(Placing { body, start: now.bodies[body].pose.pos, belongs });
        }
        let mut out = Self { subtasks, placings, at: None, completed: None };
        out.at = out.present(env);
        Ok(out)
    }

    pub(super) fn update(&mut self, env: &Env) {
        self.subtasks.update(env.snapshot());
        let at = self.present(env);
        let ahead = match (self.at, at) {
            (Some(before), Some(now)) => now > before,
            (Some(_), None) => true,
            (None, _) => false,
        };
        self.completed =
            self.at.filter(|_| ahead).map(|i| self.subtasks.plan()[i].sentence.clone());
        self.at = at;
    }

    /// The first step that is not done.
    fn present(&self, env: &Env) -> Option<usize> {
        if self.placings.is_empty() {
            return self.subtasks.at();
        }
        (0..self.placings.len()).find(|i| !self.is_done(*i, env.snapshot()))
    }

    /// Whether the plan is one of whole motions.
    pub(super) fn is_whole(&self) -> bool {
        !self.placings.is_empty()
    }

    /// Whether a step of whole motions is done: its object is where the step brings it, or where the goal
    /// wants it, or, if the goal does not speak of it, out of the way.
    fn is_done(&self, step: usize, now: &Snapshot) -> bool {
        let placing = &self.placings[step];
        let effect = self.subtasks.plan()[step].choices.first();
        let moved =
            || (now.bodies[placing.body].pose.pos - placing.start).truncate().length() > ASIDE;
        effect.is_none_or(|c| c.effect.holds(now))
            || placing.belongs.as_ref().map_or_else(moved, |b| b.holds(now))
    }

    /// Whether a motion that leads from one moment to another does a step of the plan and undoes none.
    pub(super) fn advances(&self, before: &Snapshot, after: &Snapshot) -> bool {
        let mut ahead = false;
        for i in 0..self.placings.len() {
            match (self.is_done(i, before), self.is_done(i, after)) {
                (true, false) => return false,
                (false, true) => ahead = true,
                _ => {}
            }
        }
        ahead
    }

    /// The operator of the step that has these words: of several the first that is not done.
    pub(super) fn meant(&self, sentence: &str, now: &Snapshot) -> Option<&Op> {
        let said = self.subtasks.plan().iter().filter(|step| step.sentence == sentence);
        let mut choices = said.filter_map(|step| step.choices.first()).peekable();
        let first = choices.peek().copied();
        choices.find(|c| !c.effect.holds(now)).or(first).map(|c| &c.op)
    }

    /// Return what is to be done now.
    pub(super) fn sentence(&self) -> Option<String> {
        match self.placings.is_empty() {
            true => Some(self.subtasks.sentence().to_owned()).filter(|s| !s.is_empty()),
            false => self.at.map(|i| self.subtasks.plan()[i].sentence.clone()),
        }
    }

    /// Return the sentences of the plan.
    pub(super) fn plan(&self) -> Vec<String> {
        self.subtasks.plan().iter().map(|p| p.sentence.clone()).collect()
    }
}
