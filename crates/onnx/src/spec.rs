//! A policy in an ONNX file as a user names it.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use longarm_types::{ActionSpec, ObservationSpec};

use crate::feed::{Feed, Wanted};
use crate::process::Process;
use crate::{Checkpoint, OnnxError, OnnxPolicy, runs_models};

/// What a model may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Megabytes of memory, beyond what the program has before it has seen the model.
    pub memory_mb: u64,
    /// Seconds of processor time for an answer, and for loading.
    pub cpu_seconds: u64,
    /// Longest wait for an answer by the clock, and for loading.
    pub wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_mb: 4096, cpu_seconds: 30, wait: Duration::from_secs(300) }
    }
}

/// `FILE?memory=MB&cpu=S`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnnxSpec {
    /// The model, a folder or a tar.
    pub path: PathBuf,
    /// What it may use.
    pub limits: Limits,
}

impl FromStr for OnnxSpec {
    type Err = OnnxError;

    fn from_str(text: &str) -> Result<Self, OnnxError> {
        let (path, options) = text.split_once('?').unwrap_or((text, ""));
        if path.is_empty() {
            return Err(OnnxError("onnx: names no file; give onnx:FILE.onnx".into()));
        }
        let mut limits = Limits::default();
        for option in options.split('&').filter(|o| !o.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let place = match name {
                "memory" => &mut limits.memory_mb,
                "cpu" => &mut limits.cpu_seconds,
                _ => {
                    let text =
                        format!("onnx: there is no option {name:?}; there are memory and cpu");
                    return Err(OnnxError(text));
                }
            };
            *place = value.parse().ok().filter(|n| (1..=1 << 20).contains(n)).ok_or_else(|| {
                OnnxError(format!("onnx: {name} is a whole number from 1 on, not {value:?}"))
            })?;
        }
        Ok(Self { path: path.into(), limits })
    }
}

impl OnnxSpec {
    /// Read the file.
    pub fn load(&self) -> Result<Loaded, OnnxError> {
        runs_models()?;
        let checkpoint = Arc::new(Checkpoint::read(&self.path)?);
        Ok(Loaded { checkpoint, limits: self.limits })
    }
}

/// A policy that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    checkpoint: Arc<Checkpoint>,
    limits: Limits,
}

impl Loaded {
    /// Return the cameras it looks through.
    pub fn wanted(&self, observed: &ObservationSpec) -> Wanted {
        Wanted::of(&self.checkpoint.manifest, observed)
    }

    /// Refuse where what is observed, or the action, is not what the manifest speaks of.
    pub fn fits(&self, observed: &ObservationSpec, action: &ActionSpec) -> Result<(), OnnxError> {
        let manifest = &self.checkpoint.manifest;
        Feed::bind(manifest, observed).map_err(OnnxError)?;
        crate::policy::fits(&manifest.action, action.dim()).map_err(OnnxError)
    }

    /// Load the model for what is observed and end again; what is wrong with it otherwise.
    pub fn try_out(&self, observed: &ObservationSpec) -> Result<(), OnnxError> {
        let feed = Feed::bind(&self.checkpoint.manifest, observed).map_err(OnnxError)?;
        Process::start(&self.checkpoint, &feed, self.limits)
            .map(drop)
            .map_err(|e| OnnxError(e.to_string()))
    }

    /// Make a policy of it, with a process of its own.
    pub fn policy(&self) -> OnnxPolicy {
        OnnxPolicy::new(Arc::clone(&self.checkpoint), self.limits)
    }
}
