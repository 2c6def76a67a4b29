//! Policies in ONNX files.
//!
//! A [`Checkpoint`] is a model and a [`Manifest`] that says which observations feed which of its inputs. An
//! [`OnnxPolicy`] makes the inputs and asks a process of its own for each answer: this program, started again
//! with [`COMMAND`]. That process is given the model and numbers over a pipe, and nothing else: it opens no
//! file, no socket and starts nobody, and its memory and time are limited.

mod checkpoint;
#[cfg(all(feature = "engine", target_os = "linux"))]
mod engine;
mod feed;
mod manifest;
mod policy;
mod process;
#[cfg(all(feature = "engine", target_os = "linux"))]
mod sandbox;
mod spec;
mod wire;

pub use checkpoint::Checkpoint;
pub use feed::Wanted;
pub use manifest::{ActionOutput, Input, Manifest, Memory, Number, Order, Words};
pub use policy::OnnxPolicy;
pub use spec::{Limits, Loaded, OnnxSpec};

/// The hidden command that makes this program the process that runs a model.
pub const COMMAND: &str = "onnx-process";

/// Why a policy in an ONNX file cannot be used, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OnnxError(pub(crate) String);

/// Be the process that runs a model: answer what is asked on standard input until it ends.
#[cfg(all(feature = "engine", target_os = "linux"))]
pub fn answer(memory_mb: u64, cpu_seconds: u64) -> Result<(), OnnxError> {
    engine::answer(memory_mb, cpu_seconds)
}

/// Refuse: this program cannot run models.
#[cfg(not(all(feature = "engine", target_os = "linux")))]
pub fn answer(_memory_mb: u64, _cpu_seconds: u64) -> Result<(), OnnxError> {
    runs_models()
}

/// Refuse where this program cannot run models.
pub(crate) fn runs_models() -> Result<(), OnnxError> {
    match (cfg!(feature = "engine"), cfg!(target_os = "linux")) {
        (true, true) => Ok(()),
        (true, false) => Err(OnnxError(
            "models run on Linux only: elsewhere nothing keeps them from files and network".into(),
        )),
        (false, _) => {
            Err(OnnxError("this program runs no models; use one built with --features onnx".into()))
        }
    }
}
