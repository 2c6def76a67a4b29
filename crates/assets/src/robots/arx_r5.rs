//! ARX R5 with its parallel gripper: kinematics and inertias of the maker's R5a description, limits
//! of its SDK. Servo gains and rotor inertias are ours, since none are published.
#![allow(clippy::approx_constant, reason = "published numbers, as rounded by their maker")]

use std::sync::Arc;

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::look::ARX_LOOK;
use super::{
    End, Gripper, GripperFinger, JointMotion, Limb, RobotJoint, RobotName, RobotSpec, in_a_row,
    link, outline, principal,
};

/// Where the fingers' slides start, along link6's x.
const FINGER_X: f64 = 0.08657;
/// From there to the middle of the pads. The shape of the maker's fingers is not published with the
/// kinematics; this is our finger.
pub(super) const PAD_X: f64 = 0.065;

/// Gains: the servo lags by 60 ms, and a load of 0.3 kg at arm's length sinks it by 1.5 mrad.
fn joint(
    name: &'static str,
    axis: [f64; 3],
    range: [f64; 2],
    velocity: f64,
    force: f64,
    kp: f64,
) -> Option<RobotJoint> {
    // At least kv · timestep / 2: below that a saturated servo chatters.
    let armature = if kp > 500.0 { 0.1 } else { 0.04 };
    Some(RobotJoint {
        name: name.into(),
        motion: JointMotion::Hinge,
        axis,
        range,
        velocity,
        armature,
        damping: 0.5,
        kp,
        kv: kp * 0.06,
        force,
    })
}

/// The R5. Its link6 points along its x and closes its fingers along its y.
pub fn spec() -> RobotSpec {
    const X: [f64; 3] = [1.0, 0.0, 0.0];
    const Y: [f64; 3] = [0.0, 1.0, 0.0];
    const Z: [f64; 3] = [0.0, 0.0, 1.0];
    let straight = DQuat::IDENTITY;
    let over = DQuat::from_rotation_x(-3.1416);
    let back = DQuat::from_rotation_x(3.1416);
    // The maker gives full inertia tensors; principal axes and moments are computed from those.
    let links = in_a_row(vec![
        link(
            "base_link",
            [0.0; 3],
            straight,
            0.42272,
            Pose::at(-0.00013359, 6.672e-5, 0.031672),
            [0.00019, 0.00019, 0.0002],
            None,
        ),
        link(
            "link1",
            [0.0, 0.0, 0.0565],
            straight,
            0.096804,
            principal(
                [0.0050395, -0.0077407, 0.020897],
                [0.714525921, -0.632156871, -0.142390696, -0.263733367],
            ),
            [0.000118944928, 9.40204857e-05, 4.70345859e-05],
            joint("joint1", Z, [-3.14, 2.618], 3.0, 30.0, 1000.0),
        ),
        link(
            "link2",
            [0.02, 0.0, 0.047],
            straight,
            1.1988,
            principal(
                [-0.12992, -0.0011822, -2.6366e-5],
                [0.498734224, 0.498734224, -0.50126258, -0.50126258],
            ),
            [0.0164704045, 0.01646, 0.000649595459],
            joint("joint2", Y, [-0.05, 3.14], 2.0, 40.0, 1200.0),
        ),
        link(
            "link3",
            [-0.264, 0.0, 0.0],
            over,
            0.84082,
            principal(
                [0.16181, 0.0011723, -0.05455],
                [0.52848011, -0.465704383, 0.48437149, -0.518856879],
            ),
            [0.00849089984, 0.00841206635, 0.000747033802],
            joint("joint3", Y, [-0.1, 3.24], 2.0, 30.0, 1000.0),
        ),
        link(
            "link4",
            [0.245, -5e-5, -0.06],
            straight,
            0.12432,
            principal(
                [0.041751, 0.0054236, -0.03337],
                [0.311071301, -0.232059594, -0.919386172, 0.0641253311],
            ),
            [0.00030319305, 0.000235315782, 0.000101491168],
            joint("joint4", Y, [-1.6, 1.55], 2.0, 15.0, 500.0),
        ),
        link(
            "link5",
            [0.073914, 5e-5, -0.083391],
            straight,
            0.63601,
            principal([-8.3435e-5, -1.5428e-5, 0.052216], [0.0, -0.99824747, 0.0, -0.0591775958]),
            [0.000848328678, 0.00082, 0.000251671322],
            joint("joint5", Z, [-1.57, 1.57], 3.0, 10.0, 400.0),
        ),
        link(
            "link6",
            [0.025286, 0.0, 0.083391],
            back,
            0.44089,
            Pose::at(0.041697, 2.4368e-5, 0.00014464),
            [0.00038, 0.00028, 0.0005],
            joint("joint6", X, [-2.0, 2.0], 3.0, 10.0, 300.0),
        ),
    ]);
    // z along link6's x; x along its z, so that pointing down at home the tool's x is forward.
    let axes = DMat3::from_cols(DVec3::Z, DVec3::NEG_Y, DVec3::X);
    let limb = Limb {
        name: "arm".into(),
        mount: Pose::IDENTITY,
        links,
        hand: 6,
        tool: Pose::new(DVec3::new(FINGER_X + PAD_X, 0.0, 0.0), DQuat::from_mat3(&axes)),
        end: End::Gripper(Gripper {
            opening: 0.088,
            pad: [0.011, 0.009],
            fingers: fingers(),
            mechanism: Vec::new(),
        }),
        home: vec![0.0, 1.518528, 0.798847, -0.851116, 0.0, 0.0],
        travel_speed: 1.0,
        outline: outline(0.018, 0.011),
        look: Arc::new(ARX_LOOK),
    };
    RobotSpec { name: RobotName::ARX_R5, base: None, limbs: vec![limb] }
}

/// Both fingers; `link7` opens towards link6's +y, `link8` towards −y.
fn fingers() -> [GripperFinger; 2] {
    // Pads meet in link6's middle plane when the joints are at zero.
    let finger = |name: &str, joint: &str, at: [f64; 3], side: f64, com: [f64; 3]| GripperFinger {
        name: name.into(),
        joint: joint.into(),
        pose: Pose::new(at.into(), DQuat::IDENTITY),
        axis: [0.0, side, 0.0],
        mass: 0.064798,
        com: Pose::new(com.into(), DQuat::IDENTITY),
        inertia: [2e-5, 3e-5, 3e-5],
        // Tool axes with y away from the other finger.
        pad: Pose::new(
            DVec3::new(PAD_X, -at[1], -at[2]),
            DQuat::from_mat3(&DMat3::from_cols(DVec3::Z * -side, DVec3::Y * side, DVec3::X)),
        ),
    };
    [
        finger(
            "link7",
            "joint7",
            [FINGER_X, 0.024896, -0.0002436],
            1.0,
            [-0.00035522, -0.007827, -0.0029883],
        ),
        finger(
            "link8",
            "joint8",
            [FINGER_X, -0.0249, -0.00024366],
            -1.0,
            [-0.00035522, 0.00782769, 0.00242006],
        ),
    ]
}
