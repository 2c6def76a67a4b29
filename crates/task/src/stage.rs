//! What must happen, in which order, how often, for how long, and what must not.

mod event;
mod order;

pub use event::{Count, Event, Forbid, MOMENT, Revokes, ever, pours, strokes, times};
pub use order::{Order, Stages, any_order, from_plan, partial, placed, sequential};
pub(crate) use order::{apply, placements};

use serde::{Deserialize, Serialize};

use crate::Predicate;

/// One verifiable piece of progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Unique name.
    pub name: String,
    /// What one would tell somebody to do, a template; the name, in words, if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sentence: String,
    /// What makes it complete.
    pub when: When,
    /// Seconds for which that must hold without a break.
    #[serde(default)]
    pub hold: f64,
    /// Stages (by index) that must be complete before it is looked at.
    #[serde(default)]
    pub after: Vec<usize>,
    /// It must still hold at the end; otherwise once is enough.
    #[serde(default)]
    pub must_last: bool,
    /// When it may be completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Which repetition it belongs to, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Once it is complete the arm is set back to its home posture, hand open; nothing else moves.
    #[serde(rename = "neutral", default, skip_serializing_if = "std::ops::Not::not")]
    pub reset_arm_after: bool,
    /// What its progress is measured by in place of what completes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Predicate>,
}

/// A time window for a stage, in seconds since it could first be worked on (its predecessors were
/// complete, or the episode began).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Not completed earlier.
    #[serde(default)]
    pub earliest: f64,
    /// Cannot be completed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<f64>,
}

/// What completes a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum When {
    /// This holds.
    Holds(Predicate),
    /// This has happened a number of times since the episode began.
    Times {
        /// What is counted.
        count: Count,
        /// How often.
        reach: u32,
    },
}

impl From<Predicate> for When {
    fn from(p: Predicate) -> Self {
        Self::Holds(p)
    }
}

/// A stage that completes when something holds, or has happened often enough.
pub fn stage(name: impl Into<String>, when: impl Into<When>) -> Stage {
    Stage {
        name: name.into(),
        sentence: String::new(),
        when: when.into(),
        hold: 0.0,
        after: Vec::new(),
        must_last: false,
        window: None,
        round: None,
        reset_arm_after: false,
        measure: None,
    }
}

impl Stage {
    /// What one would tell somebody to do.
    pub fn saying(mut self, sentence: impl Into<String>) -> Self {
        self.sentence = sentence.into();
        self
    }

    /// It must hold for this long without a break.
    pub fn hold(mut self, seconds: f64) -> Self {
        self.hold = seconds;
        self
    }

    /// Only looked at when these stages are complete.
    pub fn after(mut self, stages: impl IntoIterator<Item = usize>) -> Self {
        self.after.extend(stages);
        self
    }

    /// It must still hold when the episode ends.
    pub fn at_end(mut self) -> Self {
        self.must_last = true;
        self
    }

    /// It must be completed within this many seconds of becoming possible.
    pub fn within(mut self, seconds: f64) -> Self {
        self.window.get_or_insert(Window { earliest: 0.0, deadline: None }).deadline =
            Some(seconds);
        self
    }

    /// It counts only from this many seconds after becoming possible.
    pub fn not_before(mut self, seconds: f64) -> Self {
        self.window.get_or_insert(Window { earliest: 0.0, deadline: None }).earliest = seconds;
        self
    }

    /// Which repetition it belongs to, from 1.
    pub fn round(mut self, round: u32) -> Self {
        self.round = Some(round);
        self
    }

    /// Once it is complete the arm is set back to its home posture.
    pub fn reset_arm_after(mut self) -> Self {
        self.reset_arm_after = true;
        self
    }

    /// Measure progress towards it by this predicate instead of by what completes it.
    pub fn measured_by(mut self, p: Predicate) -> Self {
        self.measure = Some(p);
        self
    }
}
