//! What others have published of a benchmark.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What others have published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Published {
    /// Where it comes from, and what to mind when comparing.
    pub source: String,
    /// Policy by policy.
    pub rows: Vec<PublishedRow>,
    /// How many subtasks are said to depend on memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryClaim>,
}

/// How many subtasks of a benchmark are said to depend on memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct MemoryClaim {
    /// Subtasks that do.
    pub dependent: u64,
    /// All subtasks.
    pub subtasks: u64,
    /// Where the numbers come from, and by which rule.
    pub source: String,
    /// The rule applied to the subtasks of each task, by id: one letter each, `m` for memory, `-` for none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tasks: BTreeMap<String, String>,
}

/// The published scores of one policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PublishedRow {
    /// Policy.
    pub policy: String,
    /// Scores, 0–100, by task id, label, name of a group or name of a metric. Where the protocol declares
    /// several measures all but metrics say which: `counting TSR`, see [`super::Protocol::published_key`].
    pub scores: BTreeMap<String, f64>,
}
