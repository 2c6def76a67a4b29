//! What `longarm report --json` prints: runs, what failed in them, and their comparison.

use std::path::Path;

use longarm_types::EpisodeOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CONFIDENCE, Comparison, Results, RowSummary, Run, compare};

/// Name and version of the layout.
pub const OVERVIEW_SCHEMA: &str = "longarm-report/1";

/// One run or several, with everything a report says in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "longarm report")]
pub struct Overview {
    /// `longarm-report/1`.
    pub schema: String,
    /// Confidence of all intervals.
    pub confidence: f64,
    /// The runs, in the order they were given.
    pub runs: Vec<RunOverview>,
    /// Every pair of runs; absent for a single run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
}

/// One run of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunOverview {
    /// What it is called.
    pub name: String,
    /// Its directory, as it was given.
    pub directory: String,
    /// What a reader should know: missing episodes, training data that contain some.
    pub notes: Vec<String>,
    /// Its `results.json`.
    pub results: Results,
    /// Episodes that were not solved, by task and seed.
    pub failures: Vec<Failure>,
}

/// An episode that was not solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Task id.
    pub task: String,
    /// Seed.
    pub seed: u64,
    /// `task_failure`, `policy_error` or `harness_error`.
    pub outcome: String,
    /// 0–100.
    pub score: f64,
    /// The first stage that was not completed; absent where all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The same in words, where its name is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_title: Option<String>,
    /// Why, where its row says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its video, relative to the run directory, where it was filmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<String>,
    /// The command that plays it again in front of a camera; absent where no action was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub film: Option<String>,
}

impl Failure {
    fn of(row: &RowSummary, run: &Run, dir: &Path) -> Self {
        let stage = row.failed_at().map(|i| row.stages[i].name.to_string());
        let title = stage.as_ref().map(|s| run.config.stage_title(&row.task, s).to_owned());
        let outcome = match row.outcome {
            EpisodeOutcome::Success => "success",
            EpisodeOutcome::TaskFailure => "task_failure",
            EpisodeOutcome::PolicyError => "policy_error",
            EpisodeOutcome::HarnessError => "harness_error",
        };
        let (task, seed) = (row.task.as_ref(), row.seed);
        let film = || {
            let policy = quoted(&format!("replay:{}", dir.display()));
            let file = format!("{}-{seed}.mp4", task.replace('/', "-"));
            format!("longarm run {task} --policy {policy} --seed {seed} --video {file}")
        };
        Self {
            task: task.to_owned(),
            seed,
            outcome: outcome.to_owned(),
            score: row.score,
            stage_title: title.filter(|t| Some(t) != stage.as_ref()),
            stage,
            reason: row.reason.as_deref().map(str::to_owned),
            video: row.video.as_deref().map(str::to_owned),
            film: (row.evidence.is_simulated() && row.trace.is_some() && row.steps > 0).then(film),
        }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

impl Overview {
    /// Of runs with the directories they lie in.
    pub fn new<'a>(runs: impl IntoIterator<Item = (&'a Run, &'a Path)>) -> Self {
        let runs: Vec<(&Run, &Path)> = runs.into_iter().collect();
        let rows: Vec<&[RowSummary]> = runs.iter().map(|(r, _)| r.rows.as_slice()).collect();
        let comparison = (rows.len() > 1).then(|| compare(&rows));
        let one = |(run, dir): &(&Run, &Path)| RunOverview {
            name: run.name.clone(),
            directory: dir.display().to_string(),
            notes: run.notes.clone(),
            results: run.results.clone(),
            failures: failures(run, dir),
        };
        Self {
            schema: OVERVIEW_SCHEMA.to_owned(),
            confidence: CONFIDENCE,
            runs: runs.iter().map(one).collect(),
            comparison,
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        // Plain structs of finite numbers and text.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The JSON Schema.
    pub fn json_schema() -> String {
        let mut schema = schemars::schema_for!(Overview);
        schema.insert("$id".to_owned(), "https://longarm.dev/schema/report-1.json".into());
        let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The episodes of a run in `dir` that were not solved, by task and seed.
pub fn failures(run: &Run, dir: &Path) -> Vec<Failure> {
    run.rows.iter().filter(|r| !r.success()).map(|r| Failure::of(r, run, dir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_whole() {
        assert_eq!(quoted("replay:runs/mine-2"), "replay:runs/mine-2");
        assert_eq!(quoted("replay:my run's"), "'replay:my run'\\''s'");
    }
}
