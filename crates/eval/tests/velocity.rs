//! Velocities of hands are those of their bodies in the world.

use std::sync::Arc;

use longarm_sim::{Env, EnvSettings};
use longarm_types::Seed;

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
