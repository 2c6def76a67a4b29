//! Selectors: a suite, a task, a pattern over task ids, a task file, or a folder of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use longarm_results::TaskFile;
use longarm_task::TaskSpec;
use longarm_types::TaskId;

use crate::catalogue;

/// Tasks, and the files some of them come from.
pub(crate) struct Selection {
    pub(crate) tasks: Vec<Arc<TaskSpec>>,
    pub(crate) files: BTreeMap<TaskId, TaskFile>,
}

/// The tasks any of the selectors means, each once, by id.
pub(crate) fn select(selectors: &[String]) -> Result<Vec<Arc<TaskSpec>>> {
    Ok(select_or_read(selectors)?.tasks)
}

/// Like [`select`], with the files that hold some of them.
pub(crate) fn select_or_read(selectors: &[String]) -> Result<Selection> {
    let found = catalogue::found(selectors)?;
    let files = found.iter().filter_map(|f| Some((f.task.id.clone(), longarm_eval::carried(f)?)));
    let files = files.collect();
    Ok(Selection { tasks: found.into_iter().map(|f| f.task).collect(), files })
}
