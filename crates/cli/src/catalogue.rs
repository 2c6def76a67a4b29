//! From what a user types to tasks.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use longarm_task::TaskSpec;
use longarm_types::nearest;

/// The task a user named: an id of a suite, or a `.json` file with a specification.
pub(crate) fn task(name: &str) -> Result<Arc<TaskSpec>> {
    if Path::new(name).extension().is_some_and(|e| e == "json") {
        let text = std::fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
        let spec = TaskSpec::from_json(&text)
            .with_context(|| format!("{name} is not a valid task specification"))?;
        return Ok(Arc::new(spec));
    }
    if let Some(t) = longarm_suites::task(name) {
        return Ok(Arc::new(t));
    }
    let ids: Vec<&str> = longarm_suites::ids().collect();
    match nearest(name, ids.iter().copied()).first() {
        Some(near) => bail!("no task {name:?}; did you mean {near}?"),
        None => bail!("no task {name:?}; `longarm list` shows all {}", ids.len()),
    }
}

/// All tasks, or those of one suite.
pub(crate) fn tasks(suite: Option<&str>) -> Result<Vec<TaskSpec>> {
    let Some(name) = suite else { return Ok(longarm_suites::tasks().collect()) };
    if let Some(s) = longarm_suites::SUITES.iter().find(|s| s.name == name) {
        return Ok(s.tasks().collect());
    }
    let names: Vec<&str> = longarm_suites::SUITES.iter().map(|s| s.name).collect();
    match nearest(name, names.iter().copied()).first() {
        Some(near) => bail!("no suite {name:?}; did you mean {near}?"),
        None => bail!("no suite {name:?}; there are {}", names.join(", ")),
    }
}
