//! Universal Robots UR5e with a suction cup, from the maker's published numbers.
#![allow(clippy::approx_constant, reason = "published numbers, as rounded by their maker")]

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use longarm_types::{DQuat, DVec3, Pose};

use super::look::UrLook;
use super::{
    End, JointMotion, Limb, Link, RobotJoint, RobotName, RobotSpec, Suction, in_a_row, outline,
};

/// From the flange to the lip of the cup.
pub(super) const CUP_LENGTH: f64 = 0.12;
/// Radius of the lip.
pub(super) const CUP_RADIUS: f64 = 0.016;

fn joint(name: &'static str, axis: [f64; 3], range: f64, big: bool) -> Option<RobotJoint> {
    let (kp, force) = if big { (1000.0, 150.0) } else { (400.0, 28.0) };
    Some(RobotJoint {
        name: name.into(),
        motion: JointMotion::Hinge,
        axis,
        range: [-range, range],
        velocity: PI,
        armature: 0.1,
        damping: 0.0,
        kp,
        // Published: 2000 and 500 with kv = kp / 5, which follows half a second late.
        kv: kp * 0.08,
        force,
    })
}

/// The UR5e; the last link is the cup, whose z points out of the flange.
pub fn spec() -> RobotSpec {
    const Y: [f64; 3] = [0.0, 1.0, 0.0];
    const Z: [f64; 3] = [0.0, 0.0, 1.0];
    // Joints that turn fully turn twice; the maker's description says 6.28319.
    const FULL: f64 = 6.28319;
    let straight = DQuat::IDENTITY;
    let bend = DQuat::from_rotation_y(FRAC_PI_2);
    let link =
        |name: &str, at: [f64; 3], rot, mass, com: [f64; 3], inertia: [f64; 3], joint| Link {
            name: name.into(),
            parent: None,
            pose: Pose::new(DVec3::from(at), rot),
            mass,
            com: Pose::new(DVec3::from(com), DQuat::IDENTITY),
            inertia,
            joint,
        };
    let links = in_a_row(vec![
        link(
            "base",
            [0.0; 3],
            DQuat::from_xyzw(0.0, 0.0, -1.0, 0.0),
            4.0,
            [0.0; 3],
            [0.00443333, 0.00443333, 0.0072],
            None,
        ),
        link(
            "shoulder_link",
            [0.0, 0.0, 0.163],
            straight,
            3.7,
            [0.0; 3],
            [0.0102675, 0.0102675, 0.00666],
            joint("shoulder_pan_joint", Z, FULL, true),
        ),
        link(
            "upper_arm_link",
            [0.0, 0.138, 0.0],
            bend,
            8.393,
            [0.0, 0.0, 0.2125],
            [0.133886, 0.133886, 0.0151074],
            joint("shoulder_lift_joint", Y, FULL, true),
        ),
        link(
            "forearm_link",
            [0.0, -0.131, 0.425],
            straight,
            2.275,
            [0.0, 0.0, 0.196],
            [0.0311796, 0.0311796, 0.004095],
            joint("elbow_joint", Y, 3.1415, true),
        ),
        link(
            "wrist_1_link",
            [0.0, 0.0, 0.392],
            bend,
            1.219,
            [0.0, 0.127, 0.0],
            [0.0025599, 0.0025599, 0.0021942],
            joint("wrist_1_joint", Y, FULL, false),
        ),
        link(
            "wrist_2_link",
            [0.0, 0.127, 0.0],
            straight,
            1.219,
            [0.0, 0.0, 0.1],
            [0.0025599, 0.0025599, 0.0021942],
            joint("wrist_2_joint", Z, FULL, false),
        ),
        link(
            "wrist_3_link",
            [0.0, 0.0, 0.1],
            straight,
            0.1889,
            [0.0, 0.077168, 0.0],
            [9.90863e-5, 0.000132134, 9.90863e-5],
            joint("wrist_3_joint", Y, FULL, false),
        ),
        // The maker's attachment site; a light tube and a bellows of our own.
        link(
            "cup",
            [0.0, 0.1, 0.0],
            DQuat::from_rotation_x(-FRAC_PI_2),
            0.12,
            [0.0, 0.0, 0.05],
            [1.2e-4, 1.2e-4, 3.0e-5],
            None,
        ),
    ]);
    let limb = Limb {
        name: "arm".into(),
        mount: Pose::IDENTITY,
        links,
        hand: 7,
        // Turned about its own axis so that at home the tool's x points forward, as for every robot.
        tool: Pose::new(DVec3::new(0.0, 0.0, CUP_LENGTH), DQuat::from_rotation_z(-FRAC_PI_2)),
        end: End::Suction(Suction { radius: CUP_RADIUS }),
        home: vec![-PI, -FRAC_PI_2, FRAC_PI_2, -FRAC_PI_2, -FRAC_PI_2, 0.0],
        travel_speed: 1.0,
        outline: outline(0.018, 0.011),
        look: Arc::new(UrLook),
    };
    RobotSpec { name: RobotName::UR5E, base: None, limbs: vec![limb] }
}
