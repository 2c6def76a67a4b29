//! What LongBench published, as reference rows, and how its summary scores follow from task scores.

/// The suite's tasks in the paper's order: five context-independent, then five context-dependent.
pub const ORDER: [&str; 10] = [
    "longbench/waste-sorting",
    "longbench/thread-rope",
    "longbench/pull-drawer",
    "longbench/stack-block",
    "longbench/dynamic-grasping",
    "longbench/vase-sticks",
    "longbench/wipe-plate",
    "longbench/repeat-placement",
    "longbench/swap-blocks",
    "longbench/hide-block",
];

/// How many of [`ORDER`] are context-independent.
pub const CONTEXT_INDEPENDENT: usize = 5;

/// Mechanisms of the context-independent regime, then of the context-dependent one.
pub const MECHANISMS: [&str; 8] = ["PD", "IP", "EA", "TW", "CP", "CT", "SB", "CE"];

/// Where the rows come from.
pub const SOURCE: &str = "LongBench, arXiv 2604.16788, Tables 4 and 5";

/// A policy's published mean stage scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Policy.
    pub policy: &'static str,
    /// Mean score of each task, in [`ORDER`].
    pub scores: [f64; 10],
    /// The paper's averages of the two regimes.
    pub averages: [f64; 2],
}

const fn row(policy: &'static str, scores: [f64; 10], averages: [f64; 2]) -> Published {
    Published { policy, scores, averages }
}

/// The six policies of the paper.
#[rustfmt::skip]
pub const PUBLISHED: [Published; 6] = [
    row("π0", [100.0, 72.0, 95.0, 91.3, 73.3, 60.0, 65.0, 38.8, 23.0, 0.0], [86.3, 37.3]),
    row("OpenVLA-OFT", [90.0, 46.0, 17.5, 10.0, 0.0, 56.6, 2.5, 23.8, 0.0, 0.0], [32.7, 16.6]),
    row("SmolVLA", [83.3, 62.0, 48.8, 28.8, 10.0, 48.3, 43.8, 43.8, 22.0, 55.0], [46.6, 42.6]),
    row("DP", [91.7, 30.0, 47.5, 73.8, 13.3, 16.6, 68.8, 7.5, 9.0, 4.0], [51.2, 21.2]),
    row("MemoryVLA", [81.6, 64.0, 62.5, 27.5, 10.0, 56.6, 82.5, 27.5, 36.0, 24.0], [49.1, 45.3]),
    row("CronusVLA", [86.6, 56.0, 41.2, 15.0, 13.3, 50.0, 67.5, 12.5, 14.0, 20.0], [42.4, 32.8]),
];

fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0u32);
    for v in values {
        sum += v;
        n += 1;
    }
    (n > 0).then(|| sum / f64::from(n))
}

/// Scores that follow from the task scores of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Mean of the tasks carrying each label, in the order of [`MECHANISMS`].
    pub mechanisms: [Option<f64>; 8],
    /// Context-independent and context-dependent mean.
    pub regimes: [Option<f64>; 2],
    /// Mean of both regimes.
    pub overall: Option<f64>,
}

/// The diagnosis of task scores in [`ORDER`]; missing tasks are left out of every mean.
pub fn diagnose(scores: &[Option<f64>; 10]) -> Diagnosis {
    let labels: Vec<Vec<String>> = super::SUITE.tasks().map(|t| t.labels).collect();
    let over = |which: &dyn Fn(usize) -> bool| {
        mean((0..ORDER.len()).filter(|i| which(*i)).filter_map(|i| scores[i]))
    };
    let regimes = [over(&|i| i < CONTEXT_INDEPENDENT), over(&|i| i >= CONTEXT_INDEPENDENT)];
    Diagnosis {
        mechanisms: MECHANISMS.map(|m| over(&|i| labels[i].iter().any(|l| l == m))),
        regimes,
        overall: mean(regimes.into_iter().flatten()),
    }
}

/// Standard error of the mean over pooled trials.
pub fn standard_error(trials: &[f64]) -> Option<f64> {
    let m = mean(trials.iter().copied())?;
    let n = trials.len() as f64;
    (n > 1.0)
        .then(|| (trials.iter().map(|t| (t - m) * (t - m)).sum::<f64>() / (n - 1.0) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(policy: &str) -> (Published, Diagnosis) {
        let row = *PUBLISHED.iter().find(|p| p.policy == policy).unwrap();
        (row, diagnose(&row.scores.map(Some)))
    }

    #[test]
    fn order_is_the_suites_order() {
        assert_eq!(super::super::SUITE.ids(), ORDER);
    }

    #[test]
    fn averages_are_those_of_the_paper() {
        for row in PUBLISHED {
            let d = diagnose(&row.scores.map(Some));
            for (ours, theirs) in d.regimes.into_iter().zip(row.averages) {
                assert!(
                    (ours.unwrap() - theirs).abs() < 0.061,
                    "{}: {ours:?} {theirs}",
                    row.policy
                );
            }
        }
    }

    #[test]
    fn mechanism_scores_are_those_of_the_paper() {
        let (_, d) = of("MemoryVLA");
        let score =
            |m: &str| d.mechanisms[MECHANISMS.iter().position(|x| *x == m).unwrap()].unwrap();
        assert!((score("CT") - 55.0).abs() < 1e-9);
        assert!((score("SB") - 30.0).abs() < 1e-9);
        let (_, d) = of("π0");
        assert_eq!(d.mechanisms[3], Some(73.3));
    }

    #[test]
    fn every_task_score_is_a_whole_number_of_phases_in_ten_episodes() {
        for row in PUBLISHED {
            for (score, task) in row.scores.iter().zip(super::super::SUITE.tasks()) {
                let n = 10.0 * f64::from(task.source.phases.unwrap());
                let phases = (score / 100.0 * n).round();
                assert!((phases / n * 100.0 - score).abs() < 0.11, "{}: {score}", row.policy);
            }
        }
    }

    #[test]
    fn standard_error_of_a_known_sample() {
        assert!((standard_error(&[0.0, 100.0]).unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(standard_error(&[1.0]), None);
    }
}
