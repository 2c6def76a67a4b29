//! The control modes of a rig.

use longarm_types::{ActionSpec, CONTROL_HZ, Channel, ChannelValue, ControlMode, ToolScale};

use super::{Rig, RigLimb, RigName};
use crate::robots::{End, RobotJoint};

/// A control mode that a rig does not offer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rig {rig} offers no control mode {mode}; it offers {}", names(.offered))]
pub struct ControlError {
    /// The rig.
    pub rig: RigName,
    /// What was asked for.
    pub mode: ControlMode,
    /// What there is.
    pub offered: Vec<ControlMode>,
}

fn names(modes: &[ControlMode]) -> String {
    modes.iter().map(|m| m.as_str()).collect::<Vec<_>>().join(", ")
}

impl Rig {
    /// Return the same rig under another of its control modes.
    pub fn with_control(mut self, mode: ControlMode) -> Result<Self, ControlError> {
        if !self.controls.contains(&mode) {
            return Err(ControlError { rig: self.name, mode, offered: self.controls });
        }
        if self.control != mode {
            self.action = self.channels(mode);
            self.control = mode;
        }
        Ok(self)
    }

    /// Return the same rig with another scale of tool deltas. Whole motions have none.
    pub fn with_tool_scale(mut self, scale: ToolScale) -> Self {
        if self.tool_scale != scale && self.control != ControlMode::PickPlace {
            self.tool_scale = scale;
            self.action = self.channels(self.control);
        }
        self
    }

    /// Return the actions by which tools are moved, whatever the control mode.
    pub fn tool_actions(&self) -> ActionSpec {
        self.channels(ControlMode::ToolDelta)
    }

    /// Actions that command every limb and what is at its end, and bases that move.
    fn channels(&self, mode: ControlMode) -> ActionSpec {
        let limbs = self.limbs();
        let mut channels = Vec::new();
        for (i, mounted) in self.robots.iter().enumerate() {
            for limb in limbs.iter().filter(|l| l.robot == i) {
                channels.extend([self.arm(limb, mode), end(limb)]);
            }
            if let Some(base) = &mounted.robot.spec().base {
                let robot = (self.robots.len() > 1).then_some(mounted.name.as_str());
                channels.push(Channel::base_delta(robot, base.step()));
            }
        }
        ActionSpec::new(channels)
    }

    fn arm(&self, limb: &RigLimb, mode: ControlMode) -> Channel {
        let name = limb.name.as_str();
        let joints = limb.spec().joints();
        match mode {
            ControlMode::ToolDelta | ControlMode::PickPlace => {
                Channel::tool_delta(name, self.tool_scale)
            }
            ControlMode::JointTarget => {
                let home = limb.home.iter();
                let bounds = joints.zip(home).map(|(j, home)| [j.range[0], j.range[1], *home]);
                Channel::joint_target(name, bounds)
            }
            ControlMode::JointDelta => {
                // As far as the fastest joint goes in one control step.
                let fastest = joints.map(|j| j.velocity).fold(0.0, f64::max);
                let radians = fastest / f64::from(CONTROL_HZ);
                Channel::joint_delta(name, limb.home.len(), radians)
            }
        }
    }
}

fn end(limb: &RigLimb) -> Channel {
    let name = limb.name.as_str();
    match &limb.spec().end {
        End::Gripper(_) | End::Suction(_) => Channel::gripper(name),
        End::Hand(hand) => {
            let value = |(i, (finger, j)): (usize, (&str, &RobotJoint))| {
                let home = limb.fingers.get(i).copied().unwrap_or(0.0);
                let name = format!("{finger}_{}", j.name);
                ChannelValue::new(name, j.range[0], j.range[1], home)
            };
            Channel::hand_joints(name, hand.joints().enumerate().map(value).collect())
        }
    }
}
