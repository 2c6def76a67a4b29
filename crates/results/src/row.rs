use longarm_types::{EpisodeOutcome, EpisodeRecord};
use serde::{Deserialize, Serialize};

use crate::stats::{Moments, quantile};
use crate::{Attribution, Error, Evidence, Judged, Result};

/// How long a policy took to answer, within one episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferenceTimes {
    /// How often it was asked.
    pub calls: u32,
    /// Mean, milliseconds.
    pub mean_ms: f64,
    /// Median.
    pub p50_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// Longest.
    pub max_ms: f64,
}

impl InferenceTimes {
    /// From the times of all calls in milliseconds; `None` when there were none.
    pub fn of(mut ms: Vec<f64>) -> Option<Self> {
        ms.retain(|v| v.is_finite());
        ms.sort_by(f64::total_cmp);
        let max_ms = *ms.last()?;
        Some(Self {
            calls: ms.len() as u32,
            mean_ms: Moments::of(&ms).mean,
            p50_ms: quantile(&ms, 0.5),
            p95_ms: quantile(&ms, 0.95),
            max_ms,
        })
    }
}

/// One line of `episodes.jsonl`: the fields of `longarm run --json`, and what a harness adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Place in the work list of the whole run, the same in every shard.
    pub index: u64,
    /// The episode.
    #[serde(flatten)]
    pub episode: EpisodeRecord,
    /// Whether the task was completed at some step.
    pub success_ever: bool,
    /// Whether it was so at the last step, too. An episode that is not told to run on ends with its
    /// success, and then both are the same; `stood` says that it was.
    pub success_at_end: bool,
    /// Share of the stages completed, 0–1.
    pub progress: f64,
    /// How long the policy took to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inference: Option<InferenceTimes>,
    /// Who was right, where an agent acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Attribution>,
    /// Video, relative to the run directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<String>,
    /// A PNG or JPEG strip of moments, relative to the run directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filmstrip: Option<String>,
    /// What an agent thought, a page, relative to the run directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    /// Action trace, relative to the run directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Evidence::is_simulated")]
    pub evidence: Evidence,
    /// How it was judged, where people did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// Seconds it took.
    pub wall_s: f64,
}

impl Row {
    /// The row of an episode, with nothing yet of what only the harness knows.
    pub fn of(index: u64, episode: EpisodeRecord) -> Self {
        let completed = episode.stages.iter().filter(|s| s.completed).count();
        // A policy may break after its success.
        let success_ever = episode.outcome == EpisodeOutcome::Success || episode.stood.is_some();
        Self {
            index,
            success_ever,
            success_at_end: success_ever && episode.stood.unwrap_or(true),
            progress: completed as f64 / episode.stages.len().max(1) as f64,
            inference: None,
            agent: None,
            video: None,
            filmstrip: None,
            timeline: None,
            trace: None,
            evidence: Evidence::Simulated,
            judged: None,
            wall_s: 0.0,
            episode,
        }
    }

    /// One line of JSON with its newline.
    ///
    /// JSON has no infinities: margins beyond all numbers are stored as ±[`f64::MAX`], NaN margins
    /// as `f64::MAX`. A score or time that is not finite is refused.
    pub(crate) fn to_line(&self) -> Result<Vec<u8>> {
        let refuse = |what: String| Error::Row {
            task: self.episode.task.to_string(),
            seed: self.episode.seed,
            what,
        };
        let times = self.inference.map_or([0.0; 4], |i| [i.mean_ms, i.p50_ms, i.p95_ms, i.max_ms]);
        for (name, value) in [
            ("score", self.episode.score),
            ("progress", self.progress),
            ("wall_s", self.wall_s),
            ("inference", times.iter().sum()),
        ] {
            if !value.is_finite() {
                return Err(refuse(format!("{name} is {value}; it must be finite")));
            }
        }
        if !(0.0..=100.0).contains(&self.episode.score) {
            return Err(refuse(format!(
                "score is {}; scores go from 0 to 100",
                self.episode.score
            )));
        }
        let finite = |m: &longarm_types::Margin| m.value.is_finite() && m.limit.is_finite();
        let line = if self.episode.stages.iter().flat_map(|s| &s.margins).all(finite) {
            serde_json::to_vec(self)
        } else {
            let mut copy = self.clone();
            for m in copy.episode.stages.iter_mut().flat_map(|s| &mut s.margins) {
                for v in [&mut m.value, &mut m.limit] {
                    *v = if v.is_nan() { f64::MAX } else { v.clamp(-f64::MAX, f64::MAX) };
                }
            }
            serde_json::to_vec(&copy)
        };
        let mut line = line.map_err(|e| refuse(e.to_string()))?;
        line.push(b'\n');
        Ok(line)
    }
}
