//! From what a user types to tasks.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use longarm_catalogue::{Catalogue, Found};
use longarm_task::TaskSpec;
use longarm_task::bddl::{self, Problem};

/// The problem a user named: a `.bddl` file, or a task that is written as one.
pub(crate) fn problem(name: &str) -> Result<Problem> {
    if Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("bddl")) {
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

/// Say which files of the user's a task was made from, and what is ignored in them.
fn tell(found: &Found) {
    found.warnings.iter().for_each(|w| tell!("warning: {w}"));
    if !found.outside.is_empty() {
        let each = found.outside.iter().map(|(name, hash)| format!("{name} {}", hash.short()));
        let files = each.collect::<Vec<_>>().join(", ");
        tell!("note: {} uses files of your own: {files}", found.task.id);
    }
}

/// The one task a user named: an id of a suite, or a file.
pub(crate) fn task(name: &str) -> Result<Arc<TaskSpec>> {
    let found = Catalogue::new().task(name)?;
    tell(&found);
    Ok(found.task)
}

/// The tasks any of the selectors means.
pub(crate) fn found(selectors: &[String]) -> Result<Vec<Found>> {
    let found = Catalogue::new().select(selectors)?;
    found.iter().for_each(tell);
    Ok(found)
}

/// The tasks a selector means, or those of all suites.
pub(crate) fn tasks(selector: Option<&str>) -> Result<Vec<TaskSpec>> {
    match selector {
        None => Ok(Catalogue::new().tasks().collect()),
        // In the order of its paper, not of the ids.
        Some(s) if longarm_suites::suite(s).is_some() => {
            Ok(longarm_suites::suite(s).into_iter().flat_map(|s| s.tasks()).collect())
        }
        Some(s) => {
            Ok(found(&[s.to_owned()])?.into_iter().map(|f| Arc::unwrap_or_clone(f.task)).collect())
        }
    }
}
