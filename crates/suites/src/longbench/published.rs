//! What LongBench published, as reference rows, and how its summary scores follow from task scores.

use longarm_types::protocol::{LabelGroup, Published, PublishedRow};

use super::{OVERALL, SUITE, regimes};

/// Where the rows come from.
const SOURCE: &str = "LongBench, arXiv 2604.16788, Tables 4 and 5: 10 episodes per task on a real \
                      arm. Means of the task scores; ± is the standard error over pooled episodes.";

/// A policy's published mean stage scores.
#[derive(Clone, Copy)]
struct Policy {
    name: &'static str,
    /// Mean score of each task, in the suite's order.
    scores: [f64; 10],
    /// The paper's averages of the two regimes, which its means must agree with.
    #[cfg_attr(not(test), allow(dead_code, reason = "what the test compares with"))]
    averages: [f64; 2],
}

const fn row(name: &'static str, scores: [f64; 10], averages: [f64; 2]) -> Policy {
    Policy { name, scores, averages }
}

/// The six policies of the paper.
#[rustfmt::skip]
const POLICIES: [Policy; 6] = [
    row("π0", [100.0, 72.0, 95.0, 91.3, 73.3, 60.0, 65.0, 38.8, 23.0, 0.0], [86.3, 37.3]),
    row("OpenVLA-OFT", [90.0, 46.0, 17.5, 10.0, 0.0, 56.6, 2.5, 23.8, 0.0, 0.0], [32.7, 16.6]),
    row("SmolVLA", [83.3, 62.0, 48.8, 28.8, 10.0, 48.3, 43.8, 43.8, 22.0, 55.0], [46.6, 42.6]),
    row("DP", [91.7, 30.0, 47.5, 73.8, 13.3, 16.6, 68.8, 7.5, 9.0, 4.0], [51.2, 21.2]),
    row("MemoryVLA", [81.6, 64.0, 62.5, 27.5, 10.0, 56.6, 82.5, 27.5, 36.0, 24.0], [49.1, 45.3]),
    row("CronusVLA", [86.6, 56.0, 41.2, 15.0, 13.3, 50.0, 67.5, 12.5, 14.0, 20.0], [42.4, 32.8]),
];

/// The published rows: scores of tasks, and the means of labels and regimes that follow from them.
pub(super) fn published() -> Published {
    let tasks: Vec<(&str, Vec<String>)> =
        SUITE.ids().into_iter().zip(SUITE.tasks().map(|t| t.labels)).collect();
    let rows = POLICIES.iter().map(|p| {
        let mean = |labels: &[&str]| {
            let carries = |of: &[String]| of.iter().any(|l| labels.contains(&l.as_str()));
            let with = tasks.iter().zip(p.scores).filter(|((_, of), _)| carries(of));
            let scores: Vec<f64> = with.map(|(_, score)| score).collect();
            scores.iter().sum::<f64>() / scores.len() as f64
        };
        let own =
            |g: &LabelGroup| -> Vec<String> { g.labels.iter().map(|l| l.label.clone()).collect() };
        let groups = regimes();
        let mut scores: Vec<(String, f64)> =
            tasks.iter().zip(p.scores).map(|((id, _), s)| ((*id).to_owned(), s)).collect();
        let mut overall = 0.0;
        for g in &groups {
            let labels = own(g);
            scores.extend(labels.iter().map(|l| (l.clone(), mean(&[l]))));
            let regime = mean(&labels.iter().map(String::as_str).collect::<Vec<_>>());
            scores.push((g.name.clone(), regime));
            overall += regime / groups.len() as f64;
        }
        scores.push((OVERALL.to_owned(), overall));
        PublishedRow { policy: p.name.to_owned(), scores: scores.into_iter().collect() }
    });
    Published { source: SOURCE.to_owned(), rows: rows.collect(), memory: None }
}

#[cfg(test)]
mod tests {
    use super::super::{DEPENDENT, INDEPENDENT};
    use super::*;

    fn of(policy: &str, key: &str) -> f64 {
        let all = published();
        all.rows.iter().find(|r| r.policy == policy).unwrap().scores[key]
    }

    #[test]
    fn averages_are_those_of_the_paper() {
        for p in POLICIES {
            for (regime, theirs) in [INDEPENDENT, DEPENDENT].into_iter().zip(p.averages) {
                let ours = of(p.name, regime);
                assert!((ours - theirs).abs() < 0.061, "{}: {ours} {theirs}", p.name);
            }
        }
        let both = (of("π0", INDEPENDENT) + of("π0", DEPENDENT)) / 2.0;
        assert!((of("π0", OVERALL) - both).abs() < 1e-9);
    }

    #[test]
    fn mechanism_scores_are_those_of_the_paper() {
        assert!((of("MemoryVLA", "CT") - 55.0).abs() < 1e-9);
        assert!((of("MemoryVLA", "SB") - 30.0).abs() < 1e-9);
        assert_eq!(of("π0", "TW"), 73.3);
        assert_eq!(of("π0", "longbench/thread-rope"), 72.0);
    }

    #[test]
    fn every_task_score_is_a_whole_number_of_phases_in_ten_episodes() {
        for p in POLICIES {
            for (score, task) in p.scores.iter().zip(SUITE.tasks()) {
                let n = 10.0 * f64::from(task.source.phases.unwrap());
                let phases = (score / 100.0 * n).round();
                assert!((phases / n * 100.0 - score).abs() < 0.11, "{}: {score}", p.name);
            }
        }
    }

    #[test]
    fn every_task_belongs_to_one_regime() {
        let protocol = (SUITE.protocol)();
        for (i, task) in SUITE.tasks().enumerate() {
            assert_eq!(protocol.needs_context(&task.labels), Some(i >= 5), "{}", task.id);
        }
    }
}
