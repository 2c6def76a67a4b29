//! What a server and its workers on other machines say to each other.

use std::fmt;

use data_encoding::BASE64;
use longarm_eval::Replayer;
use longarm_results::Trace;
use longarm_types::{Digest, ENGINE_VERSION, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::Catalogue;
use crate::judge;
use crate::model::{EpisodeJob, Judged};

/// What a worker is made of: it must play as the server would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerInfo {
    /// Engine version.
    pub engine: String,
    /// Physics version.
    pub mujoco: String,
}

impl WorkerInfo {
    /// Return what this program is made of.
    pub fn own() -> Self {
        Self { engine: ENGINE_VERSION.to_owned(), mujoco: longarm_sim::mujoco_version().to_owned() }
    }
}

impl fmt::Display for WorkerInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {} with MuJoCo {}", self.engine, self.mujoco)
    }
}

/// An episode to replay.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkItem {
    /// Task, seed and what is claimed.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub job: EpisodeJob,
    /// Hash of the task on the server.
    #[schemars(with = "String")]
    pub task_hash: Digest,
    /// Its trace, in base 64.
    pub trace: String,
}

/// Episodes of one task to replay.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkList {
    /// The submission they belong to; empty where there is none.
    pub submission: String,
    /// The episodes.
    pub episodes: Vec<WorkItem>,
    /// Whether no episode waits for anybody.
    pub idle: bool,
}

/// What a worker saw in an episode.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Its place in the submission.
    pub index: u64,
    /// What was seen, as JSON; compared as it is written.
    pub judged: String,
}

/// What a worker saw.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// By episode.
    pub episodes: Vec<Finding>,
}

/// Replays what a server hands out.
#[derive(Default)]
pub struct Hand {
    catalogue: Catalogue,
    replayer: Replayer,
    task: Option<TaskId>,
}

impl Hand {
    /// Replay an episode; an error where this program is not made of what the server is made of.
    pub fn play(&mut self, item: &WorkItem) -> Result<Finding, String> {
        let job = &item.job;
        let task = self.catalogue.task(&job.task);
        let task = task.ok_or_else(|| format!("this program has no task {}", job.task))?;
        if task.hash() != item.task_hash {
            return Err(format!(
                "{} has hash {} here and {} on the server: use the same release",
                job.task,
                task.hash().short(),
                item.task_hash.short()
            ));
        }
        if self.task.as_ref() != Some(&job.task) {
            // What was compiled for another task is not needed any more.
            (self.replayer, self.task) = (Replayer::default(), Some(job.task.clone()));
        }
        let bytes = BASE64.decode(item.trace.as_bytes()).map_err(|e| format!("a trace: {e}"))?;
        let trace = Trace::from_bytes(&bytes).map_err(|e| format!("a trace: {e}"))?;
        let judged: Judged = judge::play(Ok(trace), &self.catalogue, &mut self.replayer, job);
        let judged = serde_json::to_string(&judged).map_err(|e| e.to_string())?;
        Ok(Finding { index: job.index, judged })
    }
}
