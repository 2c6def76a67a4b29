//! Many environments for Python: arrays in, arrays out, the interpreter lock released meanwhile.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use longarm_eval::vec_env::{Command, Fault, Field, Play, Recording, Values, VecEnv};
use longarm_eval::with_choices;
use longarm_task::{Reward, TaskSpec};
use longarm_types::{EpisodeOutcome, FieldType, Seed};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{Lent, buffer, empty, read_actions};
use crate::errors::{ActionError, SimulationError, TaskError, fault, run, task as task_error};
use crate::look::Look;
use crate::run::{Run, options, row};
use crate::tasks::task;

/// What an environment is to do, as numbers.
const STEP: u8 = 1;
const STEP_BLIND: u8 = 2;
const RESET: u8 = 3;

/// Path, shape, NumPy's name of the type, least and greatest value, and what it is, of one array.
type FieldInfo = (Vec<String>, Vec<usize>, &'static str, f64, f64, String);
/// One of a step's rewards.
type OneReward = fn(&Reward) -> f64;
/// Slot, whether the policy is to blame, and why.
type FaultInfo = (usize, bool, String);

/// Environments of tasks that look and act alike.
#[pyclass(module = "longarm._native")]
pub(crate) struct Batch {
    envs: Mutex<VecEnv>,
    tasks: Vec<Arc<TaskSpec>>,
    fields: Vec<Field>,
    count: usize,
    dim: usize,
}

impl Batch {
    fn envs(&self) -> MutexGuard<'_, VecEnv> {
        self.envs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn task(&self, i: usize) -> PyResult<&Arc<TaskSpec>> {
        self.tasks.get(i).ok_or_else(|| TaskError::new_err(format!("there is no task {i}")))
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (
        tasks, count, look, threads, execution=None, control=None, choices=vec![], dense=false
    ))]
    fn new(
        tasks: Vec<String>,
        count: usize,
        look: Look,
        threads: usize,
        execution: Option<&str>,
        control: Option<&str>,
        choices: Vec<(String, String)>,
        dense: bool,
    ) -> PyResult<Self> {
        let tasks = tasks.iter().map(|t| task(t)).collect::<PyResult<Vec<_>>>()?;
        let tasks = with_choices(tasks, &choices, control)
            .map_err(|e| TaskError::new_err(e.to_string()))?;
        let view = look.view()?;
        let mut envs = VecEnv::new(&tasks, count, &view, threads).map_err(|e| task_error(&e))?;
        envs.measure_dense(dense);
        if let Some(json) = execution {
            envs.execute(options(json)?).map_err(run)?;
        }
        let (fields, dim) = (envs.fields().to_vec(), envs.action().dim());
        Ok(Self { envs: Mutex::new(envs), tasks, fields, count, dim })
    }

    /// Path, shape, type, least and greatest value, and what it is, of each array of an observation.
    fn fields(&self) -> Vec<FieldInfo> {
        let info = |f: &Field| {
            let number = match f.number() {
                FieldType::U8 => "uint8",
                FieldType::I32 => "int32",
                _ => "float32",
            };
            let (low, high) = f.limits();
            (f.path.clone(), f.shape.clone(), number, low, high, f.text.clone())
        };
        self.fields.iter().map(info).collect()
    }

    /// Id, hash and horizon of each task under the options that were chosen.
    fn tasks(&self) -> Vec<(String, String, u32)> {
        let row = |t: &Arc<TaskSpec>| (t.id.to_string(), t.hash().to_string(), t.horizon);
        self.tasks.iter().map(row).collect()
    }

    /// Values per action.
    #[getter]
    fn dim(&self) -> usize {
        self.dim
    }

    /// Least and greatest values of actions.
    fn action_bounds(&self) -> (Vec<f64>, Vec<f64>) {
        let envs = self.envs();
        (envs.action().low(), envs.action().high())
    }

    /// Lets every environment do what its number says (0 nothing, 1 step, 2 step without looking, 3
    /// reset), writes observations into `out` and returns how each stands: success, failed,
    /// truncated, over, asks, score, rewards, stage, step, told, and what went wrong.
    fn advance<'py>(
        &self,
        py: Python<'py>,
        what: PyReadonlyArray1<'py, u8>,
        tasks: PyReadonlyArray1<'py, i64>,
        seeds: PyReadonlyArray1<'py, u64>,
        actions: PyReadonlyArray2<'py, f32>,
        out: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyDict>, Vec<FaultInfo>)> {
        let (tasks, seeds) = (tasks.as_slice()?, seeds.as_slice()?);
        let mut commands = Vec::with_capacity(self.count);
        for (i, what) in what.as_slice()?.iter().enumerate() {
            let (task, seed) = (tasks.get(i).copied(), seeds.get(i).copied().unwrap_or(0));
            commands.push(match *what {
                STEP => Command::Step { look: true },
                STEP_BLIND => Command::Step { look: false },
                RESET => {
                    let i = task.and_then(|t| usize::try_from(t).ok()).unwrap_or(usize::MAX);
                    Command::Reset { task: Arc::clone(self.task(i)?), seed: Seed(seed) }
                }
                _ => Command::Idle,
            });
        }
        self.command(py, &commands, actions.as_slice()?, &out)
    }

    /// Lets environments act on decisions until each wants the next one or its episode is over, at
    /// most `most` actions. `None` goes on with what was decided before. Writes observations of
    /// episodes that are not over into `out` and returns how each stands.
    fn act<'py>(
        &self,
        py: Python<'py>,
        decisions: Vec<(usize, Option<PyReadonlyArray2<'py, f32>>)>,
        most: u32,
        out: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyDict>, Vec<FaultInfo>)> {
        let mut commands = vec![Command::Idle; self.count];
        for (slot, chunk) in decisions {
            let chunk = chunk.map_or(Ok(Vec::new()), |c| read_actions(&c))?;
            if let Some(command) = commands.get_mut(slot) {
                *command = Command::Act { chunk, most };
            }
        }
        self.command(py, &commands, &vec![0.0; self.count * self.dim], &out)
    }

    /// What the policies of these environments are told now.
    fn instructions(&self, py: Python<'_>, slots: Vec<usize>) -> PyResult<Vec<String>> {
        let missing = || SimulationError::new_err("there is no episode; reset first");
        py.detach(|| {
            let envs = self.envs();
            let text = |i: &usize| envs.episode(*i).map(|e| e.instruction).ok_or_else(missing);
            slots.iter().map(text).collect()
        })
    }

    /// Task, seed, instruction, policy seed and horizon of the episode an environment is in.
    fn episode(&self, py: Python<'_>, slot: usize) -> PyResult<(String, u64, String, u64, u32)> {
        let found = py.detach(|| self.envs().episode(slot));
        let e =
            found.ok_or_else(|| SimulationError::new_err("there is no episode; reset first"))?;
        Ok((e.task.as_str().to_owned(), e.seed, e.instruction, e.policy_seed, e.horizon))
    }

    /// What segment ids mean in the present scene of an environment.
    fn segments(&self, slot: usize) -> PyResult<Vec<(i32, String)>> {
        let missing = || SimulationError::new_err("there is no episode; reset first");
        self.envs().segments(slot).ok_or_else(missing)
    }

    /// The record of the episode so far, as JSON.
    #[pyo3(signature = (slot, policy, policy_error=None))]
    fn record(
        &self,
        py: Python<'_>,
        slot: usize,
        policy: &str,
        policy_error: Option<String>,
    ) -> PyResult<String> {
        let error = policy_error.map(|why| Fault { outcome: EpisodeOutcome::PolicyError, why });
        let record = py.detach(|| self.envs().record(slot, policy, error));
        let record = record.ok_or_else(|| SimulationError::new_err("there is no episode"))?;
        serde_json::to_string(&record).map_err(run)
    }

    /// Ends an episode of a run: its trace and row are stored. Returns the row as JSON.
    #[pyo3(signature = (slot, run_dir, index, error, blame_policy, wall_s, times_ms))]
    fn finish(
        &self,
        py: Python<'_>,
        slot: usize,
        run_dir: &Run,
        index: u64,
        error: Option<String>,
        blame_policy: bool,
        wall_s: f64,
        times_ms: Vec<f64>,
    ) -> PyResult<String> {
        let outcome =
            if blame_policy { EpisodeOutcome::PolicyError } else { EpisodeOutcome::HarnessError };
        let error = error.map(|why| Fault { outcome, why });
        py.detach(|| {
            let envs = self.envs();
            let record = envs.record(slot, run_dir.policy(), error);
            let record = record.ok_or_else(|| SimulationError::new_err("there is no episode"))?;
            let trace = envs.trace(slot).map(|t| run_dir.dir()?.write_trace(t).map_err(run));
            let row = row(index, record, trace.transpose()?, times_ms, wall_s);
            run_dir.dir()?.append(&row).map_err(run)?;
            serde_json::to_string(&row).map_err(run)
        })
    }

    /// Views for people: an array of height x width x 3 for each of these environments.
    fn render<'py>(&self, py: Python<'py>, which: Vec<usize>) -> PyResult<Bound<'py, PyList>> {
        let drawn = py.detach(|| self.envs().render(&which));
        let out = PyList::empty(py);
        for picture in drawn {
            let p = picture.map_err(fault)?;
            out.append(PyArray1::from_vec(py, p.rgb).reshape([p.height, p.width, 3])?)?;
        }
        Ok(out)
    }

    /// Begins an episode of a task and seed in every environment and lets all take the same actions, looking
    /// after each, with nothing of Python in between. Returns the seconds that the steps took.
    fn paced(
        &self,
        py: Python<'_>,
        task: usize,
        seed: u64,
        actions: PyReadonlyArray2<'_, f32>,
    ) -> PyResult<f64> {
        let task = Arc::clone(self.task(task)?);
        let actions: Vec<Vec<f32>> =
            actions.as_array().rows().into_iter().map(|r| r.to_vec().repeat(self.count)).collect();
        let mut arrays: Vec<Values> = self.fields.iter().map(|f| empty(f, self.count)).collect();
        py.detach(|| {
            let mut envs = self.envs();
            let reset = vec![Command::Reset { task, seed: Seed(seed) }; self.count];
            let idle = vec![0.0; self.count * self.dim];
            let mut advance = |commands: &[Command], actions: &[f32]| {
                let buffers = arrays.iter_mut().map(buffer).collect();
                let states = envs.advance(commands, actions, buffers);
                let states = states.map_err(|e| ActionError::new_err(e.to_string()))?;
                states.into_iter().find_map(|s| s.fault).map_or(Ok(()), |f| Err(fault(f)))
            };
            advance(&reset, &idle)?;
            let step = vec![Command::Step { look: true }; self.count];
            let begun = Instant::now();
            actions.iter().try_for_each(|a| advance(&step, a))?;
            Ok(begun.elapsed().as_secs_f64())
        })
    }

    /// Plays whole episodes, at most as many as there are environments: the expert's, or those of
    /// given actions. A list of (arrays by field, actions, stages, doing, scores, rewards, record as JSON);
    /// rewards are sparse, by stages and dense.
    fn play<'py>(
        &self,
        py: Python<'py>,
        episodes: Vec<(usize, u64, Option<PyReadonlyArray2<'py, f32>>)>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut work = Vec::new();
        for (i, seed, actions) in episodes.into_iter().take(self.count) {
            let actions = match actions {
                None => None,
                Some(a) => Some(read_actions(&a)?),
            };
            work.push(Play { task: Arc::clone(self.task(i)?), seed: Seed(seed), actions });
        }
        let played = py.detach(|| self.envs().play(&work));
        let out = PyList::empty(py);
        for recording in played {
            out.append(self.recording(py, recording.map_err(fault)?)?)?;
        }
        Ok(out)
    }
}

impl Batch {
    /// Lets environments do as commanded; how each stands, and what went wrong.
    fn command<'py>(
        &self,
        py: Python<'py>,
        commands: &[Command],
        actions: &[f32],
        out: &[Bound<'py, PyAny>],
    ) -> PyResult<(Bound<'py, PyDict>, Vec<FaultInfo>)> {
        if out.len() != self.fields.len() {
            return Err(TaskError::new_err("there must be one array per field"));
        }
        let lent = out.iter().zip(&self.fields).map(|(a, f)| Lent::take(a, f));
        let mut lent = lent.collect::<PyResult<Vec<_>>>()?;
        let buffers = lent.iter_mut().map(Lent::buffer).collect::<PyResult<Vec<_>>>()?;
        let states = py.detach(|| self.envs().advance(commands, actions, buffers));
        let states = states.map_err(|e| ActionError::new_err(e.to_string()))?;
        let said = PyDict::new(py);
        let flags = |f: fn(&longarm_eval::vec_env::Status) -> bool| {
            PyArray1::from_vec(py, states.iter().map(f).collect())
        };
        said.set_item("success", flags(|s| s.success))?;
        said.set_item("failed", flags(|s| s.failed))?;
        said.set_item("truncated", flags(|s| s.truncated))?;
        said.set_item("over", flags(|s| s.over))?;
        said.set_item("asks", flags(|s| s.asks))?;
        let told = states.iter().enumerate();
        let told: Vec<_> = told.filter_map(|(i, s)| Some((i, s.told.clone()?))).collect();
        said.set_item("told", told)?;
        let scores: Vec<f64> = states.iter().map(|s| s.score).collect();
        said.set_item("score", scores.into_pyarray(py))?;
        let rewards: [(&str, OneReward); 3] = [
            ("reward_sparse", |r| r.sparse),
            ("reward_stages", |r| r.stages),
            ("reward_dense", |r| r.dense),
        ];
        for (name, of) in rewards {
            let values: Vec<f64> = states.iter().map(|s| of(&s.reward)).collect();
            said.set_item(name, values.into_pyarray(py))?;
        }
        let stages: Vec<i64> = states.iter().map(|s| i64::from(s.stage)).collect();
        said.set_item("stage", stages.into_pyarray(py))?;
        let steps: Vec<i64> = states.iter().map(|s| i64::from(s.step)).collect();
        said.set_item("step", steps.into_pyarray(py))?;
        let faults = states.into_iter().enumerate().filter_map(|(i, s)| {
            let f = s.fault?;
            Some((i, f.outcome == EpisodeOutcome::PolicyError, f.why))
        });
        Ok((said, faults.collect()))
    }

    fn recording<'py>(&self, py: Python<'py>, r: Recording) -> PyResult<Bound<'py, PyAny>> {
        let arrays = PyList::empty(py);
        for (values, field) in r.values.into_iter().zip(&self.fields) {
            let mut shape = vec![r.stages.len() + 1];
            shape.extend(&field.shape);
            match values {
                Values::Numbers(v) => arrays.append(PyArray1::from_vec(py, v).reshape(shape)?)?,
                Values::Bytes(v) => arrays.append(PyArray1::from_vec(py, v).reshape(shape)?)?,
                Values::Integers(v) => arrays.append(PyArray1::from_vec(py, v).reshape(shape)?)?,
            }
        }
        let actions = PyArray1::from_vec(py, r.actions).reshape([r.stages.len(), r.dim])?;
        let record = serde_json::to_string(&r.record).map_err(run)?;
        let stages: Vec<i64> = r.stages.into_iter().map(i64::from).collect();
        let rewards = r.rewards.iter().flat_map(|r| [r.sparse, r.stages, r.dense]).collect();
        let rewards = PyArray1::<f64>::from_vec(py, rewards).reshape([stages.len(), 3])?;
        let (stages, scores) = (stages.into_pyarray(py), r.scores.into_pyarray(py));
        let all = (arrays, actions, stages, r.doing, scores, rewards, record);
        Ok(all.into_pyobject(py)?.into_any())
    }
}
