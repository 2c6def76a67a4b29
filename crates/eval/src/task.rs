//! The tasks of a run: those of a suite by name, those of files by what was written down of them.

use std::sync::Arc;

use longarm_catalogue::{CatalogueError, Found, Written, read_written};
use longarm_results::{RunConfig, TaskFile};
use longarm_task::TaskSpec;
use longarm_task::bddl::STRICT_LIBERO;
use longarm_types::TaskId;

/// The option of a run whose tasks are judged as LIBERO judges.
pub const STRICT: &str = STRICT_LIBERO;

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

/// The option of a run that chooses the control mode.
pub const CONTROL: &str = "control";

/// A task of a run as this engine knows it; `None` if it does not.
pub fn task_of(config: &RunConfig, id: &TaskId) -> Option<Arc<TaskSpec>> {
    let file = config.tasks.get(id).and_then(|e| e.file.as_ref());
    let task = task_from(file, id)?;
    let strict = config.options.get(STRICT).and_then(toml::Value::as_bool).unwrap_or(false);
    let task = if strict { task.strict_libero() } else { task };
    let task = match config.options.get(CONTROL).and_then(toml::Value::as_str) {
        Some(mode) => task.with_control(mode.parse().ok()?).ok()?,
        None => task,
    };
    Some(Arc::new(task))
}
