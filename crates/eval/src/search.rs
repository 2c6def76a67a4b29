//! The policy that searches, as named on the command line.

use std::path::PathBuf;
use std::str::FromStr;

use longarm_expert::{Budget, Expert};
use longarm_results::{Trace, trace_name};
use longarm_types::{Action, TaskId};

use crate::{Actor, PolicySpecError};

/// `search?samples=48&horizon=18`: how much to try, and where what was found before is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchSpec {
    budget: Budget,
    /// A run directory: its traces are tried first.
    known: Option<PathBuf>,
}

impl FromStr for SearchSpec {
    type Err = PolicySpecError;

    /// Read what follows `search`: nothing, or `?` and options joined by `&`.
    fn from_str(text: &str) -> Result<Self, PolicySpecError> {
        let mut out = Self::default();
        let wrong = |text: String| Err(PolicySpecError::of(&text));
        for option in text.trim_start_matches('?').split('&').filter(|o| !o.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let (place, most) = match key {
                "variants" => (&mut out.budget.variants, 10_000),
                "generations" => (&mut out.budget.generations, 1_000),
                "samples" => (&mut out.budget.samples, 100_000),
                "horizon" => (&mut out.budget.horizon, 1_000),
                "every" => (&mut out.budget.every, 1_000),
                "decisions" => (&mut out.budget.decisions, 100_000),
                "known" if !value.is_empty() => {
                    out.known = Some(value.into());
                    continue;
                }
                _ => {
                    return wrong(format!(
                        "search knows variants, generations, samples, horizon, every and decisions (numbers) and known=RUN, not {option:?}"
                    ));
                }
            };
            // Without variants or decisions a level is left out; no look ahead would be no search.
            let least = u32::from(matches!(key, "horizon" | "every"));
            match value.parse() {
                Ok(n) if (least..=most).contains(&n) => *place = n,
                _ => return wrong(format!("search: {key} takes {least} to {most}, not {value:?}")),
            }
        }
        Ok(out)
    }
}

impl SearchSpec {
    /// Whether an actor serves one episode only.
    pub(crate) fn once(&self) -> bool {
        self.known.is_some()
    }

    /// Return someone who searches in an episode.
    pub(crate) fn actor(&self, task: &TaskId, seed: u64) -> Actor {
        Actor::Expert(Box::new(Expert::searching(self.budget, self.remembered(task, seed))))
    }

    /// The actions of an earlier run. Whether they still succeed is tried before they are used, so a file
    /// that is missing or of other times costs nothing but the search.
    fn remembered(&self, task: &TaskId, seed: u64) -> Vec<Action> {
        let Some(dir) = &self.known else { return Vec::new() };
        match Trace::read(&dir.join(trace_name(task, seed))) {
            Ok(trace) if trace.task == *task && trace.seed == seed => trace.actions().collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_refused() {
        let spec: SearchSpec = "?samples=96&horizon=24&known=runs/found".parse().unwrap();
        assert_eq!((spec.budget.samples, spec.budget.horizon), (96, 24));
        assert_eq!(spec.known.as_deref(), Some("runs/found".as_ref()));
        assert_eq!("".parse::<SearchSpec>().unwrap(), SearchSpec::default());
        for bad in ["?samples=many", "?horizon=0", "?depth=3", "?known=", "?every=-1"] {
            let e = bad.parse::<SearchSpec>().unwrap_err().to_string();
            assert!(e.starts_with("search"), "{e}");
        }
    }
}
