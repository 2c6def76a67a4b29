//! What lies before the judges: runs, the episode at the arm, who is in control.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::drive::Driver;
use super::episode::{Episode, Event, Stage};
use super::run::Run;

/// How long a page in control may say nothing while the arm moves.
pub(crate) const SILENCE: Duration = Duration::from_millis(1000);

/// The page in control.
pub(crate) struct Controller {
    pub socket: u64,
    pub name: String,
    pub heard: Instant,
}

/// Who is in control. It has a lock of its own, under which nobody waits for a disk: a sign of life, and a stop
/// because there was none, are not late.
#[derive(Default)]
pub(crate) struct Control {
    pub controller: Option<Controller>,
    /// A stop is on its way because nobody was there.
    pub halting: bool,
}

impl Control {
    pub(crate) fn is_there(&self) -> bool {
        self.controller.as_ref().is_some_and(|c| c.heard.elapsed() < SILENCE)
    }

    /// Whether this page is in control; otherwise why not.
    pub(crate) fn of(&self, socket: u64) -> Result<(), String> {
        match &self.controller {
            Some(c) if c.socket == socket => Ok(()),
            Some(c) => Err(format!("{} is in control", c.name)),
            None => Err("take control first".into()),
        }
    }
}

/// What lies before the judges.
#[derive(Default)]
pub(crate) struct Desk {
    pub runs: BTreeMap<String, Run>,
    /// The episode at the arm.
    pub active: Option<(String, usize)>,
    pub driver: Option<Driver>,
    /// The arm has taken in that the episode begins.
    pub bridge_ready: bool,
    /// What the bridge said last that was no event.
    pub message: Option<String>,
}

impl Desk {
    pub(crate) fn episode(&self, run: &str, k: usize) -> Option<&Episode> {
        self.runs.get(run)?.episodes.get(k)
    }

    pub(crate) fn record(
        &mut self,
        run: &str,
        k: usize,
        by: &str,
        event: Event,
    ) -> Result<(), String> {
        let run = self.runs.get_mut(run).ok_or("there is no such run")?;
        run.record(k, by, event)
    }

    /// After a start: the episode that was at the arm is at it again, without its policy.
    pub(crate) fn take_up(&mut self) {
        let mut found = None;
        for (id, run) in &self.runs {
            for (k, e) in run.episodes.iter().enumerate() {
                if !matches!(e.stage, Stage::SetUp | Stage::Closed) {
                    found = Some((id.clone(), k, e.stage, e.step));
                }
            }
        }
        let Some((id, k, stage, step)) = found else { return };
        let gone = "the console was restarted, and what the policy remembered is gone";
        let wrote = match stage {
            Stage::Running => self.record(
                &id,
                k,
                "",
                Event::Halted {
                    cause: "the bridge’s watchdog".into(),
                    reason: "the console ended".into(),
                    step,
                    ms: None,
                },
            ),
            _ => Ok(()),
        };
        let wrote = wrote.and_then(|()| match stage {
            Stage::Judging => Ok(()),
            _ => self.record(
                &id,
                k,
                "",
                Event::Ended { reason: gone.into(), step, policy_error: false, clipped: 0 },
            ),
        });
        if let Err(why) = wrote {
            tracing::error!(%why, "what happened cannot be written down");
        }
        self.active = Some((id, k));
    }
}
