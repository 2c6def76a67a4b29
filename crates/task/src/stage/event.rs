//! What can be counted, and what can be forbidden.

use serde::{Deserialize, Serialize};

use super::When;
use crate::Predicate;

/// Something that can be counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Count {
    /// How often this became true. It must stay so for a moment to count, and cease for a moment to
    /// count again, so that contact jitter is not an event.
    Rises(Predicate),
    /// How often a held tool was drawn over a surface: each travel of `length` in contact without
    /// turning back is one stroke.
    Strokes {
        /// The tool.
        tool: String,
        /// The surface.
        surface: String,
        /// Metres that make a stroke.
        length: f64,
    },
    /// How often a vessel was poured: held, lifted, its mouth over the rim, tilted so far that it spills
    /// for half a second, then upright again.
    Pours {
        /// The vessel.
        from: String,
        /// What receives.
        into: String,
    },
}

/// How often a predicate became true.
pub fn times(p: Predicate) -> Count {
    Count::Rises(p)
}

/// How often a held tool was drawn over a surface for at least `length` metres.
pub fn strokes(tool: impl Into<String>, surface: impl Into<String>, length: f64) -> Count {
    Count::Strokes { tool: tool.into(), surface: surface.into(), length }
}

/// How often a held vessel was poured into another and set upright again.
pub fn pours(from: impl Into<String>, into: impl Into<String>) -> Count {
    Count::Pours { from: from.into(), into: into.into() }
}

impl Count {
    /// It has happened this often: what completes a stage.
    pub fn reach(self, n: u32) -> When {
        When::Times { count: self, reach: n }
    }

    /// It happens more often than this: an event to forbid. A pour too many is one as soon as it spills.
    pub fn more_than(self, n: u32) -> Event {
        Event::Times { count: self, more_than: n }
    }
}

/// Something that can be forbidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// It happened more often than allowed.
    Times {
        /// What is counted.
        count: Count,
        /// How often is still allowed.
        more_than: u32,
    },
    /// This held for a number of seconds.
    Holds {
        /// What.
        when: Predicate,
        /// How long.
        seconds: f64,
    },
    /// The event, looked at only once a stage is complete.
    After {
        /// The stage's name.
        stage: String,
        /// The event.
        event: Box<Self>,
    },
    /// The event, looked at only until a stage is complete.
    Before {
        /// The stage's name.
        stage: String,
        /// The event.
        event: Box<Self>,
    },
}

/// A predicate that must not be true for as long as a moment.
pub fn ever(p: Predicate) -> Event {
    Event::Holds { when: p, seconds: MOMENT }
}

/// Shorter than this is jitter, in seconds.
pub const MOMENT: f64 = 0.1;

impl Event {
    /// The predicate held for this long.
    pub fn lasting(self, seconds: f64) -> Self {
        match self {
            Self::Holds { when, .. } => Self::Holds { when, seconds },
            other => other,
        }
    }

    /// Looked at only once this stage is complete.
    pub fn after(self, stage: impl Into<String>) -> Self {
        Self::After { stage: stage.into(), event: Box::new(self) }
    }

    /// Looked at only until this stage is complete.
    pub fn before(self, stage: impl Into<String>) -> Self {
        Self::Before { stage: stage.into(), event: Box::new(self) }
    }
}

/// Stages a forbidden event takes back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Revokes {
    /// Those of the last repetition; the last stage where nothing repeats.
    #[default]
    LastRound,
    /// These, by name.
    Stages(Vec<String>),
    /// None.
    Nothing,
}

/// An event that ends the episode as a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forbid {
    /// Name, as told to the user.
    pub name: String,
    /// The event.
    pub event: Event,
    /// What it takes back.
    #[serde(default)]
    pub revokes: Revokes,
}
