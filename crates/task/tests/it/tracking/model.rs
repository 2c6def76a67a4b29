//! The slow model: it looks at the whole history every time.

use super::*;

/// Times a raw signal became true: runs shorter than a moment are jitter, except that the first
/// run says how it began.
pub(super) fn rises(raw: &[bool]) -> u32 {
    let mut runs: Vec<(bool, usize)> = Vec::new();
    for v in raw {
        match runs.last_mut() {
            Some((w, n)) if w == v => *n += 1,
            _ => runs.push((*v, 1)),
        }
    }
    let settled: Vec<bool> = runs
        .iter()
        .enumerate()
        .filter(|(i, (_, n))| *i == 0 || *n > MOMENT)
        .map(|(_, (v, _))| *v)
        .collect();
    settled.windows(2).filter(|w| !w[0] && w[1]).count() as u32
}

/// How many of the last entries are true.
pub(super) fn suffix(history: &[bool]) -> usize {
    history.iter().rev().take_while(|v| **v).count()
}

/// The slow model.
pub(super) struct Model {
    pub(super) stages: Vec<Stage>,
    pub(super) forbid: Vec<Event>,
    pub(super) revoked_by: Vec<Vec<usize>>,
    pub(super) quiet: Option<usize>,
    pub(super) trace: Vec<Moment>,
    pub(super) completed: Vec<Option<u32>>,
    pub(super) outcome: Outcome,
    pub(super) late: Vec<bool>,
    pub(super) ready: Vec<Vec<bool>>,
    pub(super) held: Vec<Vec<bool>>,
    pub(super) ending: Vec<Vec<bool>>,
    pub(super) gates: Vec<Vec<bool>>,
}

impl Model {
    pub(super) fn new(task: &TaskSpec) -> Self {
        let Stages::Listed(stages) = task.stages.clone() else { unreachable!() };
        let n = stages.len();
        let f = task.forbid.len();
        Self {
            revoked_by: task.forbid.iter().map(|f| task.revoked(f, &stages)).collect(),
            forbid: task.forbid.iter().map(|f| f.event.clone()).collect(),
            quiet: task.quiet.map(steps),
            stages,
            trace: Vec::new(),
            completed: vec![None; n],
            outcome: Outcome::Running,
            late: vec![false; n],
            ready: vec![Vec::new(); n],
            held: vec![Vec::new(); n],
            ending: vec![Vec::new(); n],
            gates: vec![Vec::new(); f],
        }
    }

    pub(super) fn history(&self, p: &longarm_task::Predicate) -> Vec<bool> {
        let i = signal_of(p);
        self.trace.iter().map(|m| m.on[i]).collect()
    }

    pub(super) fn gate(&self, event: &Event) -> bool {
        let done = |name: &str| {
            let i = self.stages.iter().position(|s| s.name == name).unwrap();
            self.completed[i].is_some()
        };
        match event {
            Event::After { stage, event } => done(stage) && self.gate(event),
            Event::Before { stage, event } => !done(stage) && self.gate(event),
            _ => true,
        }
    }

    /// A forbidden event at its present gate history.
    pub(super) fn happened(&self, event: &Event, gates: &[bool]) -> bool {
        match event {
            Event::After { event, .. } | Event::Before { event, .. } => self.happened(event, gates),
            Event::Holds { when, seconds } => {
                let on: Vec<bool> =
                    self.history(when).iter().zip(gates).map(|(a, b)| *a && *b).collect();
                suffix(&on) > steps(*seconds)
            }
            Event::Times { count: Count::Rises(p), more_than } => {
                let raw = self.history(p);
                let mut total = 0;
                let mut segment = Vec::new();
                for (v, open) in raw.iter().zip(gates) {
                    if *open {
                        segment.push(*v);
                    } else {
                        total += rises(&segment);
                        segment.clear();
                    }
                }
                total + rises(&segment) > *more_than
            }
            Event::Times { .. } => unreachable!(),
        }
    }

    pub(super) fn condition(&self, when: &When) -> bool {
        match when {
            When::Holds(p) => *self.history(p).last().unwrap(),
            When::Times { count: Count::Rises(p), reach } => rises(&self.history(p)) >= *reach,
            When::Times { .. } => unreachable!(),
        }
    }

    pub(super) fn play(&mut self, m: Moment) {
        if self.outcome != Outcome::Running {
            return;
        }
        let t = self.trace.len();
        self.trace.push(m);
        for k in 0..self.forbid.len() {
            let open = self.gate(&self.forbid[k]);
            self.gates[k].push(open);
        }
        let broken =
            (0..self.forbid.len()).find(|k| self.happened(&self.forbid[*k], &self.gates[*k]));
        if let Some(k) = broken {
            self.outcome = Outcome::Forbidden(k);
            for i in self.revoked_by[k].clone() {
                self.completed[i] = None;
            }
            return;
        }
        for i in 0..self.stages.len() {
            if self.stages[i].must_last && !self.condition(&self.stages[i].when) {
                self.completed[i] = None;
            }
        }
        for i in 0..self.stages.len() {
            let s = self.stages[i].clone();
            let was = self.completed[i].is_some();
            let ready = s.after.iter().all(|j| self.completed[*j].is_some());
            let held = !was && ready && self.condition(&s.when);
            let last = self.completed.iter().filter(|c| c.is_none()).count() == 1;
            self.ready[i].push(was || ready);
            self.held[i].push(held);
            self.ending[i].push(held && last && m.away);
            if was || !ready {
                continue;
            }
            let since_ready = suffix(&self.ready[i]) - 1;
            let holding = suffix(&self.held[i]);
            let window = s.window.unwrap_or(Window { earliest: 0.0, deadline: None });
            // How long it took until the present holding began.
            let took = since_ready - holding.saturating_sub(1);
            self.late[i] |= window.deadline.is_some_and(|d| took > steps(d));
            let quiet = match self.quiet {
                Some(q) if last => suffix(&self.ending[i]) > q,
                _ => true,
            };
            let done = holding > steps(s.hold) && since_ready >= steps(window.earliest);
            if done && quiet && !self.late[i] {
                self.completed[i] = Some(t as u32);
            }
        }
        if self.completed.iter().all(Option::is_some) {
            self.outcome = Outcome::Success;
        }
    }
}
