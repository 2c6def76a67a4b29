//! Robots from published kinematics, limits and inertias, with link shapes of our own.
//!
//! A robot is a [`RobotSpec`] value: limbs on an optional base. Adding one means one file here and one
//! line in the table of [`RobotName`], or a call of [`RobotSpec::register`].
//!
//! Names in the compiled model begin with the limb's prefix, `robot/` where a rig has one limb and
//! `robot/{limb}/` where it has several: bodies `{prefix}{link}`, joints and actuators
//! `{prefix}{joint}`, a gripper's actuator `{prefix}gripper`, its pads `{prefix}pad_left` and
//! `{prefix}pad_right`, the tool site `{prefix}tool`, links and joints of a hand's finger
//! `{prefix}{finger}/{link}`. A suction cup is the link that carries the tool.

mod arx_r5;
mod build;
mod end;
mod leap;
mod look;
mod panda;
mod poses;
mod row;
mod tidybot;
mod ur5e;
mod xarm7;

use std::fmt;
use std::sync::{Arc, LazyLock};

use longarm_types::{Bounds, CONTROL_HZ, DQuat, DVec3, Pose, ToolScale};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kinematics::{Chain, ChainJoint};
use crate::registry::{NameTaken, Registry};
use leap::Side;

pub use build::build;
pub use end::{End, Grip, Gripper, GripperFinger, Hand, HandFinger, Suction, Synergy};
pub use look::{Footprint, Look};

static ROBOTS: LazyLock<Registry<RobotSpec>> = LazyLock::new(|| {
    let ours = [
        panda::spec(),
        ur5e::spec(),
        arx_r5::spec(),
        xarm7::spec(),
        leap::spec(Side::Right),
        leap::spec(Side::Left),
        on_panda(RobotName::PANDA_LEAP, Side::Right),
        on_panda(RobotName::PANDA_LEAP_LEFT, Side::Left),
        on_xarm(RobotName::XARM7_LEAP, Side::Right),
        on_xarm(RobotName::XARM7_LEAP_LEFT, Side::Left),
        tidybot::spec(),
        RobotSpec { name: RobotName::PANDA, ..panda::spec() },
    ];
    Registry::new("robot", ours.map(|spec| (spec.name.0, spec)))
});

/// A Panda with a LEAP hand.
fn on_panda(name: RobotName, side: Side) -> RobotSpec {
    leap::on_arm(name, panda::limb(), 7, panda::flange(), side)
}

/// The same on an xArm7.
fn on_xarm(name: RobotName, side: Side) -> RobotSpec {
    leap::on_arm(name, xarm7::limb(), 7, Pose::IDENTITY, side)
}

/// Name of a robot, as it is written in files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RobotName(&'static str);

impl RobotName {
    /// Franka Emika Panda with its parallel hand.
    pub const FRANKA_PANDA: Self = Self("franka-panda");
    /// Universal Robots UR5e with a suction cup.
    pub const UR5E: Self = Self("ur5e");
    /// ARX R5 with its parallel gripper.
    pub const ARX_R5: Self = Self("arx-r5");
    /// The Panda under its short name.
    pub const PANDA: Self = Self("panda");
    /// UFACTORY xArm7 with its gripper.
    pub const XARM7: Self = Self("xarm7");
    /// LEAP hand, right.
    pub const LEAP_RIGHT: Self = Self("leap-right");
    /// LEAP hand, left.
    pub const LEAP_LEFT: Self = Self("leap-left");
    /// Panda with a right LEAP hand.
    pub const PANDA_LEAP: Self = Self("panda-leap");
    /// Panda with a left LEAP hand.
    pub const PANDA_LEAP_LEFT: Self = Self("panda-leap-left");
    /// xArm7 with a right LEAP hand.
    pub const XARM7_LEAP: Self = Self("xarm7-leap");
    /// xArm7 with a left LEAP hand.
    pub const XARM7_LEAP_LEFT: Self = Self("xarm7-leap-left");
    /// TidyBot++'s holonomic base under a Panda.
    pub const TIDYBOT: Self = Self("tidybot-panda");

    /// Return the robot of this name.
    pub fn find(name: &str) -> Option<Self> {
        ROBOTS.find(name).map(|(name, _)| Self(name))
    }

    /// Return all robots.
    pub fn all() -> Vec<Self> {
        ROBOTS.names().into_iter().map(Self).collect()
    }

    /// Return the name as text.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Return what the name stands for.
    pub fn spec(self) -> Arc<RobotSpec> {
        match ROBOTS.find(self.0) {
            Some((_, spec)) => spec,
            None => unreachable!("names of robots are made by finding or registering them"),
        }
    }
}

impl fmt::Display for RobotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for RobotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for RobotName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for RobotName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::registry::parse(deserializer, "robot", Self::find, || ROBOTS.names())
    }
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMotion {
    /// Turns about its axis, radians.
    Hinge,
    /// Slides along its axis, metres.
    Slide,
}

/// A joint and the position servo that drives it.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotJoint {
    /// Name without the limb's prefix.
    pub name: String,
    /// How it moves.
    pub motion: JointMotion,
    /// Axis in the link's frame.
    pub axis: [f64; 3],
    /// Limits, radians or metres.
    pub range: [f64; 2],
    /// Speed limit, per second.
    pub velocity: f64,
    /// Rotor inertia.
    pub armature: f64,
    /// Viscous damping.
    pub damping: f64,
    /// Servo stiffness.
    pub kp: f64,
    /// Servo damping.
    pub kv: f64,
    /// Torque or force limit.
    pub force: f64,
}

/// One link; the first joint of a link moves it against its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name without the limb's prefix.
    pub name: String,
    /// Index of the parent link; `None` for the first.
    pub parent: Option<usize>,
    /// Pose in the parent's frame at joint value zero.
    pub pose: Pose,
    /// Mass.
    pub mass: f64,
    /// Centre of mass and principal axes.
    pub com: Pose,
    /// Principal moments of inertia.
    pub inertia: [f64; 3],
    /// The joint, if this link moves against its parent.
    pub joint: Option<RobotJoint>,
}

/// A base that moves over the floor in every direction, which limbs stand on: links with joints from the
/// floor up. Their joints are a slide along x, a slide along y and a hinge about z, in this order.
#[derive(Clone, Debug)]
pub struct Base {
    /// Links from the floor up, each the parent of the next; limbs stand on the last one.
    pub links: Vec<Link>,
    /// Joint values at the start of an episode.
    pub home: Vec<f64>,
    /// How it looks and where it is solid.
    pub look: Arc<dyn Look>,
}

impl Base {
    /// Return the joints from the floor up.
    pub fn joints(&self) -> impl Iterator<Item = &RobotJoint> {
        self.links.iter().filter_map(|l| l.joint.as_ref())
    }

    /// Return how far it drives and turns at most in one control step: what ±1 of an action stands for.
    pub fn step(&self) -> ToolScale {
        let fastest = |motion: JointMotion| {
            let speeds = self.joints().filter(|j| j.motion == motion).map(|j| j.velocity);
            speeds.fold(0.0, f64::max) / f64::from(CONTROL_HZ)
        };
        ToolScale { metres: fastest(JointMotion::Slide), radians: fastest(JointMotion::Hinge) }
    }
}

/// Room a hand takes about its tool frame, for those who plan with it.
#[derive(Clone, Debug, PartialEq)]
pub struct HandOutline {
    /// Palm, then flange and wrist.
    pub palm: Vec<Bounds>,
    /// Half size of a finger along tool x (width), y (thickness) and z about the pad's centre.
    pub finger: [f64; 3],
    /// How far fingertips reach past the pad's centre along tool z.
    pub tip: f64,
    /// From the middle of a closed finger to the flat side it pushes with.
    pub side: f64,
}

/// A chain of joints with something at its end.
#[derive(Clone, Debug)]
pub struct Limb {
    /// Name.
    pub name: String,
    /// Where it stands on the robot's base.
    pub mount: Pose,
    /// Links from the shoulder to the hand, parents first. The end adds its own.
    pub links: Vec<Link>,
    /// The link that carries the tool and the end.
    pub hand: usize,
    /// Tool frame in the hand link: z points the way the end points, y the way fingers close.
    pub tool: Pose,
    /// What it acts with.
    pub end: End,
    /// A comfortable posture.
    pub home: Vec<f64>,
    /// How much faster than the usual pace it may travel where nothing is near.
    pub travel_speed: f64,
    /// Room its hand takes.
    pub outline: HandOutline,
    /// How it looks and where it is solid.
    pub look: Arc<dyn Look>,
}

/// A robot as data: limbs on an optional base.
#[derive(Clone, Debug)]
pub struct RobotSpec {
    /// Name.
    pub name: RobotName,
    /// A base that moves; without one the limbs are bolted down.
    pub base: Option<Base>,
    /// Limbs, in the order of hands and action channels.
    pub limbs: Vec<Limb>,
}

impl RobotSpec {
    /// Add a robot under a name of its own.
    pub fn register(
        name: &str,
        base: Option<Base>,
        limbs: Vec<Limb>,
    ) -> Result<RobotName, NameTaken> {
        let make = |name| Self { name: RobotName(name), base, limbs };
        ROBOTS.add(name, |_, _| false, make).map(RobotName)
    }
}

impl Limb {
    /// Return the arm joints from the shoulder out.
    pub fn joints(&self) -> impl Iterator<Item = &RobotJoint> {
        self.links.iter().filter_map(|l| l.joint.as_ref())
    }

    /// Return the kinematic chain from the base to the tool, the robot standing at `mount`.
    pub fn chain(&self, mount: &Pose) -> Chain {
        let mut path = vec![self.hand];
        while let Some(p) = self.links[path[path.len() - 1]].parent {
            path.push(p);
        }
        path.reverse();
        let mut joints = Vec::new();
        let mut since = self.standing(mount);
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

    /// Return where the limb stands in the world, the robot standing at `mount`.
    pub fn standing(&self, mount: &Pose) -> Pose {
        // Not to touch the last bit of the pose of a limb that stands where the robot does.
        if self.mount == Pose::IDENTITY { *mount } else { *mount * self.mount }
    }
}

/// The outline of a slim two-finger hand with a wrist behind it, with its own fingertips: how far they reach
/// past the pads, and from the middle of a closed finger to its flat side.
fn outline(tip: f64, side: f64) -> HandOutline {
    HandOutline {
        palm: vec![
            Bounds { centre: [0.0, 0.0, -0.070], half: [0.033, 0.104, 0.033] },
            Bounds { centre: [0.0, 0.0, -0.175], half: [0.055, 0.055, 0.075] },
        ],
        finger: [0.013, 0.012, 0.03],
        tip,
        side,
    }
}

/// Principal axes of inertia: centre of mass and w-x-y-z quaternion.
fn principal(com: [f64; 3], wxyz: [f64; 4]) -> Pose {
    Pose::from_arrays(com, wxyz)
}

/// A link by its numbers, its parent not yet known.
fn link(
    name: &str,
    at: [f64; 3],
    rot: DQuat,
    mass: f64,
    com: Pose,
    inertia: [f64; 3],
    joint: Option<RobotJoint>,
) -> Link {
    let pose = Pose::new(DVec3::from(at), rot);
    Link { name: name.into(), parent: None, pose, mass, com, inertia, joint }
}

/// Links in a row, each the parent of the next.
fn in_a_row(mut links: Vec<Link>) -> Vec<Link> {
    for (i, l) in links.iter_mut().enumerate().skip(1) {
        l.parent = Some(i - 1);
    }
    links
}
