use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::nearest;

/// What the numbers of an action command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlMode {
    /// Changes of each tool's commanded pose.
    ToolDelta,
    /// Positions of each limb's joints.
    JointTarget,
    /// Changes of the positions of each limb's joints.
    JointDelta,
    /// Whole pick-and-place motions.
    PickPlace,
}

impl ControlMode {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::ToolDelta, Self::JointTarget, Self::JointDelta, Self::PickPlace];

    /// Return the name, as it is written in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolDelta => "tool-delta",
            Self::JointTarget => "joint-target",
            Self::JointDelta => "joint-delta",
            Self::PickPlace => "pick-place",
        }
    }
}

impl fmt::Display for ControlMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is not a control mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no control mode {name:?}; {remedy}")]
pub struct ControlModeError {
    name: String,
    remedy: String,
}

impl FromStr for ControlMode {
    type Err = ControlModeError;

    fn from_str(name: &str) -> Result<Self, ControlModeError> {
        Self::ALL.into_iter().find(|m| m.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let remedy = match nearest(name, names).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("there are: {}", names.join(", ")),
            };
            ControlModeError { name: name.to_owned(), remedy }
        })
    }
}
