//! How far an evaluation is.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use longarm_types::{EpisodeOutcome, EpisodeRecord, counted};

/// A bar on a terminal; a line every few seconds otherwise.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    said: Instant,
    first: u64,
    done: u64,
    total: u64,
    successes: u64,
    broken: [u64; 2],
}

/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl Progress {
    pub(crate) fn new(done: u64, total: u64) -> Result<Self> {
        let bar = if std::io::stderr().is_terminal() {
            let style = "{bar:32} {pos}/{len}  {msg}  {elapsed} gone, {eta} left";
            let bar = ProgressBar::new(total).with_style(ProgressStyle::with_template(style)?);
            bar.set_position(done);
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_millis(500));
            Some(bar)
        } else {
            None
        };
        let now = Instant::now();
        Ok(Self {
            bar,
            started: now,
            said: now,
            first: done,
            done,
            total,
            successes: 0,
            broken: [0; 2],
        })
    }

    fn rate(&self) -> f64 {
        (self.done - self.first) as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    fn text(&self) -> String {
        let share = 100.0 * self.successes as f64 / (self.done - self.first).max(1) as f64;
        let mut text = format!("{:.2} episodes/s, {share:.0} % success", self.rate());
        for (n, what) in self.broken.iter().zip(["policy", "harness"]) {
            if *n > 0 {
                text.push_str(&format!(", {}", counted(*n, &format!("{what} error"))));
            }
        }
        text
    }

    pub(crate) fn episode(&mut self, episode: &EpisodeRecord) {
        self.done += 1;
        let broken = match episode.outcome {
            EpisodeOutcome::Success => {
                self.successes += 1;
                None
            }
            EpisodeOutcome::TaskFailure => None,
            EpisodeOutcome::PolicyError => Some((0, "policy")),
            EpisodeOutcome::HarnessError => Some((1, "harness")),
        };
        if let Some((kind, who)) = broken {
            self.broken[kind] += 1;
            if self.broken[kind] == 1 {
                let why = episode.reason.as_deref().unwrap_or("no reason given");
                self.say(&format!(
                    "first {who} error: {} seed {}: {why}",
                    episode.task, episode.seed
                ));
            }
        }
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(self.text());
        } else if self.said.elapsed() >= LINE_EVERY {
            self.said = Instant::now();
            let left = (self.total - self.done) as f64 / self.rate().max(1e-9);
            tell!("{}/{}  {}, {left:.0} s left", self.done, self.total, self.text());
        }
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell!("{text}")),
            None => tell!("{text}"),
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let took = self.started.elapsed().as_secs_f64();
        tell!("{}/{}  {} in {took:.1} s", self.done, self.total, self.text());
    }
}
