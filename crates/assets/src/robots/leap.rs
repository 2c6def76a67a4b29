//! LEAP hand, right and left, from its makers' published numbers.
//!
//! Fingers are called if, mf, rf (index, middle, ring) and th (thumb), links and joints as in the public
//! models. Limits of the thumb differ between the maker's description and the public simulation models;
//! ours allow what either does.

mod numbers;

use std::sync::Arc;

use longarm_types::{Bounds, DMat3, DQuat, DVec3, Pose};

use super::look::{LeapLook, OnArm};
use super::row::links;
use super::{
    End, Grip, Hand, HandFinger, HandOutline, JointMotion, Limb, Link, RobotJoint, RobotName,
    RobotSpec, Synergy,
};
use crate::kinematics::MAX_JOINTS;

use numbers::{FINGER, LEFT_PALM, LEFT_ROOTS, LEFT_THUMB, PALM, ROOTS, THUMB};

/// Which hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::robots) enum Side {
    Right,
    Left,
}

impl Side {
    /// Return 1 for the right hand and −1 for the left, its mirror image.
    fn sign(self) -> f64 {
        if self == Self::Right { 1.0 } else { -1.0 }
    }
}

/// Name and limits of a finger's joints.
const JOINTS: [(&str, [f64; 2]); 4] = [
    ("mcp", [-0.314, 2.23]),
    ("rot", [-1.047, 1.047]),
    ("pip", [-0.506, 1.885]),
    ("dip", [-0.366, 2.042]),
];
const THUMB_JOINTS: [(&str, [f64; 2]); 4] = [
    ("cmc", [-0.349, 2.094]),
    ("axl", [-0.47, 2.443]),
    ("mcp", [-1.2, 2.443]),
    ("ipl", [-1.34, 1.88]),
];

/// Speed of its motors, radians per second.
const VELOCITY: f64 = 8.0;
/// Torque of its motors.
const FORCE: f64 = 0.95;
/// Fingertips in the frames of the last links.
const TIP: [f64; 3] = [0.0, -0.048, 0.015];
const THUMB_TIP: [f64; 3] = [0.0, -0.060, -0.015];

/// Open, the thumb beside the palm.
const OPEN: [f64; 16] =
    [0.1, 0.0, 0.3, 0.2, 0.1, 0.0, 0.3, 0.2, 0.1, 0.0, 0.3, 0.2, 0.9, 0.1, 0.2, 0.1];

/// The open posture of a hand: across the palm the thumb of the left one is mirrored.
fn open(side: Side) -> Vec<f64> {
    const ACROSS: usize = 13;
    let mut out = OPEN.to_vec();
    out[ACROSS] *= side.sign();
    out
}

fn joint((name, range): (&str, [f64; 2]), sense: f64) -> Option<RobotJoint> {
    Some(RobotJoint {
        name: name.into(),
        motion: JointMotion::Hinge,
        axis: [0.0, 0.0, sense],
        range,
        velocity: VELOCITY,
        // Of the geared motor; the public models leave it out.
        armature: 0.001,
        damping: 0.03,
        kp: 3.0,
        kv: 0.05,
        force: FORCE,
    })
}

/// The hand without an arm; its palm is a link of the arm that carries it.
pub(super) fn hand(side: Side) -> Hand {
    let (roots, thumb, sense) = match side {
        Side::Right => (ROOTS, &THUMB, -1.0),
        Side::Left => (LEFT_ROOTS, &LEFT_THUMB, 1.0),
    };
    let mut fingers = Vec::new();
    for ((name, at), k) in ["if", "mf", "rf"].into_iter().zip(roots).zip(0..) {
        let mut own = links(&FINGER, |i| joint(JOINTS[i], -1.0));
        own[0].pose.pos = at.into();
        if k == 2 {
            own[3].pose.pos.y = -0.03609;
        }
        fingers.push(HandFinger { name: name.into(), links: own, tip: tip(TIP) });
    }
    let own = links(thumb, |i| joint(THUMB_JOINTS[i], if i == 0 { sense } else { -1.0 }));
    fingers.push(HandFinger { name: "th".into(), links: own, tip: tip(THUMB_TIP) });
    Hand {
        palm: palm(side),
        home: open(side),
        synergies: synergies(side, &fingers),
        fingers,
        look: Arc::new(LeapLook(side)),
    }
}

/// Postures of three fingers alike and the thumb.
fn posture(fingers: [[f64; 4]; 3], thumb: [f64; 4]) -> Vec<f64> {
    fingers.into_iter().flatten().chain(thumb).collect()
}

/// Where a bar lies that fingers are hooked around, in the tool's frame of the right hand.
const HOOKED: [f64; 3] = [0.0094, 0.012, -0.066];

fn synergies(side: Side, fingers: &[HandFinger]) -> Vec<Synergy> {
    // The thumb's second joint turns the same way in both models, so across the palm it is mirrored.
    let across = side.sign();
    let (straight, away) = ([0.0; 4], [0.0; 4]);
    let (ready, opposed) = ([0.35, 0.0, 0.35, 0.25], [1.5, 0.4 * across, 0.0, 0.0]);
    let (curled, pressing) = ([1.2, 0.0, 0.95, 0.75], [1.5, 0.4 * across, 0.7, 0.65]);
    let tucked = [0.1, 0.0, 0.1, 0.1];
    let way = |grip, open, closed| Synergy { grip, open, closed, centre: [0.0; 3] };
    let pinch = way(
        Grip::Pinch,
        posture([ready, tucked, tucked], [1.45, 0.0, 0.0, 0.0]),
        posture([[1.0, 0.0, 0.7, 0.5], tucked, tucked], [1.45, 0.0, 0.55, 0.45]),
    );
    let tripod = way(
        Grip::Tripod,
        posture([ready, ready, tucked], [1.5, 0.2 * across, 0.0, 0.0]),
        posture(
            [[1.0, -0.1, 0.7, 0.5], [1.0, 0.1, 0.7, 0.5], tucked],
            [1.5, 0.2 * across, 0.6, 0.5],
        ),
    );
    let hook = way(
        Grip::Hook,
        posture([[0.0, 0.0, 1.5, 0.1]; 3], away),
        posture([[0.15, 0.0, 1.7, 1.3]; 3], away),
    );
    let [x, y, z] = HOOKED;
    vec![
        way(Grip::Power, posture([ready; 3], opposed), posture([curled; 3], pressing)),
        Synergy { centre: between(side, fingers, &[0], &pinch.closed), ..pinch },
        Synergy { centre: between(side, fingers, &[0, 1], &tripod.closed), ..tripod },
        Synergy { centre: [across * x, y, z], ..hook },
        way(
            Grip::PalmPress,
            posture([straight; 3], away),
            posture([[-0.2, 0.0, 0.0, 0.0]; 3], away),
        ),
    ]
}

/// Return the middle between the tips of some fingers and that of the thumb, in the tool's frame.
fn between(side: Side, fingers: &[HandFinger], some: &[usize], closed: &[f64]) -> [f64; 3] {
    let tip = |k: usize| {
        let mut joints = [0.0; MAX_JOINTS];
        joints[..4].copy_from_slice(&closed[4 * k..4 * k + 4]);
        tool(side).inverse().point(fingers[k].chain().forward(&joints).pos)
    };
    let sum: DVec3 = some.iter().map(|k| tip(*k)).sum();
    ((sum / some.len() as f64 + tip(3)) / 2.0).to_array()
}

fn tip(at: [f64; 3]) -> Pose {
    Pose::new(at.into(), DQuat::IDENTITY)
}

/// The middle of the palm's face in the palm's link, z out of it.
fn palm(side: Side) -> Pose {
    let at = middle(side) + DVec3::new(-0.005, 0.0, -0.036);
    Pose::new(at, DQuat::from_rotation_x(std::f64::consts::PI))
}

/// The middle of the fingers' roots in the palm's link; fingers point along x and curl to −z.
pub(in crate::robots) fn middle(side: Side) -> DVec3 {
    match side {
        Side::Right => DVec3::new(-0.007, -0.0378, 0.0),
        Side::Left => DVec3::new(-0.0825, -0.0557, 0.0265),
    }
}

/// The palm as a link that hangs on another.
pub(super) fn palm_link(side: Side, pose: Pose) -> Link {
    let row = match side {
        Side::Right => PALM,
        Side::Left => LEFT_PALM,
    };
    let mut link = links(&[row], |_| None).remove(0);
    link.pose = pose;
    link
}

/// Where the grasp is in the palm's link: in front of the palm's face. z points out of the palm, y along the
/// way fingers and thumb close, x to the thumb's side.
pub(super) fn tool(side: Side) -> Pose {
    let at = middle(side) + DVec3::new(0.008, 0.006 * side.sign(), -0.11);
    Pose::new(at, facing(side).conjugate())
}

/// How the palm's link is turned against a frame whose z points out of the palm and whose x points to the
/// thumb's side.
fn facing(side: Side) -> DQuat {
    let s = side.sign();
    let turn = DMat3::from_cols(DVec3::Y * s, DVec3::X * s, DVec3::NEG_Z);
    DQuat::from_mat3(&turn).normalize()
}

/// Room the hand takes about its tool.
pub(super) fn outline() -> HandOutline {
    HandOutline {
        palm: vec![
            Bounds { centre: [0.0, -0.01, -0.105], half: [0.072, 0.115, 0.03] },
            Bounds { centre: [0.0, -0.045, -0.2], half: [0.055, 0.055, 0.06] },
        ],
        finger: [0.05, 0.015, 0.05],
        tip: 0.045,
        side: 0.013,
    }
}

/// The hand alone, its palm standing as in the public models.
pub fn spec(side: Side) -> RobotSpec {
    let name = match side {
        Side::Right => RobotName::LEAP_RIGHT,
        Side::Left => RobotName::LEAP_LEFT,
    };
    let stands = Pose::from_arrays([0.0, 0.0, 0.1], [0.0, 1.0, 0.0, 0.0]);
    let limb = Limb {
        name: "hand".into(),
        mount: Pose::IDENTITY,
        links: vec![palm_link(side, stands)],
        hand: 0,
        tool: tool(side),
        end: End::Hand(hand(side)),
        home: Vec::new(),
        travel_speed: 1.0,
        outline: outline(),
        look: Arc::new(LeapLook(side)),
    };
    RobotSpec { name, base: None, limbs: vec![limb] }
}

/// An arm with the back of this hand bolted to the flange of one of its links: the palm faces the way the
/// flange points, so that the hand comes from above as a gripper does.
pub(super) fn on_arm(
    name: RobotName,
    arm: Limb,
    link: usize,
    flange: Pose,
    side: Side,
) -> RobotSpec {
    let mut links: Vec<Link> = arm.links[..=link].to_vec();
    let along = facing(side);
    let at = DVec3::Z * PLATE - along * back(side);
    let mut palm = palm_link(side, flange * Pose::new(at, along));
    palm.parent = Some(link);
    links.push(palm);
    let limb = Limb {
        hand: links.len() - 1,
        links,
        tool: tool(side),
        end: End::Hand(hand(side)),
        outline: outline(),
        look: Arc::new(OnArm { arm: arm.look.clone(), side }),
        ..arm
    };
    RobotSpec { name, base: None, limbs: vec![limb] }
}

/// Where the plate is bolted to the back of the palm, in the palm's link.
pub(in crate::robots) fn back(side: Side) -> DVec3 {
    middle(side) + DVec3::new(-0.035, 0.0, 0.019)
}

/// Thickness of the plate between flange and palm.
pub(in crate::robots) const PLATE: f64 = 0.02;
