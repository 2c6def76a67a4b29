//! A base that moves under an arm, registered from outside: nothing in the engine knows it.

mod counting;

use std::sync::Arc;

use longarm_assets::robots::{
    Base, Footprint, JointMotion, Link, Look, RobotJoint, RobotName, RobotSpec,
};
use longarm_assets::{Mjcf, MountedRobot, Rig, RigName, Shape};
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{
    Action, ChannelKind, ControlMode, DQuat, DVec3, Pose, Proprioception, Seed, ToolScale, yaw,
};

/// Height of the deck that the arm stands on.
const DECK: f64 = 0.75;
/// Where the robot stands at the start, on the floor beside the table.
const START: [f64; 3] = [-0.62, 0.0, -0.75];
/// Speed limits: metres and radians per second.
const SPEEDS: [f64; 2] = [0.5, 1.5];

#[derive(Debug)]
struct Cart;

impl Look for Cart {
    fn link(&self, _: &str, _: &mut Mjcf) {}
    fn solids(&self, name: &str) -> Vec<(Shape, Pose)> {
        let half = [0.25, 0.22, 0.15];
        let chassis = (Shape::Box(half), Pose::at(0.0, 0.0, -0.55));
        if name == "deck" { vec![chassis] } else { Vec::new() }
    }
    fn footprint(&self) -> Footprint {
        Footprint { half: [0.25; 2], shift: 0.0 }
    }
}

fn base() -> Base {
    let joint = |name: &str, motion, axis, speed| RobotJoint {
        name: name.into(),
        motion,
        axis,
        range: [-20.0, 20.0],
        velocity: speed,
        armature: 0.0,
        damping: 0.0,
        kp: 2e5,
        kv: 1e4,
        force: 2000.0,
    };
    let link = |name: &str, parent, z, mass, joint| Link {
        name: name.into(),
        parent,
        pose: Pose::at(0.0, 0.0, z),
        mass,
        com: Pose::IDENTITY,
        inertia: [0.1 * mass; 3],
        joint: Some(joint),
    };
    let slide = JointMotion::Slide;
    Base {
        links: vec![
            link("rail", None, 0.0, 1.0, joint("x", slide, [1.0, 0.0, 0.0], SPEEDS[0])),
            link("cross", Some(0), 0.0, 1.0, joint("y", slide, [0.0, 1.0, 0.0], SPEEDS[0])),
            link(
                "deck",
                Some(1),
                DECK,
                50.0,
                joint("turn", JointMotion::Hinge, [0.0, 0.0, 1.0], SPEEDS[1]),
            ),
        ],
        home: vec![0.0; 3],
        look: Arc::new(Cart),
    }
}

fn robot() -> RobotName {
    let arm = RobotName::FRANKA_PANDA.spec().limbs[0].clone();
    RobotName::find("cart")
        .or_else(|| RobotSpec::register("cart", Some(base()), vec![arm]).ok())
        .or_else(|| RobotName::find("cart"))
        .unwrap()
}

fn rig() -> RigName {
    let mut rig = RigName::PANDA.rig();
    rig.robots =
        vec![MountedRobot::new("robot", robot(), Pose::new(START.into(), DQuat::IDENTITY))];
    rig.action = rig.tool_actions();
    Rig::register("cart", rig).unwrap()
}

fn task() -> TaskSpec {
    let block = object("block", Block::cube(0.04)).colour(Colour::Blue);
    TaskSpec::new("test/cart", rig())
        .instruction("lift the block")
        .place(&block, &region("spot", rect([0.0, -0.01], [0.02, 0.01])))
        .stages([stage("lifted", lifted(&block, 0.03))])
        .horizon(2000)
}

fn env(task: TaskSpec) -> Env {
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    env
}

/// The action that sends the hand and the base towards poses in the world.
fn towards(env: &Env, tool: &Pose, base: [f64; 3]) -> Action {
    let s = env.snapshot();
    let arm = ToolScale::DEFAULT.towards(&s.hands[0].commanded, tool, 0.03, 0.15, -1.0);
    let at = s.bases[0].commanded;
    let way = DVec3::new(base[0] - at.pos.x, base[1] - at.pos.y, 0.0);
    let own = at.rot.conjugate() * way;
    let scale = self::base().step();
    let turn = base[2] - yaw(at.rot);
    let drive = [own.x / scale.metres, own.y / scale.metres, turn / scale.radians];
    let drive = drive.map(|v| v.clamp(-1.0, 1.0) as f32);
    Action::new(&[arm.values(), &drive].concat())
}

fn down(pos: DVec3, yaw: f64) -> Pose {
    Pose::new(pos, DQuat::from_rotation_z(yaw) * DQuat::from_rotation_x(std::f64::consts::PI))
}

#[test]
fn a_base_drives_to_poses_while_its_arm_reaches_others() {
    let mut env = env(task());
    let spec = env.action_spec().clone();
    assert_eq!(spec.names()[7..], ["base_dx", "base_dy", "base_turn"]);
    assert!(matches!(spec.channels[2].kind, ChannelKind::BaseDelta(s) if s == base().step()));
    for (x, y, turn, tool) in [
        (-0.75, 0.30, 0.4, [-0.15, 0.30, 0.10]),
        (-0.62, -0.40, 0.0, [-0.05, -0.35, 0.20]),
        (-0.90, -0.10, -0.5, [-0.30, -0.30, 0.30]),
        (-0.60, 0.0, 0.2, [0.05, 0.05, 0.06]),
    ] {
        let goal = down(tool.into(), turn);
        let mut fastest = 0.0f64;
        for _ in 0..140 {
            let action = towards(&env, &goal, [x, y, turn]);
            env.step(&action).unwrap();
            fastest = fastest.max(env.snapshot().bases[0].twist.linear.length());
        }
        let s = env.snapshot();
        let base = &s.bases[0];
        let off = (base.pose.pos - DVec3::new(x, y, START[2] + DECK)).length();
        let turned = (yaw(base.pose.rot) - turn).abs();
        assert!(off < 2e-3 && turned < 1f64.to_radians(), "base {:?}: {off}, {turned}", base.pose);
        let (far, angle) = s.hands[0].pose.error_to(&goal);
        assert!(
            far < 2e-3 && angle < 1f64.to_radians(),
            "tool at {goal:?}: {:.2} mm, {:.2}°",
            far * 1e3,
            angle.to_degrees()
        );
        // Each of the two slides has the limit.
        assert!((0.1..1.5 * SPEEDS[0]).contains(&fastest), "{fastest} m/s");
        // The tool is where forward kinematics of base and arm put it.
        let mut q = vec![base.pose.pos.x - START[0], base.pose.pos.y, yaw(base.pose.rot)];
        let (mut arm, mut v) = ([0.0; 7], [0.0; 7]);
        env.world().read_joints(&mut arm, &mut v);
        q.extend(arm);
        let links = robot().spec().link_poses(&q);
        assert_eq!(robot().spec().dof(), 10);
        let (_, told) = links.iter().find(|(name, _)| name == "tool").unwrap();
        let told = Pose::new(START.into(), DQuat::IDENTITY) * *told;
        let (far, angle) = env.snapshot().hands[0].pose.error_to(&told);
        assert!(far < 1e-6 && angle < 1e-6, "{far} m, {angle} rad");
    }
}

#[test]
fn an_idle_arm_rides_along_and_idle_wheels_stand() {
    let mut env = env(task());
    let held = env.snapshot().bases[0].pose.inverse() * env.snapshot().hands[0].commanded;
    let mut drive = env.action_spec().idle();
    drive.values_mut()[7..].copy_from_slice(&[-0.6, -0.8, 0.5]);
    for _ in 0..30 {
        env.step(&drive).unwrap();
    }
    let s = env.snapshot();
    assert!((s.bases[0].pose.pos - DVec3::from(START)).truncate().length() > 0.4);
    let (far, angle) = (s.bases[0].pose * held).error_to(&s.hands[0].commanded);
    assert!(far < 1e-9 && angle < 1e-6, "the command goes along: {far}, {angle}");
    let idle = env.action_spec().idle();
    for _ in 0..30 {
        env.step(&idle).unwrap();
    }
    let there = env.snapshot().bases[0].pose;
    for _ in 0..30 {
        env.step(&idle).unwrap();
    }
    let (far, angle) = env.snapshot().bases[0].pose.error_to(&there);
    assert!(far < 1e-4 && angle < 1e-4, "{far} m, {angle} rad");
    let (far, _) = env.snapshot().hands[0].pose.error_to(&env.snapshot().hands[0].commanded);
    assert!(far < 2e-3, "{far} m");
}

#[test]
fn what_is_observed_of_a_base_is_where_it_is() {
    let mut env = env(task());
    let drive = |k: u64| {
        let mut a = env.action_spec().random(&mut Seed(k).stream("wild"));
        a.values_mut()[9] = 0.3;
        a
    };
    let actions: Vec<Action> = (0..40).map(drive).collect();
    for a in &actions {
        env.step(a).unwrap();
    }
    let spec = env.observation_spec().clone();
    let field = |name: &str| spec.fields().into_iter().find(|f| f.name == name);
    assert_eq!(field("base_pose").unwrap().shape, [3]);
    assert_eq!(field("base_velocity").unwrap().unit, "m/s, rad/s");
    assert!(field("hand_position").is_none(), "a gripper has no finger joints to tell");
    let own: Proprioception = env.observe().limbs[0].clone();
    let (seen, s) = (own.base.unwrap(), env.snapshot());
    let base = &s.bases[0];
    assert_eq!(seen.pose, [base.pose.pos.x, base.pose.pos.y, yaw(base.pose.rot)]);
    assert_eq!(seen.velocity[2], base.twist.angular.z);
    assert!(seen.velocity[2] > 0.05 && seen.mount == base.pose);
    let bolted = RigName::PANDA.rig().observation().fields();
    assert!(bolted.iter().all(|f| !f.name.starts_with("base_")), "{bolted:?}");
}

#[test]
fn a_moving_base_restores_exactly_and_allocates_nothing() {
    let mut env = env(task());
    let actions: Vec<Action> =
        (0..60).map(|k| env.action_spec().random(&mut Seed(k).stream("wild"))).collect();
    for a in &actions[..20] {
        env.step(a).unwrap();
    }
    let n = counting::allocations(|| {
        for a in &actions[20..40] {
            env.step(a).unwrap();
        }
    });
    assert_eq!(n, 0, "allocations in 20 steps");
    let saved = env.world().save();
    let mut run = || {
        for a in &actions[40..] {
            env.world_mut().step(a.values()).unwrap();
        }
        (env.world().state_hash(), env.snapshot().clone())
    };
    let first = run();
    let mut again = || {
        env.world_mut().restore(&saved).unwrap();
        for a in &actions[40..] {
            env.world_mut().step(a.values()).unwrap();
        }
        (env.world().state_hash(), env.snapshot().clone())
    };
    assert_eq!(first, again());
    // A second episode begins where the first did.
    env.reset(Seed(1)).unwrap();
    let start = env.snapshot().clone();
    env.step(&actions[0]).unwrap();
    env.reset(Seed(1)).unwrap();
    assert_eq!(*env.snapshot(), start);
}

#[test]
fn joint_modes_drive_the_base_too() {
    for mode in [ControlMode::JointTarget, ControlMode::JointDelta] {
        let mut env = env(task().with_control(mode).unwrap());
        let goal = down(DVec3::new(-0.1, 0.1, 0.2), 0.0);
        for _ in 0..100 {
            let tool = towards(&env, &goal, [-0.7, 0.1, 0.3]);
            let action = env.world().from_tool_action(tool.values());
            env.step(&action).unwrap();
        }
        let s = env.snapshot();
        assert!((s.bases[0].pose.pos.y - 0.1).abs() < 2e-3, "{mode}: {:?}", s.bases[0].pose);
        assert!(s.hands[0].pose.error_to(&goal).0 < 4e-3, "{mode}: {:?}", s.hands[0].pose);
    }
}
