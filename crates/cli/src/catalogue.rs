//! From what a user types to tasks.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use longarm_catalogue::{Catalogue, Found};
use longarm_task::TaskSpec;
use longarm_task::bddl::{self, Problem};

/// The problem a user named: a `.bddl` file, or a task of a suite that is written in BDDL.
pub(crate) fn problem(name: &str) -> Result<Problem> {
    if Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("bddl")) {
        let bytes = std::fs::read(name).with_context(|| format!("cannot read {name}"))?;
        return bddl::parse_bytes(&bytes).map_err(|e| anyhow!("{name}:{e}"));
    }
    let known =
        longarm_suites::libero::problem(name).or_else(|| longarm_suites::boss::problem(name));
    match known {
        Some(p) => Ok(p),
        None => {
            task(name)?;
            bail!("{name} is not written in BDDL; the tasks of libero-90, libero-10 and boss are")
        }
    }
}

/// Say which files of the user's a task was made from.
fn tell(found: &Found) {
    if !found.outside.is_empty() {
        let each = found.outside.iter().map(|(name, hash)| format!("{name} {}", hash.short()));
        let files = each.collect::<Vec<_>>().join(", ");
        eprintln!("note: {} uses files of your own: {files}", found.task.id);
    }
}

/// As [`task`], judged as LIBERO judges if asked.
pub(crate) fn judged(name: &str, strict: bool) -> Result<Arc<TaskSpec>> {
    let task = task(name)?;
    Ok(if strict { Arc::new(TaskSpec::clone(&task).strict_libero()) } else { task })
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
        Some(s) => {
            Ok(found(&[s.to_owned()])?.into_iter().map(|f| Arc::unwrap_or_clone(f.task)).collect())
        }
    }
}
