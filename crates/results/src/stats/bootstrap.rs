//! The bootstrap, stratified by task.

use libm::pow;
use longarm_types::{Rng, Seed};

use super::interval::{Interval, quantile};
use super::special::{normal_cdf, normal_quantile};

/// How the ends are read off the replicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootstrapMethod {
    /// Quantiles of the replicates.
    Percentile,
    /// Quantiles corrected for bias and skewness (Efron 1987).
    Bca,
}

/// A bootstrap: how often, how sure, from which seed.
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap {
    /// Replicates.
    pub replicates: usize,
    /// Confidence, 0.95 by default.
    pub confidence: f64,
    /// Seed; equal input and seed give equal bits.
    pub seed: Seed,
    /// How the ends are read.
    pub method: BootstrapMethod,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self {
            replicates: 2000,
            confidence: 0.95,
            seed: Seed(0),
            method: BootstrapMethod::Percentile,
        }
    }
}

impl Bootstrap {
    /// The unweighted mean of the strata's means, episodes resampled within each stratum.
    ///
    /// With one stratum per task this is the interval of a suite mean: tasks are fixed, episodes are
    /// the sample. With the differences of paired episodes it is the paired bootstrap. Strata
    /// without values are left out. `purpose` names the random stream.
    ///
    /// Where nothing varies the interval has no width; see
    /// [`mean_of_proportions`](super::mean_of_proportions) for success rates.
    pub fn stratified_mean(&self, strata: &[Vec<f64>], purpose: &str) -> Interval {
        let strata: Vec<&[f64]> =
            strata.iter().map(Vec::as_slice).filter(|s| !s.is_empty()).collect();
        if strata.is_empty() {
            return Interval { mean: 0.0, lo: 0.0, hi: 0.0 };
        }
        let weight = 1.0 / strata.len() as f64;
        let means: Vec<f64> = strata.iter().map(|s| mean(s)).collect();
        let mean = means.iter().sum::<f64>() * weight;
        let sums = self.replicated(strata.iter().map(|s| (weight, *s)), purpose);
        let tail = (1.0 - self.confidence) / 2.0;
        let (lo, hi) = match self.method {
            BootstrapMethod::Percentile => (tail, 1.0 - tail),
            BootstrapMethod::Bca => bca_levels(&strata, &means, mean, &sums, tail),
        };
        Interval { mean, lo: quantile(&sums, lo), hi: quantile(&sums, hi) }
    }

    /// A weighted sum of the strata's means with its percentile interval, episodes resampled within each
    /// stratum. Strata without values are left out.
    pub fn weighted_mean(&self, strata: &[(f64, Vec<f64>)], purpose: &str) -> Interval {
        let strata = || strata.iter().filter(|(_, s)| !s.is_empty());
        let total = strata().map(|(weight, s)| weight * mean(s)).sum();
        let sums = self.replicated(strata().map(|(weight, s)| (*weight, s.as_slice())), purpose);
        let tail = (1.0 - self.confidence) / 2.0;
        Interval { mean: total, lo: quantile(&sums, tail), hi: quantile(&sums, 1.0 - tail) }
    }

    /// The replicates of a weighted sum of means, sorted.
    fn replicated<'a>(
        &self,
        strata: impl Iterator<Item = (f64, &'a [f64])>,
        purpose: &str,
    ) -> Vec<f64> {
        let mut sums = vec![0.0; self.replicates.max(1)];
        // Stratum by stratum: each stays in the cache for all of its replicates.
        for (h, (weight, s)) in strata.enumerate() {
            if s.iter().all(|v| *v == s[0]) {
                let fixed = mean(s) * weight;
                sums.iter_mut().for_each(|t| *t += fixed);
                continue;
            }
            let mut rng = self.seed.stream(&format!("bootstrap/{purpose}/{h}"));
            let scale = weight / s.len() as f64;
            for total in &mut sums {
                *total += resampled_sum(s, &mut rng) * scale;
            }
        }
        sums.sort_by(f64::total_cmp);
        sums
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of as many draws with replacement as there are values.
///
/// An index is the high half of a 32-bit product, two per random word; its bias is below
/// n / 2³², which no number of replicates can show.
fn resampled_sum(values: &[f64], rng: &mut Rng) -> f64 {
    let n = values.len() as u64;
    let at = |word: u64| values[((word * n) >> 32) as usize];
    let mut sum = 0.0;
    for _ in 0..values.len() / 2 {
        let word = rng.next_u64();
        sum += at(word >> 32) + at(word & 0xffff_ffff);
    }
    if n % 2 == 1 {
        sum += at(rng.next_u64() >> 32);
    }
    sum
}

/// The bias-corrected and accelerated levels. The jackknife of a mean has a closed form.
fn bca_levels(
    strata: &[&[f64]],
    means: &[f64],
    mean: f64,
    sorted: &[f64],
    tail: f64,
) -> (f64, f64) {
    let below = sorted.partition_point(|v| *v < mean) as f64;
    let up_to = sorted.partition_point(|v| *v <= mean) as f64;
    let share = (below + up_to) / (2.0 * sorted.len() as f64);
    let (mut square, mut cube) = (0.0, 0.0);
    for (s, m) in strata.iter().zip(means) {
        let n = s.len() as f64;
        for v in *s {
            let u = (v - m) / n;
            square += u * u;
            cube += u * u * u;
        }
    }
    if square == 0.0 || share == 0.0 || share == 1.0 {
        return (tail, 1.0 - tail);
    }
    let acceleration = cube / (6.0 * pow(square, 1.5));
    let z0 = normal_quantile(share);
    let level = |p: f64| {
        let z = z0 + normal_quantile(p);
        normal_cdf(z0 + z / (1.0 - acceleration * z))
    };
    (level(tail), level(1.0 - tail))
}
