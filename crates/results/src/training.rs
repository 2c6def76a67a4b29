//! What a policy learned from, and how much of a run it has seen before.

use std::collections::{BTreeMap, BTreeSet};

use longarm_types::{Digest, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::{Interval, wilson};
use crate::{CONFIDENCE, RowSummary, RunConfig};

/// Successive seeds, written `20000-20049`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SeedSpan {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

impl From<SeedSpan> for String {
    fn from(s: SeedSpan) -> Self {
        match s.first == s.last {
            true => s.first.to_string(),
            false => format!("{}-{}", s.first, s.last),
        }
    }
}

impl TryFrom<String> for SeedSpan {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((&text, &text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self { first, last }),
            _ => Err(format!("{text:?} are not seeds; write 0-49")),
        }
    }
}

/// A data set that the policy learned from, as far as it is about the tasks of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedOn {
    /// Where it is, as the user said.
    pub path: String,
    /// Hash of the list of its episodes.
    pub hash: Digest,
    /// Episodes in it, of any task.
    pub episodes: u64,
    /// Seeds in it of tasks of the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seeds: BTreeMap<TaskId, Vec<SeedSpan>>,
}

impl TrainedOn {
    /// A data set with these episodes, of which those of `tasks` are kept.
    pub fn new<'a>(
        path: String,
        hash: Digest,
        episodes: impl IntoIterator<Item = (&'a TaskId, u64)>,
        tasks: impl Fn(&TaskId) -> bool,
    ) -> Self {
        let mut count = 0;
        let mut all: BTreeMap<TaskId, BTreeSet<u64>> = BTreeMap::new();
        for (task, seed) in episodes {
            count += 1;
            if tasks(task) {
                all.entry(task.clone()).or_default().insert(seed);
            }
        }
        let seeds = all.into_iter().map(|(task, seeds)| (task, spans(seeds))).collect();
        Self { path, hash, episodes: count, seeds }
    }

    /// Whether the data set has an episode of this task and seed.
    pub fn contains(&self, task: &str, seed: u64) -> bool {
        let of_task = self.seeds.iter().filter(|(id, _)| id.as_str() == task);
        of_task.flat_map(|(_, s)| s).any(|s| (s.first..=s.last).contains(&seed))
    }
}

fn spans(seeds: BTreeSet<u64>) -> Vec<SeedSpan> {
    let mut out: Vec<SeedSpan> = Vec::new();
    for seed in seeds {
        match out.last_mut() {
            Some(s) if s.last.checked_add(1) == Some(seed) => s.last = seed,
            _ => out.push(SeedSpan { first: seed, last: seed }),
        }
    }
    out
}

/// How much of a run the policy has seen in training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Training {
    /// The data sets it learned from, as the user named them.
    pub data: Vec<String>,
    /// Episodes that count whose task and seed a data set contains.
    pub seen: u64,
    /// Episodes that count that none contains.
    pub unseen: u64,
    /// Success on the seen ones, pooled over tasks; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_seen: Option<Interval>,
    /// Success on the others, pooled over tasks; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_unseen: Option<Interval>,
}

impl Training {
    /// Of a run with these rows; `None` where nothing is known of the training.
    pub(crate) fn of(config: &RunConfig, rows: &[RowSummary]) -> Option<Self> {
        if config.trained_on.is_empty() {
            return None;
        }
        let counted = rows.iter().filter(|r| r.counts());
        let in_data =
            |r: &RowSummary| config.trained_on.iter().any(|d| d.contains(&r.task, r.seed));
        // Episodes and successes: unseen, seen.
        let mut tally = [[0u64; 2]; 2];
        for row in counted {
            let t = &mut tally[usize::from(in_data(row))];
            t[0] += 1;
            t[1] += u64::from(row.success());
        }
        let rate = |[n, won]: [u64; 2]| (n > 0).then(|| wilson(won, n, CONFIDENCE));
        Some(Self {
            data: config.trained_on.iter().map(|d| d.path.clone()).collect(),
            seen: tally[1][0],
            unseen: tally[0][0],
            success_seen: rate(tally[1]),
            success_unseen: rate(tally[0]),
        })
    }

    /// What a reader should know, in a sentence or two.
    pub fn in_words(&self) -> String {
        let (seen, all, data) = (self.seen, self.seen + self.unseen, self.data.join(", "));
        let percent = |i: &Interval| {
            format!("{:.1} % [{:.1}, {:.1}]", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi)
        };
        match (&self.success_seen, &self.success_unseen) {
            (None, _) => format!("None of the episodes is in the training data ({data})."),
            (Some(_), None) => format!(
                "Every episode is in the training data ({data}): this measures memory, not \
                 generalization."
            ),
            (Some(s), Some(u)) => format!(
                "{seen} of {all} episodes are in the training data ({data}): success on them {}, on \
                 the others {}.",
                percent(s),
                percent(u)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_written_in_spans() {
        let task: TaskId = "a/b".parse().unwrap();
        let other: TaskId = "a/c".parse().unwrap();
        let rows = [(&task, 7), (&task, 5), (&other, 1), (&task, 6), (&task, u64::MAX)];
        let hash = Digest::of(b"");
        let data = TrainedOn::new("demos".into(), hash, rows, |t| *t == task);
        assert_eq!(data.episodes, 5);
        let text = toml::to_string(&data).unwrap();
        assert!(text.contains("[\"5-7\", \"18446744073709551615\"]"), "{text}");
        assert_eq!(toml::from_str::<TrainedOn>(&text).unwrap(), data);
        assert!(data.contains("a/b", 6) && !data.contains("a/b", 8) && !data.contains("a/c", 1));
        assert!(SeedSpan::try_from("7-5".to_owned()).is_err());
    }
}
