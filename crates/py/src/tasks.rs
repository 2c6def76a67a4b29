//! Tasks and traces as Python sees them.

use std::path::PathBuf;
use std::sync::Arc;

use longarm_results::Trace;
use longarm_task::TaskSpec;
use longarm_types::nearest;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{TaskError, TraceError};

/// The task of this id.
pub(crate) fn task(id: &str) -> PyResult<Arc<TaskSpec>> {
    if let Some(t) = longarm_suites::task(id) {
        return Ok(Arc::new(t));
    }
    let bare = longarm_suites::ids().find(|i| i.split_once('/').is_some_and(|(_, n)| n == id));
    let near = bare.or(nearest(id, longarm_suites::ids()).first().copied());
    Err(TaskError::new_err(match near {
        Some(near) => format!("no task {id:?}; did you mean {near}?"),
        None => format!("no task {id:?}; longarm.tasks() has all"),
    }))
}

/// All tasks as JSON: a list of objects like those of `longarm list --json`, and more.
#[pyfunction]
pub(crate) fn tasks() -> String {
    let row = |t: TaskSpec| {
        let rig = t.rig.rig();
        let cameras: Vec<_> = rig
            .cameras
            .iter()
            .map(|c| json!({ "name": c.name, "width": c.width, "height": c.height }))
            .collect();
        json!({
            "id": t.id,
            "suite": t.id.suite(),
            "instruction": t.instruction,
            "labels": t.labels,
            "stages": t.stage_names(),
            "horizon": t.horizon,
            "robot": rig.robot_names(),
            "rig": t.rig,
            "cameras": cameras,
            "action": rig.action.convention().form.name(),
            "action_low": rig.action.low(),
            "action_high": rig.action.high(),
            "hash": t.hash().to_string(),
        })
    };
    serde_json::Value::from(longarm_suites::tasks().map(row).collect::<Vec<_>>()).to_string()
}

/// Reads an action trace: task, seed, values per action, all values.
#[pyfunction]
pub(crate) fn read_trace<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(String, u64, Bound<'py, PyAny>)> {
    let trace = Trace::read(&path).map_err(|e| TraceError::new_err(e.to_string()))?;
    let values: Vec<f32> = trace.actions().flat_map(|a| a.values().to_vec()).collect();
    let array = PyArray1::from_vec(py, values).reshape([trace.len(), trace.dim()])?;
    Ok((trace.task.as_str().to_owned(), trace.seed, array.into_any()))
}
