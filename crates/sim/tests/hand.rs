//! A robot of one's own, with a hand of three fingers: nothing in the engine knows it.

use std::sync::Arc;

use longarm_assets::robots::{
    End, Footprint, Hand, HandFinger, JointMotion, Limb, Link, Look, RobotJoint, RobotName,
    RobotSpec,
};
use longarm_assets::{Mjcf, Rig, RigName, Shape};
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{ChannelKind, DQuat, DVec3, Pose, Seed, ToolScale};

/// Length of a finger's two links, and how thick they are.
const LENGTHS: [f64; 2] = [0.05, 0.045];
const RADIUS: f64 = 0.008;
/// Where fingers begin: from the hand's axis, and along it.
const SPREAD: f64 = 0.045;
const ROOT: f64 = 0.09;
/// Middle of the grasp along the hand's axis.
const TOOL: f64 = 0.17;

#[derive(Debug)]
struct Rods;

impl Look for Rods {
    fn link(&self, _: &str, _: &mut Mjcf) {}
    fn solids(&self, name: &str) -> Vec<(Shape, Pose)> {
        let half = LENGTHS[usize::from(name.ends_with("distal"))] / 2.0;
        vec![(Shape::Capsule(RADIUS, half), Pose::at(0.0, 0.0, half))]
    }
    fn footprint(&self) -> Footprint {
        Footprint { half: [0.1; 2], shift: 0.0 }
    }
}

fn finger(name: &str, angle: f64) -> HandFinger {
    let turned = DQuat::from_rotation_z(angle);
    let root = Pose::new(turned * DVec3::X * SPREAD + DVec3::Z * ROOT, turned);
    let link = |name: &str, parent, pose, length: f64| Link {
        name: name.into(),
        parent,
        pose,
        mass: 0.03,
        com: Pose::at(0.0, 0.0, length / 2.0),
        inertia: [8e-6, 8e-6, 2e-6],
        joint: Some(RobotJoint {
            name: format!("{name}_joint"),
            motion: JointMotion::Hinge,
            // Curls towards the hand's axis.
            axis: [0.0, -1.0, 0.0],
            range: [-0.3, 1.3],
            velocity: 5.0,
            armature: 0.002,
            damping: 0.02,
            kp: 6.0,
            kv: 0.3,
            force: 1.5,
        }),
    };
    HandFinger {
        name: name.into(),
        links: vec![
            link("proximal", None, root, LENGTHS[0]),
            link("distal", Some(0), Pose::at(0.0, 0.0, LENGTHS[0]), LENGTHS[1]),
        ],
        tip: Pose::at(0.0, 0.0, LENGTHS[1]),
    }
}

/// A Panda's arm with a hand of three fingers.
fn rig() -> RigName {
    let turn = 2.0 * std::f64::consts::PI / 3.0;
    let hand = Hand {
        palm: Pose::at(0.0, 0.0, 0.07),
        fingers: vec![finger("thumb", 0.0), finger("one", turn), finger("two", 2.0 * turn)],
        home: vec![0.0; 6],
        synergies: Vec::new(),
        look: Arc::new(Rods),
    };
    let arm = RobotName::FRANKA_PANDA.spec().limbs[0].clone();
    let limb = Limb { end: End::Hand(hand), tool: Pose::at(0.0, 0.0, TOOL), ..arm };
    let robot = RobotName::find("three-fingers")
        .or_else(|| RobotSpec::register("three-fingers", None, vec![limb]).ok())
        .or_else(|| RobotName::find("three-fingers"))
        .unwrap();
    let mut rig = RigName::PANDA.rig();
    rig.robots[0].robot = robot;
    rig.action = rig.tool_actions();
    Rig::register("three-fingers", rig).unwrap()
}

fn env() -> Env {
    let block = object("block", Block::cube(0.05)).colour(Colour::Blue);
    let spot = region("spot", rect([0.45, -0.01], [0.46, 0.01])).yaw(0.0, 0.01);
    let task = TaskSpec::new("test/hand", rig())
        .instruction("lift the block")
        .place(&block, &spot)
        .stages([stage("lifted", lifted(&block, 0.03))])
        .horizon(400);
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    env
}

/// Brings the tool towards a point and the fingers to an angle.
fn drive(env: &mut Env, to: DVec3, curl: f64, steps: u32) {
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    for _ in 0..steps {
        let at = env.snapshot().hands[0].commanded;
        let tool = ToolScale::DEFAULT.towards(&at, &Pose::new(to, down), 0.02, 0.1, 0.0);
        let mut action = env.world().control().idle();
        let values = action.values_mut();
        values[..6].copy_from_slice(&tool.values()[..6]);
        values[6..].fill(curl as f32);
        env.step(&action).unwrap();
    }
}

#[test]
fn fingers_of_a_registered_hand_hold_and_lift_a_block() {
    let mut env = env();
    let spec = env.world().control();
    let kinds: Vec<_> = spec.channels.iter().map(|c| (c.kind, c.len())).collect();
    assert!(matches!(kinds[0], (ChannelKind::ToolDelta(_), 6)), "{kinds:?}");
    assert_eq!(kinds[1], (ChannelKind::HandJoints, 6));
    assert_eq!(spec.names()[6], "thumb_proximal_joint");
    let block = |env: &Env| env.snapshot().bodies[1].pose.pos;
    let start = block(&env);
    let over = |z: f64| DVec3::new(start.x, start.y, z);
    drive(&mut env, over(0.16), -0.1, 50);
    let open = env.snapshot().hands[0].opening;
    assert!((open - 1.4 / 1.6).abs() < 0.03, "the fingers are where they were sent: {open}");
    drive(&mut env, over(0.03), -0.1, 50);
    assert!(!env.snapshot().held(1), "open around the block, not touching it");
    drive(&mut env, over(0.03), 0.7, 25);
    assert!(env.snapshot().held(1), "two fingers or more touch the block");
    drive(&mut env, over(0.15), 0.7, 40);
    assert!(env.report().success, "the block is at {}", block(&env));
    drive(&mut env, over(0.15), -0.2, 20);
    assert!(!env.snapshot().held(1) && block(&env).z < 0.05, "let go");
}

#[test]
fn a_name_stands_for_one_rig() {
    let name = rig();
    assert_eq!(RigName::find("three-fingers"), Some(name));
    let other = RigName::ARX_R5.rig();
    let taken = Rig::register("three-fingers", other).unwrap_err().to_string();
    assert!(taken.contains("another rig named \"three-fingers\""), "{taken}");
    let taken = RobotSpec::register("ur5e", None, Vec::new()).unwrap_err().to_string();
    assert!(taken.contains("another robot named \"ur5e\""), "{taken}");
}
