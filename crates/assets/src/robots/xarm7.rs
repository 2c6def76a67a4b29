//! UFACTORY xArm7 with its gripper, from the maker's published numbers.

// Written as published, with six digits.
#![allow(clippy::approx_constant)]

use std::sync::Arc;

use longarm_types::Pose;

use super::look::XARM_LOOK;
use super::row::{Row, links};
use super::{
    End, Gripper, GripperFinger, JointMotion, Limb, Link, RobotJoint, RobotName, RobotSpec, outline,
};

/// Speed limit of every joint, radians per second.
const VELOCITY: f64 = std::f64::consts::PI;
/// Tool origin along the gripper's z: the middle of the finger pads, 14 mm behind the maker's tool point.
const TOOL_Z: f64 = 0.158;
/// Share of the published servo gains that we use, as for other arms.
const SOFTER: f64 = 0.6;

/// Name, limits, published stiffness and torque limit of the arm's joints.
const JOINTS: [(&str, [f64; 2], f64, f64); 7] = [
    ("joint1", [-6.28319, 6.28319], 1500.0, 50.0),
    ("joint2", [-2.059, 2.0944], 1500.0, 50.0),
    ("joint3", [-6.28319, 6.28319], 1000.0, 30.0),
    ("joint4", [-0.19198, 3.927], 1000.0, 30.0),
    ("joint5", [-6.28319, 6.28319], 1000.0, 30.0),
    ("joint6", [-1.69297, 3.14159], 800.0, 20.0),
    ("joint7", [-6.28319, 6.28319], 800.0, 20.0),
];

/// Viscous damping of the arm's joints.
const DAMPING: [f64; 7] = [10.0, 10.0, 5.0, 5.0, 5.0, 2.0, 2.0];

/// Name and direction of the hinges of the gripper's mechanism.
const LINKAGE: [(&str, f64); 6] = [
    ("left_driver_joint", 1.0),
    ("left_finger_joint", -1.0),
    ("left_inner_knuckle_joint", 1.0),
    ("right_driver_joint", -1.0),
    ("right_finger_joint", 1.0),
    ("right_inner_knuckle_joint", -1.0),
];

const ARM: [Row; 9] = [
    Row {
        name: "link_base",
        parent: "world",
        at: [0.0, 0.0, 0.12],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 0.88556,
        com: [-0.021131, -0.00163, 0.056488],
        axes: [0.696843, 0.20176, 0.10388, 0.680376],
        inertia: [0.00382023, 0.00335282, 0.00167725],
    },
    Row {
        name: "link1",
        parent: "link_base",
        at: [0.0, 0.0, 0.267],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 2.382,
        com: [-0.0002, 0.02905, -0.01233],
        axes: [0.978953, -0.202769, -0.004416, -0.022726],
        inertia: [0.00569127, 0.00533384, 0.00293865],
    },
    Row {
        name: "link2",
        parent: "link1",
        at: [0.0, 0.0, 0.0],
        turn: [0.707107, -0.707107, 0.0, 0.0],
        mass: 1.869,
        com: [0.00022, -0.12856, 0.01735],
        axes: [0.50198, 0.86483, -0.007788, 0.004833],
        inertia: [0.00959898, 0.00937717, 0.00201315],
    },
    Row {
        name: "link3",
        parent: "link2",
        at: [0.0, -0.293, 0.0],
        turn: [0.707107, 0.707107, 0.0, 0.0],
        mass: 1.6383,
        com: [0.0466, -0.02463, -0.00768],
        axes: [0.913819, 0.289775, 0.281481, -0.041645],
        inertia: [0.00351721, 0.00294089, 0.00195868],
    },
    Row {
        name: "link4",
        parent: "link3",
        at: [0.0525, 0.0, 0.0],
        turn: [0.707107, 0.707107, 0.0, 0.0],
        mass: 1.7269,
        com: [0.07047, -0.11575, 0.012],
        axes: [0.422108, 0.852026, -0.126025, 0.282832],
        inertia: [0.00657137, 0.00647948, 0.00186763],
    },
    Row {
        name: "link5",
        parent: "link4",
        at: [0.0775, -0.3425, 0.0],
        turn: [0.707107, 0.707107, 0.0, 0.0],
        mass: 1.3203,
        com: [-0.00032, 0.01604, -0.026],
        axes: [0.999311, -0.030446, 0.000577, 0.021208],
        inertia: [0.00534729, 0.00499076, 0.0013489],
    },
    Row {
        name: "link6",
        parent: "link5",
        at: [0.0, 0.0, 0.0],
        turn: [0.707107, 0.707107, 0.0, 0.0],
        mass: 1.325,
        com: [0.06469, 0.03278, 0.02141],
        axes: [-0.217672, 0.772419, 0.16258, 0.574069],
        inertia: [0.00245421, 0.00221646, 0.00107273],
    },
    Row {
        name: "link7",
        parent: "link6",
        at: [0.076, 0.097, 0.0],
        turn: [0.707107, -0.707107, 0.0, 0.0],
        mass: 0.17,
        com: [0.0, -0.00677, -0.01098],
        axes: [0.487612, 0.512088, -0.512088, 0.487612],
        inertia: [0.000132176, 9.3e-05, 5.85236e-05],
    },
    Row {
        name: "xarm_gripper_base_link",
        parent: "link7",
        at: [0.0, 0.0, 0.0],
        turn: [0.0, 0.0, 0.0, 1.0],
        mass: 0.54156,
        com: [-0.000655, -0.00185, 0.048028],
        axes: [0.997403, -0.071751, -0.006184, 0.000477],
        inertia: [0.000471093, 0.000332307, 0.000254799],
    },
];

const MECHANISM: [Row; 6] = [
    Row {
        name: "left_outer_knuckle",
        parent: "xarm_gripper_base_link",
        at: [0.0, 0.035, 0.059098],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 0.033618,
        com: [0.0, 0.021559, 0.015181],
        axes: [0.47789, 0.87842, 0.0, 0.0],
        inertia: [1.9111e-05, 1.79089e-05, 1.90167e-06],
    },
    Row {
        name: "left_finger",
        parent: "left_outer_knuckle",
        at: [0.0, 0.035465, 0.042039],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 0.048304,
        com: [0.0, -0.016413, 0.029258],
        axes: [0.697634, 0.115353, -0.115353, 0.697634],
        inertia: [1.88037e-05, 1.7493e-05, 3.56792e-06],
    },
    Row {
        name: "left_inner_knuckle",
        parent: "xarm_gripper_base_link",
        at: [0.0, 0.02, 0.074098],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 0.023013,
        com: [2e-06, 0.022047, 0.026134],
        axes: [0.664139, -0.242732, 0.242713, 0.664146],
        inertia: [8.34216e-06, 6.0949e-06, 2.75601e-06],
    },
    Row {
        name: "right_outer_knuckle",
        parent: "xarm_gripper_base_link",
        at: [0.0, -0.035, 0.059098],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 0.033618,
        com: [0.0, -0.021559, 0.015181],
        axes: [0.87842, 0.47789, 0.0, 0.0],
        inertia: [1.9111e-05, 1.79089e-05, 1.90167e-06],
    },
    Row {
        name: "right_finger",
        parent: "right_outer_knuckle",
        at: [0.0, -0.035465, 0.042039],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 0.048304,
        com: [0.0, 0.016413, 0.029258],
        axes: [0.697634, -0.115356, 0.115356, 0.697634],
        inertia: [1.88038e-05, 1.7493e-05, 3.56779e-06],
    },
    Row {
        name: "right_inner_knuckle",
        parent: "xarm_gripper_base_link",
        at: [0.0, -0.02, 0.074098],
        turn: [1.0, 0.0, 0.0, 0.0],
        mass: 0.023013,
        com: [2e-06, -0.022047, 0.026133],
        axes: [0.66415, 0.242702, -0.242721, 0.664144],
        inertia: [8.34209e-06, 6.0949e-06, 2.75601e-06],
    },
];

fn joint(i: usize) -> RobotJoint {
    let (name, range, kp, force) = JOINTS[i];
    RobotJoint {
        name: name.into(),
        motion: JointMotion::Hinge,
        axis: [0.0, 0.0, 1.0],
        range,
        velocity: VELOCITY,
        armature: 0.1,
        damping: DAMPING[i],
        kp: SOFTER * kp,
        kv: SOFTER * kp / 12.5,
        force,
    }
}

/// The hinges of the mechanism that moves the fingers, for those who ask where its links are.
fn mechanism() -> Vec<Link> {
    let hinge = |i: usize| {
        let (name, sense) = LINKAGE[i];
        let joint = RobotJoint {
            name: name.into(),
            axis: [sense, 0.0, 0.0],
            range: [0.0, 0.85],
            force: 50.0,
            ..joint(0)
        };
        Some(joint)
    };
    links(&MECHANISM, hinge)
}

/// The arm. Its gripper's z points out and its fingers move along the gripper's y.
pub(super) fn limb() -> Limb {
    let hand = ARM.len() - 1;
    // The first link stands still, and so does the gripper's base against the last joint.
    let moving = |i: usize| (1..hand).contains(&i).then(|| joint(i - 1));
    Limb {
        name: "arm".into(),
        mount: Pose::IDENTITY,
        links: links(&ARM, moving),
        hand,
        // The gripper's own x points back where the arm's points forward.
        tool: Pose::from_arrays([0.0, 0.0, TOOL_Z], [0.0, 0.0, 0.0, 1.0]),
        end: End::Gripper(Gripper {
            opening: 0.084,
            pad: [0.011, 0.014],
            fingers: fingers(),
            mechanism: mechanism(),
        }),
        home: vec![0.0, -0.247, 0.0, 0.909, 0.0, 1.15644, 0.0],
        travel_speed: 1.3,
        outline: outline(0.020, 0.013),
        look: Arc::new(XARM_LOOK),
    }
}

/// The arm with its gripper.
pub fn spec() -> RobotSpec {
    RobotSpec { name: RobotName::XARM7, base: None, limbs: vec![limb()] }
}

/// Fingers that slide where the mechanism swings them: by the same stroke, level at the middle of it.
fn fingers() -> [GripperFinger; 2] {
    let finger = |name: &str, joint: &str, wxyz| GripperFinger {
        name: name.into(),
        joint: joint.into(),
        pose: Pose::from_arrays([0.0, 0.0, 0.105], wxyz),
        axis: [0.0, 1.0, 0.0],
        mass: 0.1049,
        com: Pose::at(0.0, 0.012, 0.01),
        inertia: [4.6e-5, 4.1e-5, 1.1e-5],
        pad: Pose::at(0.0, 0.0, TOOL_Z - 0.105),
    };
    [
        finger("left_finger", "left_driver_joint", [1.0, 0.0, 0.0, 0.0]),
        finger("right_finger", "right_driver_joint", [0.0, 0.0, 0.0, 1.0]),
    ]
}
