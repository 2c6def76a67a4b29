//! The replication manual: what a lab needs to run a suite's tasks on a real arm, from the same data
//! the simulation runs on.
//!
//! A [`Sheet`] is a task as a judge needs it: phases with what counts, what is forbidden, how each
//! initialization is set up, drawn to scale. [`Sheet::page`] prints it; an operator console asks it the same
//! questions one by one.

mod drawing;
mod lab;
mod page;
pub mod qr;
mod sheet;
mod words;

pub use page::{STYLE, escape, whole};
pub use sheet::{Forbidden, Initialization, Phase, Sheet};

/// Why a sheet cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ManualError {
    /// A scene that cannot be drawn.
    #[error("{task}: {why}")]
    Scene {
        /// Which task.
        task: String,
        /// Why.
        why: String,
    },
    /// Text that does not fit in a code.
    #[error("{0:?} is too long for a QR code")]
    Code(String),
}

impl ManualError {
    fn scene(task: impl ToString, why: impl ToString) -> Self {
        Self::Scene { task: task.to_string(), why: why.to_string() }
    }
}
