//! From rows to [`Results`].

use std::collections::BTreeSet;

use longarm_types::EpisodeOutcome;

use crate::groups::mechanisms;
use crate::results::{
    Counts, Results, SCHEMA, Score, StageResult, StageSteps, SuiteResult, TaskResult,
};
use crate::stats::{Bootstrap, Interval, Moments, mean_of_proportions, quantile, wilson};
use crate::{CONFIDENCE, RowSummary, RunConfig, Training};

/// Summarizes the rows of a run. Labels and task hashes come from its configuration; the order of
/// the rows does not matter.
pub fn summarize(config: &RunConfig, rows: &[RowSummary]) -> Results {
    let mut order: Vec<&RowSummary> = rows.iter().collect();
    order.sort_by(|a, b| (&a.task, a.seed).cmp(&(&b.task, b.seed)));
    let groups: Vec<Group> = order.chunk_by(|a, b| a.task == b.task).map(Group::new).collect();
    let tasks: Vec<TaskResult> = groups.iter().map(|g| g.summarize(config)).collect();
    let all: Vec<usize> = (0..groups.len()).collect();
    let names: BTreeSet<&str> = groups.iter().map(Group::suite).collect();
    let by_suite = |name: &str| -> Vec<usize> {
        all.iter().copied().filter(|&i| groups[i].suite() == name).collect()
    };
    let suites: Vec<SuiteResult> =
        names.iter().map(|s| suite(s, &by_suite(s), &groups, &tasks)).collect();
    let whole = match suites.as_slice() {
        [only] => only.clone(),
        _ => suite(&names.iter().copied().collect::<Vec<_>>().join("+"), &all, &groups, &tasks),
    };
    let count = |o: EpisodeOutcome| rows.iter().filter(|r| r.outcome == o).count() as u64;
    let counts = Counts {
        expected: config.expected(),
        rows: rows.len() as u64,
        n: rows.iter().filter(|r| r.counts()).count() as u64,
        successes: count(EpisodeOutcome::Success),
        task_failures: count(EpisodeOutcome::TaskFailure),
        policy_errors: count(EpisodeOutcome::PolicyError),
        harness_errors: count(EpisodeOutcome::HarnessError),
    };
    Results {
        schema: SCHEMA.to_owned(),
        selectors: config.selectors.clone(),
        policy: config.policy.clone(),
        seed: config.seed,
        split: config.seeds.as_ref().map(|s| s.split.to_string()),
        episodes: config.episodes,
        engine: config.engine.clone(),
        mujoco: config.mujoco.clone(),
        evidence: config.evidence,
        confidence: CONFIDENCE,
        complete: counts.rows == counts.expected,
        counts,
        suite: whole,
        suites,
        training: Training::of(config, rows),
        mechanisms: mechanisms(config, &groups, &tasks),
        tasks,
    }
}

/// The rows of one task, by seed, and what of them counts.
pub(crate) struct Group<'a> {
    rows: &'a [&'a RowSummary],
    pub(crate) counted: Vec<&'a RowSummary>,
    pub(crate) scores: Vec<f64>,
}

impl<'a> Group<'a> {
    fn new(rows: &'a [&'a RowSummary]) -> Self {
        let counted: Vec<&RowSummary> = rows.iter().copied().filter(|r| r.counts()).collect();
        let scores = counted.iter().map(|r| r.score).collect();
        Self { rows, counted, scores }
    }

    pub(crate) fn suite(&self) -> &'a str {
        self.rows[0].suite()
    }

    fn share(&self, of: impl Fn(&RowSummary) -> bool) -> f64 {
        self.mean(|r| f64::from(u8::from(of(r))))
    }

    fn mean(&self, of: impl Fn(&RowSummary) -> f64) -> f64 {
        match self.counted.len() {
            0 => 0.0,
            n => self.counted.iter().map(|r| of(r)).sum::<f64>() / n as f64,
        }
    }

    fn count(&self, of: impl Fn(&RowSummary) -> bool) -> u64 {
        self.rows.iter().filter(|r| of(r)).count() as u64
    }

    fn summarize(&self, config: &RunConfig) -> TaskResult {
        let id = &self.rows[0].task;
        let entry = config.tasks.iter().find(|(t, _)| t.as_str() == &**id).map(|(_, e)| e);
        let n = self.counted.len() as u64;
        let successes = self.count(RowSummary::success);
        let m = Moments::of(&self.scores);
        let lost = |r: &RowSummary| r.counts() && !r.success() && r.failed_at().is_none();
        TaskResult {
            task: id.to_string(),
            n,
            success: wilson(successes, n, CONFIDENCE),
            score: Score { mean: m.mean, std: m.std, se: m.se },
            successes,
            success_ever: self.share(|r| r.success_ever),
            success_at_end: self.share(|r| r.success_at_end),
            progress: self.mean(|r| r.progress),
            steps: self.mean(|r| f64::from(r.steps)),
            policy_errors: self.count(|r| r.outcome == EpisodeOutcome::PolicyError),
            harness_errors: self.count(|r| r.outcome == EpisodeOutcome::HarnessError),
            died_after_last: self.count(lost),
            labels: entry.map(|e| e.labels.clone()).unwrap_or_default(),
            stages: self.stages(entry.map_or(&[], |e| &e.stages)),
            hash: self.rows[0].task_hash.to_string(),
        }
    }

    /// Stages by name, in the task's order; a name that recurs in an episode is told apart by how
    /// often it came before.
    fn stages(&self, known: &[String]) -> Vec<StageResult> {
        struct Sum<'s> {
            name: &'s str,
            n: u64,
            died: u64,
            steps: Vec<f64>,
            completed: u64,
        }
        let new = |name| Sum { name, n: 0, died: 0, steps: Vec::new(), completed: 0 };
        let mut sums: Vec<Sum> = known.iter().map(|s| new(s)).collect();
        for row in &self.counted {
            let died = row.failed_at();
            for (i, stage) in row.stages.iter().enumerate() {
                let earlier = row.stages[..i].iter().filter(|s| s.name == stage.name).count();
                // Nearly always at its own place; search where a task's stages vary.
                let here = earlier == 0 && sums.get(i).is_some_and(|s| *s.name == *stage.name);
                let found = if here && !sums[..i].iter().any(|s| *s.name == *stage.name) {
                    Some(i)
                } else {
                    let mut same = sums.iter().enumerate().filter(|(_, s)| *s.name == *stage.name);
                    same.nth(earlier).map(|(at, _)| at)
                };
                let at = found.unwrap_or_else(|| {
                    sums.push(new(&stage.name));
                    sums.len() - 1
                });
                let sum = &mut sums[at];
                sum.n += 1;
                sum.died += u64::from(died == Some(i));
                sum.completed += u64::from(stage.completed);
                if let (true, Some(step)) = (stage.completed, stage.step) {
                    sum.steps.push(f64::from(step));
                }
            }
        }
        sums.into_iter()
            .map(|mut s| {
                s.steps.sort_by(f64::total_cmp);
                let q = |p| quantile(&s.steps, p);
                let step = (!s.steps.is_empty()).then(|| StageSteps {
                    p10: q(0.1),
                    p25: q(0.25),
                    p50: q(0.5),
                    p75: q(0.75),
                    p90: q(0.9),
                });
                StageResult {
                    name: s.name.to_owned(),
                    n: s.n,
                    completed: s.completed,
                    died: s.died,
                    step,
                }
            })
            .collect()
    }
}

fn suite(name: &str, which: &[usize], groups: &[Group], tasks: &[TaskResult]) -> SuiteResult {
    let with: Vec<usize> = which.iter().copied().filter(|&i| tasks[i].n > 0).collect();
    let proportions: Vec<_> = with.iter().map(|&i| (tasks[i].successes, tasks[i].n)).collect();
    let successes =
        |g: &Group| g.counted.iter().map(|r| f64::from(u8::from(r.success()))).collect();
    let boot = Bootstrap { confidence: CONFIDENCE, ..Default::default() };
    let solved: Vec<Vec<f64>> = with.iter().map(|&i| successes(&groups[i])).collect();
    let scores: Vec<Vec<f64>> = with.iter().map(|&i| groups[i].scores.clone()).collect();
    let (success_bootstrap, score) = std::thread::scope(|scope| {
        let other = scope.spawn(|| boot.stratified_mean(&solved, "success"));
        let score = boot.stratified_mean(&scores, "score");
        (other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), score)
    });
    let mean = |of: &dyn Fn(&TaskResult) -> f64| match with.len() {
        0 => 0.0,
        n => with.iter().map(|&i| of(&tasks[i])).sum::<f64>() / n as f64,
    };
    SuiteResult {
        suite: name.to_owned(),
        tasks: with.len() as u64,
        n: with.iter().map(|&i| tasks[i].n).sum(),
        success: mean_of_proportions(&proportions, CONFIDENCE),
        success_bootstrap,
        score: if with.is_empty() { Interval { mean: 0.0, lo: 0.0, hi: 100.0 } } else { score },
        success_ever: mean(&|t| t.success_ever),
        success_at_end: mean(&|t| t.success_at_end),
        policy_errors: which.iter().map(|&i| tasks[i].policy_errors).sum(),
        harness_errors: which.iter().map(|&i| tasks[i].harness_errors).sum(),
    }
}
