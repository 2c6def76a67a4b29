//! Tasks and traces as Python sees them.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use longarm_catalogue::{Catalogue, CatalogueError, Found};
use longarm_results::Trace;
use longarm_task::TaskSpec;
use longarm_task::form::Format;
use longarm_types::ControlMode;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{TaskError, TraceError};

/// What was loaded from files and values, besides the suites.
static CATALOGUE: LazyLock<Mutex<Catalogue>> = LazyLock::new(|| Mutex::new(Catalogue::new()));

fn catalogue() -> MutexGuard<'static, Catalogue> {
    CATALOGUE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wrong(e: CatalogueError) -> PyErr {
    TaskError::new_err(e.to_string())
}

/// The task of this id: of a suite, or loaded before.
pub(crate) fn found(id: &str) -> PyResult<Found> {
    let catalogue = catalogue();
    match catalogue.by_id(id) {
        Some(found) => Ok(found),
        None => catalogue.task(id).map_err(wrong),
    }
}

/// The task of this id: of a suite, or loaded before.
pub(crate) fn task(id: &str) -> PyResult<Arc<TaskSpec>> {
    Ok(found(id)?.task)
}

/// Load what a selector means (a suite, a task, a pattern, a task file or a folder of them) and
/// return the tasks as JSON; they are known by their ids from then on.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, selector: &str) -> PyResult<String> {
    let found = catalogue().select(&[selector]).map_err(wrong)?;
    // Not while the catalogue is locked: a filter may make Python run code of the user's here.
    for warning in found.iter().flat_map(|f| &f.warnings) {
        let text = std::ffi::CString::new(warning.replace('\0', " "))?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
    }
    Ok(keep(&mut catalogue(), found))
}

/// Load a task from its text as JSON; files it names are read in `folder`.
#[pyfunction]
#[pyo3(signature = (text, folder=None))]
pub(crate) fn load_text(text: &str, folder: Option<PathBuf>) -> PyResult<String> {
    let mut catalogue = catalogue();
    let folder = folder.unwrap_or_default();
    let found = catalogue.text("task", text, Format::Json, "local/task", &folder).map_err(wrong)?;
    Ok(keep(&mut catalogue, vec![found]))
}

fn keep(catalogue: &mut Catalogue, found: Vec<Found>) -> String {
    let rows: Vec<_> = found.iter().map(|f| row(&f.task)).collect();
    for f in found.into_iter().filter(|f| f.file.is_some()) {
        catalogue.add(f);
    }
    serde_json::Value::from(rows).to_string()
}

/// All tasks as JSON: a list of objects like those of `longarm list --json`, and more.
#[pyfunction]
pub(crate) fn tasks() -> String {
    let all = longarm_suites::tasks().map(|t| row(&t));
    serde_json::Value::from(all.collect::<Vec<_>>()).to_string()
}

fn row(t: &TaskSpec) -> serde_json::Value {
    let rig = t.rig();
    let cameras: Vec<_> = rig
        .cameras
        .iter()
        .map(|c| json!({ "name": c.name, "width": c.width, "height": c.height }))
        .collect();
    let mut row = t.summary();
    for (key, value) in [
        ("cameras", cameras.into()),
        ("action", rig.action.convention().form.name().into()),
        ("action_low", json!(rig.action.low())),
        ("action_high", json!(rig.action.high())),
        ("hash", t.hash().to_string().into()),
    ] {
        row.insert(key.to_owned(), value);
    }
    row.into()
}

/// Reads an action trace: task, seed, actions, and the control mode where it is not the usual one.
#[pyfunction]
pub(crate) fn read_trace<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(String, u64, Bound<'py, PyAny>, Option<&'static str>)> {
    let trace = Trace::read(&path).map_err(|e| TraceError::new_err(e.to_string()))?;
    let values: Vec<f32> = trace.actions().flat_map(|a| a.values().to_vec()).collect();
    let array = PyArray1::from_vec(py, values).reshape([trace.len(), trace.dim()])?;
    let control = trace.control.map(ControlMode::as_str);
    Ok((trace.task.as_str().to_owned(), trace.seed, array.into_any(), control))
}
