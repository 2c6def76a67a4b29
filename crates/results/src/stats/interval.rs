//! Intervals for one proportion, for the mean of several, and plain moments.

use libm::sqrt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::special::{beta_inc_inv, normal_quantile};

/// An estimate with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The estimate.
    pub mean: f64,
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Interval {
    /// The same interval in other units.
    pub fn scaled(self, by: f64) -> Self {
        Self { mean: self.mean * by, lo: self.lo * by, hi: self.hi * by }
    }
}

/// The Wilson score interval for `k` successes in `n` trials. Without trials it is [0, 1].
pub fn wilson(k: u64, n: u64, confidence: f64) -> Interval {
    if n == 0 {
        return Interval { mean: 0.0, lo: 0.0, hi: 1.0 };
    }
    wilson_real(k as f64 / n as f64, n as f64, confidence)
}

/// Wilson's interval for a proportion known as if from `n` trials, `n` not necessarily whole.
fn wilson_real(p: f64, n: f64, confidence: f64) -> Interval {
    let z = normal_quantile(0.5 + confidence / 2.0);
    let z2 = z * z;
    let centre = (p * n + z2 / 2.0) / (n + z2);
    let half = z / (n + z2) * sqrt(n * p * (1.0 - p) + z2 / 4.0);
    // At the ends the formula is exact in real numbers and off by an ulp in floats.
    let lo = if p == 0.0 { 0.0 } else { (centre - half).clamp(0.0, p) };
    let hi = if p == 1.0 { 1.0 } else { (centre + half).clamp(p, 1.0) };
    Interval { mean: p, lo, hi }
}

/// The Clopper–Pearson interval for `k` successes in `n` trials: never covers less often than
/// asked, and is wider for it.
pub fn clopper_pearson(k: u64, n: u64, confidence: f64) -> Interval {
    if n == 0 {
        return Interval { mean: 0.0, lo: 0.0, hi: 1.0 };
    }
    let tail = (1.0 - confidence) / 2.0;
    let (kf, nf) = (k as f64, n as f64);
    let lo = if k == 0 { 0.0 } else { beta_inc_inv(kf, nf - kf + 1.0, tail) };
    // The upper end by symmetry: the small tail keeps its digits.
    let hi = if k == n { 1.0 } else { 1.0 - beta_inc_inv(nf - kf, kf + 1.0, tail) };
    Interval { mean: kf / nf, lo, hi }
}

/// The unweighted mean of several tasks' success rates, from (successes, trials) per task.
///
/// Wilson's interval at the effective sample size of the stratified mean (Korn and Graubard 1998):
/// the pooled size, enlarged by as much as tasks of unlike difficulty make the mean less variable.
/// The tasks' variances are taken at (k + 1)/(n + 2), so that a suite in which every episode
/// succeeded still gets an interval of honest width, which a bootstrap cannot give. For one task it
/// is [`wilson`]. Tasks without trials are left out.
pub fn mean_of_proportions(tasks: &[(u64, u64)], confidence: f64) -> Interval {
    let tasks: Vec<(f64, f64)> =
        tasks.iter().filter(|t| t.1 > 0).map(|&(k, n)| (k as f64, n as f64)).collect();
    if tasks.is_empty() {
        return Interval { mean: 0.0, lo: 0.0, hi: 1.0 };
    }
    let count = tasks.len() as f64;
    let mean = tasks.iter().map(|(k, n)| k / n).sum::<f64>() / count;
    let inverse: f64 = tasks.iter().map(|(_, n)| 1.0 / n).sum();
    let drawn = |k: f64, n: f64| (k + 1.0) / (n + 2.0);
    let centre = tasks.iter().map(|&(k, n)| drawn(k, n)).sum::<f64>() / count;
    let within: f64 = tasks.iter().map(|&(k, n)| drawn(k, n) * (1.0 - drawn(k, n)) / n).sum();
    let design = (within / (centre * (1.0 - centre) * inverse)).min(1.0);
    wilson_real(mean.clamp(0.0, 1.0), count * count / inverse / design, confidence)
}

/// Mean and spread of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// How many.
    pub n: u64,
    /// Mean; 0 when there are none.
    pub mean: f64,
    /// Sample standard deviation (n − 1); 0 below two numbers.
    pub std: f64,
    /// Standard error of the mean; 0 below two numbers.
    pub se: f64,
}

impl Moments {
    /// Of these numbers, in two passes.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len();
        if n == 0 {
            return Self { n: 0, mean: 0.0, std: 0.0, se: 0.0 };
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        if n == 1 {
            return Self { n: 1, mean, std: 0.0, se: 0.0 };
        }
        let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let std = sqrt(square / (n - 1) as f64);
        Self { n: n as u64, mean, std, se: std / sqrt(n as f64) }
    }
}

/// The quantile of sorted numbers, interpolated linearly as numpy does; NaN when there are none.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let below = at as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64)
}
