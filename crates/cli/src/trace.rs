//! Action traces: what was done, exactly.

use std::path::Path;

use anyhow::{Context, Result, bail};
use longarm_types::{Action, ControlMode, MAX_ACTION, TaskId};
use serde::{Deserialize, Serialize};

/// Everything needed to play an episode again: JSON to read and write by hand, or the form that run
/// directories keep (`*.trace`).
#[derive(Serialize, Deserialize)]
pub(crate) struct Trace {
    pub(crate) task: TaskId,
    pub(crate) seed: u64,
    /// What the actions command, where it is not what the rig takes by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) control: Option<ControlMode>,
    pub(crate) actions: Vec<Vec<f32>>,
}

/// Whether a file has, or is to have, the form of run directories.
fn is_stored(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "trace")
}

impl Trace {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        if is_stored(path) {
            let stored = longarm_results::Trace::read(path)?;
            let actions = stored.actions().map(|a| a.values().to_vec()).collect();
            let longarm_results::Trace { task, seed, control, .. } = stored;
            return Ok(Self { task, seed, control, actions });
        }
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the trace {}", path.display()))?;
        let trace: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is not an action trace", path.display()))?;
        if let Some(long) = trace.actions.iter().position(|a| a.len() > MAX_ACTION) {
            bail!("{}: action {long} has more than {MAX_ACTION} values", path.display());
        }
        Ok(trace)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        if is_stored(path) {
            let dim = self.actions.first().map_or(1, |a| a.len().clamp(1, MAX_ACTION));
            let mut stored =
                longarm_results::Trace::new(self.task.clone(), self.seed, dim).under(self.control);
            for a in &self.actions {
                stored.push(a);
            }
            return Ok(stored.write(path)?);
        }
        longarm_data::write_atomically(path, &serde_json::to_vec(self)?)
            .with_context(|| format!("cannot write the trace {}", path.display()))
    }

    pub(crate) fn actions(&self) -> Vec<Action> {
        self.actions.iter().map(|a| Action::new(a)).collect()
    }
}
