//! Several runs against each other, on the episodes they share.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::{
    Bootstrap, Interval, PairCounts, SequentialComparison, holm, letters, mcnemar_exact,
};
use crate::{CONFIDENCE, RowSummary};

/// Two runs on the episodes, by (task, seed), that count in both; tasks that were judged otherwise in
/// one of them are others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairResult {
    /// Index of the first run.
    pub a: usize,
    /// Index of the second.
    pub b: usize,
    /// How the shared episodes went.
    pub counts: PairCounts,
    /// Success of the first minus that of the second, mean over tasks, −1 to 1; paired bootstrap.
    pub success: Interval,
    /// The same for scores, −100 to 100.
    pub score: Interval,
    /// Exact McNemar.
    pub p: f64,
    /// The same, corrected by Holm for all pairs of the comparison.
    pub adjusted: f64,
    /// The smallest p-value of the sequential test, over a look after every episode in the order of
    /// the work list.
    pub sequential: f64,
}

/// A comparison of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Every pair, in order.
    pub pairs: Vec<PairResult>,
    /// Letters per run: two runs that share one are not separated.
    pub letters: Vec<String>,
}

/// Compares runs, given the rows of each. Pairs are separated at 95 % over the family.
pub fn compare(runs: &[&[RowSummary]]) -> Comparison {
    let sorted: Vec<Vec<&RowSummary>> = runs
        .iter()
        .map(|rows| {
            let mut rows: Vec<&RowSummary> = rows.iter().filter(|r| r.counts()).collect();
            rows.sort_by(|x, y| (&x.task, x.seed).cmp(&(&y.task, y.seed)));
            rows
        })
        .collect();
    let mut pairs = Vec::new();
    for a in 0..runs.len() {
        for b in a + 1..runs.len() {
            pairs.push(pair(a, b, &sorted[a], &sorted[b]));
        }
    }
    let adjusted = holm(&pairs.iter().map(|p| p.p).collect::<Vec<_>>());
    for (p, h) in pairs.iter_mut().zip(adjusted) {
        p.adjusted = h;
    }
    let means: Vec<f64> = sorted.iter().map(|rows| mean_success(rows)).collect();
    let letters = letters(&means, |i, j| {
        pairs.iter().any(|p| p.a == i && p.b == j && p.adjusted <= 1.0 - CONFIDENCE)
    });
    Comparison { pairs, letters }
}

fn mean_success(rows: &[&RowSummary]) -> f64 {
    let tasks: Vec<f64> = rows
        .chunk_by(|x, y| x.task == y.task)
        .map(|g| g.iter().filter(|r| r.success()).count() as f64 / g.len() as f64)
        .collect();
    if tasks.is_empty() { 0.0 } else { tasks.iter().sum::<f64>() / tasks.len() as f64 }
}

fn pair(a: usize, b: usize, first: &[&RowSummary], second: &[&RowSummary]) -> PairResult {
    let mut counts = PairCounts::default();
    let mut success: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut score: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut looks = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (first.get(i), second.get(j)) {
        match (&x.task, x.seed).cmp(&(&y.task, y.seed)) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                i += 1;
                j += 1;
                // The same name for another task, or one of them on a real arm: another episode.
                if x.task_hash != y.task_hash || x.evidence != y.evidence {
                    continue;
                }
                let (s, t) = (x.success(), y.success());
                counts.push(s, t);
                let d = f64::from(u8::from(s)) - f64::from(u8::from(t));
                success.entry(&x.task).or_default().push(d);
                score.entry(&x.task).or_default().push(x.score - y.score);
                looks.push((x.index, s, t));
            }
        }
    }
    looks.sort_unstable();
    let mut sequential = SequentialComparison::new(CONFIDENCE);
    for (_, s, t) in looks {
        sequential.push(f64::from(u8::from(s)), f64::from(u8::from(t)));
    }
    let boot = Bootstrap { confidence: CONFIDENCE, ..Default::default() };
    let p = mcnemar_exact(counts.only_a, counts.only_b);
    PairResult {
        a,
        b,
        counts,
        success: boot.stratified_mean(&success.into_values().collect::<Vec<_>>(), "pair/success"),
        score: boot.stratified_mean(&score.into_values().collect::<Vec<_>>(), "pair/score"),
        p,
        adjusted: p,
        sequential: sequential.p_value(),
    }
}
