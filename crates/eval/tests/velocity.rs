//! Velocities of hands and parts are those of their bodies in the world.

use std::sync::Arc;

use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_types::{CONTROL_HZ, Seed, rotation_between};

/// Runs the expert and compares the velocity told of a part, at every step at which it moves, with
/// how its body moved since the step before.
fn compare(task: &str) -> u32 {
    let task = longarm_suites::task(task).unwrap();
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(0)).unwrap();
    let mut expert = Expert::new(Memory::Whole);
    expert.begin(&mut env).unwrap();
    let rate = f64::from(CONTROL_HZ);
    let mut compared = 0;
    while !env.report().done() {
        let before = env.snapshot().clone();
        let action = expert.act(&mut env).unwrap();
        env.step(&action).unwrap();
        let now = env.snapshot();
        for (b, name) in env.bound().names().iter().enumerate().filter(|(_, n)| n.contains('/')) {
            let (a, z) = (&before.bodies[b], &now.bodies[b]);
            let linear = (a.twist.linear + z.twist.linear) / 2.0;
            let angular = (a.twist.angular + z.twist.angular) / 2.0;
            let moved = (z.pose.pos - a.pose.pos) * rate;
            let turned = rotation_between(a.pose.rot, z.pose.rot) * rate;
            let off = (linear - moved).length() + (angular - turned).length();
            let speed = moved.length() + turned.length();
            let steady = (a.twist.linear - z.twist.linear).length() < 0.01
                && (a.twist.angular - z.twist.angular).length() < 0.05;
            if speed > 0.03 && steady {
                assert!(
                    off < 0.01 + 0.15 * speed,
                    "{name}: told {linear}, {angular}; is {moved}, {turned}"
                );
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn a_drawer_moves_as_its_velocity_says() {
    assert!(compare("longbench/pull-drawer") > 5);
}

#[test]
fn a_door_turns_as_its_velocity_says() {
    let door = longarm_suites::ids().find(|i| i.contains("close-the-microwave"));
    assert!(compare(door.expect("LIBERO has a microwave")) > 3);
}

#[test]
fn a_hand_that_turns_has_angular_velocity() {
    let task = longarm_suites::task("longbench/stack-block").unwrap();
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(0)).unwrap();
    let mut turning = 0.0f64;
    for _ in 0..10 {
        // A fifth of half a radian per control step, about the vertical.
        env.world_mut().step(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.2, -1.0]).unwrap();
        turning = turning.max(env.snapshot().hands[0].twist.angular.z);
    }
    assert!((1.0..3.0).contains(&turning), "turns at {turning} rad/s");
}
