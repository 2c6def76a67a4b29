//! Two runs on the same seeds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::special::beta_inc;

/// How two policies fared on the same episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PairCounts {
    /// Both succeeded.
    pub both: u64,
    /// Only the first.
    pub only_a: u64,
    /// Only the second.
    pub only_b: u64,
    /// Neither.
    pub neither: u64,
}

impl PairCounts {
    /// Adds an episode.
    pub fn push(&mut self, a: bool, b: bool) {
        match (a, b) {
            (true, true) => self.both += 1,
            (true, false) => self.only_a += 1,
            (false, true) => self.only_b += 1,
            (false, false) => self.neither += 1,
        }
    }

    /// Pairs.
    pub fn n(&self) -> u64 {
        self.both + self.only_a + self.only_b + self.neither
    }

    /// Success rate of the first minus that of the second; 0 without pairs.
    pub fn difference(&self) -> f64 {
        match self.n() {
            0 => 0.0,
            n => (self.only_a as f64 - self.only_b as f64) / n as f64,
        }
    }
}

/// The exact two-sided McNemar test: the probability, were the two equally good, of the episodes
/// that only one of them solved being shared out as unevenly as they were. 1 when there are none.
pub fn mcnemar_exact(only_a: u64, only_b: u64) -> f64 {
    let n = only_a + only_b;
    let k = only_a.min(only_b);
    if n == 0 || only_a == only_b {
        return 1.0;
    }
    // P(X <= k) for X ~ Binomial(n, 1/2).
    (2.0 * beta_inc((n - k) as f64, (k + 1) as f64, 0.5)).min(1.0)
}
/// Write a p-value as people do: one that rounds to nothing is not nothing.
pub fn p_value_text(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}
