use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::hint;

/// What a policy is told besides its instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hints {
    /// Nothing.
    #[default]
    None,
    /// The true subtask of the moment, in place of the instruction.
    Subtask,
}

impl Hints {
    const ALL: [(Self, &'static str); 2] = [(Self::None, "none"), (Self::Subtask, "subtask")];

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl FromStr for Hints {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, n)| *n == name);
        let names = Self::ALL.map(|(_, n)| n);
        found.map(|(h, _)| *h).ok_or_else(|| format!("no hints {name:?}{}", hint(name, names)))
    }
}

impl fmt::Display for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|(h, _)| h == self).map_or("", |(_, n)| n))
    }
}
