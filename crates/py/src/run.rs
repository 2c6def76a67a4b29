//! Run directories: what `longarm eval` writes, written from Python.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use longarm_eval::{
    Evaluation, ExecutionOptions, PolicyPool, PolicySpec, PolicySpecError, Prepared, RunOptions,
    RunSetup, Seeds, SetupError, Videos, demos::DemoConfig, evaluate, read_run, unplayed,
    work_list, write_report,
};
use longarm_results::{InferenceTimes, Row, RunDir, Shard};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeRecord, Seed, Split};
use pyo3::prelude::*;

use crate::errors::{PolicyError, TaskError, harness, run};
use crate::tasks::{found, task};

/// A run directory open for writing.
#[pyclass(module = "longarm._native", frozen)]
pub(crate) struct Run {
    /// None once it is closed.
    dir: Mutex<Option<Arc<RunDir>>>,
    policy: String,
    tasks: Vec<Arc<TaskSpec>>,
    /// The policy, where it is one of the command line's.
    ready: Option<PolicyPool>,
}

impl Run {
    pub(crate) fn dir(&self) -> PyResult<Arc<RunDir>> {
        let dir = self.dir.lock().unwrap_or_else(PoisonError::into_inner);
        dir.clone().ok_or_else(|| run("the run is closed"))
    }

    pub(crate) fn policy(&self) -> &str {
        &self.policy
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

/// A policy of the command line, connected.
fn ready(
    policy: &str,
    execution: &ExecutionOptions,
    reconnect: Option<f64>,
    tasks: &[Arc<TaskSpec>],
) -> Result<PolicyPool, PolicySpecError> {
    let mut spec: PolicySpec = policy.parse()?;
    if let Some(k) = execution.execute {
        spec.execute(k)?;
    }
    if let Some(s) = reconnect {
        spec.reconnect(s)?;
    }
    spec.ready(tasks)
}

#[pymethods]
impl Run {
    /// Starts a run in a new or empty directory, or continues one. Whatever can be known to be wrong is
    /// known before the directory is made, also that a policy of the command line (`named`) cannot be
    /// reached. A server that is lost later is tried again for `reconnect` seconds.
    #[new]
    #[pyo3(signature = (
        path, tasks, policy, episodes, seed, shard, options_json, resume,
        control=None, choices=vec![], named=None, reconnect=None, split=None, trained_on=vec![]
    ))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        tasks: Vec<String>,
        policy: String,
        episodes: u64,
        seed: Option<u64>,
        shard: (u64, u64),
        options_json: &str,
        resume: bool,
        control: Option<String>,
        choices: Vec<(String, String)>,
        named: Option<&str>,
        reconnect: Option<f64>,
        split: Option<&str>,
        trained_on: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let found = tasks.iter().map(|t| found(t)).collect::<PyResult<Vec<_>>>()?;
        let files = found
            .iter()
            .filter_map(|f| Some((f.task.id.clone(), longarm_eval::carried(f)?)))
            .collect();
        let specs = found.into_iter().map(|f| f.task).collect();
        let options = RunOptions { control, ..options(options_json)?.into() };
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
            choices,
            trained_on,
            runtime: toml::Table::new(),
        };
        let Prepared { config, tasks } = setup.prepare().map_err(setup_error)?;
        if path.exists() && !path.is_dir() {
            return Err(run(format!("{} is not a directory", path.display())));
        }
        let execution = config.options.execution;
        let ready = match named {
            None => None,
            Some(policy) => Some(
                py.detach(|| ready(policy, &execution, reconnect, &tasks))
                    .map_err(|e| PolicyError::new_err(e.to_string()))?,
            ),
        };
        let dir = match resume {
            true => RunDir::open_resume(&path, &config).map_err(run)?,
            false => RunDir::create(&path, &config).map_err(run)?,
        };
        // Episodes in which the harness broke run again.
        dir.forget(|r| !r.counts()).map_err(run)?;
        let policy = dir.config().policy.clone();
        Ok(Self { dir: Mutex::new(Some(Arc::new(dir))), policy, tasks, ready })
    }

    /// Episodes without a row: index, task id, seed.
    fn work(&self) -> PyResult<Vec<(u64, String, u64)>> {
        let dir = self.dir()?;
        let finished = dir.finished();
        let rows = work_list(dir.config()).into_iter().filter_map(|w| {
            let id = &self.tasks[w.task].id;
            let open = !finished.contains(&(id.clone(), w.seed.0));
            open.then(|| (w.index, id.as_str().to_owned(), w.seed.0))
        });
        Ok(rows.collect())
    }

    /// Stores the row of an episode that could not begin.
    fn broken(&self, index: u64, id: &str, seed: u64, why: String) -> PyResult<()> {
        let task = self.tasks.iter().find(|t| t.id.as_str() == id);
        let task = task.ok_or_else(|| TaskError::new_err(format!("the run has no task {id}")))?;
        let episode = unplayed(task, Seed(seed), self.policy(), why);
        self.dir()?.append(&row(index, episode, None, Vec::new(), 0.0)).map_err(run)
    }

    /// Runs what is left with the policy of the command line that the run was begun with.
    fn evaluate(&self, py: Python<'_>, workers: usize) -> PyResult<()> {
        let dir = self.dir()?;
        let execution = dir.config().options.execution;
        let policy = self.ready.as_ref();
        let policy = policy.ok_or_else(|| PolicyError::new_err("the run has no named policy"))?;
        py.detach(|| {
            let evaluation =
                Evaluation { tasks: &self.tasks, policy, execution, workers, videos: Videos::NONE };
            let stop = AtomicBool::new(false);
            let mut interrupted = None;
            evaluate(&evaluation, &dir, &stop, |_| {
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
        let dir = self.dir()?;
        let results = dir.finish().map_err(run)?;
        write_report(dir.path()).map_err(run)?;
        Ok(results.to_json())
    }

    /// Lets go of the directory, whoever still refers to this value: a traceback may.
    fn close(&self) {
        self.dir.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Tasks, options and seeds that do not go together are the task's, the rest is the run's.
fn setup_error(e: SetupError) -> PyErr {
    match e {
        SetupError::ControlMode(_) | SetupError::Control(_) | SetupError::Option(_) => {
            TaskError::new_err(e.to_string())
        }
        e => run(e),
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
