use serde::{Deserialize, Serialize};

use crate::{Pose, rotation_between};

/// Longest action any robot takes.
pub const MAX_ACTION: usize = 32;

/// What the numbers of an action mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActionKind {
    /// dx dy dz, axis-angle rx ry rz, gripper; world frame; ±1 is ±0.05 m, ±0.5 rad; gripper −1
    /// open, +1 closed.
    EeDelta,
    /// Pick position and w-x-y-z quaternion, then the same for the place pose; world frame, metres.
    PickPlace,
}

/// Shape and meaning of the actions of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionSpec {
    /// Meaning.
    pub kind: ActionKind,
    /// How many numbers.
    pub dim: usize,
}

impl ActionSpec {
    /// Position delta per step at ±1, in metres.
    pub const POSITION_SCALE: f64 = 0.05;
    /// Rotation delta per step at ±1, in radians.
    pub const ROTATION_SCALE: f64 = 0.5;

    /// One arm moved by end-effector deltas.
    pub const EE_DELTA: Self = Self { kind: ActionKind::EeDelta, dim: 7 };
    /// Pick-and-place poses.
    pub const PICK_PLACE: Self = Self { kind: ActionKind::PickPlace, dim: 14 };

    /// The action that does the least: standing still with the gripper open, or, where actions are
    /// whole motions, going down and up at a place where there is nothing to pick.
    pub fn idle(&self) -> Action {
        match self.kind {
            ActionKind::EeDelta => Action::idle(),
            ActionKind::PickPlace => {
                let pose = [0.3, -0.45, 0.3, 1.0, 0.0, 0.0, 0.0];
                let mut both = [0.0; 14];
                both[..7].copy_from_slice(&pose);
                both[7..].copy_from_slice(&pose);
                Action::new(&both)
            }
        }
    }

    /// Refuses a wrong length and numbers that are not finite.
    pub fn check(&self, values: &[f32]) -> Result<(), ActionError> {
        if values.len() != self.dim {
            return Err(ActionError::Length { got: values.len(), want: self.dim });
        }
        match values.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(ActionError::NotFinite { index, value: values[index] }),
            None => Ok(()),
        }
    }
}

/// Why an action was refused. The world is unchanged when it is.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ActionError {
    /// Wrong number of values.
    #[error("action has {got} values; this robot takes {want}")]
    Length {
        /// Values given.
        got: usize,
        /// Values wanted.
        want: usize,
    },
    /// NaN or infinity.
    #[error("action[{index}] is {value}; every value must be finite")]
    NotFinite {
        /// Which value.
        index: usize,
        /// What it was.
        value: f32,
    },
}

/// One action, held inline so that nothing allocates in the step loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    len: u8,
    values: [f32; MAX_ACTION],
}

impl Action {
    /// An action from its numbers.
    ///
    /// # Panics
    /// If there are more than [`MAX_ACTION`] numbers.
    pub fn new(values: &[f32]) -> Self {
        assert!(values.len() <= MAX_ACTION, "an action has at most {MAX_ACTION} values");
        let mut out = Self { len: values.len() as u8, values: [0.0; MAX_ACTION] };
        out.values[..values.len()].copy_from_slice(values);
        out
    }

    /// Stand still with the gripper open.
    pub fn idle() -> Self {
        Self::new(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0])
    }

    /// The end-effector delta that brings a commanded tool pose towards another, at most `metres` and
    /// `radians` in this step.
    pub fn towards(from: &Pose, to: &Pose, metres: f64, radians: f64, gripper: f64) -> Self {
        let p = (to.pos - from.pos).clamp_length_max(metres) / ActionSpec::POSITION_SCALE;
        let r = rotation_between(from.rot, to.rot).clamp_length_max(radians)
            / ActionSpec::ROTATION_SCALE;
        Self::new(&[p.x, p.y, p.z, r.x, r.y, r.z, gripper].map(|v| v as f32))
    }

    /// The numbers.
    pub fn values(&self) -> &[f32] {
        &self.values[..self.len as usize]
    }

    /// The numbers, to change.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values[..self.len as usize]
    }
}
