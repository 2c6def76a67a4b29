//! Robots from published kinematics, limits and inertias, with link shapes of our own.
//!
//! A robot is a [`RobotSpec`] value; adding one means one file here and one line in [`spec`].
//! Names in the compiled model: bodies `robot/{link}`, joints and actuators `robot/{joint}`, the
//! gripper's actuator `robot/gripper`, its pads `robot/pad_left` and `robot/pad_right`, the tool
//! site `robot/tool`, a suction cup's body `robot/cup`.

mod arx_r5;
mod build;
mod look;
mod panda;
mod ur5e;

use longarm_types::Pose;
use serde::{Deserialize, Serialize};

use crate::kinematics::{Chain, ChainJoint};

pub use build::build;

/// The robots there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RobotName {
    /// Franka Emika Panda with its parallel hand.
    FrankaPanda,
    /// Universal Robots UR5e with a suction cup.
    Ur5e,
    /// ARX R5 with its parallel gripper.
    ArxR5,
}

/// The robot with this name.
pub fn spec(name: RobotName) -> RobotSpec {
    match name {
        RobotName::FrankaPanda => panda::spec(),
        RobotName::Ur5e => ur5e::spec(),
        RobotName::ArxR5 => arx_r5::spec(),
    }
}

/// A revolute arm joint and the position servo that drives it.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotJoint {
    /// Name without the `robot/` prefix.
    pub name: &'static str,
    /// Axis in the link's frame.
    pub axis: [f64; 3],
    /// Limits, radians.
    pub range: [f64; 2],
    /// Speed limit, radians per second.
    pub velocity: f64,
    /// Rotor inertia.
    pub armature: f64,
    /// Viscous damping.
    pub damping: f64,
    /// Servo stiffness.
    pub kp: f64,
    /// Servo damping.
    pub kv: f64,
    /// Torque limit.
    pub force: f64,
}

/// One link; the first joint of a link moves it against its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name without the `robot/` prefix.
    pub name: &'static str,
    /// Index of the parent link; `None` for the base.
    pub parent: Option<usize>,
    /// Pose in the parent's frame at joint value zero.
    pub pose: Pose,
    /// Mass.
    pub mass: f64,
    /// Centre of mass and principal axes.
    pub com: Pose,
    /// Principal moments of inertia.
    pub inertia: [f64; 3],
    /// The arm joint, if this link moves against its parent.
    pub joint: Option<RobotJoint>,
}

/// What the robot holds things with.
#[derive(Clone, Debug, PartialEq)]
pub enum Gripper {
    /// Two fingers moving against each other along the tool's y.
    Parallel {
        /// Widest gap between the pads.
        opening: f64,
        /// Half size of a pad along tool x (width) and z (length).
        pad: [f64; 2],
    },
    /// A suction cup.
    Suction {
        /// Radius of the lip.
        radius: f64,
    },
}

/// A robot as data.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotSpec {
    /// Name.
    pub name: RobotName,
    /// Links from the base to the hand, parents first. Fingers are added by the gripper's builder.
    pub links: Vec<Link>,
    /// Hand link that carries the tool.
    pub hand: usize,
    /// Tool frame in the hand link: z points the way the gripper points, y the way fingers close.
    pub tool: Pose,
    /// Gripper.
    pub gripper: Gripper,
    /// A comfortable posture.
    pub home: Vec<f64>,
}

impl RobotSpec {
    /// The kinematic chain from base to tool.
    pub fn chain(&self, mount: &Pose) -> Chain {
        let mut path = vec![self.hand];
        while let Some(p) = self.links[path[path.len() - 1]].parent {
            path.push(p);
        }
        path.reverse();
        let mut joints = Vec::new();
        let mut since = *mount;
        for &i in &path {
            let link = &self.links[i];
            since = since * link.pose;
            if let Some(j) = &link.joint {
                joints.push(ChainJoint {
                    pose: since,
                    axis: j.axis.into(),
                    range: j.range,
                    velocity: j.velocity,
                });
                since = Pose::IDENTITY;
            }
        }
        Chain { joints, tool: since * self.tool }
    }
}

/// A finger of a parallel gripper; its slide runs from 0 (pads touching) to half the opening.
#[derive(Clone, Debug, PartialEq)]
struct Finger {
    name: &'static str,
    joint: &'static str,
    /// Pose in the hand's frame with the pads touching.
    pose: Pose,
    /// Direction of opening in the finger's frame.
    axis: [f64; 3],
    mass: f64,
    com: Pose,
    inertia: [f64; 3],
    /// Middle of the pad's face in the finger's frame, z along the finger, y away from the other.
    pad: Pose,
}

/// The fingers of a robot with a parallel gripper.
fn fingers(name: RobotName) -> Option<[Finger; 2]> {
    match name {
        RobotName::FrankaPanda => Some(panda::fingers()),
        RobotName::ArxR5 => Some(arx_r5::fingers()),
        RobotName::Ur5e => None,
    }
}

/// Principal axes of inertia: centre of mass and w-x-y-z quaternion.
fn principal(com: [f64; 3], wxyz: [f64; 4]) -> Pose {
    Pose::from_arrays(com, wxyz)
}
