//! What a step is worth, from what the stages measure: no task writes reward code.

use super::program::{Condition, Program};
use super::{Outcome, StageTracker};
use crate::Snapshot;
use crate::predicate::nearest;

/// Share of a stage that its progress is worth while it is open, and the hand's way to what the next
/// step of the plan concerns. What is left is for having completed it.
const PROGRESS: f64 = 0.8;
const REACHING: f64 = 0.1;
/// Nearer than this, metres, there is no way to go.
const THERE: f64 = 0.02;

/// What a step was worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reward {
    /// 1 while the task is completed, 0 otherwise.
    pub sparse: f64,
    /// Share of the stages completed by this step, negative where it undid some: over an episode it
    /// adds up to the score / 100.
    pub stages: f64,
    /// How far the task is, from 0 to 1: the mean over all stages of 1 for a completed one, and for
    /// one that is open 0.8 of the way covered since it opened (0 to 1), and for the first of these
    /// 0.1 of the hand's way to what the next step of the plan concerns, the nearest it has been. 1
    /// exactly when the task is completed. It falls only where something achieved is undone. NaN
    /// where it is not measured ([`StageTracker::measure_dense`]).
    pub dense: f64,
}

/// How far everything had to go, and the hand.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Dense reward is measured.
    dense: bool,
    stages: Vec<Opened>,
    /// How far the parts of each stage's measure were from holding when it opened.
    numbers: Vec<f64>,
    reach: Reach,
    reward: Reward,
}

/// A stage since it opened.
#[derive(Clone, Copy, Debug, Default)]
struct Opened {
    /// At which step.
    at: Option<u32>,
    /// Share that was covered then, and events counted.
    share: f64,
    count: u32,
    progress: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// Step of the plan, once there is one to go by.
    step: Option<usize>,
    /// When it became the next one.
    at: u32,
    /// How far the hand was then, and the share of that which it has come.
    from: f64,
    come: f64,
}

impl Way {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            dense: true,
            stages: vec![Opened::default(); program.stages.len()],
            numbers: vec![0.0; program.openings],
            reach: Reach::default(),
            reward: Reward::default(),
        }
    }

    /// Forget how far everything had to go.
    pub(super) fn forget(&mut self) {
        self.stages.fill(Opened::default());
        self.reach = Reach::default();
    }
}

impl StageTracker {
    /// What the last step was worth.
    pub fn reward(&self) -> Reward {
        self.way.reward
    }

    /// Measure dense reward at every step, as is usual, or save the time where nobody asks for it.
    pub fn measure_dense(&mut self, on: bool) {
        self.way.dense = on;
    }

    /// The way a stage has come since it opened, 0–1; 1 once it is completed, 0 before it opens.
    pub fn progress(&self, stage: usize) -> f64 {
        match self.status.stages[stage].completed {
            Some(_) => 1.0,
            None => self.way.stages[stage].progress,
        }
    }

    /// Notes again what opened at this step.
    pub(super) fn reopen(&mut self, program: &Program, s: &Snapshot) {
        let now = self.status.step;
        for o in &mut self.way.stages {
            o.at = o.at.filter(|at| *at != now);
        }
        self.way.reach.step = self.way.reach.step.filter(|_| self.way.reach.at != now);
        self.way.reward.dense = self.dense(program, s);
    }

    pub(super) fn assess(&mut self, program: &Program, before: usize, s: &Snapshot) {
        let n = program.stages.len().max(1) as f64;
        let completed = self.status.completed();
        self.way.reward = Reward {
            sparse: f64::from(u8::from(self.status.outcome == Outcome::Success)),
            stages: (completed as f64 - before as f64) / n,
            dense: match self.status.outcome {
                _ if !self.way.dense => f64::NAN,
                Outcome::Running => self.dense(program, s),
                _ => completed as f64 / n,
            },
        };
    }

    /// After a success: whether it stands.
    pub(super) fn after_end(&mut self, program: &Program, s: &Snapshot) {
        self.way.reward.stages = 0.0;
        if self.status.outcome != Outcome::Success {
            return;
        }
        self.count(program, s);
        self.spoiled |= self.broken(program, s).is_some();
        let lost =
            |i: &usize| self.held_at_success[*i] && !self.condition(&program.stages[*i].when, s);
        let lost = (0..program.stages.len()).filter(lost).count();
        let finally = program.finally.as_ref().is_none_or(|p| p.holds(s));
        self.status.stands = lost == 0 && finally && !self.spoiled;
        let (n, missing) = (program.stages.len().max(1) as f64, lost.max(1) as f64);
        let stands = self.status.stands;
        self.way.reward.sparse = f64::from(u8::from(stands));
        if self.way.dense {
            self.way.reward.dense = if stands { 1.0 } else { 1.0 - missing / n };
        }
    }

    fn dense(&mut self, program: &Program, s: &Snapshot) -> f64 {
        if !self.way.dense {
            return f64::NAN;
        }
        let current = self.current();
        let come = self.reach(program, current, s);
        let mut sum = 0.0;
        for i in 0..program.stages.len() {
            let status = &self.status.stages[i];
            if status.completed.is_some() {
                sum += 1.0;
                continue;
            }
            let after = &program.stages[i].after;
            let open = after.iter().all(|j| self.status.stages[*j].completed.is_some());
            if !open || status.late {
                self.way.stages[i] = Opened::default();
                continue;
            }
            self.way.stages[i].progress = self.covered(program, i, s);
            sum += PROGRESS * self.way.stages[i].progress;
            if current == Some(i) {
                sum += REACHING * come;
            }
        }
        sum / program.stages.len().max(1) as f64
    }

    /// The way an open stage has come; notes where it begins when it has just opened.
    fn covered(&mut self, program: &Program, i: usize, s: &Snapshot) -> f64 {
        let stage = &program.stages[i];
        let opened = &mut self.way.stages[i];
        let numbers = &mut self.way.numbers[stage.opened.clone()];
        let fresh = opened.at.is_none();
        opened.at = opened.at.or(Some(self.status.step));
        if let Some(p) = stage.measured() {
            if fresh {
                p.open(s, numbers);
                opened.share = p.covered(s, numbers);
            }
            let share = p.covered(s, numbers);
            return match 1.0 - opened.share {
                left if left > 1e-6 => ((share - opened.share) / left).clamp(0.0, 1.0),
                _ => share,
            };
        }
        let Condition::Count { counter, reach } = &stage.when else { return 0.0 };
        let count = self.counters[*counter].count;
        if fresh {
            opened.count = count;
        }
        let want = f64::from(reach.saturating_sub(opened.count).max(1));
        (f64::from(count.saturating_sub(opened.count)) / want).min(1.0)
    }

    /// The share the hand has come of its way to what is next.
    fn reach(&mut self, program: &Program, current: Option<usize>, s: &Snapshot) -> f64 {
        let guide = &program.guide;
        let next = match guide.by_stage {
            true => current,
            false => {
                let mut next = self.way.reach.step.unwrap_or(0);
                let done = |i: usize| guide.steps[i].effects.iter().any(|e| e.holds(s));
                while next < guide.steps.len() && done(next) {
                    next += 1;
                }
                Some(next)
            }
        };
        let Some(step) = next.and_then(|i| guide.steps.get(i)) else {
            self.way.reach.step = next;
            return 0.0;
        };
        // There is nothing to go to.
        let far = if step.holds.is_empty() { 0.0 } else { nearest(&step.holds, step.limb, s) };
        let reach = &mut self.way.reach;
        if reach.step != next {
            *reach = Reach { step: next, at: self.status.step, from: far, come: 0.0 };
        }
        let come = if reach.from > THERE { 1.0 - far / reach.from } else { 1.0 };
        reach.come = reach.come.max(come.clamp(0.0, 1.0));
        reach.come
    }
}
