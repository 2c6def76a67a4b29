//! Where a task comes from.

use serde::{Deserialize, Serialize};

/// What is published about a task, and where ours differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Paper, table, file.
    pub work: String,
    /// What it is called there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What there is to act on, where that varies by seed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub objects: String,
    /// Number of phases it gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<u32>,
    /// Mean length of a demonstration, in control steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_length: Option<u32>,
    /// Where ours differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<String>,
}

/// A paper or repository a task comes from.
pub fn source(work: impl Into<String>) -> Source {
    Source { work: work.into(), ..Source::default() }
}

impl Source {
    /// Number of phases it gives.
    pub fn phases(mut self, n: u32) -> Self {
        self.phases = Some(n);
        self
    }
    /// Mean length of a demonstration, in control steps.
    pub fn mean_length(mut self, steps: u32) -> Self {
        self.mean_length = Some(steps);
        self
    }
    /// One way in which ours differs.
    pub fn deviation(mut self, text: impl Into<String>) -> Self {
        self.deviations.push(text.into());
        self
    }
}
