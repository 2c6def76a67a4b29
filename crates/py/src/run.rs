//! Run directories: what `longarm eval` writes, written from Python.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use longarm_eval::{
    Evaluation, ExecutionOptions, PolicySpec, Prepared, RunOptions, RunSetup, Seeds, Videos,
    demos::DemoConfig, evaluate, read_run, unplayed, work_list, write_report,
};
use longarm_results::{InferenceTimes, Row, RunDir, Shard};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeRecord, Seed, Split};
use pyo3::prelude::*;

use crate::errors::{PolicyError, harness, run};
use crate::tasks::{found, task};

/// A run directory open for writing.
#[pyclass(module = "longarm._native", frozen)]
pub(crate) struct Run {
    dir: RunDir,
    tasks: Vec<Arc<TaskSpec>>,
}

impl Run {
    pub(crate) fn dir(&self) -> PyResult<&RunDir> {
        Ok(&self.dir)
    }

    pub(crate) fn policy(&self) -> &str {
        &self.dir.config().policy
    }
}

/// A named range of seeds.
fn split(name: Option<&str>) -> PyResult<Option<Split>> {
    name.map(|n| n.parse::<Split>().map_err(run)).transpose()
}

/// The seeds of demonstrations of a task: first, how far they are apart, and the last there is.
#[pyfunction]
#[pyo3(signature = (id, seed=None, split=None))]
pub(crate) fn demonstration_seeds(
    id: &str,
    seed: Option<u64>,
    split: Option<&str>,
) -> PyResult<(u64, u64, Option<u64>)> {
    let (first, _, range) =
        DemoConfig::seeds(&[task(id)?], seed, self::split(split)?).map_err(run)?;
    Ok(match range {
        None => (first, 1, None),
        Some(r) => (r.nth(first, 0).unwrap_or(first), r.stride, r.last),
    })
}

/// What the episodes of a run are played under, checked.
pub(crate) fn options(json: &str) -> PyResult<ExecutionOptions> {
    let execution: ExecutionOptions = serde_json::from_str(json).map_err(run)?;
    execution.check().map_err(run)?;
    Ok(execution)
}

#[pymethods]
impl Run {
    /// Starts a run in a new or empty directory, or continues one.
    #[new]
    #[pyo3(signature = (
        path, tasks, policy, episodes, seed, shard, options_json, resume, split=None, trained_on=vec![]
    ))]
    fn new(
        path: PathBuf,
        tasks: Vec<String>,
        policy: String,
        episodes: u64,
        seed: Option<u64>,
        shard: (u64, u64),
        options_json: &str,
        resume: bool,
        split: Option<&str>,
        trained_on: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let found = tasks.iter().map(|t| found(t)).collect::<PyResult<Vec<_>>>()?;
        let files = found
            .iter()
            .filter_map(|f| Some((f.task.id.clone(), longarm_eval::carried(f)?)))
            .collect();
        let specs = found.into_iter().map(|f| f.task).collect();
        let mut options: RunOptions = serde_json::from_str(options_json).map_err(run)?;
        let choices = options.choices();
        options.chosen.clear();
        let setup = RunSetup {
            selectors: tasks,
            tasks: specs,
            files,
            policy,
            label: None,
            episodes: Some(episodes),
            seeds: Seeds::asked(
                seed,
                Some(options.seed_stride).filter(|k| *k != 1),
                self::split(split)?,
                Split::Test,
            ),
            shard: Shard::new(shard.0, shard.1).map_err(run)?,
            options,
            choices: choices.into_iter().collect(),
            trained_on,
            runtime: toml::Table::new(),
        };
        let Prepared { config, tasks } = setup.prepare().map_err(run)?;
        let dir = match resume {
            true => RunDir::open_resume(&path, &config).map_err(run)?,
            false => RunDir::create(&path, &config).map_err(run)?,
        };
        // Episodes in which the harness broke run again.
        dir.forget(|r| !r.counts()).map_err(run)?;
        Ok(Self { dir, tasks })
    }

    /// Episodes without a row: index, task id, seed.
    fn work(&self) -> Vec<(u64, String, u64)> {
        let finished = self.dir.finished();
        let rows = work_list(self.dir.config()).into_iter().filter_map(|w| {
            let id = &self.tasks[w.task].id;
            let open = !finished.contains(&(id.clone(), w.seed.0));
            open.then(|| (w.index, id.as_str().to_owned(), w.seed.0))
        });
        rows.collect()
    }

    /// Stores the row of an episode that could not begin.
    fn broken(&self, index: u64, id: &str, seed: u64, why: String) -> PyResult<()> {
        let task = task(id)?;
        let episode = unplayed(&task, Seed(seed), self.policy(), why);
        self.dir.append(&row(index, episode, None, Vec::new(), 0.0)).map_err(run)
    }

    /// Runs what is left with a policy of the command line: `expert`, `openpi:HOST:PORT`.
    /// A server that was lost is tried again for `reconnect` seconds.
    #[pyo3(signature = (policy, workers, reconnect=None))]
    fn evaluate(
        &self,
        py: Python<'_>,
        policy: &str,
        workers: usize,
        reconnect: Option<f64>,
    ) -> PyResult<()> {
        let mut spec: PolicySpec = policy
            .parse()
            .map_err(|e: longarm_eval::PolicySpecError| PolicyError::new_err(e.to_string()))?;
        let execution = self.dir.config().options.execution;
        let wrong = |e: longarm_eval::PolicySpecError| PolicyError::new_err(e.to_string());
        if let Some(k) = execution.execute {
            spec.execute(k).map_err(wrong)?;
        }
        if let Some(s) = reconnect {
            spec.reconnect(s).map_err(wrong)?;
        }
        py.detach(|| {
            let ready = spec.ready(&self.tasks).map_err(wrong)?;
            let evaluation = Evaluation {
                tasks: &self.tasks,
                policy: &ready,
                execution,
                workers,
                videos: Videos::NONE,
            };
            let stop = AtomicBool::new(false);
            let mut interrupted = None;
            evaluate(&evaluation, &self.dir, &stop, |_| {
                // Control-C ends the run after the episodes under way.
                if let Err(e) = Python::attach(|py| py.check_signals()) {
                    stop.store(true, Ordering::Relaxed);
                    interrupted = Some(e);
                }
            })
            .map_err(harness)?;
            interrupted.map_or(Ok(()), Err)
        })
    }

    /// Writes `results.json` and `report.html`; returns the former.
    fn results(&self) -> PyResult<String> {
        let results = self.dir.finish().map_err(run)?;
        write_report(self.dir.path()).map_err(run)?;
        Ok(results.to_json())
    }
}

/// Makes one run of several shards of it, in a new directory; returns its `results.json`.
#[pyfunction]
pub(crate) fn merge(dirs: Vec<PathBuf>, out: PathBuf) -> PyResult<String> {
    let merged = longarm_results::merge(&dirs, &out).map_err(run)?;
    write_report(&out).map_err(run)?;
    Ok(merged.results.to_json())
}

/// Reads the `results.json` that follows from a run directory's rows.
#[pyfunction]
pub(crate) fn read_results(dir: PathBuf) -> PyResult<String> {
    Ok(read_run(&dir).map_err(run)?.results.to_json())
}

/// The row of an episode.
pub(crate) fn row(
    index: u64,
    episode: EpisodeRecord,
    trace: Option<String>,
    times_ms: Vec<f64>,
    wall_s: f64,
) -> Row {
    Row {
        inference: InferenceTimes::of(times_ms),
        trace,
        wall_s: if wall_s.is_finite() { wall_s } else { 0.0 },
        ..Row::of(index, episode)
    }
}
