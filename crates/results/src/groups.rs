//! Means over the labels and groups that protocols declare.

use std::collections::{BTreeMap, BTreeSet};

use longarm_types::Protocol;
use longarm_types::protocol::{MeanOver, Measure};

use crate::results::{LabelResult, Measured, Mechanisms, MetricResult, RegimeResult, TaskResult};
use crate::stats::{Bootstrap, Interval, Moments, mean_of_proportions};
use crate::summary::Group;
use crate::{CONFIDENCE, RowSummary, RunConfig};

/// The name of the metric that stands for a whole benchmark.
const OVERALL: &str = "overall";

/// How intervals of scores are found.
fn bootstrap() -> Bootstrap {
    Bootstrap { confidence: CONFIDENCE, ..Bootstrap::default() }
}

/// Tasks with episodes that count, and their episodes.
struct Tasks<'a> {
    groups: &'a [Group<'a>],
    tasks: &'a [TaskResult],
}

/// Both measures of some tasks, 0–100: means of task means, standard errors over pooled episodes.
struct Pooled {
    n: u64,
    score: (f64, f64),
    success: (f64, f64),
}

impl Pooled {
    fn of(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Success => self.success.0,
            Measure::Score => self.score.0,
            Measure::Composite => f64::midpoint(self.success.0, self.score.0),
        }
    }
}

impl Tasks<'_> {
    /// `None` without tasks.
    fn pooled(&self, which: &[usize]) -> Option<Pooled> {
        let k = which.len() as f64;
        let scores: Vec<f64> =
            which.iter().flat_map(|&i| self.groups[i].scores.iter().copied()).collect();
        let rows = which.iter().flat_map(|&i| &self.groups[i].counted);
        let solved: Vec<f64> = rows.map(|r| if r.success() { 100.0 } else { 0.0 }).collect();
        let mean = |of: &dyn Fn(&TaskResult) -> f64| {
            which.iter().map(|&i| of(&self.tasks[i])).sum::<f64>() / k
        };
        (!which.is_empty()).then(|| Pooled {
            n: scores.len() as u64,
            score: (mean(&|t| t.score.mean), Moments::of(&scores).se),
            success: (mean(&|t| 100.0 * t.success.mean), Moments::of(&solved).se),
        })
    }

    /// The measures of some tasks with their intervals, 0–100.
    fn measured(&self, which: &[usize], protocol: &Protocol, purpose: &str) -> Measured {
        let solved: Vec<_> =
            which.iter().map(|&i| (self.tasks[i].successes, self.tasks[i].n)).collect();
        let scores: Vec<Vec<f64>> = which.iter().map(|&i| self.groups[i].scores.clone()).collect();
        Measured {
            success: mean_of_proportions(&solved, CONFIDENCE).scaled(100.0),
            score: bootstrap().stratified_mean(&scores, purpose),
            composite: protocol.measures().contains(&Measure::Composite).then(|| {
                let values: Vec<Vec<f64>> =
                    which.iter().map(|&i| self.values(i, Measure::Composite)).collect();
                bootstrap().stratified_mean(&values, purpose)
            }),
        }
    }

    /// The mean of the groups' means, each the mean of its tasks, with its interval, 0–100.
    fn mean_of_groups(&self, groups: &[Vec<usize>], measure: Measure, purpose: &str) -> Interval {
        let strata = groups.iter().flat_map(|which| {
            let weight = 1.0 / (groups.len() * which.len()) as f64;
            which.iter().map(move |&i| (weight, self.values(i, measure)))
        });
        bootstrap().weighted_mean(&strata.collect::<Vec<_>>(), purpose)
    }

    /// A measure of each episode of a task, 0–100.
    fn values(&self, task: usize, measure: Measure) -> Vec<f64> {
        let solved = |r: &&RowSummary| if r.success() { 100.0 } else { 0.0 };
        match measure {
            Measure::Score => self.groups[task].scores.clone(),
            Measure::Success => self.groups[task].counted.iter().map(solved).collect(),
            Measure::Composite => {
                let scores = self.values(task, Measure::Score);
                let both = self.values(task, Measure::Success).into_iter().zip(scores);
                both.map(|(a, b)| f64::midpoint(a, b)).collect()
            }
        }
    }

    /// Tasks of a suite that carry one of some labels.
    fn with(&self, suite: &str, labels: &dyn Fn(&str) -> bool) -> Vec<usize> {
        let own = |i: &usize| {
            self.tasks[*i].n > 0
                && self.groups[*i].suite() == suite
                && self.tasks[*i].labels.iter().any(|l| labels(l))
        };
        (0..self.tasks.len()).filter(own).collect()
    }
}

/// What the labels of a run's tasks, and the protocols of their suites, give.
pub(crate) fn mechanisms(
    config: &RunConfig,
    groups: &[Group],
    tasks: &[TaskResult],
) -> Option<Mechanisms> {
    let all = Tasks { groups, tasks };
    let suites: BTreeSet<&str> =
        groups.iter().zip(tasks).filter(|(_, t)| t.n > 0).map(|(g, _)| g.suite()).collect();
    let mut out = Mechanisms { labels: vec![], regimes: vec![], overall: None, metrics: vec![] };
    for suite in suites {
        let protocol = config.protocol(suite);
        out.labels.extend(labels(suite, &protocol, &all));
        out.regimes.extend(regimes(suite, &protocol, &all));
        out.metrics.extend(metrics(suite, &protocol, &all));
    }
    let mut overall = out.metrics.iter().filter(|m| m.name == OVERALL);
    // Two suites may each have one, and then none stands for the run.
    out.overall = match (overall.next(), overall.next()) {
        (Some(one), None) => Some(one.value),
        _ => None,
    };
    (!out.labels.is_empty() || !out.metrics.is_empty()).then_some(out)
}

/// Label by label: those of the protocol in its order, then all others.
fn labels(suite: &str, protocol: &Protocol, all: &Tasks) -> Vec<LabelResult> {
    let mut order: BTreeMap<(usize, &str), ()> = BTreeMap::new();
    for i in all.with(suite, &|_| true) {
        for label in &all.tasks[i].labels {
            let place = protocol.label(label).map_or(usize::MAX, |(place, ..)| place);
            order.insert((place, label), ());
        }
    }
    let result = |(_, label): (usize, &str)| {
        let which = all.with(suite, &|l| l == label);
        let pooled = all.pooled(&which)?;
        let known = protocol.label(label);
        Some(LabelResult {
            suite: suite.to_owned(),
            label: label.to_owned(),
            name: known.map_or(label, |(_, _, l)| &l.name).to_owned(),
            regime: known.map(|(_, g, _)| g.name.clone()),
            tasks: which.iter().map(|&i| all.tasks[i].task.clone()).collect(),
            n: pooled.n,
            mean: pooled.score.0,
            se: pooled.score.1,
            success: pooled.success.0,
            success_se: pooled.success.1,
            intervals: known.map(|_| all.measured(&which, protocol, &format!("{suite}/{label}"))),
        })
    };
    order.into_keys().filter_map(result).collect()
}

/// The tasks of each group that the protocol declares.
fn members(suite: &str, protocol: &Protocol, all: &Tasks) -> Vec<Vec<usize>> {
    let own = |g: &longarm_types::protocol::LabelGroup| {
        all.with(suite, &|label| g.labels.iter().any(|l| l.label == label))
    };
    protocol.groups.iter().map(own).collect()
}

fn regimes(suite: &str, protocol: &Protocol, all: &Tasks) -> Vec<RegimeResult> {
    let members = members(suite, protocol, all);
    let result = |(g, which): (&longarm_types::protocol::LabelGroup, &Vec<usize>)| {
        let pooled = all.pooled(which)?;
        Some(RegimeResult {
            suite: suite.to_owned(),
            regime: g.name.clone(),
            tasks: which.len() as u64,
            n: pooled.n,
            mean: pooled.score.0,
            se: pooled.score.1,
            success: pooled.success.0,
            success_se: pooled.success.1,
            intervals: Some(all.measured(which, protocol, &format!("{suite}/{}", g.name))),
        })
    };
    protocol.groups.iter().zip(&members).filter_map(result).collect()
}

fn metrics(suite: &str, protocol: &Protocol, all: &Tasks) -> Vec<MetricResult> {
    let value = |measure: Measure, over: MeanOver, purpose: &str| match over {
        MeanOver::Tasks => {
            let every: Vec<usize> = (0..all.tasks.len())
                .filter(|&i| all.tasks[i].n > 0 && all.groups[i].suite() == suite)
                .collect();
            let value = all.pooled(&every)?.of(measure);
            Some((value, of(&all.measured(&every, protocol, purpose), measure)))
        }
        MeanOver::Groups => {
            let members = members(suite, protocol, all);
            let means: Option<Vec<f64>> =
                members.iter().map(|m| Some(all.pooled(m)?.of(measure))).collect();
            let means = means.filter(|m| !m.is_empty())?;
            let value = means.iter().sum::<f64>() / means.len() as f64;
            Some((value, all.mean_of_groups(&members, measure, purpose)))
        }
    };
    let result = |m: &longarm_types::protocol::Metric| {
        let (value, interval) = value(m.measure, m.over, &format!("{suite}/{}", m.name))?;
        Some(MetricResult {
            suite: suite.to_owned(),
            name: m.name.clone(),
            title: m.title.clone(),
            value,
            interval: Some(interval),
        })
    };
    protocol.metrics.iter().filter_map(result).collect()
}

/// One of the measures.
pub(crate) fn of(measured: &Measured, measure: Measure) -> Interval {
    match measure {
        Measure::Success => measured.success,
        Measure::Score => measured.score,
        Measure::Composite => measured.composite.unwrap_or(measured.score),
    }
}
