//! The tasks of a run: those of a suite by name, those of files by what was written down of them.

use std::path::Path;
use std::sync::Arc;

use longarm_results::{RunConfig, TaskFile};
use longarm_task::TaskSpec;
use longarm_task::bddl::{self, BddlError, Options};
use longarm_types::TaskId;

/// Why a file holds no task.
#[derive(Debug, thiserror::Error)]
pub enum TaskFileError {
    /// What is written there makes no sense, and where.
    #[error("{name}:{error}")]
    Bddl {
        /// The file.
        name: String,
        /// Line, column, what.
        error: BddlError,
    },
    /// A specification that is none.
    #[error("{name} is not a valid task specification: {error}")]
    Spec {
        /// The file.
        name: String,
        /// What is wrong.
        error: longarm_task::SpecError,
    },
    /// Neither kind.
    #[error("{name} is no task: .bddl and .json files are")]
    Unknown {
        /// The file.
        name: String,
    },
}

/// The task in a file: BDDL, or a specification as JSON.
pub fn read_task(file: &TaskFile) -> Result<TaskSpec, TaskFileError> {
    let name = file.name.clone();
    let ending = Path::new(&name).extension().and_then(|e| e.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "bddl" => {
            let options = Options::new(file_id(&name));
            let problem = bddl::parse(&file.text);
            problem
                .and_then(|p| bddl::compile(&p, &options))
                .map_err(|error| TaskFileError::Bddl { name, error })
        }
        "json" => {
            TaskSpec::from_json(&file.text).map_err(|error| TaskFileError::Spec { name, error })
        }
        _ => Err(TaskFileError::Unknown { name }),
    }
}

/// `bddl/…` after the file's name.
fn file_id(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let words: Vec<&str> =
        stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    format!("bddl/{}", if words.is_empty() { "task".to_owned() } else { words.join("-") })
}

/// A task of a run as this engine knows it; `None` if it does not.
pub fn task_of(config: &RunConfig, id: &TaskId) -> Option<Arc<TaskSpec>> {
    let file = config.tasks.get(id).and_then(|e| e.file.as_ref());
    let task = match file {
        Some(file) => read_task(file).ok()?,
        None => longarm_suites::task(id.as_str())?,
    };
    let choices = config.options.choices();
    let choices = choices.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let task = longarm_suites::apply_options(task, choices);
    Some(Arc::new(match &config.options.control {
        Some(mode) => task.with_control(mode.parse().ok()?).ok()?,
        None => task,
    }))
}
