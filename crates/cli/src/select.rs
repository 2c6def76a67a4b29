//! Selectors: a suite, a task, or a pattern over task ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use longarm_results::TaskFile;
use longarm_task::TaskSpec;
use longarm_types::{TaskId, nearest};

use crate::catalogue;

/// The tasks that any of the selectors means, each once, by id.
pub(crate) fn select(selectors: &[String]) -> Result<Vec<Arc<TaskSpec>>> {
    let mut out = BTreeMap::new();
    for s in selectors {
        let before = out.len();
        if catalogue::is_file(s) {
            bail!("{s}: only `run`, `show` and `eval` take files");
        }
        if s.contains(['*', '?']) {
            for id in longarm_suites::ids().filter(|id| matches(s, id)) {
                out.insert(id.to_owned(), catalogue::task(id)?);
            }
            if out.len() == before && !longarm_suites::ids().any(|id| matches(s, id)) {
                bail!("no task matches {s:?}; `longarm list` shows all");
            }
        } else if s.contains('/') {
            out.insert(s.clone(), known(s)?);
        } else {
            match longarm_suites::SUITES.iter().find(|x| x.name == s) {
                Some(suite) => {
                    out.extend(suite.tasks().map(|t| (t.id.as_str().to_owned(), Arc::new(t))));
                }
                None => bail!("{}", unknown(s)),
            }
        }
    }
    Ok(out.into_values().collect())
}

/// Tasks, and the files some of them come from.
pub(crate) struct Selection {
    pub(crate) tasks: Vec<Arc<TaskSpec>>,
    pub(crate) files: BTreeMap<TaskId, TaskFile>,
}

/// Like [`select`], with files among the selectors.
pub(crate) fn select_or_read(selectors: &[String]) -> Result<Selection> {
    let (files, names): (Vec<_>, Vec<_>) =
        selectors.iter().cloned().partition(|s| catalogue::is_file(s));
    let mut out = Selection { tasks: select(&names)?, files: BTreeMap::new() };
    for name in files {
        let file = catalogue::file(&name)?;
        let task = catalogue::of_file(&name, &file)?;
        if out.tasks.iter().any(|t| t.id == task.id) {
            bail!("{name} is {} as another selector is; rename one of the files", task.id);
        }
        out.files.insert(task.id.clone(), file);
        out.tasks.push(Arc::new(task));
    }
    out.tasks.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(out)
}

/// A task of a suite.
fn known(id: &str) -> Result<Arc<TaskSpec>> {
    match longarm_suites::task(id) {
        Some(t) => Ok(Arc::new(t)),
        None => bail!("{}", unknown(id)),
    }
}

fn unknown(name: &str) -> String {
    let suites = longarm_suites::SUITES.iter().map(|s| s.name);
    let kind = if name.contains('/') { "task" } else { "suite" };
    let near = nearest(name, suites.clone().chain(longarm_suites::ids()));
    // Someone who leaves the suite out means the task.
    let bare = longarm_suites::ids().find(|id| id.split_once('/').is_some_and(|(_, n)| n == name));
    match bare.or(near.first().copied()) {
        Some(near) => format!("no {kind} {name:?}; did you mean {near}?"),
        None => format!(
            "no {kind} {name:?}; there are the suites {} and their tasks, see `longarm list`",
            suites.collect::<Vec<_>>().join(", ")
        ),
    }
}

/// `*` stands for any text, `?` for any one character.
fn matches(pattern: &str, text: &str) -> bool {
    let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut i, mut j, mut star) = (0, 0, None);
    while j < t.len() {
        if i < p.len() && p[i] == '*' {
            star = Some((i, j));
            i += 1;
        } else if i < p.len() && (p[i] == '?' || p[i] == t[j]) {
            i += 1;
            j += 1;
        } else if let Some((at, from)) = star {
            // The star swallows one more.
            star = Some((at, from + 1));
            i = at + 1;
            j = from + 1;
        } else {
            return false;
        }
    }
    p[i..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, text, fits) in [
            ("longbench/*", "longbench/stack-block", true),
            ("longbench/*block*", "longbench/stack-block", true),
            ("*/swap-?locks", "longbench/swap-blocks", true),
            ("longbench/*block", "longbench/swap-blocks", false),
            ("*", "anything", true),
            ("a*b*c", "aXbXbc", true),
            ("a?c", "ac", false),
            ("**", "", true),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
