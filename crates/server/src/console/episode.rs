//! An episode on a real arm: what happened, event by event, and what it comes to.

use longarm_manual::Sheet;
use longarm_results::{Halt, JudgeSheet, Judged, Reset, Sighting};
use serde::{Deserialize, Serialize};

/// Most judges of an episode.
pub(crate) const JUDGES: usize = 2;

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub(crate) enum Event {
    /// The scene is set up; the arm was told.
    Begun { robot: String, bridge: String, rate: f64 },
    /// The policy acts.
    Started { step: u64 },
    /// The arm stands still.
    Halted { cause: String, reason: String, step: u64, ms: Option<f64> },
    /// A phase was seen, or not after all.
    Tick { phase: usize, on: bool, step: u64 },
    /// Something forbidden was seen, or not after all.
    Forbid { event: usize, on: bool, step: u64 },
    /// A second judge looks on.
    Joined {},
    /// The attempt is broken off; the scene is set up again.
    Reset { reason: String, step: u64 },
    /// The policy acts no more.
    Ended { reason: String, step: u64, policy_error: bool, clipped: u32 },
    /// A judge has to add something.
    Note { text: String },
    /// A video lies in the run directory.
    Video { file: String },
    /// The row is written.
    Closed { void: Option<String> },
}

/// An event as it stands in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub by: String,
    /// Place of the episode in the run.
    pub episode: u64,
    #[serde(flatten)]
    pub event: Event,
}

/// Where an episode stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stage {
    /// The scene is to be set up.
    #[default]
    SetUp,
    /// The policy may start.
    Ready,
    /// The policy acts.
    Running,
    /// The arm was halted before the end.
    Halted,
    /// The policy acts no more; ticks may still be corrected.
    Judging,
    /// Its row is written.
    Closed,
}

/// What a judge ticked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Ticks {
    pub judge: String,
    pub phases: Vec<Option<Sighting>>,
    pub forbidden: Vec<Option<Sighting>>,
}

/// An episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Episode {
    pub stage: Stage,
    pub judges: Vec<Ticks>,
    pub step: u64,
    pub rate: f64,
    pub robot: String,
    pub bridge: String,
    pub halts: Vec<Halt>,
    pub resets: Vec<Reset>,
    pub ended: Option<String>,
    pub policy_error: bool,
    pub clipped: u32,
    pub note: String,
    pub video: Option<String>,
    pub void: Option<String>,
    /// When its present attempt began, and when it ended, milliseconds since 1970.
    pub began: i64,
    pub done: i64,
    #[serde(skip)]
    shape: [usize; 2],
}

/// What an episode comes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Verdict {
    /// Which phases count.
    pub counted: Vec<bool>,
    /// Phases that may be ticked now: those before them are.
    pub open: Vec<bool>,
    /// Forbidden events that count.
    pub forbidden: Vec<bool>,
    /// Phases on which two judges differ.
    pub apart: Vec<bool>,
    /// Share of the phases on which they agree.
    pub agreement: Option<f64>,
    pub success: bool,
    pub score: f64,
}

impl Episode {
    pub(crate) fn new(sheet: &Sheet) -> Self {
        let shape = [sheet.phases.len(), sheet.forbidden.len()];
        Self { shape, rate: f64::from(longarm_types::CONTROL_HZ), ..Self::default() }
    }

    pub(crate) fn judge(&self, name: &str) -> Option<usize> {
        self.judges.iter().position(|j| j.judge == name)
    }

    fn join(&mut self, name: &str) {
        if self.judge(name).is_none() && self.judges.len() < JUDGES {
            let [phases, forbidden] = self.shape.map(|n| vec![None; n]);
            self.judges.push(Ticks { judge: name.to_owned(), phases, forbidden });
        }
    }

    /// Take in what happened.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        let by = entry.by.as_str();
        match &entry.event {
            Event::Begun { robot, bridge, rate } => {
                (self.robot, self.bridge, self.rate) = (robot.clone(), bridge.clone(), *rate);
                (self.stage, self.step) = (Stage::Ready, 0);
                (self.began, self.done) = (entry.at, entry.at);
                self.join(by);
            }
            Event::Started { step } => (self.stage, self.step) = (Stage::Running, *step),
            Event::Halted { cause, reason, step, .. } => {
                self.step = *step;
                if self.stage == Stage::Running {
                    self.stage = Stage::Halted;
                    let by = if by.is_empty() { cause.clone() } else { by.to_owned() };
                    self.halts.push(Halt { by, reason: reason.clone(), step: *step });
                }
            }
            Event::Tick { phase, on, step } => {
                let seen = on.then_some(self.sighting(*step));
                let tick = self.judge(by).and_then(|j| self.judges[j].phases.get_mut(*phase));
                tick.into_iter().for_each(|t| *t = seen);
            }
            Event::Forbid { event, on, step } => {
                let seen = on.then_some(self.sighting(*step));
                let tick = self.judge(by).and_then(|j| self.judges[j].forbidden.get_mut(*event));
                tick.into_iter().for_each(|t| *t = seen);
            }
            Event::Joined {} => self.join(by),
            Event::Reset { reason, step } => {
                let first = self.judges.first();
                let phases = first.map_or(0, |j| j.phases.iter().flatten().count());
                let (by, reason) = (by.to_owned(), reason.clone());
                self.resets.push(Reset { by, reason, step: *step, phases });
                let judges: Vec<String> = self.judges.iter().map(|j| j.judge.clone()).collect();
                let kept = Self {
                    resets: std::mem::take(&mut self.resets),
                    note: std::mem::take(&mut self.note),
                    rate: self.rate,
                    shape: self.shape,
                    ..Self::default()
                };
                *self = kept;
                judges.iter().for_each(|j| self.join(j));
            }
            Event::Ended { reason, step, policy_error, clipped } => {
                (self.stage, self.step, self.done) = (Stage::Judging, *step, entry.at);
                self.ended = Some(reason.clone());
                (self.policy_error, self.clipped) = (*policy_error, *clipped);
            }
            Event::Note { text } => self.note.clone_from(text),
            Event::Video { file } => self.video = Some(file.clone()),
            Event::Closed { void } => (self.stage, self.void) = (Stage::Closed, void.clone()),
        }
    }

    fn sighting(&self, step: u64) -> Sighting {
        Sighting { step, seconds: step as f64 / self.rate }
    }

    /// What it comes to: a phase counts when every judge saw it and those before it count, a forbidden event when
    /// one judge did.
    pub(crate) fn verdict(&self, sheet: &Sheet) -> Verdict {
        let n = sheet.phases.len();
        let all =
            |i: usize| !self.judges.is_empty() && self.judges.iter().all(|j| j.phases[i].is_some());
        let forbidden: Vec<bool> = (0..sheet.forbidden.len())
            .map(|i| self.judges.iter().any(|j| j.forbidden[i].is_some()))
            .collect();
        let mut counted: Vec<bool> = (0..n).map(all).collect();
        // What is taken back takes along what needs it; order among phases may be any.
        for (f, _) in sheet.forbidden.iter().zip(&forbidden).filter(|(_, seen)| **seen) {
            f.takes_back.iter().filter(|i| **i < n).for_each(|i| counted[*i] = false);
        }
        for _ in 0..n {
            for (i, p) in sheet.phases.iter().enumerate() {
                counted[i] &= p.after.iter().all(|a| counted.get(*a) != Some(&false));
            }
        }
        let two = self.judges.len() > 1;
        let apart = |i: usize| two && self.judges.iter().any(|j| j.phases[i].is_some()) && !all(i);
        let apart: Vec<bool> = (0..n).map(apart).collect();
        let differ = apart.iter().filter(|a| **a).count();
        let done = counted.iter().filter(|c| **c).count();
        let open = |p: &longarm_manual::Phase| {
            let seen = |a: &usize| {
                self.judges.iter().any(|j| j.phases.get(*a).is_none_or(Option::is_some))
            };
            p.after.iter().all(seen)
        };
        Verdict {
            open: sheet.phases.iter().map(open).collect(),
            success: n > 0 && done == n && !forbidden.contains(&true),
            score: 100.0 * done as f64 / n.max(1) as f64,
            agreement: two.then(|| 1.0 - differ as f64 / n.max(1) as f64),
            counted,
            forbidden,
            apart,
        }
    }

    /// How it was judged, for its row.
    pub(crate) fn judged(&self, sheet: &Sheet, verdict: &Verdict) -> Judged {
        let names = |of: &[bool]| -> Vec<String> {
            let named = sheet.phases.iter().zip(of).filter(|(_, is)| **is);
            named.map(|(p, _)| p.name.clone()).collect()
        };
        let one = |t: &Ticks| JudgeSheet {
            judge: t.judge.clone(),
            phases: t.phases.clone(),
            forbidden: (sheet.forbidden.iter().zip(&t.forbidden))
                .filter_map(|(f, seen)| Some((f.name.clone(), (*seen)?)))
                .collect(),
        };
        Judged {
            robot: self.robot.clone(),
            bridge: self.bridge.clone(),
            judges: self.judges.iter().map(one).collect(),
            agreement: verdict.agreement,
            disagreed: names(&verdict.apart),
            halts: self.halts.clone(),
            resets: self.resets.clone(),
            note: self.note.clone(),
        }
    }
}
