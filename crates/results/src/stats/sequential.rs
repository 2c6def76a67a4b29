//! Tests that may be looked at after every episode.
//!
//! # The guarantee
//! A gambler starts with capital 1 and bets, before each observation X in [0, 1], that its mean is
//! not m: capital is multiplied by 1 + c·(X/m − 1), with 0 ≤ c < 1. If the mean given the past *is*
//! m, the capital is a non-negative martingale, and so is any mixture over fixed c. By Ville's
//! inequality the chance that it *ever*, at any of infinitely many looks, reaches 1/α is at most α.
//! Hence:
//! - the set of m whose gambler has not reached 2/α (upwards or downwards) contains the true mean at
//!   all times simultaneously with probability at least 1 − α: a *confidence sequence*;
//! - 1/capital is a p-value at any stopping time, chosen in any way, even after looking.
//!
//! (Ville 1939; Robbins 1970; Waudby-Smith and Ramdas, "Estimating means of bounded random variables
//! by betting", 2024.) The bets here are a fixed mixture, so the capital depends on what was
//! observed and not on its order: runs and shards may be looked at together.
//!
//! For the mean the observations must share one mean given the past; interleave the tasks of a suite
//! (episode 0 of all tasks, then episode 1, …) or test each task apart. The *comparison* needs less:
//! it is valid whenever, under the hypothesis, neither policy is better on any episode.

use libm::{exp, log, log1p};

use super::interval::Interval;

/// Fractions of the largest safe bet, in the mixture: small ones find small differences in many
/// episodes, large ones large differences in few.
const BETS: [f64; 20] = [
    0.003, 0.005, 0.008, 0.012, 0.018, 0.026, 0.038, 0.055, 0.08, 0.11, 0.15, 0.2, 0.27, 0.35,
    0.45, 0.56, 0.68, 0.8, 0.9, 0.98,
];

/// An anytime-valid confidence sequence for the mean of numbers in [0, 1].
#[derive(Clone, Debug, Default)]
pub struct BettingMean {
    /// Distinct values with their counts, sorted; scores take few values.
    seen: Vec<(f64, u64)>,
    n: u64,
    sum: f64,
}

impl BettingMean {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an observation. Values outside [0, 1] are clamped, NaN counts as 0.
    pub fn push(&mut self, x: f64) {
        let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
        match self.seen.binary_search_by(|(v, _)| v.total_cmp(&x)) {
            Ok(i) => self.seen[i].1 += 1,
            Err(i) => self.seen.insert(i, (x, 1)),
        }
        self.n += 1;
        self.sum += x;
    }

    /// Observations so far.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Log of the capital of the gambler who says that the mean is above m.
    pub fn log_evidence_above(&self, m: f64) -> f64 {
        capital(self.seen.iter().copied(), m)
    }

    /// Log of the capital of the gambler who says that the mean is below m.
    pub fn log_evidence_below(&self, m: f64) -> f64 {
        capital(self.seen.iter().map(|&(x, k)| (1.0 - x, k)), 1.0 - m)
    }

    /// The confidence sequence now. The true mean is inside at all times at once with at least this
    /// confidence.
    pub fn interval(&self, confidence: f64) -> Interval {
        if self.n == 0 {
            return Interval { mean: 0.5, lo: 0.0, hi: 1.0 };
        }
        let limit = log(2.0 / (1.0 - confidence));
        // Evidence above m falls as m grows: bisect.
        let bound = |evidence: &dyn Fn(f64) -> f64| {
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..60 {
                let mid = 0.5 * (lo + hi);
                if evidence(mid) >= limit {
                    lo = mid;
                } else {
                    hi = mid;
                }
            }
            lo
        };
        Interval {
            mean: self.sum / self.n as f64,
            lo: bound(&|m| self.log_evidence_above(m)),
            hi: 1.0 - bound(&|m| self.log_evidence_below(1.0 - m)),
        }
    }

    /// A p-value for "the mean is m", two-sided, valid whenever one stops.
    pub fn p_value(&self, m: f64) -> f64 {
        let (above, below) = (self.log_evidence_above(m), self.log_evidence_below(m));
        let top = above.max(below);
        let both = top + log(0.5 * (exp(above - top) + exp(below - top)));
        exp(-both).min(1.0)
    }
}

/// Log of the mixture's capital against "the mean is at most m".
fn capital(seen: impl Iterator<Item = (f64, u64)> + Clone, m: f64) -> f64 {
    let m = m.max(1e-12);
    let mut logs = [0.0; BETS.len()];
    for (slot, c) in logs.iter_mut().zip(BETS) {
        *slot = seen.clone().map(|(x, k)| k as f64 * log1p(c * (x / m - 1.0))).sum();
    }
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + log(logs.iter().map(|l| exp(l - top)).sum::<f64>() / BETS.len() as f64)
}

/// What may be said now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first is better.
    First,
    /// The second is better.
    Second,
    /// Not yet.
    Open,
}

/// Two policies on the same episodes, looked at after each of them.
///
/// Feed success as 0 or 1, or scores scaled to [0, 1]. Stop when the verdict is no longer
/// [`Verdict::Open`]: the chance that two equally good policies are *ever* separated is at most
/// 1 − confidence. With success this is McNemar's test made sequential: episodes that both or
/// neither solved leave the evidence as it is.
#[derive(Clone, Debug)]
pub struct SequentialComparison {
    halves: BettingMean,
    confidence: f64,
    verdict: Verdict,
    smallest_p: f64,
}

impl SequentialComparison {
    /// Starts at a confidence such as 0.95.
    pub fn new(confidence: f64) -> Self {
        Self { halves: BettingMean::new(), confidence, verdict: Verdict::Open, smallest_p: 1.0 }
    }

    /// Adds an episode's two results and says what follows. A verdict once given stands.
    pub fn push(&mut self, first: f64, second: f64) -> Verdict {
        let d = first.clamp(0.0, 1.0) - second.clamp(0.0, 1.0);
        self.halves.push(0.5 + 0.5 * d);
        if d != 0.0 {
            self.smallest_p = self.smallest_p.min(self.halves.p_value(0.5));
        }
        if self.verdict == Verdict::Open && self.smallest_p <= 1.0 - self.confidence {
            let first = self.halves.log_evidence_above(0.5) > self.halves.log_evidence_below(0.5);
            self.verdict = if first { Verdict::First } else { Verdict::Second };
        }
        self.verdict
    }

    /// The verdict so far.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Episodes so far.
    pub fn n(&self) -> u64 {
        self.halves.n()
    }

    /// The smallest p-value at any look so far; valid, because the guarantee is over all looks.
    pub fn p_value(&self) -> f64 {
        self.smallest_p
    }

    /// The difference of the two means, first minus second, with its confidence sequence.
    pub fn difference(&self) -> Interval {
        let i = self.halves.interval(self.confidence);
        Interval { mean: 2.0 * i.mean - 1.0, lo: 2.0 * i.lo - 1.0, hi: 2.0 * i.hi - 1.0 }
    }
}
