//! What an operator acts on.

use super::Op;

impl Op {
    /// The object, part or group it acts on.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Pick { object, .. }
            | Self::PickBoth { object, .. }
            | Self::Grasp { object }
            | Self::Put { object, .. }
            | Self::Insert { object, .. }
            | Self::PickPlace { object, .. }
            | Self::Pass { object, .. }
            | Self::Turn { object, .. }
            | Self::Stand { object, .. }
            | Self::Flip { object }
            | Self::Straighten { object }
            | Self::Throw { object, .. }
            | Self::Lay { object, .. }
            | Self::Hang { object, .. }
            | Self::Push { object, .. } => Some(object),
            Self::Open { part }
            | Self::Close { part }
            | Self::TurnOn { part }
            | Self::TurnOff { part } => Some(part),
            Self::Wipe { tool, .. } | Self::Pull { tool, .. } | Self::Scoop { tool, .. } => {
                Some(tool)
            }
            Self::Pour { from, .. } | Self::Measure { from, .. } => Some(from),
            Self::Thread { end, .. } => Some(end),
            Self::Withdraw => None,
        }
    }

    /// The same acting on another object.
    pub(crate) fn with_subject(&self, name: &str) -> Self {
        let mut op = self.clone();
        match &mut op {
            Self::Pick { object: s, .. }
            | Self::PickBoth { object: s, .. }
            | Self::Grasp { object: s }
            | Self::Put { object: s, .. }
            | Self::Insert { object: s, .. }
            | Self::PickPlace { object: s, .. }
            | Self::Pass { object: s, .. }
            | Self::Turn { object: s, .. }
            | Self::Lay { object: s, .. }
            | Self::Hang { object: s, .. }
            | Self::Push { object: s, .. }
            | Self::Stand { object: s, .. }
            | Self::Flip { object: s }
            | Self::Straighten { object: s }
            | Self::Scoop { tool: s, .. }
            | Self::Throw { object: s, .. }
            | Self::Open { part: s }
            | Self::Close { part: s }
            | Self::TurnOn { part: s }
            | Self::TurnOff { part: s }
            | Self::Wipe { tool: s, .. }
            | Self::Pull { tool: s, .. }
            | Self::Pour { from: s, .. }
            | Self::Measure { from: s, .. }
            | Self::Thread { end: s, .. } => name.clone_into(s),
            Self::Withdraw => {}
        }
        op
    }
}
