//! One tree of exceptions.

use longarm_eval::HarnessError;
use longarm_eval::vec_env::{Fault, VecEnvError};
use longarm_types::EpisodeOutcome;
use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};

create_exception!(longarm, Error, PyException, "Everything longarm raises.");
create_exception!(longarm, TaskError, Error, "No such task, suite, camera or preset.");
create_exception!(longarm, ActionError, Error, "An action has a wrong shape or is not finite.");
create_exception!(longarm, SimulationError, Error, "A scene cannot be made or went astray.");
create_exception!(longarm, PolicyError, Error, "A policy cannot be used.");
create_exception!(longarm, RunError, Error, "A run directory cannot be written or read.");
create_exception!(longarm, TraceError, Error, "An action trace cannot be read.");

pub(crate) fn task(e: &VecEnvError) -> PyErr {
    TaskError::new_err(e.to_string())
}

pub(crate) fn run(e: impl std::fmt::Display) -> PyErr {
    RunError::new_err(e.to_string())
}

pub(crate) fn harness(e: HarnessError) -> PyErr {
    match e {
        HarnessError::Policy { .. } => PolicyError::new_err(e.to_string()),
        e => run(e),
    }
}

pub(crate) fn fault(f: Fault) -> PyErr {
    match f.outcome {
        EpisodeOutcome::PolicyError => ActionError::new_err(f.why),
        _ => SimulationError::new_err(f.why),
    }
}
