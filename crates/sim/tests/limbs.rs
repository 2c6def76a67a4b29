//! Limbs: two arms at one table, control modes, torques, hands with fingers.

mod counting;

use std::sync::Arc;

use longarm_assets::kinematics::{Chain, Joints, MAX_JOINTS};
use longarm_assets::{RigName, Structure};
use longarm_sim::batch::{self, Job};
use longarm_sim::{Controller, Drive, Env, EnvSettings, LimbState, SimError, World};
use longarm_task::prelude::*;
use longarm_task::{Predicate, TaskSpec};
use longarm_types::{Action, ChannelKind, ControlMode, DQuat, DVec3, Pose, Seed, ToolScale};

fn blocks(rig: RigName) -> TaskSpec {
    let red = object("red", Block::cube(0.04)).colour(Colour::Red);
    let blue = object("blue", Block::cube(0.04)).colour(Colour::Blue);
    TaskSpec::new("test/blocks", rig)
        .instruction("put the red block on the blue one")
        .place(&red, &region("left", rect([0.34, 0.08], [0.40, 0.14])))
        .place(&blue, &region("right", rect([0.34, -0.14], [0.40, -0.08])))
        .stages([stage("stacked", on(&red, &blue))])
        .horizon(400)
}

fn env(task: TaskSpec) -> Env {
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    env
}

/// A world of a rig with nothing on the table.
fn empty(rig: RigName) -> World {
    let mut scene = longarm_task::sample(&blocks(rig), Seed(0)).unwrap();
    scene.structure = Structure { rig: rig.rig(), instances: vec![] };
    scene.poses.clear();
    scene.tints.clear();
    let mut world = World::new(&scene.structure).unwrap();
    world.reset(&scene).unwrap();
    world
}

fn down(pos: DVec3, yaw: f64) -> Pose {
    Pose::new(pos, DQuat::from_rotation_z(yaw) * DQuat::from_rotation_x(std::f64::consts::PI))
}

/// The action that sends each hand towards a pose.
fn towards(world: &World, goals: &[Pose]) -> Action {
    let mut values = Vec::new();
    for (hand, goal) in world.snapshot().hands.iter().zip(goals) {
        let part = ToolScale::DEFAULT.towards(&hand.commanded, goal, 0.03, 0.15, -1.0);
        values.extend_from_slice(part.values());
    }
    Action::new(&values)
}

/// Where the hand that does not matter is at step `k`: on a circle on its own side.
fn circling(side: f64, k: u32) -> Pose {
    let a = f64::from(k) * 0.12;
    let at = DVec3::new(0.47 + 0.08 * libm::cos(a), side * 0.30 + 0.06 * libm::sin(a), 0.22);
    down(at, 0.3 * libm::sin(a))
}

#[test]
fn each_of_two_arms_reaches_its_poses_while_the_other_moves() {
    let mut world = empty(RigName::TWO_PANDAS);
    assert_eq!(world.control().dim(), 14);
    let names: Vec<_> = world.snapshot().hands.iter().map(|h| h.limb.as_str()).collect();
    assert_eq!(names, ["left", "right"]);
    let mut k = 0;
    for (limb, side) in [(0, 1.0), (1, -1.0)] {
        for (x, y, z, yaw) in [
            (0.35, 0.08, 0.05, 0.0),
            (0.60, 0.10, 0.30, 0.5),
            (0.45, 0.34, 0.05, -0.5),
            (0.62, 0.30, 0.12, 0.8),
            (0.38, 0.22, 0.35, -0.8),
        ] {
            let goal = down(DVec3::new(x, side * y, z), yaw);
            let mut goals = [goal; 2];
            for _ in 0..80 {
                goals[1 - limb] = circling(-side, k);
                k += 1;
                let action = towards(&world, &goals);
                world.step(action.values()).unwrap();
            }
            let s = world.snapshot();
            let other = s.hands[1 - limb].twist.linear.length();
            assert!(other > 0.02, "the other hand stands still: {other} m/s");
            let (far, turned) = s.hands[limb].pose.error_to(&goal);
            assert!(
                far < 2e-3 && turned < 1f64.to_radians(),
                "limb {limb} at {goal:?}: {:.2} mm, {:.2}°",
                far * 1e3,
                turned.to_degrees()
            );
        }
    }
}

#[test]
fn hands_of_two_arms_hold_different_objects() {
    let mut env = env(blocks(RigName::TWO_PANDAS));
    let above = |env: &Env, body: usize, z: f64| {
        let at = env.snapshot().bodies[body].pose.pos;
        down(DVec3::new(at.x, at.y, z), 0.0)
    };
    let mut grip = -1.0;
    for (z, steps, next) in [(0.15, 60, -1.0), (0.02, 60, 1.0), (0.02, 15, 1.0), (0.15, 40, 1.0)] {
        let goals = [above(&env, 1, z), above(&env, 2, z)];
        for _ in 0..steps {
            let mut action = towards(env.world(), &goals);
            (action.values_mut()[6], action.values_mut()[13]) = (grip, grip);
            env.step(&action).unwrap();
        }
        grip = next;
    }
    let s = env.snapshot();
    let held = |limb: usize| (s.hands[limb].holds[1], s.hands[limb].holds[2]);
    assert_eq!((held(0), held(1)), ((true, false), (false, true)));
    assert!(s.held(1) && s.held(2));
    let holds = |p: Predicate| env.bound().predicate(&p).unwrap().holds(s);
    assert!(holds(grasped("red")) && holds(grasped("blue")));
    assert!(holds(grasped("red").with("left")) && !holds(grasped("red").with("right")));
    assert!(holds(lifted("blue", 0.02).with("right")) && !holds(hand_empty().with("left")));
    let unknown = env.bound().predicate(&grasped("red").with("lef")).unwrap_err().to_string();
    assert!(unknown.contains("limb") && unknown.contains("did you mean left"), "{unknown}");
}

/// Reproducible numbers for a world's actions.
fn wild(world: &World, k: u64) -> Action {
    world.control().random(&mut Seed(k).stream("wild"))
}

#[test]
fn two_arms_step_without_allocating_and_restore_exactly() {
    let mut env = env(blocks(RigName::TWO_PANDAS));
    let actions: Vec<Action> = (0..60).map(|k| wild(env.world(), k)).collect();
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
    let run = |w: &mut World| {
        for a in &actions[40..] {
            w.step(a.values()).unwrap();
        }
        (w.state_hash(), w.snapshot().clone())
    };
    let first = run(env.world_mut());
    env.world_mut().restore(&saved).unwrap();
    assert_eq!(first, run(env.world_mut()));
    let mut one_arm = empty(RigName::PANDA);
    assert!(matches!(one_arm.restore(&saved), Err(SimError::ForeignCheckpoint)));
}

#[test]
fn two_arms_give_the_same_bits_on_any_number_of_threads() {
    let task = Arc::new(blocks(RigName::TWO_PANDAS));
    let jobs: Vec<Job> = (0..4).map(|s| Job { task: task.clone(), seed: Seed(s) }).collect();
    let run = |workers| {
        let mut out = Vec::new();
        let episode = |i: usize, env: Result<&mut Env, SimError>| {
            let env = env.unwrap();
            for k in 0..15 {
                let action = wild(env.world(), k + i as u64);
                env.step(&action).unwrap();
            }
            env.world().state_hash()
        };
        batch::run(&jobs, workers, &EnvSettings::default(), episode, |_, hash| {
            out.push(hash);
            true
        });
        out
    };
    let one = run(1);
    assert!(one[0] != one[1]);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn joints_go_where_joint_modes_send_them() {
    for rig in [RigName::ARX_R5, RigName::PANDA, RigName::TWO_PANDAS] {
        for mode in [ControlMode::JointTarget, ControlMode::JointDelta] {
            let mut env = env(blocks(rig).with_control(mode).unwrap());
            let n = env.world().dof();
            let (mut start, mut q, mut v) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            env.world().read_joints(&mut start, &mut v);
            let wanted: Vec<f64> = start.iter().map(|q| q + 0.08).collect();
            let mut action = env.world().control().idle();
            let spec = env.world().control().clone();
            for k in 0..50 {
                let mut joint = 0;
                for (channel, at) in spec.slices() {
                    for value in &mut action.values_mut()[at] {
                        match channel.kind {
                            ChannelKind::JointTarget => *value = wanted[joint] as f32,
                            ChannelKind::JointDelta { radians } => {
                                *value = if k < 10 { (0.008 / radians) as f32 } else { 0.0 };
                            }
                            _ => continue,
                        }
                        joint += 1;
                    }
                }
                env.step(&action).unwrap();
            }
            env.world().read_joints(&mut q, &mut v);
            for i in 0..n {
                let off = (q[i] - wanted[i]).abs();
                assert!(off < 3e-3, "{rig} {mode}: joint {i} is {off:.4} rad off");
            }
        }
    }
    let refused = blocks(RigName::UR5E_SUCTION).with_control(ControlMode::JointTarget).unwrap_err();
    assert!(refused.to_string().contains("it offers pick-place"), "{refused}");
}

/// The same motion in every control mode, as experts translate it.
#[test]
fn tool_actions_mean_the_same_in_every_mode() {
    let goals = [(0.40, 0.10, 0.20), (0.36, -0.12, 0.10), (0.30, 0.0, 0.25)];
    let mut ends: Vec<Vec<Pose>> = Vec::new();
    for mode in [ControlMode::ToolDelta, ControlMode::JointTarget, ControlMode::JointDelta] {
        let mut env = env(blocks(RigName::ARX_R5).with_control(mode).unwrap());
        let mut poses = Vec::new();
        for (x, y, z) in goals {
            for _ in 0..60 {
                let tool = towards(env.world(), &[down(DVec3::new(x, y, z), 0.2)]);
                let action = env.world().from_tool_action(tool.values());
                if mode == ControlMode::ToolDelta {
                    assert_eq!(action, tool);
                }
                env.step(&action).unwrap();
            }
            poses.push(env.snapshot().hands[0].pose);
        }
        ends.push(poses);
    }
    for other in &ends[1..] {
        for (a, b) in ends[0].iter().zip(other) {
            let (far, turned) = a.error_to(b);
            assert!(far < 1e-3 && turned < 5e-3, "{far} m, {turned} rad apart");
        }
    }
}

/// Holds a posture by torques: inverse dynamics of a critically damped spring.
#[derive(Clone)]
struct Holding {
    chain: Chain,
    posture: Joints,
    tool: Pose,
    stiffness: f64,
    /// A reset does not change the posture.
    stays: bool,
    /// A torque on the first joint in place of all that.
    push: Option<f64>,
}

impl Controller for Holding {
    fn reset(&mut self, home: &Joints) {
        if !self.stays {
            self.posture = *home;
            self.tool = self.chain.forward(home);
        }
    }
    fn command(&mut self, _: ChannelKind, _: &[f64], _: &LimbState<'_>) {}
    fn drive(&mut self, _: u32, state: &LimbState<'_>, torque: &mut Joints) -> Drive {
        if let Some(push) = self.push {
            torque[0] = push;
            return Drive::Torque;
        }
        let (q, v, mass, bias) = (state.joints(), state.velocities(), state.mass(), state.bias());
        let n = state.dof();
        for i in 0..n {
            torque[i] = bias[i];
            for j in 0..n {
                let spring = self.stiffness * (self.posture[j] - q[j]);
                torque[i] += mass[i][j] * (spring - 2.0 * self.stiffness.sqrt() * v[j]);
            }
        }
        Drive::Torque
    }
    fn target(&self) -> &Pose {
        &self.tool
    }
    fn chain(&self) -> &Chain {
        &self.chain
    }
    fn needs_dynamics(&self) -> bool {
        true
    }
    fn boxed(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

fn holding(world: &World, stiffness: f64) -> Box<Holding> {
    let chain = world.controller(0).chain().clone();
    let tool = *world.controller(0).target();
    let posture = [0.0; MAX_JOINTS];
    Box::new(Holding { chain, posture, tool, stiffness, stays: false, push: None })
}

#[test]
fn torques_hold_a_posture_and_move_to_another() {
    let mut world = empty(RigName::PANDA);
    let controller = holding(&world, 400.0);
    world.set_controller(0, controller.clone());
    let idle = world.control().idle();
    let home = world.limb_state(0).joints();
    let off = |world: &World, wanted: &Joints| {
        let q = world.limb_state(0).joints();
        q.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    for _ in 0..40 {
        world.step(idle.values()).unwrap();
    }
    assert!(off(&world, &home) < 1e-3, "sinks by {}", off(&world, &home));
    // Another posture to hold, by a controller that was made elsewhere.
    let mut bent = home;
    bent[1] += 0.2;
    bent[3] -= 0.3;
    bent[5] += 0.2;
    let mut moved = Holding { posture: bent, stays: true, ..*controller };
    moved.tool = moved.chain.forward(&bent);
    world.set_controller(0, Box::new(moved));
    let n = counting::allocations(|| {
        for _ in 0..40 {
            world.step(idle.values()).unwrap();
        }
    });
    assert_eq!(n, 0, "allocations in 40 steps under torque");
    assert!(off(&world, &bent) < 5e-3, "stays {} off", off(&world, &bent));
    // A moment under torque is restored like any other.
    let saved = world.save();
    let run = |w: &mut World| {
        for _ in 0..10 {
            w.step(idle.values()).unwrap();
        }
        w.state_hash()
    };
    let first = run(&mut world);
    let mut other = empty(RigName::PANDA);
    other.restore(&saved).unwrap();
    assert_eq!(first, run(&mut other));
    // Without stiffness nothing holds the arm: the servos are really off.
    let pushed = Holding { push: Some(2.0), stays: true, ..*holding(&world, 0.0) };
    world.set_controller(0, Box::new(pushed));
    for _ in 0..10 {
        world.step(idle.values()).unwrap();
    }
    assert!(off(&world, &bent) > 0.05, "something holds the arm");
}
