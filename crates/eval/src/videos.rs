//! Which episodes of a run are filmed.

use std::fmt;
use std::str::FromStr;

/// Which episodes of a run are filmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Videos {
    /// The first of each task.
    First(u64),
    /// Those that were not solved, played again from their traces: the others cost nothing.
    Failures,
}

impl Videos {
    /// None of them.
    pub const NONE: Self = Self::First(0);
}

impl FromStr for Videos {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "failures" => Ok(Self::Failures),
            "all" => Ok(Self::First(u64::MAX)),
            n => n.parse().map(Self::First).map_err(|_| {
                format!("{text:?} is not a number of episodes; there are also failures and all")
            }),
        }
    }
}

impl fmt::Display for Videos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First(u64::MAX) => f.write_str("all"),
            Self::First(n) => write!(f, "{n}"),
            Self::Failures => f.write_str("failures"),
        }
    }
}
