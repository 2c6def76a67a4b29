//! The shape of `results.json`. Fields may be added; a change of meaning changes [`SCHEMA`].

use std::path::Path;

use longarm_data::write_atomically;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::Interval;
use crate::{Error, Evidence, RESULTS, Result, Training};

/// Name and version of the layout.
pub const SCHEMA: &str = "longarm-results/1";

/// The summary of a run. A function of the configuration and the episodes, not of their order, of
/// the shards they came from or of the time they took: shards merge to the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "longarm results")]
pub struct Results {
    /// `longarm-results/1`.
    pub schema: String,
    /// What was asked for.
    pub selectors: Vec<String>,
    /// Policy as named on the command line.
    pub policy: String,
    /// Seed of the first episode of each task; of the first task where suites have seeds of their own.
    pub seed: u64,
    /// The named range of the seeds: train, validation or test; absent where they were given literally.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Episodes asked for, of each task.
    pub episodes: u64,
    /// Engine version.
    pub engine: String,
    /// Physics version.
    pub mujoco: String,
    /// What the rows rest on: real where people judged a real arm; absent where the simulator did.
    #[serde(default, skip_serializing_if = "Evidence::is_simulated")]
    pub evidence: Evidence,
    /// Confidence of all intervals.
    pub confidence: f64,
    /// Whether every episode that was asked for has a row.
    pub complete: bool,
    /// Rows, and what they count as.
    pub counts: Counts,
    /// Over all tasks of the run.
    pub suite: SuiteResult,
    /// Suite by suite.
    pub suites: Vec<SuiteResult>,
    /// Task by task, by id.
    pub tasks: Vec<TaskResult>,
    /// How much of the run the policy has seen in training, where the user says what it learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// Scores by what the tasks measure, where they have labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mechanisms: Option<Mechanisms>,
}

/// How many episodes counted as what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Episodes asked for.
    pub expected: u64,
    /// Rows.
    pub rows: u64,
    /// Rows that count: all but harness errors.
    pub n: u64,
    /// Successes.
    pub successes: u64,
    /// Failures of the policy at the task.
    pub task_failures: u64,
    /// The policy broke; counted as failures.
    pub policy_errors: u64,
    /// The harness broke; in no mean.
    pub harness_errors: u64,
}

/// A mean score, 0–100, and its spread over episodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Mean.
    pub mean: f64,
    /// Sample standard deviation over episodes.
    pub std: f64,
    /// Standard error of the mean.
    pub se: f64,
}

/// One suite, or all tasks of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuiteResult {
    /// Name; several joined by `+` for the whole of a run over several.
    pub suite: String,
    /// Tasks with at least one episode that counts.
    pub tasks: u64,
    /// Episodes that count.
    pub n: u64,
    /// Mean of the tasks' success rates, 0–1: Wilson at the effective sample size.
    pub success: Interval,
    /// The same mean, with the task-stratified percentile bootstrap.
    pub success_bootstrap: Interval,
    /// Mean of the tasks' mean scores, 0–100, with the task-stratified percentile bootstrap.
    pub score: Interval,
    /// Mean over tasks of the share of episodes in which the task was completed at some step.
    pub success_ever: f64,
    /// Mean over tasks of the share in which they held at the last step.
    pub success_at_end: f64,
    /// Episodes in which the policy broke; counted as failures.
    pub policy_errors: u64,
    /// Episodes in which the harness broke; in no mean.
    pub harness_errors: u64,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    /// Id.
    pub task: String,
    /// Episodes that count.
    pub n: u64,
    /// Success rate, 0–1, with its Wilson interval; [0, 1] when n is 0.
    pub success: Interval,
    /// Score, 0–100.
    pub score: Score,
    /// Successes.
    pub successes: u64,
    /// Share of episodes in which the task was completed at some step.
    pub success_ever: f64,
    /// Share in which they held at the last step.
    pub success_at_end: f64,
    /// Mean share of the stages completed.
    pub progress: f64,
    /// Mean control steps.
    pub steps: f64,
    /// Episodes in which the policy broke; counted as failures.
    pub policy_errors: u64,
    /// Episodes in which the harness broke; in no mean.
    pub harness_errors: u64,
    /// Failures with every stage completed: something forbidden, or undone at the end.
    pub died_after_last: u64,
    /// Labels.
    pub labels: Vec<String>,
    /// Stage by stage.
    pub stages: Vec<StageResult>,
    /// Hash of the resolved task.
    pub hash: String,
}

/// One stage of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageResult {
    /// Name.
    pub name: String,
    /// Episodes that had it.
    pub n: u64,
    /// Episodes that completed it.
    pub completed: u64,
    /// Failed episodes of which it is the first stage not completed.
    pub died: u64,
    /// When it was completed, in control steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StageSteps>,
}

/// Quantiles of the step of completion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageSteps {
    /// 10 %.
    pub p10: f64,
    /// 25 %.
    pub p25: f64,
    /// Median.
    pub p50: f64,
    /// 75 %.
    pub p75: f64,
    /// 90 %.
    pub p90: f64,
}

/// Scores by what the tasks measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mechanisms {
    /// Label by label.
    pub labels: Vec<LabelResult>,
    /// The groups of labels that protocols declare.
    pub regimes: Vec<RegimeResult>,
    /// The metric that a protocol calls `overall`; absent unless everything it needs was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<f64>,
    /// The metrics that protocols declare, where everything they need was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricResult>,
}

/// A number that a protocol declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricResult {
    /// Suite.
    pub suite: String,
    /// What it is called.
    pub name: String,
    /// How it comes about, in words.
    pub title: String,
    /// 0–100.
    pub value: f64,
    /// The same with its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// What is measured of some tasks, 0–100, each a mean of the tasks' means with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// Success: Wilson at the effective sample size.
    pub success: Interval,
    /// Score: task-stratified percentile bootstrap.
    pub score: Interval,
    /// Half of each, where the protocol asks for it: as the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composite: Option<Interval>,
}

/// The tasks that carry one label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabelResult {
    /// Suite.
    pub suite: String,
    /// Label as the suite writes it.
    pub label: String,
    /// In words.
    pub name: String,
    /// The group it belongs to, where the protocol declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<String>,
    /// The tasks.
    pub tasks: Vec<String>,
    /// Episodes that count.
    pub n: u64,
    /// Mean of the tasks' mean scores, 0–100.
    pub mean: f64,
    /// Standard error over the episodes of all of them pooled.
    pub se: f64,
    /// Mean of the tasks' success rates, 0–100.
    #[serde(default)]
    pub success: f64,
    /// Standard error over the episodes of all of them pooled.
    #[serde(default)]
    pub success_se: f64,
    /// The same means with intervals, of labels that the protocol declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Measured>,
}

/// The tasks that carry a label of one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegimeResult {
    /// Suite.
    #[serde(default)]
    pub suite: String,
    /// What the protocol calls the group.
    pub regime: String,
    /// How many tasks.
    pub tasks: u64,
    /// Episodes that count.
    pub n: u64,
    /// Mean of the tasks' mean scores, 0–100.
    pub mean: f64,
    /// Standard error over pooled episodes.
    pub se: f64,
    /// Mean of the tasks' success rates, 0–100.
    #[serde(default)]
    pub success: f64,
    /// Standard error over pooled episodes.
    #[serde(default)]
    pub success_se: f64,
    /// The same means with intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Measured>,
}

impl Results {
    /// The bytes of `results.json`.
    pub fn to_json(&self) -> String {
        // Plain structs of finite numbers and text.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Writes `results.json` into a run directory, whole or not at all.
    pub fn write(&self, dir: &Path) -> Result<()> {
        Ok(write_atomically(&dir.join(RESULTS), self.to_json().as_bytes())?)
    }

    /// Reads a `results.json`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
        let wrong = |what| Error::Config { path: path.to_owned(), what };
        let out: Self = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        if out.schema != SCHEMA {
            return Err(wrong(format!(
                "it follows {:?}, this version reads {SCHEMA:?}",
                out.schema
            )));
        }
        Ok(out)
    }
}

/// The JSON Schema of `results.json`, as published in `schema/results.schema.json`.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Results);
    schema.insert("$id".to_owned(), "https://longarm.dev/schema/results-1.json".into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
