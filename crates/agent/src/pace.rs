//! How fast an agent thinks, in control steps.

use crate::chat::Expense;

/// Ages beyond this count as this.
const OLDEST: usize = 10_000;

/// The pace of an agent in one episode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tempo {
    /// Control steps, or actions where each is a whole motion.
    pub steps: u32,
    /// Questions to the planner.
    pub questions: u32,
    /// Questions to the actor.
    pub chunks: u32,
    /// How old the answers in force were, summed over steps.
    pub behind: u64,
    /// Steps that the planner's answers took: median and 95th percentile.
    pub latency: [u32; 2],
    /// How old the answers in force were: median and 95th percentile over steps.
    pub staleness: [u32; 2],
    /// What was spent on models.
    pub spent: Expense,
}

/// Whole numbers, counted by their size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ages(Vec<u32>);

impl Ages {
    pub(crate) fn add(&mut self, n: u32) {
        let n = (n as usize).min(OLDEST);
        if self.0.len() <= n {
            self.0.resize(n + 1, 0);
        }
        self.0[n] += 1;
    }

    /// Return a percentile: the smallest number that this share does not exceed.
    pub(crate) fn percentile(&self, of_hundred: u64) -> u32 {
        let all: u64 = self.0.iter().map(|n| u64::from(*n)).sum();
        let mut below = 0;
        let reached = self.0.iter().position(|n| {
            below += u64::from(*n);
            below * 100 >= all * of_hundred
        });
        reached.unwrap_or(0) as u32
    }

    pub(crate) fn ends(&self) -> [u32; 2] {
        [self.percentile(50), self.percentile(95)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_numbers() {
        let mut counts = Ages::default();
        assert_eq!(counts.ends(), [0, 0]);
        (1..=100).for_each(|n| counts.add(n));
        assert_eq!(counts.ends(), [50, 95]);
        counts.add(u32::MAX);
        assert_eq!(counts.percentile(100), OLDEST as u32);
    }
}
