//! The native half of the Python package `longarm`: what is here is made for `python/longarm`, which
//! gives it its public face.

mod arrays;
mod batch;
mod command;
mod errors;
mod look;
mod run;
mod tasks;

use pyo3::prelude::*;

/// Native parts of longarm; use the package `longarm`.
#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    m.add("ENGINE_VERSION", longarm_types::ENGINE_VERSION)?;
    m.add("CONTROL_HZ", longarm_types::CONTROL_HZ)?;
    m.add("MUJOCO_VERSION", longarm_sim::mujoco_version())?;
    m.add("Error", py.get_type::<errors::Error>())?;
    m.add("TaskError", py.get_type::<errors::TaskError>())?;
    m.add("ActionError", py.get_type::<errors::ActionError>())?;
    m.add("SimulationError", py.get_type::<errors::SimulationError>())?;
    m.add("PolicyError", py.get_type::<errors::PolicyError>())?;
    m.add("RunError", py.get_type::<errors::RunError>())?;
    m.add("TraceError", py.get_type::<errors::TraceError>())?;
    m.add_class::<batch::Batch>()?;
    m.add_class::<run::Run>()?;
    m.add_function(wrap_pyfunction!(tasks::tasks, m)?)?;
    m.add_function(wrap_pyfunction!(tasks::load, m)?)?;
    m.add_function(wrap_pyfunction!(tasks::load_text, m)?)?;
    m.add_function(wrap_pyfunction!(tasks::read_trace, m)?)?;
    m.add_function(wrap_pyfunction!(command::command, m)?)?;
    m.add_function(wrap_pyfunction!(run::demonstration_seeds, m)?)?;
    m.add_function(wrap_pyfunction!(run::merge, m)?)?;
    m.add_function(wrap_pyfunction!(run::read_results, m)?)?;
    Ok(())
}
