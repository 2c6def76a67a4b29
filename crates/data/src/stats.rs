use serde_json::{Map, Value, json};

/// What normalisers need to know of a feature, per dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Smallest values.
    pub min: Vec<f64>,
    /// Largest values.
    pub max: Vec<f64>,
    /// Means.
    pub mean: Vec<f64>,
    /// Standard deviations of the population.
    pub std: Vec<f64>,
    /// 1, 10, 50, 90 and 99 % quantiles.
    pub quantiles: [Vec<f64>; 5],
    /// Number of frames.
    pub count: u64,
}

/// The quantiles there are, with their names in LeRobot.
const QUANTILES: [(&str, f64); 5] =
    [("q01", 0.01), ("q10", 0.10), ("q50", 0.50), ("q90", 0.90), ("q99", 0.99)];

impl Stats {
    /// Of all rows of `width` values; `None` without rows.
    pub fn of(values: &[f64], width: usize) -> Option<Self> {
        let rows = values.len() / width.max(1);
        if rows == 0 {
            return None;
        }
        let mut out = Self::empty(rows as u64);
        for d in 0..width {
            let mut column: Vec<f64> = values.iter().skip(d).step_by(width).copied().collect();
            let mean = column.iter().sum::<f64>() / rows as f64;
            let variance = column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
            column.sort_by(f64::total_cmp);
            out.min.push(column[0]);
            out.max.push(column[rows - 1]);
            out.mean.push(mean);
            out.std.push((variance / rows as f64).sqrt());
            for (q, (_, share)) in out.quantiles.iter_mut().zip(QUANTILES) {
                // Between neighbours, as NumPy does it.
                let at = share * (rows - 1) as f64;
                let (low, part) = (at as usize, at.fract());
                let high = (low + 1).min(rows - 1);
                q.push(column[low] + (column[high] - column[low]) * part);
            }
        }
        Some(out)
    }

    fn empty(count: u64) -> Self {
        let [min, max, mean, std] = std::array::from_fn(|_| Vec::new());
        Self { min, max, mean, std, quantiles: Default::default(), count }
    }

    /// Names and values, without the count.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &Vec<f64>)> {
        let plain =
            [("min", &self.min), ("max", &self.max), ("mean", &self.mean), ("std", &self.std)];
        plain.into_iter().chain(QUANTILES.iter().map(|(n, _)| *n).zip(&self.quantiles))
    }

    /// As LeRobot stores it; a picture's have the shape 3×1×1. Version 2.1 has no quantiles.
    pub(crate) fn to_json(&self, picture: bool, quantiles: bool) -> Value {
        let shaped = |v: &Vec<f64>| match picture {
            true => v.iter().map(|x| json!([[x]])).collect(),
            false => json!(v),
        };
        let keep = |name: &str| quantiles || !name.starts_with('q');
        let mut out: Map<String, Value> =
            self.parts().filter(|(n, _)| keep(n)).map(|(n, v)| (n.to_owned(), shaped(v))).collect();
        out.insert("count".into(), json!([self.count]));
        Value::Object(out)
    }
}

/// How often each value occurs in each channel of pictures. Histograms of episodes add up to that of
/// their dataset exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    frames: u64,
}

/// Bins of one channel.
const BINS: usize = 256;

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; 3 * BINS], frames: 0 }
    }
}

impl Histogram {
    /// Counts the pixels of a picture, of which every fourth in both directions is enough.
    pub fn add(&mut self, rgb: &[u8], width: usize) {
        self.frames += 1;
        for row in rgb.chunks_exact(width * 3).step_by(4) {
            for p in row.chunks_exact(3).step_by(4) {
                for c in 0..3 {
                    self.counts[c * BINS + usize::from(p[c])] += 1;
                }
            }
        }
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.frames += other.frames;
        for (a, b) in self.counts.iter_mut().zip(&other.counts) {
            *a += b;
        }
    }

    /// As numbers, to store.
    pub fn to_numbers(&self) -> Vec<i64> {
        std::iter::once(self.frames).chain(self.counts.iter().copied()).map(|n| n as i64).collect()
    }

    /// From stored numbers; `None` when they are none.
    pub fn from_numbers(numbers: &[i64]) -> Option<Self> {
        let (frames, counts) = numbers.split_first()?;
        let counts: Vec<u64> = counts.iter().map(|n| *n as u64).collect();
        (counts.len() == 3 * BINS).then_some(Self { counts, frames: *frames as u64 })
    }

    /// Of values scaled to 0–1, by channel; `None` without pixels.
    pub fn stats(&self) -> Option<Stats> {
        let mut out = Stats::empty(self.frames);
        for channel in self.counts.chunks_exact(BINS) {
            let total: u64 = channel.iter().sum();
            if total == 0 {
                return None;
            }
            let each = || channel.iter().enumerate().map(|(v, n)| (v as f64 / 255.0, *n as f64));
            let mean = each().map(|(v, n)| v * n).sum::<f64>() / total as f64;
            let variance = each().map(|(v, n)| (v - mean) * (v - mean) * n).sum::<f64>();
            let at = |share: f64| {
                let rank = share * (total - 1) as f64;
                let mut below = 0;
                let reached = |n: &u64| {
                    below += n;
                    below as f64 > rank
                };
                channel.iter().position(reached).unwrap_or(BINS - 1) as f64 / 255.0
            };
            out.min.push(at(0.0));
            out.max.push(at(1.0));
            out.mean.push(mean);
            out.std.push((variance / total as f64).sqrt());
            for (q, (_, share)) in out.quantiles.iter_mut().zip(QUANTILES) {
                q.push(at(share));
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_as_numpy_has_them() {
        // np.quantile([1, 2, 4, 8], [.01, .1, .5, .9, .99])
        let s = Stats::of(&[8.0, 1.0, 4.0, 2.0], 1).unwrap();
        for (q, expected) in s.quantiles.iter().zip([1.03, 1.3, 3.0, 6.8, 7.88]) {
            assert!((q[0] - expected).abs() < 1e-12, "{} is not {expected}", q[0]);
        }
        assert_eq!((s.min[0], s.max[0], s.mean[0]), (1.0, 8.0, 3.75));
        assert!((s.std[0] - 2.680_951_323_690_902).abs() < 1e-12);
    }

    #[test]
    fn histograms_add_up() {
        let (dark, light) = ([10; 48], [30; 48]);
        let mut both = Histogram::default();
        both.add(&dark, 4);
        let mut other = Histogram::default();
        other.add(&light, 4);
        both.merge(&Histogram::from_numbers(&other.to_numbers()).unwrap());
        let s = both.stats().unwrap();
        assert_eq!((s.min[0], s.max[2], s.count), (10.0 / 255.0, 30.0 / 255.0, 2));
        assert!((s.mean[1] - 20.0 / 255.0).abs() < 1e-12);
    }
}
