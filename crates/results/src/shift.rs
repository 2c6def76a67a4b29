//! What modified surroundings cost a skill, and what chaining costs a chain. Which task is whose
//! plain version, and what a chain is made of, is declared by a protocol.
//!
//! A ratio whose denominator is zero (a skill that is never solved) is `None`, never zero: such
//! skills are counted apart and enter no mean.

use std::collections::BTreeMap;

use serde::Serialize;

use longarm_types::protocol::Role;
use longarm_types::{Rng, Seed};

use crate::stats::{Interval, quantile, wilson};
use crate::{CONFIDENCE, TaskResult};

/// How often something was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Episodes solved.
    pub successes: u64,
    /// Episodes that count.
    pub n: u64,
}

impl Tally {
    /// Share solved; `None` without episodes.
    pub fn rate(self) -> Option<f64> {
        (self.n > 0).then(|| self.successes as f64 / self.n as f64)
    }

    fn add(&mut self, successes: u64, n: u64) {
        self.successes += successes;
        self.n += n;
    }

    /// A share that could have given this tally: a draw from Jeffreys' posterior, whose two halves are
    /// sums of exponentials and a squared normal.
    fn draw(self, rng: &mut Rng) -> f64 {
        let mut half = |k: u64| {
            let tail: f64 = (0..k).map(|_| -libm::log(1.0 - rng.unit())).sum();
            let z = rng.normal();
            tail + z * z / 2.0
        };
        let (won, lost) = (half(self.successes), half(self.n - self.successes));
        won / (won + lost)
    }
}

/// Ratio Performance Delta: the share of its success that a skill loses. `None` if the plain skill
/// is never solved or either was not run.
pub fn rpd(plain: Tally, modified: Tally) -> Option<f64> {
    loss(plain.rate()?, modified.rate()?)
}

/// The share of a success rate that is lost, if there is any.
fn loss(plain: f64, modified: f64) -> Option<f64> {
    (plain > 0.0).then(|| (plain - modified) / plain)
}

/// Draws behind the interval of a mean delta.
const DRAWS: usize = 2000;

/// The mean of the deltas that are defined, positive or not. The interval comes from drawing every
/// share again, a plain skill once for all of its modified versions; the tasks are taken as they are.
fn mean_rpd<'a>(skills: impl Iterator<Item = &'a SkillDelta>) -> Option<Interval> {
    let defined: Vec<(&SkillDelta, f64)> = skills.filter_map(|s| Some((s, s.rpd?))).collect();
    let n = defined.len() as f64;
    let draws = |id: &str, tally: Tally| -> Vec<f64> {
        let mut rng = Seed(0).stream(&format!("rpd/{id}"));
        (0..DRAWS).map(|_| tally.draw(&mut rng)).collect()
    };
    let mut plain: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut means = vec![0.0; DRAWS];
    for (s, _) in &defined {
        let before = plain.entry(&s.skill).or_insert_with(|| draws(&s.skill, s.plain));
        let after = draws(&s.task, s.modified);
        for ((mean, p), m) in means.iter_mut().zip(before).zip(&after) {
            *mean += loss(*p, *m).unwrap_or_default() / n;
        }
    }
    means.sort_by(f64::total_cmp);
    let mean = defined.iter().map(|(_, r)| r).sum::<f64>() / n;
    let tail = (1.0 - CONFIDENCE) / 2.0;
    (!defined.is_empty()).then(|| Interval {
        mean,
        lo: quantile(&means, tail).min(mean),
        hi: quantile(&means, 1.0 - tail).max(mean),
    })
}

/// The interval of a Ratio Performance Delta; see [`ShiftReport::mean`] for where it comes from.
pub fn rpd_interval(plain: Tally, modified: Tally) -> Option<Interval> {
    let (task, skill) = ("modified".to_owned(), "plain".to_owned());
    let rpd = rpd(plain, modified);
    mean_rpd([SkillDelta { task, skill, plain, modified, rpd, interval: None }].iter())
}

/// A skill beside its modified version.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkillDelta {
    /// The modified task.
    pub task: String,
    /// The plain skill.
    pub skill: String,
    /// Plain.
    pub plain: Tally,
    /// Modified.
    pub modified: Tally,
    /// Ratio Performance Delta.
    pub rpd: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
}

/// All modified skills with the same number of modifications.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Deltas {
    /// How many modifications.
    pub modifications: usize,
    /// Task by task.
    pub skills: Vec<SkillDelta>,
    /// Tasks whose delta is undefined: the plain skill is never solved, or was not run.
    pub undefined: usize,
    /// Mean delta of the others.
    pub mean: Option<Interval>,
    /// Share of the others with a positive delta.
    pub affected: Option<Interval>,
    /// Mean of the positive deltas.
    pub mean_positive: Option<f64>,
}

/// A chain of skills.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainDelta {
    /// The task.
    pub task: String,
    /// How often the whole chain was completed.
    pub whole: Tally,
    /// Product of the skills' own success rates; `None` if one was not run.
    pub upper_bound: Option<f64>,
    /// Delta to Upper Bound Ratio: what is missing to the bound, as a share of it. `None` where the
    /// bound is nought.
    pub dubr: Option<f64>,
    /// Share of episodes that completed at least the first k skills, k = 1, 2, …
    pub levels: Vec<f64>,
}

/// What modified surroundings and chaining cost one policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShiftReport {
    /// By number of modifications.
    pub deltas: Vec<Deltas>,
    /// Mean delta over all of them. Its interval, as that of every delta, comes from drawing success
    /// rates that could have given the counts; so it has a width even where every episode succeeds.
    pub mean: Option<Interval>,
    /// Chain by chain.
    pub chains: Vec<ChainDelta>,
}

/// Measures the results of one or more runs of one policy. Runs of the same task are pooled. Tasks
/// without a role are plain.
pub fn measure<'a>(
    tasks: impl IntoIterator<Item = &'a TaskResult>,
    roles: &BTreeMap<String, Role>,
) -> ShiftReport {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut levels: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for t in tasks {
        tallies.entry(&t.task).or_default().add(t.successes, t.n);
        let stages = levels.entry(&t.task).or_default();
        stages.resize(t.stages.len().max(stages.len()), 0);
        for (sum, s) in stages.iter_mut().zip(&t.stages) {
            *sum += s.completed;
        }
    }
    let of = |id: &str| tallies.get(id).copied().unwrap_or_default();
    let mut by_count: BTreeMap<usize, Vec<SkillDelta>> = BTreeMap::new();
    let mut chains = Vec::new();
    for (id, whole) in &tallies {
        match roles.get(*id) {
            None => {}
            Some(Role::Modified { plain: skill, count, .. }) => {
                let plain = of(skill);
                by_count.entry(*count as usize).or_default().push(SkillDelta {
                    task: (*id).to_owned(),
                    rpd: rpd(plain, *whole),
                    interval: rpd_interval(plain, *whole),
                    skill: skill.clone(),
                    plain,
                    modified: *whole,
                });
            }
            Some(Role::Chain { parts }) => {
                let upper_bound = parts.iter().map(|s| of(s).rate()).product::<Option<f64>>();
                let actual = whole.rate();
                let dubr =
                    upper_bound.filter(|u| *u > 0.0).and_then(|u| actual.map(|a| (u - a) / u));
                let n = whole.n.max(1) as f64;
                let levels = levels.get(id).into_iter().flatten().map(|k| *k as f64 / n).collect();
                chains.push(ChainDelta {
                    task: (*id).to_owned(),
                    whole: *whole,
                    upper_bound,
                    dubr,
                    levels,
                });
            }
        }
    }
    let deltas = by_count.into_iter().map(|(modifications, skills)| {
        let defined: Vec<f64> = skills.iter().filter_map(|s| s.rpd).collect();
        let positive: Vec<f64> = defined.iter().copied().filter(|r| *r > 0.0).collect();
        let (k, n) = (positive.len() as u64, defined.len() as u64);
        Deltas {
            modifications,
            undefined: skills.len() - defined.len(),
            mean: mean_rpd(skills.iter()),
            affected: (n > 0).then(|| wilson(k, n, CONFIDENCE)),
            mean_positive: (k > 0).then(|| positive.iter().sum::<f64>() / k as f64),
            skills,
        }
    });
    let deltas: Vec<Deltas> = deltas.collect();
    let mean = mean_rpd(deltas.iter().flat_map(|d| &d.skills));
    ShiftReport { deltas, mean, chains }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Score, StageResult};

    fn result(task: &str, successes: u64, n: u64, stages: &[u64]) -> TaskResult {
        TaskResult {
            task: task.to_owned(),
            n,
            success: wilson(successes, n, CONFIDENCE),
            score: Score { mean: 0.0, std: 0.0, se: 0.0 },
            successes,
            success_ever: 0.0,
            success_at_end: 0.0,
            progress: 0.0,
            steps: 0.0,
            policy_errors: 0,
            harness_errors: 0,
            died_after_last: 0,
            labels: Vec::new(),
            stages: stages
                .iter()
                .map(|c| StageResult { name: String::new(), n, completed: *c, died: 0, step: None })
                .collect(),
            hash: String::new(),
        }
    }

    fn roles(tasks: &[TaskResult]) -> BTreeMap<String, Role> {
        let chain = |parts: [&str; 3]| Role::Chain { parts: parts.map(str::to_owned).into() };
        let role = |id: &str| {
            Some(match id {
                "chain" => chain(["a", "b", "c"]),
                "hopeless" => chain(["a", "d", "c"]),
                _ => {
                    let (plain, count) = id.split_once('+')?;
                    Role::Modified {
                        plain: plain.to_owned(),
                        count: count.parse().ok()?,
                        challenge: None,
                        title: String::new(),
                    }
                }
            })
        };
        tasks.iter().filter_map(|t| Some((t.task.clone(), role(&t.task)?))).collect()
    }

    #[test]
    fn deltas_and_chains_by_hand() {
        // a: 16/20 plain, 4/20 modified: (0.8 − 0.2) / 0.8 = 0.75.
        // b: 10/20 plain, 5/20 modified: 0.5. c: 20/20 and 20/20: 0. d: 0/20: undefined.
        let tasks = [
            result("a", 10, 10, &[10]),
            result("a", 6, 10, &[6]),
            result("b", 10, 20, &[10]),
            result("c", 20, 20, &[20]),
            result("d", 0, 20, &[0]),
            result("a+1", 4, 20, &[4]),
            result("b+1", 5, 20, &[5]),
            result("c+1", 20, 20, &[20]),
            result("d+1", 3, 20, &[3]),
            result("b+2", 12, 20, &[12]),
            result("chain", 5, 20, &[15, 10, 5]),
            result("hopeless", 0, 20, &[15, 0, 0]),
        ];
        let r = measure(&tasks, &roles(&tasks));
        let one = &r.deltas[0];
        assert_eq!((one.modifications, one.undefined, one.skills.len()), (1, 1, 4));
        let rpds: Vec<_> = one.skills.iter().map(|s| s.rpd).collect();
        let near = |x: Option<f64>, y: f64| x.is_some_and(|x| (x - y).abs() < 1e-12);
        assert!(near(rpds[0], 0.75) && near(rpds[1], 0.5) && rpds[2] == Some(0.0), "{rpds:?}");
        assert_eq!(rpds[3], None);
        // Two of the three that are defined are positive; their mean is 0.625.
        assert!(near(one.affected.map(|i| i.mean), 2.0 / 3.0));
        assert!(near(one.mean_positive, 0.625));
        // (0.75 + 0.5 + 0) / 3, and three shares of 20 do not pin it down to a percent.
        let mean = one.mean.unwrap();
        assert!(near(Some(mean.mean), 1.25 / 3.0), "{mean:?}");
        assert!((0.1..0.4).contains(&mean.lo) && (0.45..0.6).contains(&mean.hi), "{mean:?}");
        assert_eq!(r, measure(&tasks, &roles(&tasks)), "draws are the same every time");
        // Better when modified: negative, hence none affected and no mean.
        let two = &r.deltas[1];
        assert!(near(two.skills[0].rpd, -0.2));
        assert!(near(two.affected.map(|i| i.mean), 0.0) && two.mean_positive.is_none());
        // 0.8 · 0.5 · 1.0 = 0.4 bounds; 0.25 was reached: 0.15 / 0.4 is missing.
        let chain = &r.chains[0];
        assert!(near(chain.upper_bound, 0.4) && near(chain.dubr, 0.375));
        assert_eq!(chain.levels, [0.75, 0.5, 0.25]);
        assert_eq!((r.chains[1].upper_bound, r.chains[1].dubr), (Some(0.0), None));
    }

    #[test]
    fn intervals_lie_around_their_estimate() {
        let t = |successes, n| Tally { successes, n };
        // The ends are moved to the estimate where draws miss it; so ask for room on both sides.
        for (a, b) in [(20, 20), (18, 20), (18, 9), (10, 5), (5, 5)] {
            let i = rpd_interval(t(a, 20), t(b, 20)).unwrap();
            assert!(i.lo < i.mean - 0.05 && i.mean + 0.05 < i.hi, "{a} {b}: {i:?}");
        }
        // Katz, by hand: ln(0.5) ± 1.96 · sqrt(1/16 − 1/20 + 1/8 − 1/20) gives 0.109 to 0.719.
        let i = rpd_interval(t(16, 20), t(8, 20)).unwrap();
        assert!((i.lo - 0.109).abs() < 0.05 && (i.hi - 0.719).abs() < 0.05, "{i:?}");
        assert_eq!(rpd_interval(t(0, 20), t(3, 20)), None);
        assert_eq!(rpd(t(3, 20), t(0, 0)), None);
    }

    /// Of experiments with known success rates, about 95 % have the true delta in their interval.
    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        let (plain, modified, n) = (0.8, 0.5, 20);
        let truth = (plain - modified) / plain;
        let mut rng = Seed(1).stream("experiments");
        let mut run = |p: f64| {
            let successes = (0..n).filter(|_| rng.unit() < p).count() as u64;
            Tally { successes, n }
        };
        let experiments = 200;
        let covered = (0..experiments)
            .filter(|_| {
                let i = rpd_interval(run(plain), run(modified)).unwrap();
                (i.lo..=i.hi).contains(&truth)
            })
            .count();
        let share = covered as f64 / f64::from(experiments);
        assert!((0.90..0.99).contains(&share), "{share}");
    }
}
