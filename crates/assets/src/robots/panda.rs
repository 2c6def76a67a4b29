//! Franka Emika Panda with its parallel hand, from the maker's published numbers.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::sync::Arc;

use longarm_types::{DQuat, Pose};

use super::look::PANDA_LOOK;
use super::{
    End, Gripper, GripperFinger, JointMotion, Limb, RobotJoint, RobotName, RobotSpec, in_a_row,
    link, outline, principal,
};

/// Speed limits, radians per second.
const VELOCITY: [f64; 7] = [2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61];
/// Tool origin along the hand's z: the middle of the finger pads.
const TOOL_Z: f64 = 0.1034;
/// Where ends are bolted, along the last link's z.
const FLANGE_Z: f64 = 0.107;
/// Where the fingers slide, along the hand's z.
const FINGER_Z: f64 = 0.0584;

/// Share of the published servo gains that we use. With those, two of the arm's axes in line have so
/// little inertia against each other that a saturated servo overshoots its own linear band within
/// one physics step, and chatters; stable needs kv < 2 · armature / timestep = 100.
const SOFTER: f64 = 0.25;

fn joint(i: usize, name: &'static str, range: [f64; 2], kp: f64, force: f64) -> Option<RobotJoint> {
    Some(RobotJoint {
        name: name.into(),
        motion: JointMotion::Hinge,
        axis: [0.0, 0.0, 1.0],
        range,
        velocity: VELOCITY[i],
        armature: 0.1,
        damping: 1.0,
        kp: SOFTER * kp,
        kv: SOFTER * kp / 12.5,
        force,
    })
}

/// Where ends are bolted to the last joint's link.
pub(super) fn flange() -> Pose {
    Pose::new([0.0, 0.0, FLANGE_Z].into(), DQuat::from_rotation_z(-FRAC_PI_4))
}

/// The arm with its hand, whose z points out and whose fingers move along the hand's y.
pub(super) fn limb() -> Limb {
    let back = DQuat::from_rotation_x(-FRAC_PI_2);
    let forth = DQuat::from_rotation_x(FRAC_PI_2);
    let straight = DQuat::IDENTITY;
    let links = in_a_row(vec![
        link(
            "link0",
            [0.0; 3],
            straight,
            0.629769,
            principal([-0.041018, -0.00014, 0.049974], [0.006305, 0.751245, 0.007418, 0.659952]),
            [0.00430465, 0.00387984, 0.00313051],
            None,
        ),
        link(
            "link1",
            [0.0, 0.0, 0.333],
            straight,
            4.970684,
            principal([0.003875, 0.002081, -0.04762], [0.711549, 0.006344, -0.013112, 0.702485]),
            [0.707137, 0.703435, 0.00852456],
            joint(0, "joint1", [-2.8973, 2.8973], 4500.0, 87.0),
        ),
        link(
            "link2",
            [0.0; 3],
            back,
            0.646926,
            principal([-0.003141, -0.02872, 0.003495], [-0.168175, 0.828366, -0.122878, 0.520027]),
            [0.0310326, 0.0283001, 0.00273425],
            joint(1, "joint2", [-1.7628, 1.7628], 4500.0, 87.0),
        ),
        link(
            "link3",
            [0.0, -0.316, 0.0],
            forth,
            3.228604,
            principal([0.027518, 0.039252, -0.066502], [0.662769, -0.006783, 0.252053, 0.705096]),
            [0.0415014, 0.0414793, 0.00124635],
            joint(2, "joint3", [-2.8973, 2.8973], 3500.0, 87.0),
        ),
        link(
            "link4",
            [0.0825, 0.0, 0.0],
            forth,
            3.587895,
            principal([-0.05317, 0.104419, 0.027454], [0.65058, 0.529822, -0.096203, 0.535518]),
            [0.0349596, 0.0281483, 0.0106201],
            joint(3, "joint4", [-3.0718, -0.0698], 3500.0, 87.0),
        ),
        link(
            "link5",
            [-0.0825, 0.384, 0.0],
            back,
            1.225946,
            principal([-0.011953, 0.041065, -0.038437], [0.987313, -0.012195, 0.071919, -0.141037]),
            [0.0367625, 0.0288531, 0.00803437],
            joint(4, "joint5", [-2.8973, 2.8973], 2000.0, 12.0),
        ),
        link(
            "link6",
            [0.0; 3],
            forth,
            1.666555,
            principal([0.060149, -0.014117, -0.010517], [0.101075, 0.59332, 0.028723, 0.798079]),
            [0.00584276, 0.00431037, 0.00159787],
            joint(5, "joint6", [-0.0175, 3.7525], 2000.0, 12.0),
        ),
        link(
            "link7",
            [0.088, 0.0, 0.0],
            forth,
            0.735522,
            principal([0.010517, -0.004252, 0.061597], [0.992939, -0.076204, 0.07336, -0.053707]),
            [0.0127345, 0.0101055, 0.00451803],
            joint(6, "joint7", [-2.8973, 2.8973], 2000.0, 12.0),
        ),
        link(
            "hand",
            [0.0, 0.0, FLANGE_Z],
            DQuat::from_rotation_z(-FRAC_PI_4),
            0.73,
            Pose::at(-0.01, 0.0, 0.03),
            [0.001, 0.0025, 0.0017],
            None,
        ),
    ]);
    Limb {
        name: "arm".into(),
        mount: Pose::IDENTITY,
        links,
        hand: 8,
        tool: Pose::at(0.0, 0.0, TOOL_Z),
        end: End::Gripper(Gripper {
            opening: 0.08,
            pad: [0.0105, 0.0088],
            fingers: fingers(),
            mechanism: Vec::new(),
        }),
        // LIBERO's start: the hand points down, 3.3° short of straight, with its x forward.
        home: vec![0.0, -0.161037, 0.0, -2.444597, 0.0, 2.226752, FRAC_PI_4],
        travel_speed: 1.6,
        outline: outline(0.018, 0.011),
        look: Arc::new(PANDA_LOOK),
    }
}

/// The Panda.
pub fn spec() -> RobotSpec {
    RobotSpec { name: RobotName::FRANKA_PANDA, base: None, limbs: vec![limb()] }
}

/// Both fingers; each moves along its own +y, the second being turned half round.
fn fingers() -> [GripperFinger; 2] {
    let finger = |name: &str, joint: &str, wxyz| GripperFinger {
        name: name.into(),
        joint: joint.into(),
        pose: Pose::from_arrays([0.0, 0.0, FINGER_Z], wxyz),
        axis: [0.0, 1.0, 0.0],
        mass: 0.015,
        com: Pose::IDENTITY,
        inertia: [2.375e-6, 2.375e-6, 7.5e-7],
        pad: Pose::at(0.0, 0.0, TOOL_Z - FINGER_Z),
    };
    [
        finger("left_finger", "finger_joint1", [1.0, 0.0, 0.0, 0.0]),
        finger("right_finger", "finger_joint2", [0.0, 0.0, 0.0, 1.0]),
    ]
}
