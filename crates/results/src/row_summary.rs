//! Rows as statistics and reports need them, read at full speed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use longarm_types::{Digest, EpisodeOutcome};
use serde::Deserialize;

use crate::{Attribution, Error, Evidence, InferenceTimes, Judged, Result, Row};

/// A stage of an episode, without its margins.
#[derive(Clone, Debug, PartialEq)]
pub struct StageSummary {
    /// Name.
    pub name: Arc<str>,
    /// Whether it counts at the end.
    pub completed: bool,
    /// Control step of completion.
    pub step: Option<u32>,
}

/// One row, without its margins and with names shared between rows: 100,000 of them fit in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct RowSummary {
    /// Place in the work list.
    pub index: u64,
    /// Task id.
    pub task: Arc<str>,
    /// Seed.
    pub seed: u64,
    /// How it ended.
    pub outcome: EpisodeOutcome,
    /// Why, where the row says so.
    pub reason: Option<Arc<str>>,
    /// 0–100.
    pub score: f64,
    /// Control steps.
    pub steps: u32,
    /// Stages in order.
    pub stages: Vec<StageSummary>,
    /// Conditions that did not hold at the first stage that was not completed.
    pub unmet: Vec<Arc<str>>,
    /// Whether the task was completed at some step.
    pub success_ever: bool,
    /// Whether they held at the last step.
    pub success_at_end: bool,
    /// 0–1.
    pub progress: f64,
    /// Answer times.
    pub inference: Option<InferenceTimes>,
    /// Who was right, where an agent acted.
    pub agent: Option<Attribution>,
    /// Video path.
    pub video: Option<Box<str>>,
    /// Filmstrip path.
    pub filmstrip: Option<Box<str>>,
    /// Path of the page that shows what an agent thought.
    pub timeline: Option<Box<str>>,
    /// Trace path.
    pub trace: Option<Box<str>>,
    /// What it rests on.
    pub evidence: Evidence,
    /// How it was judged, where people did.
    pub judged: Option<Box<Judged>>,
    /// Seconds.
    pub wall_s: f64,
    /// Hash of the resolved task.
    pub task_hash: Digest,
    /// Hash over all states.
    pub state_hash: Digest,
    /// Hash over all actions.
    pub action_hash: Digest,
}

impl RowSummary {
    /// Whether it counts as success.
    pub fn success(&self) -> bool {
        self.outcome == EpisodeOutcome::Success
    }

    /// Whether it counts at all: harness errors do not.
    pub fn counts(&self) -> bool {
        self.outcome != EpisodeOutcome::HarnessError
    }

    /// The stage at which it died: the first that was not completed, unless it succeeded.
    pub fn failed_at(&self) -> Option<usize> {
        if self.success() { None } else { self.stages.iter().position(|s| !s.completed) }
    }

    /// The part of the id before the slash.
    pub fn suite(&self) -> &str {
        self.task.split_once('/').map_or("", |(s, _)| s)
    }

    /// What two runs of one episode must agree on.
    pub(crate) fn same_episode(&self, other: &Self) -> bool {
        self.outcome == other.outcome
            && self.score == other.score
            && self.steps == other.steps
            && self.state_hash == other.state_hash
            && self.action_hash == other.action_hash
    }
}

impl From<&Row> for RowSummary {
    fn from(row: &Row) -> Self {
        let e = &row.episode;
        let died = e.stages.iter().find(|s| !s.completed);
        Self {
            index: row.index,
            task: e.task.as_str().into(),
            seed: e.seed,
            outcome: e.outcome,
            reason: e.reason.as_deref().map(Into::into),
            score: e.score,
            steps: e.steps,
            stages: e
                .stages
                .iter()
                .map(|s| StageSummary {
                    name: s.name.as_str().into(),
                    completed: s.completed,
                    step: s.step,
                })
                .collect(),
            unmet: died
                .into_iter()
                .flat_map(|s| &s.margins)
                .filter(|m| !m.holds)
                .map(|m| m.name.as_str().into())
                .collect(),
            success_ever: row.success_ever,
            success_at_end: row.success_at_end,
            progress: row.progress,
            inference: row.inference,
            agent: row.agent,
            video: row.video.as_deref().map(Into::into),
            filmstrip: row.filmstrip.as_deref().map(Into::into),
            timeline: row.timeline.as_deref().map(Into::into),
            trace: row.trace.as_deref().map(Into::into),
            evidence: row.evidence,
            judged: row.judged.clone().map(Box::new),
            wall_s: row.wall_s,
            task_hash: e.task_hash,
            state_hash: e.state_hash,
            action_hash: e.action_hash,
        }
    }
}

#[derive(Deserialize)]
struct WireMargin<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    holds: bool,
}

#[derive(Deserialize)]
struct WireStage<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    completed: bool,
    step: Option<u32>,
    #[serde(borrow, default)]
    margins: Vec<WireMargin<'a>>,
}

/// A row as it lies in the file. What only a harness adds may be missing.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    task: Cow<'a, str>,
    seed: u64,
    outcome: EpisodeOutcome,
    reason: Option<String>,
    score: f64,
    steps: u32,
    #[serde(borrow)]
    stages: Vec<WireStage<'a>>,
    success_ever: Option<bool>,
    success_at_end: Option<bool>,
    progress: Option<f64>,
    inference: Option<InferenceTimes>,
    agent: Option<Attribution>,
    video: Option<Box<str>>,
    filmstrip: Option<Box<str>>,
    timeline: Option<Box<str>>,
    trace: Option<Box<str>>,
    #[serde(default)]
    evidence: Evidence,
    judged: Option<Box<Judged>>,
    #[serde(default)]
    wall_s: f64,
    task_hash: Digest,
    state_hash: Digest,
    action_hash: Digest,
}

/// Names that recur in thousands of rows, kept once.
#[derive(Default)]
struct Names(BTreeMap<Arc<str>, ()>);

impl Names {
    fn get(&mut self, name: &str) -> Arc<str> {
        if let Some((known, ())) = self.0.get_key_value(name) {
            return known.clone();
        }
        let new: Arc<str> = name.into();
        self.0.insert(new.clone(), ());
        new
    }
}

/// A last line that was not written to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// Its number, counted from 1.
    pub line: u64,
}

/// Reads an `episodes.jsonl` row by row.
pub struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    names: Names,
    text: Vec<u8>,
    line: u64,
    offset: u64,
    torn: Option<Torn>,
}

impl Reader {
    /// Opens the file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 18, file),
            names: Names::default(),
            text: Vec::new(),
            line: 0,
            offset: 0,
            torn: None,
        })
    }

    /// The next row, with where its line lies in the file; `None` at the end, also when the last
    /// line is torn.
    pub fn next_row(&mut self) -> Result<Option<(RowSummary, u64, u64)>> {
        self.text.clear();
        let read = self.file.read_until(b'\n', &mut self.text);
        let length = read.map_err(Error::io("read", &self.path))? as u64;
        if length == 0 {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += length;
        self.line += 1;
        if self.text.last() != Some(&b'\n') {
            self.torn = Some(Torn { offset, bytes: length, line: self.line });
            return Ok(None);
        }
        let wire: Wire = serde_json::from_slice(&self.text).map_err(|e| Error::Line {
            path: self.path.clone(),
            line: self.line,
            what: e.to_string(),
        })?;
        Ok(Some((row_summary(&mut self.names, wire), offset, length)))
    }

    /// All rows of a file.
    pub fn all(path: &Path) -> Result<(Vec<RowSummary>, Option<Torn>)> {
        let mut reader = Self::open(path)?;
        let mut rows = Vec::new();
        while let Some((row, ..)) = reader.next_row()? {
            rows.push(row);
        }
        Ok((rows, reader.torn))
    }

    /// The torn last line, once the end was reached.
    pub fn torn(&self) -> Option<Torn> {
        self.torn
    }

    /// Number of the line read last, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }
}

fn row_summary(names: &mut Names, w: Wire) -> RowSummary {
    let success = w.outcome == EpisodeOutcome::Success;
    let done = w.stages.iter().filter(|s| s.completed).count();
    let share = if w.stages.is_empty() { 0.0 } else { done as f64 / w.stages.len() as f64 };
    let unmet = match w.stages.iter().find(|s| !s.completed) {
        Some(s) => s.margins.iter().filter(|m| !m.holds).map(|m| names.get(&m.name)).collect(),
        None => Vec::new(),
    };
    RowSummary {
        index: w.index,
        task: names.get(&w.task),
        seed: w.seed,
        outcome: w.outcome,
        reason: w.reason.map(|r| names.get(&r)),
        score: w.score,
        steps: w.steps,
        stages: w
            .stages
            .iter()
            .map(|s| StageSummary {
                name: names.get(&s.name),
                completed: s.completed,
                step: s.step,
            })
            .collect(),
        unmet,
        success_ever: w.success_ever.unwrap_or(success),
        success_at_end: w.success_at_end.unwrap_or(success),
        progress: w.progress.unwrap_or(share),
        inference: w.inference,
        agent: w.agent,
        video: w.video,
        filmstrip: w.filmstrip,
        timeline: w.timeline,
        trace: w.trace,
        evidence: w.evidence,
        judged: w.judged,
        wall_s: w.wall_s,
        task_hash: w.task_hash,
        state_hash: w.state_hash,
        action_hash: w.action_hash,
    }
}
