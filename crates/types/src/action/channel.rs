use serde::{Deserialize, Serialize};

use super::Action;
use crate::{Bounds, Pose, rotation_between};

/// Metres and radians per control step that ±1 of a delta stands for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolScale {
    /// Translation at ±1, metres.
    pub metres: f64,
    /// Rotation at ±1, radians.
    pub radians: f64,
}

impl ToolScale {
    /// ±1 is ±0.05 m and ±0.5 rad.
    pub const DEFAULT: Self = Self { metres: 0.05, radians: 0.5 };

    /// Whether it is what ±1 stands for unless somebody says otherwise.
    pub fn is_default(&self) -> bool {
        *self == Self::DEFAULT
    }

    /// Return the tool delta and gripper command that bring a commanded tool pose towards another, at most
    /// `metres` and `radians` in this step and no more than the scale allows.
    pub fn towards(
        &self,
        from: &Pose,
        to: &Pose,
        metres: f64,
        radians: f64,
        gripper: f64,
    ) -> Action {
        let (metres, radians) = (metres.min(self.metres), radians.min(self.radians));
        let p = (to.pos - from.pos).clamp_length_max(metres) / self.metres;
        let r = rotation_between(from.rot, to.rot).clamp_length_max(radians) / self.radians;
        Action::new(&[p.x, p.y, p.z, r.x, r.y, r.z, gripper].map(|v| v as f32))
    }
}

impl Default for ToolScale {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What the numbers of a channel mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelKind {
    /// Change of the commanded tool pose: dx dy dz, axis-angle rx ry rz; world frame; ±1 is the scale.
    ToolDelta(ToolScale),
    /// Gripper or suction command: −1 open, +1 closed.
    Gripper,
    /// Joint targets of a hand's fingers, radians.
    HandJoints,
    /// Joint targets of an arm, radians.
    JointTarget,
    /// Changes of an arm's joint targets.
    JointDelta {
        /// Change at ±1, radians.
        radians: f64,
    },
    /// Change of a mobile base's pose: forward, left, turn; ±1 is the scale.
    BaseDelta(ToolScale),
    /// A whole motion: pick position and w-x-y-z quaternion, then the same for the place pose; world
    /// frame, metres.
    PickPlace,
}

/// One number of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelValue {
    /// Name, unique within an action.
    pub name: String,
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
    /// Value that does the least.
    pub idle: f64,
    /// Range that random actions are drawn from.
    pub random: [f64; 2],
}

impl ChannelValue {
    /// A number with its bounds, drawn from the whole range between them.
    pub fn new(name: impl Into<String>, low: f64, high: f64, idle: f64) -> Self {
        Self { name: name.into(), low, high, idle, random: [low, high] }
    }

    /// A number between −1 and 1 that idles at 0.
    fn unit(name: impl Into<String>) -> Self {
        Self::new(name, -1.0, 1.0, 0.0)
    }
}

/// Where pick-and-place poses may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickPlaceSpace {
    /// Bounds of both positions.
    pub workspace: Bounds,
    /// Pick and place pose of the idle action: a place where there is nothing to pick.
    pub idle: Pose,
    /// Greatest height of random poses.
    pub random_height: f64,
}

/// Numbers that belong together: what one limb, end or base is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// Name, unique within an action.
    pub name: String,
    /// Limb it commands; `None` is the robot as a whole.
    pub limb: Option<String>,
    /// What the numbers mean.
    pub kind: ChannelKind,
    /// The numbers, in order.
    pub values: Vec<ChannelValue>,
}

impl Channel {
    fn of(name: &str, limb: Option<&str>, kind: ChannelKind, values: Vec<ChannelValue>) -> Self {
        Self { name: name.to_owned(), limb: limb.map(str::to_owned), kind, values }
    }

    /// Tool deltas of a limb.
    pub fn tool_delta(limb: &str, scale: ToolScale) -> Self {
        let values = ["dx", "dy", "dz", "rx", "ry", "rz"].map(ChannelValue::unit).to_vec();
        Self::of("tool", Some(limb), ChannelKind::ToolDelta(scale), values)
    }

    /// The gripper or suction cup of a limb; idles open.
    pub fn gripper(limb: &str) -> Self {
        let values = vec![ChannelValue::new("gripper", -1.0, 1.0, -1.0)];
        Self::of("gripper", Some(limb), ChannelKind::Gripper, values)
    }

    /// Joint targets of a limb: for each joint its least, greatest and idle position.
    pub fn joint_target(limb: &str, joints: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let value = |(i, [low, high, idle]): (usize, [f64; 3])| {
            ChannelValue::new(format!("joint_{}", i + 1), low, high, idle)
        };
        let values = joints.into_iter().enumerate().map(value).collect();
        Self::of("joints", Some(limb), ChannelKind::JointTarget, values)
    }

    /// Changes of a limb's joint targets, ±1 being ± `radians`.
    pub fn joint_delta(limb: &str, joints: usize, radians: f64) -> Self {
        let values = (1..=joints).map(|i| ChannelValue::unit(format!("djoint_{i}"))).collect();
        Self::of("joints", Some(limb), ChannelKind::JointDelta { radians }, values)
    }

    /// Joint targets of a limb's hand.
    pub fn hand_joints(limb: &str, values: Vec<ChannelValue>) -> Self {
        Self::of("hand", Some(limb), ChannelKind::HandJoints, values)
    }

    /// A mobile base; where there are several robots, named after its own.
    pub fn base_delta(robot: Option<&str>, scale: ToolScale) -> Self {
        let prefix = robot.map(|r| format!("{r}_")).unwrap_or_default();
        let value = |name: &str| ChannelValue::unit(format!("{prefix}{name}"));
        let values = ["base_dx", "base_dy", "base_turn"].map(value).to_vec();
        Self::of(&format!("{prefix}base"), None, ChannelKind::BaseDelta(scale), values)
    }

    /// Whole pick-and-place motions of a limb.
    pub fn pick_place(limb: &str, space: &PickPlaceSpace) -> Self {
        let (position, turn) = (space.idle.pos.to_array(), space.idle.wxyz());
        let mut values = Vec::new();
        for pose in ["pick", "place"] {
            for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
                let (centre, half) = (space.workspace.centre[i], space.workspace.half[i]);
                let name = format!("{pose}_{axis}");
                let mut value = ChannelValue::new(name, centre - half, centre + half, position[i]);
                if axis == "z" {
                    value.random[1] = space.random_height;
                }
                values.push(value);
            }
            for (i, axis) in ["qw", "qx", "qy", "qz"].into_iter().enumerate() {
                values.push(ChannelValue::new(format!("{pose}_{axis}"), -1.0, 1.0, turn[i]));
            }
        }
        Self::of("pick-place", Some(limb), ChannelKind::PickPlace, values)
    }

    /// How many numbers it has.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
