//! The command line, started from Python.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

/// The status with which a Rust program that panicked exits.
const PANICKED: u8 = 101;

/// Run the command line and return its exit status. `program` starts it again in a process of its own.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, program: Vec<OsString>, args: Vec<OsString>) -> u8 {
    // A panic has been reported when it gets here; a traceback of Python would add nothing.
    let run = AssertUnwindSafe(|| longarm_cli::run(&program, args));
    py.detach(|| catch_unwind(run).unwrap_or(PANICKED))
}
