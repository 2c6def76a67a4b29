//! From what a user types to tasks.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use longarm_task::TaskSpec;
use longarm_task::bddl::{self, Problem};
use longarm_types::nearest;

/// The problem a user named: a `.bddl` file, or a task of LIBERO or BOSS that is one.
pub(crate) fn problem(name: &str) -> Result<Problem> {
    if is_bddl(name) {
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

fn is_bddl(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("bddl"))
}

/// `bddl/…` after the file's name.
fn file_id(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let words: Vec<&str> =
        stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    format!("bddl/{}", if words.is_empty() { "task".to_owned() } else { words.join("-") })
}

/// The task a user named: an id of a suite, a `.bddl` file, or a `.json` file with a
/// specification.
pub(crate) fn task(name: &str) -> Result<Arc<TaskSpec>> {
    if Path::new(name).extension().is_some_and(|e| e == "json") {
        let text = std::fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
        let spec = TaskSpec::from_json(&text)
            .with_context(|| format!("{name} is not a valid task specification"))?;
        return Ok(Arc::new(spec));
    }
    if is_bddl(name) {
        let options = bddl::Options::new(file_id(name));
        let spec = bddl::compile(&problem(name)?, &options).map_err(|e| anyhow!("{name}:{e}"))?;
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
