//! Variants of the script, and the cross-entropy method over their numbers.

use longarm_types::{DVec3, Rng};

use super::Budget;
use super::crew::{Crew, Take};
use crate::ExpertError;

/// Spread of the first generation: logarithm of the pace, and metres.
const SPREAD: [f64; 4] = [0.25, 0.004, 0.004, 0.003];
/// The smallest spread a later generation has, as a share of the first one's.
const LEAST_SPREAD: f64 = 0.2;
/// Size of a generation for each of its elite.
const ELITE: usize = 3;

/// How a script is done otherwise than usual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Variation {
    /// Share of the usual speed.
    pub(crate) pace: f64,
    /// How far from where they are objects seem to be, until they are held, metres.
    pub(crate) shift: DVec3,
}

impl Default for Variation {
    fn default() -> Self {
        Self { pace: 1.0, shift: DVec3::ZERO }
    }
}

impl Variation {
    fn of([pace, x, y, z]: [f64; 4]) -> Self {
        Self { pace: libm::exp(pace).clamp(0.4, 1.5), shift: DVec3::new(x, y, z) }
    }
}

/// What a take is worth: to succeed, then to come far, then to take few steps.
fn worth(take: &Take) -> f64 {
    let reached = if take.success { 2.0 } else { take.dense - f64::from(u8::from(take.failed)) };
    reached - 1e-6 * take.actions.len() as f64
}

/// Return the best variant of a script, or what the script itself came to if none is better.
pub(super) fn best(crew: &Crew, budget: &Budget, script: Take) -> Result<Take, ExpertError> {
    let mut rng = crew.seed().stream("search variants");
    let (mut centre, mut spread) = ([0.0; 4], SPREAD);
    let mut best = script;
    for _ in 0..budget.generations {
        let drawn: Vec<_> =
            (0..budget.variants).map(|_| draw(&centre, &spread, &mut rng)).collect();
        let takes = Crew::each(&drawn, |v| crew.script(crew.start(), Variation::of(*v)))?;
        let mut order: Vec<usize> = (0..takes.len()).collect();
        // A stable sort: equals stay in the order in which they were drawn.
        order.sort_by(|a, b| worth(&takes[*b]).total_cmp(&worth(&takes[*a])));
        let elite = &order[..order.len().div_ceil(ELITE)];
        (centre, spread) = fit(elite.iter().map(|i| &drawn[*i]));
        if let Some(&first) = elite.first()
            && worth(&takes[first]) > worth(&best)
        {
            best = takes[first].clone();
        }
        if best.success {
            break;
        }
    }
    Ok(best)
}

fn draw(centre: &[f64; 4], spread: &[f64; 4], rng: &mut Rng) -> [f64; 4] {
    std::array::from_fn(|k| centre[k] + spread[k] * rng.normal())
}

/// Mean and spread of an elite.
fn fit<'a>(elite: impl Iterator<Item = &'a [f64; 4]> + Clone) -> ([f64; 4], [f64; 4]) {
    let n = elite.clone().count().max(1) as f64;
    let mean: [f64; 4] = std::array::from_fn(|k| elite.clone().map(|v| v[k]).sum::<f64>() / n);
    let spread = std::array::from_fn(|k| {
        let square = |v: &[f64; 4]| (v[k] - mean[k]) * (v[k] - mean[k]);
        let deviation = (elite.clone().map(square).sum::<f64>() / n).sqrt();
        deviation.max(LEAST_SPREAD * SPREAD[k])
    });
    (mean, spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_beats_progress_and_progress_beats_brevity() {
        let take = |success, dense, steps: usize| Take {
            success,
            dense,
            actions: vec![longarm_types::Action::new(&[0.0; 7]); steps],
            ..Take::default()
        };
        let order = [
            take(true, 1.0, 300),
            take(true, 1.0, 900),
            take(false, 0.7, 900),
            take(false, 0.6, 10),
        ];
        assert!(order.windows(2).all(|w| worth(&w[0]) > worth(&w[1])));
        let forbidden = Take { failed: true, ..take(false, 0.9, 10) };
        assert!(worth(&forbidden) < worth(&order[3]));
    }

    #[test]
    fn an_elite_that_agrees_keeps_some_spread() {
        let same = [[0.1, 0.002, 0.0, 0.0]; 3];
        let (mean, spread) = fit(same.iter());
        assert!(mean.iter().zip(&same[0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(spread.iter().zip(&SPREAD).all(|(s, first)| *s == LEAST_SPREAD * first));
    }
}
