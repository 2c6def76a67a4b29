//! TidyBot++: a holonomic base on four powered casters under an arm.
//!
//! Mass, centre of mass, joints and servo gains are those of the public model, speed limits those of its
//! makers' controller. Where the arm stands on it, and that it is a Panda, is ours.

use std::sync::Arc;

use longarm_types::{DQuat, DVec3, Pose};

use super::look::TIDYBOT_LOOK;
use super::{
    Base, JointMotion, Limb, Link, RobotJoint, RobotName, RobotSpec, in_a_row, link, panda,
};

/// Metres and radians per second.
const SPEED: f64 = 0.5;
const TURN: f64 = 1.57;
/// How far it may drive from where it starts, and how often it may turn round.
const FAR: f64 = 20.0;
const ROUND: f64 = 100.0;
/// Where the arm stands: ahead of the middle, on the deck.
const DECK: [f64; 3] = [0.10, 0.0, 0.37];
/// Of the servos, shared by all casters.
const FORCE: f64 = 1500.0;

fn joint(name: &str, motion: JointMotion, axis: [f64; 3]) -> Option<RobotJoint> {
    let slides = motion == JointMotion::Slide;
    Some(RobotJoint {
        name: name.into(),
        motion,
        axis,
        range: if slides { [-FAR, FAR] } else { [-ROUND, ROUND] },
        velocity: if slides { SPEED } else { TURN },
        armature: 0.0,
        damping: 0.0,
        kp: if slides { 1e6 } else { 5e4 },
        kv: if slides { 5e4 } else { 1e3 },
        force: FORCE,
    })
}

/// The base: what slides along x, what slides along y, and what is seen, which turns.
pub(super) fn base() -> Base {
    let carriage = |name: &str, joint| {
        link(name, [0.0; 3], DQuat::IDENTITY, 0.01, Pose::IDENTITY, [1e-4; 3], joint)
    };
    let links: Vec<Link> = in_a_row(vec![
        carriage("slide_x", joint("joint_x", JointMotion::Slide, [1.0, 0.0, 0.0])),
        carriage("slide_y", joint("joint_y", JointMotion::Slide, [0.0, 1.0, 0.0])),
        link(
            "base_link",
            [0.0; 3],
            DQuat::IDENTITY,
            60.0,
            Pose::at(0.0, 0.0, 0.035),
            // The public model has a thousandth of it, which no plate of 60 kg has.
            [1.6, 1.6, 2.6],
            joint("joint_th", JointMotion::Hinge, [0.0, 0.0, 1.0]),
        ),
    ]);
    Base { links, home: vec![0.0; 3], look: Arc::new(TIDYBOT_LOOK) }
}

/// The base under a Panda.
pub fn spec() -> RobotSpec {
    let arm = panda::limb();
    let limb = Limb { mount: Pose::new(DVec3::from(DECK), DQuat::IDENTITY), ..arm };
    RobotSpec { name: RobotName::TIDYBOT, base: Some(base()), limbs: vec![limb] }
}
