//! Who is better than whom, and who cannot be told apart.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use longarm_results::CONFIDENCE;
use longarm_results::stats::{holm, letters, mcnemar_exact, normal_cdf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::model::BoardRow;
use crate::store::{Standing, Store, Stored};

/// Boards with more rows show places only: nobody reads forty letters.
pub(crate) const LETTERED: usize = 26;

/// A row with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ranked {
    /// The row.
    #[serde(flatten)]
    pub row: BoardRow,
    /// The best place it may have: one after all that are better for certain.
    pub best: u64,
    /// The worst: before all that are worse for certain.
    pub worst: u64,
    /// Rows that share a letter cannot be told apart; empty on large boards.
    pub letters: String,
    /// Whether its tasks are those the board has now.
    pub current: bool,
}

/// A ranking and the version of the boards it is of.
type Kept = (u64, Arc<Vec<Ranked>>);

/// Rankings of all boards, made again when a board changes.
#[derive(Default)]
pub(crate) struct Rankings(Mutex<BTreeMap<String, Kept>>);

impl Rankings {
    pub(crate) fn get(&self, store: &dyn Store, board: &Board) -> Stored<Arc<Vec<Ranked>>> {
        let (version, _) = store.version()?;
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, ranking)) = lock().get(&board.name)
            && *known == version
        {
            return Ok(Arc::clone(ranking));
        }
        let standings = store.standings(&board.name)?;
        let ranked = Arc::new(match standings.is_empty() {
            true => Vec::new(),
            false => rank(standings, &board.hash().to_string()),
        });
        lock().insert(board.name.clone(), (version, Arc::clone(&ranked)));
        Ok(ranked)
    }
}

/// Order rows by the benchmark's own number and say what separates them: success, episode by episode where
/// two rows have the same seeds.
fn rank(mut standings: Vec<Standing>, tasks_hash: &str) -> Vec<Ranked> {
    let current = |s: &Standing| s.row.tasks_hash == tasks_hash;
    standings.sort_by(|a, b| {
        let key = |s: &Standing| (s.row.average, s.row.success.mean);
        let ((x, y), (u, v)) = (key(b), key(a));
        current(b)
            .cmp(&current(a))
            .then(x.total_cmp(&u))
            .then(y.total_cmp(&v))
            .then(a.row.id.cmp(&b.row.id))
    });
    let n = standings.iter().filter(|s| current(s)).count();
    let (now, _) = standings.split_at(n);
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let p: Vec<f64> = pairs.iter().map(|&(i, j)| p_value(&now[i], &now[j])).collect();
    let mut apart = vec![false; n * n];
    for (&(i, j), p) in pairs.iter().zip(holm(&p)) {
        apart[i * n + j] = p <= 1.0 - CONFIDENCE;
    }
    let rate = |i: usize| now[i].row.success.mean;
    let differ = |i: usize, j: usize| apart[i.min(j) * n + i.max(j)];
    let rates: Vec<f64> = (0..n).map(rate).collect();
    let named = match n {
        2..=LETTERED => letters(&rates, differ),
        _ => vec![String::new(); n],
    };
    let places: Vec<(u64, u64)> = (0..n)
        .map(|i| {
            let others = (0..n).filter(|&j| j != i && differ(i, j));
            let (better, worse): (Vec<_>, Vec<_>) = others.partition(|&j| rate(j) > rate(i));
            (1 + better.len() as u64, (n - worse.len()) as u64)
        })
        .collect();
    let mut out = Vec::with_capacity(standings.len());
    for (i, s) in standings.into_iter().enumerate() {
        let (best, worst) = places.get(i).copied().unwrap_or_default();
        let letters = named.get(i).cloned().unwrap_or_default();
        out.push(Ranked { row: s.row, best, worst, letters, current: i < n });
    }
    out
}

fn p_value(a: &Standing, b: &Standing) -> f64 {
    if a.seeds_hash == b.seeds_hash && a.outcomes.len() == b.outcomes.len() {
        let only = |x: &[u8], y: &[u8]| {
            x.iter().zip(y).map(|(x, y)| u64::from((x & !y).count_ones())).sum()
        };
        return mcnemar_exact(only(&a.outcomes, &b.outcomes), only(&b.outcomes, &a.outcomes));
    }
    let count = |s: &Standing| s.outcomes.iter().map(|b| u64::from(b.count_ones())).sum();
    two_proportions((count(a), a.row.n), (count(b), b.row.n))
}

/// The two-sided normal test of two success rates on different episodes, their variances taken at
/// (k + 1)/(n + 2) so that all or none out of a few do not seem certain.
fn two_proportions((k, n): (u64, u64), (l, m): (u64, u64)) -> f64 {
    let (k, n, l, m) = (k as f64, n as f64, l as f64, m as f64);
    if n == 0.0 || m == 0.0 {
        return 1.0;
    }
    let variance = |k: f64, n: f64| {
        let p = (k + 1.0) / (n + 2.0);
        p * (1.0 - p) / n
    };
    let z = (k / n - l / m) / libm::sqrt(variance(k, n) + variance(l, m));
    (2.0 * normal_cdf(-libm::fabs(z))).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_on_different_episodes_are_told_apart_by_their_sizes() {
        // z = 0.1 / sqrt(2 * 0.25 / 100 + ...), by hand about 1.42.
        let p = two_proportions((55, 100), (45, 100));
        assert!((p - 0.157).abs() < 0.003, "{p}");
        assert!(two_proportions((10, 10), (0, 10)) < 1e-6);
        assert!(two_proportions((1, 1), (0, 1)) > 0.1);
        assert_eq!(two_proportions((0, 0), (3, 5)), 1.0);
    }
}
