//! The tasks of a run: those of a suite by name, those of files by what was written down of them.

use std::sync::Arc;

use longarm_catalogue::{CatalogueError, Found, Written, read_written};
use longarm_results::{RunConfig, TaskFile};
use longarm_task::TaskSpec;
use longarm_types::TaskId;

use crate::Variant;

/// The task in a file that a run or a dataset carries.
pub fn read_task(file: &TaskFile) -> Result<TaskSpec, CatalogueError> {
    read_written(&Written { name: file.name.clone(), text: file.text.clone() })
}

/// A task as runs and datasets carry it, if it comes from a file.
pub fn carried(found: &Found) -> Option<TaskFile> {
    let file = found.file.as_ref()?;
    Some(TaskFile {
        outside: found.outside.iter().cloned().collect(),
        ..TaskFile::new(file.name.clone(), file.text.clone())
    })
}

/// The task of this id: from the file that is carried, or of a suite.
pub fn task_from(file: Option<&TaskFile>, id: &TaskId) -> Option<TaskSpec> {
    match file {
        Some(file) => read_task(file).ok(),
        None => longarm_suites::task(id.as_str()),
    }
}

/// A task of a run as this engine knows it; `None` if it does not.
pub fn task_of(config: &RunConfig, id: &TaskId) -> Option<Arc<TaskSpec>> {
    let file = config.tasks.get(id).and_then(|e| e.file.as_ref());
    let task = task_from(file, id)?;
    let control = match &config.options.control {
        Some(mode) => Some(mode.parse().ok()?),
        None => None,
    };
    Variant { options: config.options.choices(), control }.stored(task).map(Arc::new)
}
