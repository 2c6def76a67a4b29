//! The virtual clock: when questions are asked and answers are due, in control steps.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How many control steps an answer takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Latency {
    /// Always as many.
    Fixed(u32),
    /// One after the other, from the first again after the last: recorded latencies.
    Table(Vec<u32>),
    /// As many as it really took. Such a run does not reproduce.
    Wall(WallClock),
}

/// The word for the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the name says it")]
pub enum WallClock {
    Wall,
}

impl Default for Latency {
    fn default() -> Self {
        Self::Fixed(0)
    }
}

impl Latency {
    /// Return what the `n`-th answer takes, in control steps at `rate` a second. `took` is its real time; less
    /// than a step counts as none.
    pub fn of(&self, n: u32, took: Duration, rate: u32) -> u32 {
        match self {
            Self::Fixed(steps) => *steps,
            Self::Table(steps) if steps.is_empty() => 0,
            Self::Table(steps) => steps[n as usize % steps.len()],
            Self::Wall(_) => (took.as_secs_f64() * f64::from(rate)) as u32,
        }
    }
}

/// When the planner is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// Whenever no answer is under way.
    #[default]
    Idle,
    /// At the start, and then when the gripper opens or closes or the arm comes to rest.
    Change,
}

/// Latencies and triggers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockSpec {
    /// What the planner's answers take.
    #[serde(default)]
    pub planner: Latency,
    /// What the actor's answers take; the old chunk, or standing still, goes on meanwhile.
    #[serde(default)]
    pub actor: Latency,
    /// When the planner is asked.
    #[serde(default)]
    pub when: Trigger,
    /// Least number of control steps from one question to the next.
    #[serde(default)]
    pub every: u32,
}

impl ClockSpec {
    /// Whether a run by this clock reproduces: not with the wall clock.
    pub fn reproduces(&self) -> bool {
        let wall = |l: &Latency| matches!(l, Latency::Wall(_));
        !wall(&self.planner) && !wall(&self.actor)
    }
}

/// Answers that are under way; the newest question wins.
#[derive(Clone, Debug)]
pub struct Late<T> {
    coming: VecDeque<(u32, u32, T)>,
}

impl<T> Default for Late<T> {
    fn default() -> Self {
        Self { coming: VecDeque::new() }
    }
}

impl<T> Late<T> {
    /// Send an answer to the question of step `asked` on its way.
    pub fn send(&mut self, asked: u32, due: u32, answer: T) {
        self.coming.push_back((asked, due, answer));
    }

    /// Take the answer to the newest question among those due now, with its question's step; answers to
    /// older questions are dropped with it, whenever they are due.
    pub fn take(&mut self, now: u32) -> Option<(u32, T)> {
        let last = self.coming.iter().rposition(|(_, due, _)| *due <= now)?;
        let (asked, _, answer) = self.coming.drain(..=last).next_back()?;
        Some((asked, answer))
    }

    /// Whether none is under way.
    pub fn is_empty(&self) -> bool {
        self.coming.is_empty()
    }

    /// Forget all of them.
    pub fn clear(&mut self) {
        self.coming.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_question_wins() {
        let mut late = Late::default();
        late.send(0, 10, "slow");
        late.send(1, 4, "quick");
        late.send(2, 30, "later");
        assert_eq!(late.take(3), None);
        assert_eq!(late.take(5), Some((1, "quick")));
        assert_eq!(late.take(12), None, "the slow answer is to an older question");
        assert!(!late.is_empty());
        assert_eq!(late.take(30), Some((2, "later")));
        assert!(late.is_empty());
    }

    #[test]
    fn tables_begin_again() {
        let table = Latency::Table(vec![3, 5]);
        let of = |latency: &Latency, n| latency.of(n, Duration::from_millis(940), 20);
        assert_eq!((0..4).map(|n| of(&table, n)).collect::<Vec<_>>(), [3, 5, 3, 5]);
        assert_eq!(of(&Latency::Table(Vec::new()), 7), 0);
    }

    #[test]
    fn the_wall_clock_counts_whole_steps_and_says_what_it_is() {
        let clock: ClockSpec = toml::from_str("planner = \"wall\"").unwrap();
        assert!(!clock.reproduces() && ClockSpec::default().reproduces());
        assert_eq!(clock.planner.of(0, Duration::from_millis(940), 20), 18);
        assert_eq!(clock.planner.of(0, Duration::from_millis(40), 20), 0);
        assert_eq!(toml::to_string(&clock).unwrap().lines().next(), Some("planner = \"wall\""));
        assert!(toml::from_str::<ClockSpec>("planner = \"walls\"").is_err());
    }
}
