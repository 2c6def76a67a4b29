//! Whether dense reward rises along expert episodes and stays where it was while nobody acts.

use std::sync::Arc;

use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeOutcome, Seed};

use crate::{Actor, Watcher, run_episode};

/// Control steps for which nobody acts.
const IDLE: u32 = 100;

/// The largest fall of dense reward in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// By how much.
    pub by: f64,
    /// The stage that was open.
    pub stage: String,
    /// The seed of the episode, and the step.
    pub seed: u64,
    /// The step.
    pub step: usize,
}

/// How dense reward behaves in a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewardProbe {
    /// Rank correlation of dense reward with time in each expert episode that succeeded.
    pub correlations: Vec<f64>,
    /// Expert episodes that did not succeed, and are not counted.
    pub failed: u64,
    /// The largest fall in one step of those that did.
    pub fall: Option<Fall>,
    /// How far reward comes from its start while nobody acts.
    pub idle: f64,
    /// Why episodes could not run.
    pub errors: Vec<String>,
}

impl RewardProbe {
    /// The median correlation; NaN without episodes.
    pub fn median(&self) -> f64 {
        let mut sorted = self.correlations.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => sorted[n / 2],
            n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
        }
    }
}

/// Dense reward of every moment, and the stage that was open.
#[derive(Default)]
struct Meter {
    dense: Vec<f64>,
    stages: Vec<Option<usize>>,
}

impl Meter {
    fn read(&mut self, env: &Env) {
        self.dense.push(env.report().reward.dense);
        self.stages.push(env.tracker().current());
    }
}

impl Watcher for Meter {
    fn reads_dense_reward(&self) -> bool {
        true
    }
    fn begun(&mut self, env: &mut Env) {
        self.read(env);
    }
    fn after_action(&mut self, env: &mut Env, _: &str) {
        self.read(env);
    }
}

/// Watch dense reward in expert episodes and in one where nobody acts.
pub fn reward(task: &Arc<TaskSpec>, seeds: std::ops::Range<u64>) -> RewardProbe {
    let mut out = RewardProbe::default();
    if let Err(e) = measure(task, seeds, &mut out) {
        out.errors.push(e);
    }
    out
}

fn measure(
    task: &Arc<TaskSpec>,
    seeds: std::ops::Range<u64>,
    out: &mut RewardProbe,
) -> Result<(), String> {
    let text = |e: longarm_sim::SimError| e.to_string();
    let mut env = Env::new(Arc::clone(task), EnvSettings::default()).map_err(text)?;
    for seed in seeds.clone() {
        env.reset(Seed(seed)).map_err(text)?;
        let mut actor = Actor::Expert(Box::new(Expert::new(Memory::Whole)));
        let mut meter = Meter::default();
        let record = run_episode(&mut env, &mut actor, "expert", &mut meter);
        if record.outcome != EpisodeOutcome::Success {
            out.failed += 1;
            continue;
        }
        out.correlations.push(rank_correlation(&meter.dense));
        for (step, w) in meter.dense.windows(2).enumerate() {
            let by = w[0] - w[1];
            if by > out.fall.as_ref().map_or(0.0, |f| f.by) {
                let stage = meter.stages[step].map_or("", |i| env.tracker().title(i)).to_owned();
                out.fall = Some(Fall { by, stage, seed, step: step + 1 });
            }
        }
    }
    if let Some(seed) = seeds.into_iter().next() {
        env.measure_dense(true);
        env.reset(Seed(seed)).map_err(text)?;
        let (idle, start) = (env.action_spec().idle(), env.report().reward.dense);
        for _ in 0..IDLE {
            if env.report().done() {
                break;
            }
            let report = env.step(&idle).map_err(text)?;
            out.idle = out.idle.max((report.reward.dense - start).abs());
        }
    }
    Ok(())
}

/// Rank correlation (Spearman's) of a series with time; equals share their mean rank.
fn rank_correlation(series: &[f64]) -> f64 {
    let n = series.len();
    if n < 2 {
        return f64::NAN;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| series[*a].total_cmp(&series[*b]));
    let mut ranks = vec![0.0; n];
    let mut from = 0;
    while from < n {
        let mut to = from;
        while to + 1 < n && series[order[to + 1]] == series[order[from]] {
            to += 1;
        }
        for k in &order[from..=to] {
            ranks[*k] = f64::midpoint(from as f64, to as f64);
        }
        from = to + 1;
    }
    let middle = (n as f64 - 1.0) / 2.0;
    let (mut both, mut own, mut time) = (0.0, 0.0, 0.0);
    for (k, rank) in ranks.iter().enumerate() {
        let (t, r) = (k as f64 - middle, rank - middle);
        both += t * r;
        own += r * r;
        time += t * t;
    }
    if own == 0.0 { 0.0 } else { both / (own * time).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_say_whether_a_series_rises() {
        assert!((rank_correlation(&[0.0, 0.1, 0.5, 0.6]) - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&[4.0, 3.0, 2.0]) + 1.0).abs() < 1e-12);
        assert_eq!(rank_correlation(&[1.0; 5]), 0.0);
        let steps = rank_correlation(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert!((0.8..0.9).contains(&steps), "{steps}");
    }

    #[test]
    fn the_median_is_of_episodes() {
        let probe = |c: &[f64]| RewardProbe { correlations: c.into(), ..RewardProbe::default() };
        assert_eq!(probe(&[0.9, 0.1, 0.8]).median(), 0.8);
        assert!((probe(&[0.9, 0.8]).median() - 0.85).abs() < 1e-12);
        assert!(probe(&[]).median().is_nan());
    }
}
