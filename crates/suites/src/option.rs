//! What may be chosen about the tasks of a suite.

use longarm_task::{TaskSpec, USUAL_PACE};
use longarm_types::nearest;

use crate::{SUITES, Suite, suite};

/// An option that a suite declares.
pub struct SuiteOption {
    /// Its name in `-o name=value`.
    pub name: &'static str,
    /// What it may be; the first is the default.
    pub values: &'static [&'static str],
    /// What it does, in one sentence.
    pub help: &'static str,
    /// The task under a value. A task that the value does not concern stays as it is; one that it
    /// changes has another hash.
    pub apply: fn(TaskSpec, &str) -> TaskSpec,
}

/// The scripted expert's pace, for a suite that has one of its own: what `demos` and the experts' runs
/// take, never what a policy sees or what counts.
pub const PACE: SuiteOption = SuiteOption {
    name: "pace",
    values: &["suite", "brisk"],
    help: "how fast the scripted experts move: at the suite's pace, or at their own, which is brisk",
    apply: |task, value| match value {
        "brisk" => task.pace(USUAL_PACE),
        _ => task,
    },
};

/// Why an option cannot be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No task among those chosen has it.
    #[error("no option {name:?} {}{hint}", of(.suites))]
    Unknown {
        /// As it was written.
        name: String,
        /// Suites of the tasks chosen.
        suites: Vec<String>,
        /// What there is instead.
        hint: String,
    },
    /// Not one of its values.
    #[error("{name} is {values}, not {value:?}")]
    Value {
        /// The option.
        name: &'static str,
        /// As it was written.
        value: String,
        /// What it may be.
        values: String,
    },
}

fn of(suites: &[String]) -> String {
    match suites {
        [] => "; no tasks were chosen".to_owned(),
        some => format!("for tasks of {}", some.join(", ")),
    }
}

/// The options that a task may be given: those of its suite, or any for a task that belongs to none.
fn options_of(name: &str) -> Vec<&'static SuiteOption> {
    match suite(name) {
        Some(s) => s.options.iter().collect(),
        None => {
            let mut all: Vec<&SuiteOption> = SUITES.iter().flat_map(|s| s.options).collect();
            all.dedup_by_key(|o| o.name);
            all
        }
    }
}

impl Suite {
    /// The option of this name.
    pub fn option(&self, name: &str) -> Option<&'static SuiteOption> {
        self.options.iter().find(|o| o.name == name)
    }
}

/// The option of this name of any suite.
pub fn option(name: &str) -> Option<&'static SuiteOption> {
    SUITES.iter().find_map(|s| s.option(name))
}

/// A task under options that were accepted before; those it does not have change nothing.
pub fn apply_options<'a>(
    task: TaskSpec,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> TaskSpec {
    let known = options_of(task.id.suite());
    options.into_iter().fold(task, |task, (name, value)| {
        match known.iter().find(|o| o.name == name) {
            Some(o) => (o.apply)(task, value),
            None => task,
        }
    })
}

/// Tasks under options, each of which must be one of some task's with a value that it has.
pub fn with_options(
    tasks: Vec<TaskSpec>,
    options: &[(String, String)],
) -> Result<Vec<TaskSpec>, OptionError> {
    let mut suites: Vec<String> = tasks.iter().map(|t| t.id.suite().to_owned()).collect();
    suites.sort();
    suites.dedup();
    for (name, value) in options {
        let known: Vec<&SuiteOption> = suites.iter().flat_map(|s| options_of(s)).collect();
        let Some(o) = known.iter().find(|o| o.name == name) else {
            let names = known.iter().map(|o| o.name);
            let hint = match (nearest(name, names.clone()).first(), known.is_empty()) {
                (Some(near), _) => format!("; did you mean {near}?"),
                (None, true) => ", which have no options".to_owned(),
                (None, false) => format!("; there is {}", names.collect::<Vec<_>>().join(", ")),
            };
            return Err(OptionError::Unknown { name: name.clone(), suites, hint });
        };
        if !o.values.contains(&value.as_str()) {
            let (value, values) = (value.clone(), o.values.join(" or "));
            return Err(OptionError::Value { name: o.name, value, values });
        }
    }
    let given = || options.iter().map(|(n, v)| (n.as_str(), v.as_str()));
    Ok(tasks.into_iter().map(|t| apply_options(t, given())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(id: &str, name: &str, value: &str) -> Result<Vec<TaskSpec>, OptionError> {
        let task = crate::task(id).unwrap();
        with_options(vec![task], &[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn options_are_those_of_the_suite() {
        let region = "libero-90/kitchen-scene7-put-the-white-bowl-to-the-right-of-the-plate";
        let plain = crate::task(region).unwrap();
        let strict = given(region, "strict-libero", "true").unwrap();
        assert_ne!(strict[0].hash(), plain.hash());
        assert_eq!(given(region, "strict-libero", "false").unwrap()[0].hash(), plain.hash());
        let e = given(region, "strict-libero", "yes").unwrap_err().to_string();
        assert!(e.contains("false or true") && e.contains("yes"), "{e}");
        let e = given(region, "strict-libreo", "true").unwrap_err().to_string();
        assert!(e.contains("did you mean strict-libero?"), "{e}");
        let e = given("longbench/stack-block", "strict-libero", "true").unwrap_err().to_string();
        assert!(e.contains("longbench") && e.contains("no options"), "{e}");
    }

    #[test]
    fn a_pace_is_the_suites_or_brisk() {
        let plain = crate::task("longbench/stack-block").unwrap();
        let slow = plain.clone().pace(0.5);
        assert_eq!((PACE.apply)(slow.clone(), "suite"), slow);
        let brisk = (PACE.apply)(slow.clone(), "brisk");
        assert_eq!((brisk.pace, brisk.hash()), (USUAL_PACE, plain.hash()));
        assert_ne!(slow.hash(), plain.hash());
        assert!(slow.clone().pace(0.0).validate().is_err() && slow.validate().is_ok());
    }
}
