//! What limbs act with.

use std::sync::Arc;

use longarm_types::Pose;

use super::{Link, Look, RobotJoint};

/// What a limb acts with.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a robot has few, made once")]
pub enum End {
    /// Two fingers that close on each other.
    Gripper(Gripper),
    /// A suction cup.
    Suction(Suction),
    /// Fingers with joints of their own.
    Hand(Hand),
}

/// Two fingers moving against each other along the tool's y.
#[derive(Clone, Debug, PartialEq)]
pub struct Gripper {
    /// Widest gap between the pads.
    pub opening: f64,
    /// Half size of a pad along tool x (width) and z (length).
    pub pad: [f64; 2],
    /// The left and the right finger.
    pub fingers: [GripperFinger; 2],
}

impl Gripper {
    /// How far each finger slides between closed and fully open, metres.
    pub fn finger_travel(&self) -> f64 {
        self.opening / 2.0
    }
}

/// A finger of a gripper; its slide runs from 0 (pads touching) to half the opening.
#[derive(Clone, Debug, PartialEq)]
pub struct GripperFinger {
    /// Name of its body, without the limb's prefix.
    pub name: String,
    /// Name of its joint, without the limb's prefix.
    pub joint: String,
    /// Pose in the hand's frame with the pads touching.
    pub pose: Pose,
    /// Direction of opening in the finger's frame.
    pub axis: [f64; 3],
    /// Mass.
    pub mass: f64,
    /// Centre of mass and principal axes.
    pub com: Pose,
    /// Principal moments of inertia.
    pub inertia: [f64; 3],
    /// Middle of the pad's face in the finger's frame, z along the finger, y away from the other.
    pub pad: Pose,
}

/// A suction cup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suction {
    /// Radius of the lip.
    pub radius: f64,
}

/// Fingers with joints of their own on a palm.
#[derive(Clone, Debug)]
pub struct Hand {
    /// Middle of the palm in the hand link, z out of it.
    pub palm: Pose,
    /// Fingers, in the order of their joints' action numbers.
    pub fingers: Vec<HandFinger>,
    /// Joint values at the start of an episode, finger by finger.
    pub home: Vec<f64>,
    /// How links of fingers look, named `{finger}/{link}`.
    pub look: Arc<dyn Look>,
}

/// A finger of a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct HandFinger {
    /// Name.
    pub name: String,
    /// Links from the palm out, parents first; the first hangs on the limb's hand link.
    pub links: Vec<Link>,
    /// Fingertip in the last link's frame.
    pub tip: Pose,
}

impl Hand {
    /// Return the joints, finger by finger, each with the name of its finger.
    pub fn joints(&self) -> impl Iterator<Item = (&str, &RobotJoint)> {
        self.fingers.iter().flat_map(|f| {
            f.links.iter().filter_map(|l| l.joint.as_ref()).map(|j| (f.name.as_str(), j))
        })
    }
}
