//! Run directories: what `longarm eval` writes, written from Python.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use longarm_eval::{Evaluation, ExecutionOptions, PolicySpec, evaluate, unplayed, work_list};
use longarm_results::{InferenceTimes, REPORT, Row, RunConfig, RunDir, Shard, report};
use longarm_task::TaskSpec;
use longarm_types::{ENGINE_VERSION, EpisodeRecord, Seed};
use pyo3::prelude::*;

use crate::errors::{PolicyError, RunError, harness, run};
use crate::tasks::task;

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

/// Options as a run directory keeps them.
pub(crate) fn options(json: &str) -> PyResult<(ExecutionOptions, toml::Table)> {
    let execution: ExecutionOptions = serde_json::from_str(json).map_err(run)?;
    execution.check().map_err(run)?;
    Ok((execution, toml::Table::try_from(execution).map_err(run)?))
}

#[pymethods]
impl Run {
    /// Starts a run in a new or empty directory, or continues one.
    #[new]
    #[pyo3(signature = (path, tasks, policy, episodes, seed, shard, options_json, resume))]
    fn new(
        path: PathBuf,
        tasks: Vec<String>,
        policy: String,
        episodes: u64,
        seed: u64,
        shard: (u64, u64),
        options_json: &str,
        resume: bool,
    ) -> PyResult<Self> {
        if episodes == 0 {
            return Err(RunError::new_err("episodes is 0; it takes 1 or more"));
        }
        if seed.checked_add(episodes - 1).is_none() {
            return Err(RunError::new_err("seed and episodes go beyond the largest seed"));
        }
        let mut specs = tasks.iter().map(|t| task(t)).collect::<PyResult<Vec<_>>>()?;
        specs.sort_by(|a, b| a.id.cmp(&b.id));
        specs.dedup_by(|a, b| a.id == b.id);
        let config = RunConfig {
            format: RunConfig::FORMAT,
            selectors: tasks,
            policy,
            episodes,
            seed,
            shard: Shard::new(shard.0, shard.1).map_err(run)?,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: longarm_sim::mujoco_version().to_owned(),
            options: options(options_json)?.1,
            runtime: toml::Table::new(),
            tasks: specs.iter().map(|t| (t.id.clone(), longarm_eval::entry(t))).collect(),
        };
        let dir = match resume {
            true => RunDir::open_resume(&path, &config).map_err(run)?,
            false => RunDir::create(&path, &config).map_err(run)?,
        };
        // Episodes in which the harness broke run again.
        dir.forget(|r| !r.counts()).map_err(run)?;
        Ok(Self { dir, tasks: specs })
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
        let execution: ExecutionOptions =
            self.dir.config().options.clone().try_into().map_err(run)?;
        let wrong = |e: longarm_eval::PolicySpecError| PolicyError::new_err(e.to_string());
        if let Some(k) = execution.execute {
            spec.execute(k).map_err(wrong)?;
        }
        if let Some(s) = reconnect {
            spec.reconnect(s).map_err(wrong)?;
        }
        py.detach(|| {
            let ready = spec.ready(&self.tasks).map_err(wrong)?;
            let evaluation =
                Evaluation { tasks: &self.tasks, policy: &ready, execution, workers, videos: 0 };
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
        let read = longarm_results::Run::read(self.dir.path()).map_err(run)?;
        let page = self.dir.path().join(REPORT);
        longarm_data::write_atomically(&page, report::render(&[read]).as_bytes()).map_err(run)?;
        Ok(results.to_json())
    }
}

/// Makes one run of several shards of it, in a new directory; returns its `results.json`.
#[pyfunction]
pub(crate) fn merge(dirs: Vec<PathBuf>, out: PathBuf) -> PyResult<String> {
    Ok(longarm_results::merge(&dirs, &out).map_err(run)?.results.to_json())
}

/// Reads the `results.json` that follows from a run directory's rows.
#[pyfunction]
pub(crate) fn read_results(dir: PathBuf) -> PyResult<String> {
    Ok(longarm_results::Run::read(&dir).map_err(run)?.results.to_json())
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
