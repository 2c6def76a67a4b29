//! Many environments for Python: arrays in, arrays out, the interpreter lock released meanwhile.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use longarm_eval::vec_env::{
    Buffer, Cameras, Command, Fault, Field, ObservationView, Play, Recording, Values, VecEnv,
};
use longarm_task::{Reward, TaskSpec};
use longarm_types::{Action, ControlModeError, EpisodeOutcome, MAX_ACTION, Seed};
use numpy::{
    IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadwriteArrayDyn,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{ActionError, SimulationError, TaskError, fault, run, task as task_error};
use crate::run::{Run, options, row};
use crate::tasks::task;

/// What an environment is to do, as numbers.
const STEP: u8 = 1;
const STEP_BLIND: u8 = 2;
const RESET: u8 = 3;

/// Path, shape and whether it is a picture, of one array of an observation.
type FieldInfo = (Vec<String>, Vec<usize>, bool);
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

/// An array lent to us for one call.
enum Lent<'py> {
    Numbers(PyReadwriteArrayDyn<'py, f32>),
    Pictures(PyReadwriteArrayDyn<'py, u8>),
}

impl<'py> Lent<'py> {
    fn take(array: &Bound<'py, PyAny>, field: &Field) -> PyResult<Self> {
        Ok(if field.is_picture() {
            Self::Pictures(array.cast::<PyArrayDyn<u8>>()?.try_readwrite()?)
        } else {
            Self::Numbers(array.cast::<PyArrayDyn<f32>>()?.try_readwrite()?)
        })
    }

    fn buffer(&mut self) -> PyResult<Buffer<'_>> {
        Ok(match self {
            Self::Numbers(a) => Buffer::Numbers(a.as_slice_mut()?),
            Self::Pictures(a) => Buffer::Pictures(a.as_slice_mut()?),
        })
    }
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
        tasks, count, preset, cameras, size, privileged, threads, execution=None, control=None
    ))]
    fn new(
        tasks: Vec<String>,
        count: usize,
        preset: &str,
        cameras: Option<Vec<String>>,
        size: Option<(usize, usize)>,
        privileged: bool,
        threads: usize,
        execution: Option<&str>,
        control: Option<&str>,
    ) -> PyResult<Self> {
        let mut tasks = tasks.iter().map(|t| task(t)).collect::<PyResult<Vec<_>>>()?;
        if let Some(mode) = control {
            let refused = |why: &dyn std::fmt::Display| TaskError::new_err(why.to_string());
            let mode = mode.parse().map_err(|e: ControlModeError| refused(&e))?;
            for task in &mut tasks {
                let spec = TaskSpec::clone(task).with_control(mode);
                *task = Arc::new(spec.map_err(|e| refused(&e))?);
            }
        }
        let cameras = match cameras {
            None => Cameras::All,
            Some(names) if names.is_empty() => Cameras::None,
            Some(names) => Cameras::Named(names),
        };
        if let Some((w, h)) = size
            && !((1..=4096).contains(&w) && (1..=4096).contains(&h))
        {
            return Err(TaskError::new_err(format!("pictures of {w}x{h} pixels: 1 to 4096 go")));
        }
        let preset = preset.parse().map_err(|e| task_error(&e))?;
        let view = ObservationView { preset, cameras, size, privileged };
        let mut envs = VecEnv::new(&tasks, count, &view, threads).map_err(|e| task_error(&e))?;
        if let Some(json) = execution {
            envs.execute(options(json)?).map_err(run)?;
        }
        let (fields, dim) = (envs.fields().to_vec(), envs.action().dim());
        Ok(Self { envs: Mutex::new(envs), tasks, fields, count, dim })
    }

    /// Path, shape and whether it is a picture, of each array of an observation.
    fn fields(&self) -> Vec<FieldInfo> {
        let info = |f: &Field| (f.path.clone(), f.shape.clone(), f.is_picture());
        self.fields.iter().map(info).collect()
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

    /// Plays whole episodes, at most as many as there are environments: the expert's, or those of
    /// given actions. A list of (arrays by field, actions, stages, doing, scores, record as JSON).
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

fn read_actions(array: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<Action>> {
    let view = array.as_array();
    if view.ncols() > MAX_ACTION {
        let text = format!("actions have {} values; at most {MAX_ACTION} go", view.ncols());
        return Err(ActionError::new_err(text));
    }
    Ok(view.rows().into_iter().map(|r| Action::new(&r.to_vec())).collect())
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
                Values::Pictures(v) => arrays.append(PyArray1::from_vec(py, v).reshape(shape)?)?,
            }
        }
        let actions = PyArray1::from_vec(py, r.actions).reshape([r.stages.len(), r.dim])?;
        let record = serde_json::to_string(&r.record).map_err(run)?;
        let stages: Vec<i64> = r.stages.into_iter().map(i64::from).collect();
        let all =
            (arrays, actions, stages.into_pyarray(py), r.doing, r.scores.into_pyarray(py), record);
        Ok(all.into_pyobject(py)?.into_any())
    }
}
