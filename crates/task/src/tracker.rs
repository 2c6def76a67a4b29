//! Follows an episode, one snapshot per control step.

mod counter;
mod program;
mod reward;

use std::sync::Arc;

use longarm_types::{Margin, StageRecord};

use counter::Counter;
use program::{Condition, Program, Trigger};
pub use reward::Reward;
use reward::Way;

use crate::predicate::{Gauge, Margins, Sense, Unit};
use crate::{Bound, Scene, Snapshot, SpecError, TaskSpec};

/// Elapsed times are sums of control steps; this absorbs their rounding.
const EPS: f64 = 1e-6;

/// How the episode stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Going on.
    Running,
    /// Every stage is complete.
    Success,
    /// The forbidden event with this index happened.
    Forbidden(usize),
}

/// How one stage stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageStatus {
    /// Control step at which it was completed; `None` while it is not.
    pub completed: Option<u32>,
    /// A forbidden event took it back.
    pub revoked: bool,
    /// Its deadline passed: it can no longer be completed.
    pub late: bool,
    /// Since when its predecessors have been complete.
    ready: Option<f64>,
    /// Since when its condition has held.
    since: Option<f64>,
}

/// How everything stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// By index of the stage.
    pub stages: Vec<StageStatus>,
    /// Whether and how it ended.
    pub outcome: Outcome,
    /// Control step of the last update; after a success, of the success.
    pub step: u32,
    /// The task was completed and is so at the last update, too: what held when it succeeded still
    /// holds, and nothing forbidden happened since.
    pub stands: bool,
}

impl Status {
    /// How many stages are complete.
    pub fn completed(&self) -> usize {
        self.stages.iter().filter(|s| s.completed.is_some()).count()
    }

    /// How many are not.
    pub fn left(&self) -> usize {
        self.stages.len() - self.completed()
    }

    /// 100 · completed / all.
    pub fn score(&self) -> f64 {
        100.0 * self.completed() as f64 / self.stages.len().max(1) as f64
    }

    /// Success or failure is decided.
    pub fn ended(&self) -> bool {
        self.outcome != Outcome::Running
    }
}

/// Stage progress as a value: cloning it is cheap and gives an independent tracker.
#[derive(Clone, Debug)]
pub struct StageTracker {
    program: Arc<Program>,
    status: Status,
    counters: Vec<Counter>,
    /// Since when each forbidden state has held.
    offences: Vec<Option<f64>>,
    /// The stage that would be the last, and since when its result has stood untouched.
    quiet: Option<(usize, f64)>,
    margins: Vec<Margins>,
    scratch: Margins,
    way: Way,
    /// Conditions that held when the task succeeded, by index of the stage.
    held_at_success: Vec<bool>,
    /// Something forbidden happened after the success.
    spoiled: bool,
}

impl StageTracker {
    /// A tracker for a scene, before its first step.
    pub fn new(spec: &TaskSpec, scene: &Scene) -> Result<Self, SpecError> {
        let spec = spec.instance(scene.seed);
        Self::bound(&spec, &Bound::new(&spec, scene)?, scene)
    }

    /// The same for a task that is not a template, whose names were resolved before.
    pub fn bound(spec: &TaskSpec, bound: &Bound, scene: &Scene) -> Result<Self, SpecError> {
        let program = Program::new(spec, bound, scene)?;
        let room = |i: usize| Margins::with_capacity(program.stages[i].gauges());
        let n = program.stages.len();
        let widest = (0..n).map(|i| program.stages[i].gauges()).max().unwrap_or(0);
        Ok(Self {
            status: Status {
                stages: vec![StageStatus::default(); n],
                outcome: Outcome::Running,
                step: 0,
                stands: false,
            },
            counters: vec![Counter::default(); program.counts.len()],
            offences: vec![None; program.forbids.len()],
            quiet: None,
            margins: (0..n).map(room).collect(),
            scratch: Margins::with_capacity(widest),
            way: Way::new(&program),
            held_at_success: vec![false; n],
            spoiled: false,
            program: Arc::new(program),
        })
    }

    /// Take in the moment before the first step, or the same step once more after the world was
    /// changed from outside: what opened then has its way to go from here.
    pub fn begin(&mut self, snapshot: &Snapshot) {
        let program = Arc::clone(&self.program);
        self.reopen(&program, snapshot);
    }

    /// Measure the way that everything open has to go from this moment on, whenever it opened.
    pub fn open_from(&mut self, snapshot: &Snapshot) {
        self.way.forget();
        self.begin(snapshot);
    }

    /// Takes in the next moment. After the end nothing changes any more but whether a success
    /// stands.
    pub fn update(&mut self, snapshot: &Snapshot) -> &Status {
        self.update_at(snapshot.step, snapshot)
    }

    /// The same for one whose steps are not control steps.
    pub fn update_at(&mut self, step: u32, snapshot: &Snapshot) -> &Status {
        let program = Arc::clone(&self.program);
        if self.status.ended() {
            self.after_end(&program, snapshot);
            return &self.status;
        }
        self.status.step = step;
        let before = self.status.completed();
        self.advance(&program, snapshot);
        self.assess(&program, before, snapshot);
        &self.status
    }

    fn advance(&mut self, program: &Program, snapshot: &Snapshot) {
        self.count(program, snapshot);
        if let Some(broken) = self.broken(program, snapshot) {
            self.status.outcome = Outcome::Forbidden(broken);
            for &i in &program.forbids[broken].revokes {
                let s = &mut self.status.stages[i];
                s.revoked |= s.completed.is_some();
                s.completed = None;
            }
            return;
        }
        for (i, stage) in program.stages.iter().enumerate() {
            let complete = self.status.stages[i].completed.is_some();
            if complete && stage.must_last && !self.condition(&stage.when, snapshot) {
                self.status.stages[i].completed = None;
                self.status.stages[i].since = None;
            }
        }
        if self.status.left() != 1 {
            self.quiet = None;
        }
        for i in 0..program.stages.len() {
            self.stage(program, i, snapshot);
        }
        if self.status.stages.iter().all(|s| s.completed.is_some()) {
            self.status.outcome = Outcome::Success;
            self.status.stands = true;
            for (i, stage) in program.stages.iter().enumerate() {
                self.held_at_success[i] = self.condition(&stage.when, snapshot);
            }
        }
    }

    fn count(&mut self, program: &Program, snapshot: &Snapshot) {
        for (i, count) in program.counts.iter().enumerate() {
            let active = gates_open(&count.gates, &self.status);
            self.counters[i].update(&count.kind, active, snapshot);
        }
    }

    fn broken(&mut self, program: &Program, s: &Snapshot) -> Option<usize> {
        let mut first = None;
        for (i, f) in program.forbids.iter().enumerate() {
            let happened = match &f.trigger {
                Trigger::Count { counter, more_than } => {
                    self.counters[*counter].begun() > *more_than
                }
                Trigger::Holds { when, seconds, gates } => {
                    let on = gates_open(gates, &self.status) && when.holds(s);
                    let since = &mut self.offences[i];
                    *since = on.then(|| since.unwrap_or(s.time));
                    since.is_some_and(|t| s.time - t + EPS >= *seconds)
                }
            };
            if happened {
                first = first.or(Some(i));
            }
        }
        first
    }

    fn stage(&mut self, program: &Program, i: usize, s: &Snapshot) {
        let stage = &program.stages[i];
        if self.status.stages[i].completed.is_some() {
            return;
        }
        let ready = stage.after.iter().all(|j| self.status.stages[*j].completed.is_some());
        let held = ready && self.condition(&stage.when, s);
        let last = self.status.left() == 1;
        let ended = !last || self.stood(program, i, held, s);
        let st = &mut self.status.stages[i];
        if !ready {
            (st.ready, st.since) = (None, None);
            return;
        }
        let ready = *st.ready.get_or_insert(s.time);
        st.since = held.then(|| st.since.unwrap_or(s.time));
        let deadline = stage.window.and_then(|w| w.deadline).unwrap_or(f64::INFINITY);
        let earliest = stage.window.map_or(0.0, |w| w.earliest);
        st.late |= st.since.unwrap_or(s.time) - ready > deadline + EPS;
        let Some(since) = st.since else { return };
        let stood = s.time - since + EPS >= stage.hold;
        let due = s.time - ready + EPS >= earliest;
        if stood && due && ended && !st.late {
            st.completed = Some(self.status.step);
            let hold = if last { stage.hold.max(program.quiet_seconds()) } else { stage.hold };
            self.measure(i, hold, s.time - since, s);
        }
    }

    /// Whether everything has stood as the end needs it, for as long as it needs.
    fn stood(&mut self, program: &Program, i: usize, held: bool, s: &Snapshot) -> bool {
        let Some((needs, seconds)) = &program.ending else { return true };
        let since = match self.quiet {
            Some((j, t)) if i == j => t,
            _ => s.time,
        };
        self.quiet = (held && needs.holds(s)).then_some((i, since));
        self.quiet.is_some() && s.time - since + EPS >= *seconds
    }

    fn condition(&self, when: &Condition, s: &Snapshot) -> bool {
        match when {
            Condition::Holds(p) => p.holds(s),
            Condition::Count { counter, reach } => self.counters[*counter].count >= *reach,
        }
    }

    fn measure(&mut self, i: usize, hold: f64, seconds: f64, s: &Snapshot) {
        self.scratch.clear();
        gauges(&self.program.stages[i].when, &self.counters, s, &mut self.scratch);
        if hold > 0.0 {
            self.scratch.push(gauge("for", seconds, hold, Unit::Seconds));
        }
        self.margins[i].copy_from(&self.scratch);
    }

    /// How everything stands.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Sentences of the stages.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        self.program.stages.iter().map(|s| s.sentence.as_str())
    }

    /// Name of a stage.
    pub fn name(&self, stage: usize) -> &str {
        &self.program.stages[stage].name
    }

    /// What a reader is told of a stage: its name, in words.
    pub fn title(&self, stage: usize) -> &str {
        &self.program.stages[stage].title
    }

    /// The first stage that can be worked on now.
    pub fn current(&self) -> Option<usize> {
        (0..self.status.stages.len()).find(|i| {
            let after = &self.program.stages[*i].after;
            self.status.stages[*i].completed.is_none()
                && after.iter().all(|j| self.status.stages[*j].completed.is_some())
        })
    }

    /// Whether the stage completed at the last step leaves the arm to be set back.
    pub fn neutral(&self) -> bool {
        let now = Some(self.status.step);
        let just = |i: usize| self.status.stages[i].completed == now;
        (0..self.program.stages.len()).any(|i| self.program.stages[i].reset_arm_after && just(i))
    }

    /// Name of the forbidden event that ended the episode.
    pub fn forbidden(&self) -> Option<&str> {
        match self.status.outcome {
            Outcome::Forbidden(i) => Some(&self.program.forbids[i].name),
            _ => None,
        }
    }

    /// What was measured when a stage was completed; empty while it is not.
    pub fn margins(&self, stage: usize) -> &Margins {
        &self.margins[stage]
    }

    /// What became of each stage; those not complete are measured in `last`.
    pub fn records(&self, last: &Snapshot) -> Vec<StageRecord> {
        let record = |i: usize| {
            let (stage, status) = (&self.program.stages[i], &self.status.stages[i]);
            StageRecord {
                name: stage.name.clone(),
                completed: status.completed.is_some(),
                step: status.completed,
                margins: self.explain(i, last),
            }
        };
        (0..self.program.stages.len()).map(record).collect()
    }

    fn explain(&self, i: usize, last: &Snapshot) -> Vec<Margin> {
        if self.status.stages[i].completed.is_some() {
            return self.margins[i].named(&self.program.names);
        }
        self.measured(i, last).named(&self.program.names)
    }

    /// For people: what keeps a stage from being completed in `last`, with units.
    pub fn unmet(&self, stage: usize, last: &Snapshot) -> String {
        self.measured(stage, last).unmet(&self.program.names)
    }

    fn measured(&self, stage: usize, last: &Snapshot) -> Margins {
        let mut now = Margins::default();
        gauges(&self.program.stages[stage].when, &self.counters, last, &mut now);
        now
    }
}

fn gauges(when: &Condition, counters: &[Counter], s: &Snapshot, out: &mut Margins) {
    match when {
        Condition::Holds(p) => {
            p.check(s, out);
        }
        Condition::Count { counter, reach } => {
            let n = f64::from(counters[*counter].count);
            out.push(gauge("times", n, f64::from(*reach), Unit::Plain));
        }
    }
}

fn gauge(label: &'static str, value: f64, limit: f64, unit: Unit) -> Gauge {
    // The hold was judged with the rounding of control steps allowed for.
    let limit = if unit == Unit::Seconds { limit.min(value) } else { limit };
    Gauge { label, of: 0, to: 0, value, limit, unit, sense: Sense::AtLeast, negated: false }
}

fn gates_open(gates: &[(usize, bool)], status: &Status) -> bool {
    gates.iter().all(|(stage, complete)| status.stages[*stage].completed.is_some() == *complete)
}
