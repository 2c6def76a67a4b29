//! One way to find a task, suite, rig or asset by what a user says: the suites, files, folders of
//! files, and values handed in. The command line and Python both ask here.

mod assets;
mod file;
mod glob;
mod read;
pub mod schema;
pub mod starter;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use longarm_assets::RigName;
use longarm_assets::robots::RobotName;
use longarm_suites::{SUITES, Suite};
use longarm_task::TaskSpec;
use longarm_types::{Digest, hint, nearest};

pub use assets::{ASSETS, AskedFolders, CONFIG, OFF, asset_folders};
pub use file::{Written, is_file};
pub use read::read_written;

/// Environment variable with folders, separated as in `PATH`, from which files may be read by
/// absolute paths, `..` and links.
pub const ALLOW: &str = "LONGARM_ALLOW";

/// Why something was not found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CatalogueError {
    /// Nothing has this name.
    #[error("no {kind} {name:?}{hint}")]
    Unknown {
        /// Task, suite, rig, …
        kind: &'static str,
        /// As the user said.
        name: String,
        /// What it might have been.
        hint: String,
    },
    /// A pattern that fits nothing.
    #[error("no task matches {0:?}; `longarm list` shows all")]
    NoMatch(String),
    /// A file that holds no task.
    #[error("{0}")]
    File(String),
    /// A file with the id of a task that exists.
    #[error(
        "{file}: the id {id} belongs to a task of the suite {suite}; give your task an id of its own, \
         such as id = \"mine/{name}\""
    )]
    Taken {
        /// The file.
        file: String,
        /// Its id.
        id: String,
        /// First part.
        suite: String,
        /// Second part.
        name: String,
    },
    /// Two tasks with one id.
    #[error("{file} is {id} as another selector is; rename one of the files or give it another id")]
    Twice {
        /// The file.
        file: String,
        /// The id.
        id: String,
    },
}

type Result<T, E = CatalogueError> = std::result::Result<T, E>;

/// A task, and where it comes from if not from a suite.
#[derive(Clone, Debug)]
pub struct Found {
    /// The task.
    pub task: Arc<TaskSpec>,
    /// The file it was read from, as text that needs no other file.
    pub file: Option<Written>,
    /// Files of the user's that it was made from, with their hashes.
    pub outside: Vec<(String, Digest)>,
    /// What its file says in vain or may not mean, each with its place.
    pub warnings: Vec<String>,
}

impl From<TaskSpec> for Found {
    fn from(task: TaskSpec) -> Self {
        Self { task: Arc::new(task), file: None, outside: Vec::new(), warnings: Vec::new() }
    }
}

/// Where names are looked up.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    allowed: Vec<PathBuf>,
    values: BTreeMap<String, Found>,
}

impl Catalogue {
    /// The suites, with the folders the user allows in [`ALLOW`].
    pub fn new() -> Self {
        let allowed = std::env::var_os(ALLOW)
            .map(|v| std::env::split_paths(&v).filter(|p| !p.as_os_str().is_empty()).collect())
            .unwrap_or_default();
        Self { allowed, values: BTreeMap::new() }
    }

    /// Also read files in this folder by absolute paths, `..` and links.
    pub fn allow(mut self, folder: impl Into<PathBuf>) -> Self {
        self.allowed.push(folder.into());
        self
    }

    /// Add a task that was handed in; it is found by its id from then on.
    pub fn add(&mut self, found: Found) {
        self.values.insert(found.task.id.to_string(), found);
    }

    /// Names of the suites.
    pub fn suites(&self) -> impl Iterator<Item = &'static Suite> + use<> {
        SUITES.iter()
    }

    /// The suite of this name.
    pub fn suite(&self, name: &str) -> Result<&'static Suite> {
        let found = SUITES.iter().find(|s| s.name == name);
        found.ok_or_else(|| unknown("suite", name, SUITES.iter().map(|s| s.name)))
    }

    /// The robot of this name.
    pub fn robot(&self, name: &str) -> Result<RobotName> {
        let names = || RobotName::all().into_iter().map(RobotName::as_str);
        RobotName::find(name).ok_or_else(|| unknown("robot", name, names()))
    }

    /// All robots, by name.
    pub fn robots(&self) -> Vec<RobotName> {
        let mut all = RobotName::all();
        all.sort_by_key(|r| r.as_str());
        all
    }

    /// The rig of this name.
    pub fn rig(&self, name: &str) -> Result<RigName> {
        let names = || RigName::all().into_iter().map(RigName::as_str);
        RigName::find(name).ok_or_else(|| unknown("rig", name, names()))
    }

    /// All rigs, by name.
    pub fn rigs(&self) -> Vec<RigName> {
        let mut all = RigName::all();
        all.sort_by_key(|r| r.as_str());
        all
    }

    /// Ids of all tasks: those of the suites and those handed in.
    pub fn ids(&self) -> Vec<&str> {
        let mut out: Vec<&str> = longarm_suites::ids().collect();
        out.extend(self.values.keys().map(String::as_str));
        out
    }

    /// All tasks of the suites.
    pub fn tasks(&self) -> impl Iterator<Item = TaskSpec> + use<> {
        longarm_suites::tasks()
    }

    /// The task with this id: handed in, or of a suite.
    pub fn by_id(&self, id: &str) -> Option<Found> {
        self.values.get(id).cloned().or_else(|| longarm_suites::task(id).map(Found::from))
    }

    /// The one task a user means: an id, or a file.
    pub fn task(&self, name: &str) -> Result<Found> {
        if is_file(name) {
            return self.file(Path::new(name));
        }
        self.by_id(name).ok_or_else(|| self.unknown(name))
    }

    /// The tasks any of the selectors means, each once, by id. A selector is a suite, a task, a
    /// pattern with `*` and `?`, a file with a task, or a folder of such files.
    pub fn select<S: AsRef<str>>(&self, selectors: &[S]) -> Result<Vec<Found>> {
        let mut out: BTreeMap<String, Found> = BTreeMap::new();
        for s in selectors.iter().map(AsRef::as_ref) {
            for found in self.meant(s)? {
                let id = found.task.id.to_string();
                let other = out.get(&id).is_some_and(|o| o.task.hash() != found.task.hash());
                if other {
                    return Err(CatalogueError::Twice { file: s.to_owned(), id });
                }
                out.insert(id, found);
            }
        }
        Ok(out.into_values().collect())
    }

    fn meant(&self, selector: &str) -> Result<Vec<Found>> {
        if is_file(selector) {
            return Ok(vec![self.file(Path::new(selector))?]);
        }
        if selector.contains(['*', '?']) {
            let ids = self.ids();
            let found = ids.into_iter().filter(|id| glob::matches(selector, id));
            let found: Vec<Found> = found.filter_map(|id| self.by_id(id)).collect();
            if found.is_empty() {
                return Err(CatalogueError::NoMatch(selector.to_owned()));
            }
            return Ok(found);
        }
        if let Some(suite) = SUITES.iter().find(|s| s.name == selector) {
            return Ok(suite.tasks().map(Found::from).collect());
        }
        if let Some(found) = self.by_id(selector) {
            return Ok(vec![found]);
        }
        let own: Vec<Found> =
            self.values.values().filter(|f| f.task.id.suite() == selector).cloned().collect();
        if !own.is_empty() {
            return Ok(own);
        }
        if Path::new(selector).is_dir() {
            return self.folder(Path::new(selector));
        }
        Err(self.unknown(selector))
    }

    fn unknown(&self, name: &str) -> CatalogueError {
        if SUITES.iter().any(|s| s.name == name) {
            let hint = format!("; it is a suite, whose tasks `longarm list {name}` lists");
            return CatalogueError::Unknown { kind: "task", name: name.to_owned(), hint };
        }
        let ids = self.ids();
        let kind = if name.contains('/') { "task" } else { "suite or task" };
        // Someone who leaves the suite out means the task.
        let bare = ids.iter().find(|id| id.split_once('/').is_some_and(|(_, n)| n == name));
        let suites = || SUITES.iter().map(|s| s.name);
        let near = nearest(name, suites().chain(ids.iter().copied()));
        let hint = match bare.or(near.first()) {
            Some(near) => format!("; did you mean {near}?"),
            None => format!(
                "; there are the suites {} and their tasks, see `longarm list`, or .toml, .json and \
                 .bddl files and folders of them",
                suites().collect::<Vec<_>>().join(", ")
            ),
        };
        CatalogueError::Unknown { kind, name: name.to_owned(), hint }
    }
}

fn unknown<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> CatalogueError {
    let hint = hint(name, known.collect::<Vec<_>>());
    CatalogueError::Unknown { kind, name: name.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_tasks() {
        let c = Catalogue::default();
        assert_eq!(
            c.task("longbench/stack-block").unwrap().task.id.as_str(),
            "longbench/stack-block"
        );
        assert!(c.select(&["longbench"]).unwrap().len() >= 10);
        assert_eq!(c.select(&["longbench/stack-*", "longbench/stack-block"]).unwrap().len(), 1);
        for (name, says) in [
            ("longbench/stack-blok", "did you mean longbench/stack-block?"),
            ("stack-block", "did you mean longbench/stack-block?"),
            ("longbenhc", "did you mean longbench?"),
            ("zzz", "there are the suites"),
            ("zzz*", "no task matches"),
        ] {
            let e = c.select(&[name]).unwrap_err().to_string();
            assert!(e.contains(says), "{name}: {e}");
        }
        let suite = c.task("longbench").err().unwrap().to_string();
        assert!(suite.contains("no task \"longbench\"; it is a suite"), "{suite}");
    }
}
