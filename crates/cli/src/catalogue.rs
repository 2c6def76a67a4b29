//! From what a user types to tasks.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use longarm_results::TaskFile;
use longarm_task::TaskSpec;
use longarm_task::bddl::{self, Problem};
use longarm_types::nearest;

/// The problem a user named: a `.bddl` file, or a task that is written as one.
pub(crate) fn problem(name: &str) -> Result<Problem> {
    if is_bddl(name) {
        let bytes = std::fs::read(name).with_context(|| format!("cannot read {name}"))?;
        return bddl::parse_bytes(&bytes).map_err(|e| anyhow!("{name}:{e}"));
    }
    match longarm_suites::problem(name) {
        Some(p) => Ok(p),
        None => {
            task(name)?;
            let with = longarm_suites::SUITES.iter().filter(|s| s.problem.is_some());
            let names: Vec<&str> = with.map(|s| s.name).collect();
            bail!("{name} is not written in BDDL; the tasks of {} are", names.join(", "))
        }
    }
}

fn is_bddl(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("bddl"))
}

/// Whether a user means a file.
pub(crate) fn is_file(name: &str) -> bool {
    is_bddl(name) || Path::new(name).extension().is_some_and(|e| e == "json")
}

/// A file with a task, as runs write it down.
pub(crate) fn file(name: &str) -> Result<TaskFile> {
    let bytes = std::fs::read(name).with_context(|| format!("cannot read {name}"))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // The reader of BDDL says where.
        Err(e) if is_bddl(name) => match bddl::parse_bytes(e.as_bytes()) {
            Err(e) => bail!("{name}:{e}"),
            Ok(_) => bail!("{name} is not UTF-8"),
        },
        Err(_) => bail!("{name} is not UTF-8"),
    };
    let short = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    Ok(TaskFile::new(short, text))
}

/// The task in a file.
pub(crate) fn of_file(name: &str, file: &TaskFile) -> Result<TaskSpec> {
    // Errors name the file as the user did.
    let named = TaskFile { name: name.to_owned(), ..file.clone() };
    Ok(longarm_eval::read_task(&named)?)
}

/// The task a user named: an id of a suite, a `.bddl` file, or a `.json` file with a
/// specification.
pub(crate) fn task(name: &str) -> Result<Arc<TaskSpec>> {
    if is_file(name) {
        return Ok(Arc::new(of_file(name, &file(name)?)?));
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
