use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// `1 episode`, `2 episodes`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// `suite/kebab-case`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TaskId(String);

/// Why a task id was refused.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{0:?} is not a task id; ids look like suite/name-of-the-task")]
pub struct TaskIdError(String);

impl TaskId {
    /// The part before the slash.
    pub fn suite(&self) -> &str {
        self.0.split_once('/').map_or("", |(s, _)| s)
    }

    /// The part after the slash.
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, n)| n)
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TaskId {
    type Err = TaskIdError;
    fn from_str(s: &str) -> Result<Self, TaskIdError> {
        let kebab = |p: &str| {
            !p.is_empty()
                && p.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        match s.split_once('/') {
            Some((a, b)) if kebab(a) && kebab(b) => Ok(Self(s.to_owned())),
            _ => Err(TaskIdError(s.to_owned())),
        }
    }
}

impl TryFrom<String> for TaskId {
    type Error = TaskIdError;
    fn try_from(s: String) -> Result<Self, TaskIdError> {
        s.parse()
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The candidates most like `name`, best first, for did-you-mean.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<_> = candidates
        .into_iter()
        .map(|c| (strsim::jaro_winkler(name, c), c))
        .filter(|(s, _)| *s > 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.into_iter().take(3).map(|(_, c)| c).collect()
}

/// `; did you mean …?`, or what there is: the end of every sentence about a name nobody knows.
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let near = nearest(name, known.clone());
    if near.is_empty() {
        let mut all: Vec<_> = known.into_iter().take(31).collect();
        if let Some(last) = all.get_mut(30) {
            *last = "…";
        }
        return if all.is_empty() {
            String::new()
        } else {
            format!("; there are: {}", all.join(", "))
        };
    }
    format!("; did you mean {}?", near.join(" or "))
}
