//! What limbs act with.

use std::sync::Arc;

use longarm_types::{DVec3, Pose};

use super::{Link, Look, RobotJoint};
use crate::kinematics::{Chain, ChainJoint, IkSettings, Joints, MAX_JOINTS, Solution};

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
    /// Links of the maker's mechanism, where fingers do not slide in reality; they hang on the hand link and
    /// are not simulated.
    pub mechanism: Vec<Link>,
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
    /// Ways in which its fingers close together.
    pub synergies: Vec<Synergy>,
    /// How links of fingers look, named `{finger}/{link}`.
    pub look: Arc<dyn Look>,
}

/// A way in which the fingers of a hand close together: from one posture to another, each finger until it
/// meets something.
#[derive(Clone, Debug, PartialEq)]
pub struct Synergy {
    /// What it is for.
    pub grip: Grip,
    /// Joint values when open, finger by finger.
    pub open: Vec<f64>,
    /// Joint values when closed on nothing.
    pub closed: Vec<f64>,
    /// Where it holds, in the tool's frame.
    pub centre: [f64; 3],
}

/// What fingers close for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// All fingers against palm and thumb.
    Power,
    /// Index finger against the thumb.
    Pinch,
    /// Index and middle finger against the thumb.
    Tripod,
    /// Fingers bent into hooks, the thumb out of the way.
    Hook,
    /// The palm presses, fingers straight.
    PalmPress,
}

impl Synergy {
    /// Return the joint values at a share of the way, 0 open, 1 closed.
    pub fn posture(&self, share: f64) -> impl Iterator<Item = f64> {
        self.open.iter().zip(&self.closed).map(move |(open, closed)| open + share * (closed - open))
    }
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

impl HandFinger {
    /// Return the kinematic chain from the hand link to the fingertip.
    pub fn chain(&self) -> Chain {
        let mut joints = Vec::new();
        let mut since = Pose::IDENTITY;
        for link in &self.links {
            since = since * link.pose;
            if let Some(j) = &link.joint {
                let (axis, range, velocity) = (j.axis.into(), j.range, j.velocity);
                joints.push(ChainJoint { pose: since, axis, range, velocity });
                since = Pose::IDENTITY;
            }
        }
        Chain { joints, tool: since * self.tip }
    }

    /// Return the joint values that bring the fingertip to a point of the hand link's frame, or near it,
    /// however it is turned.
    pub fn reach(&self, tip: DVec3, start: &[f64]) -> Solution {
        let mut from: Joints = [0.0; MAX_JOINTS];
        from[..start.len()].copy_from_slice(start);
        let settings = IkSettings {
            iterations: 80,
            metres_per_radian: 0.0,
            damping: 2e-3,
            ..IkSettings::default()
        };
        self.chain().solve(&Pose::new(tip, Default::default()), &from, &from, &settings)
    }
}

impl Hand {
    /// Return the way in which its fingers close for something.
    pub fn synergy(&self, grip: Grip) -> Option<&Synergy> {
        self.synergies.iter().find(|s| s.grip == grip)
    }

    /// Return the joints, finger by finger, each with the name of its finger.
    pub fn joints(&self) -> impl Iterator<Item = (&str, &RobotJoint)> {
        self.fingers.iter().flat_map(|f| {
            f.links.iter().filter_map(|l| l.joint.as_ref()).map(|j| (f.name.as_str(), j))
        })
    }
}
