use serde::{Deserialize, Serialize};

use crate::{Digest, TaskId};

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpisodeOutcome {
    /// Every stage completed and nothing forbidden happened.
    Success,
    /// The policy acted, the task was not completed.
    TaskFailure,
    /// The policy broke (refused action, disconnect). Counts as failure, reported apart.
    PolicyError,
    /// We broke. Never averaged in.
    HarnessError,
}

/// One named number against its limit, the reason a predicate holds or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Margin {
    /// What was measured.
    pub name: String,
    /// The measurement.
    pub value: f64,
    /// What it is compared with.
    pub limit: f64,
    /// Whether this part holds.
    pub holds: bool,
}

/// What became of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// Name of the stage.
    pub name: String,
    /// Whether it counts at the end of the episode.
    pub completed: bool,
    /// Control step at which it was completed.
    pub step: Option<u32>,
    /// Measurements at completion, or at the end when it was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub margins: Vec<Margin>,
}

/// One episode, as printed by `longarm run --json` and stored in `episodes.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// Task.
    pub task: TaskId,
    /// Seed.
    pub seed: u64,
    /// Policy as named on the command line.
    pub policy: String,
    /// How it ended.
    pub outcome: EpisodeOutcome,
    /// Why, in one sentence, where that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// 0–100.
    pub score: f64,
    /// Stage by stage.
    pub stages: Vec<StageRecord>,
    /// Control steps taken.
    pub steps: u32,
    /// Actions with a value beyond ±1, which were clipped.
    pub clipped: u32,
    /// Whether the success still stood at the end, where the episode ran on after it; absent where it
    /// ended with its success or had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stood: Option<bool>,
    /// Hash over the states of all steps.
    pub state_hash: Digest,
    /// Hash over all actions.
    pub action_hash: Digest,
    /// Hash of the resolved task specification.
    pub task_hash: Digest,
    /// Engine version.
    pub engine: String,
    /// Physics version.
    pub mujoco: String,
}
