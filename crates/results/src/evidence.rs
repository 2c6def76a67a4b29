//! What rows rest on: a simulation that anybody can repeat, or people who watched a real arm.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run's rows rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The simulator judged; who replays the actions gets the same.
    #[default]
    Simulated,
    /// People judged a real arm.
    Real,
}

impl Evidence {
    /// Whether nothing need be said of it.
    pub fn is_simulated(&self) -> bool {
        *self == Self::Simulated
    }
}

/// When a judge saw something.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    /// Control step.
    pub step: u64,
    /// Seconds that the policy had acted for.
    pub seconds: f64,
}

/// What one judge ticked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeSheet {
    /// The judge's name.
    pub judge: String,
    /// Phase by phase.
    pub phases: Vec<Option<Sighting>>,
    /// Forbidden events that were seen, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<(String, Sighting)>,
}

/// A time the arm was halted before the end of an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Halt {
    /// By whom: a judge, the bridge's watchdog, the console.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Control step.
    pub step: u64,
}

/// An attempt that was broken off, its scene set up again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reset {
    /// Who said so.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Control step.
    pub step: u64,
    /// Phases that the first judge had ticked.
    pub phases: usize,
}

/// How an episode on a real arm was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The robot, as its bridge calls it.
    pub robot: String,
    /// The bridge.
    pub bridge: String,
    /// What each judge ticked: a phase counts when all of them saw it, a forbidden event when one did.
    pub judges: Vec<JudgeSheet>,
    /// Share of the phases about which the judges agree; none with one judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// Phases about which they do not, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreed: Vec<String>,
    /// Halts before the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub halts: Vec<Halt>,
    /// Attempts before this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resets: Vec<Reset>,
    /// What a judge had to add.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}
