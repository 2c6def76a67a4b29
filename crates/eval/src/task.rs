//! The tasks of a run: those of a suite by name, those of files by what was written down of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_catalogue::{CatalogueError, Found, Written, read_written};
use longarm_results::{RunConfig, TaskFile};
use longarm_task::TaskSpec;
use longarm_types::{Digest, TaskId};

use crate::setup::files_of;
use crate::{ASSETS, Variant};

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
    Variant { options: choices_of(config), control }.stored(task).map(Arc::new)
}

/// What a run chose, and where its files lie.
fn choices_of(config: &RunConfig) -> BTreeMap<String, String> {
    let mut out = config.options.choices();
    if let Some(folders) = config.runtime.get(ASSETS).and_then(|v| v.as_str()) {
        out.insert(ASSETS.to_owned(), folders.to_owned());
    }
    out
}

/// What other people's files are not as a run had them, each named.
pub fn changed_files(config: &RunConfig) -> Vec<String> {
    if config.assets.is_empty() {
        return Vec::new();
    }
    let tasks = config.tasks.keys().filter_map(|id| longarm_suites::task(id.as_str()));
    let folders = choices_of(config).remove(ASSETS).into_iter().map(|v| (ASSETS.to_owned(), v));
    let variant = Variant { options: folders.collect(), control: None };
    let now = match variant.of(tasks.map(Arc::new).collect()) {
        Ok(tasks) => files_of(&tasks),
        Err(e) => return vec![e.to_string()],
    };
    let told = |(name, then): (&String, &Digest)| match now.get(name) {
        Some(now) if now == then => None,
        Some(now) => Some(format!(
            "{name} has hash {} in run.toml and {} on this disk: it is another file",
            then.short(),
            now.short()
        )),
        None => Some(format!("{name} is in run.toml and is not used now")),
    };
    config.assets.iter().filter_map(told).collect()
}
