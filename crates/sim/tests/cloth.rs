//! Cloth as an object of a scene.

mod counting;

use std::sync::Arc;

use longarm_assets::RigName;
use longarm_render::Channels;
use longarm_sim::batch::{Job, run};
use longarm_sim::{CameraRig, Env, EnvSettings, ImageSettings};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{DQuat, DVec3, Pose, Seed, Segment, ToolScale};
use proptest::prelude::*;

fn task() -> Arc<TaskSpec> {
    let towel = object("towel", Towel::square(0.2)).colour(Colour::Red);
    let block = object("block", Block::cube(0.04)).colour(Colour::Blue);
    let spot = region("spot", rect([0.45, -0.1], [0.47, -0.08])).yaw(0.2, 0.3);
    let side = region("side", rect([0.45, 0.2], [0.47, 0.22]));
    Arc::new(
        TaskSpec::new("test/cloth", RigName::PANDA)
            .instruction("look at the towel")
            .place(&towel, &spot)
            .place(&block, &side)
            .stages([stage("lifted", lifted(&towel, 0.05))])
            .horizon(400),
    )
}

fn env() -> Env {
    let mut env = Env::new(task(), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    env
}

#[test]
fn a_towel_lies_on_the_table() {
    let env = env();
    let snapshot = env.snapshot();
    let towel = env.world().bodies().iter().position(|b| b.name == "towel").unwrap();
    let soft = snapshot.soft_of(towel).unwrap();
    let start = env.scene().poses[env.scene().instance("towel").unwrap()];
    assert!((snapshot.bodies[towel].pose.pos - start.pos).length() < 1e-3);
    for (p, rest) in soft.points.iter().zip(&soft.form.rest) {
        assert!((p.z - 0.002).abs() < 2e-4, "a corner at {p}");
        assert!((*p - start.point(*rest)).truncate().length() < 1e-3, "a corner at {p}");
    }
    assert!(snapshot.rests_on.get(towel, 0) && !snapshot.rests_on.get(0, towel));
    assert!(snapshot.hands[0].is_empty() && !snapshot.hands[0].touches[towel]);
}

#[test]
fn a_towel_is_seen() {
    let env = env();
    let channels = Channels { segment: true, ..Channels::COLOR };
    let images = ImageSettings { channels, size: Some((224, 224)), ..ImageSettings::default() };
    let mut cameras = CameraRig::new(env.world(), images).unwrap();
    cameras.draw(env.world(), &mut Seed(0).stream("pixels"));
    let towel = env.world().bodies().iter().position(|b| b.name == "towel").unwrap();
    let (_, view) = cameras.frames().next().unwrap();
    let own = |s: &i32| Segment::of(*s) == Segment::Body(towel);
    let pixels: Vec<_> =
        view.rgb.chunks_exact(3).zip(&view.segment).filter(|(_, s)| own(s)).collect();
    assert!(pixels.len() > 300, "{} pixels", pixels.len());
    let red = pixels.iter().filter(|(p, _)| p[0] > p[1] && p[0] > p[2]).count();
    assert!(red * 10 > pixels.len() * 9, "{red} of {} are red", pixels.len());
}

/// Drive the hand towards a point over the table, open (-1) or closed (1).
fn drive(env: &mut Env, to: DVec3, grip: f64, steps: u32) {
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    for _ in 0..steps {
        let at = env.snapshot().hands[0].commanded;
        let action = ToolScale::DEFAULT.towards(&at, &Pose::new(to, down), 0.02, 0.1, grip);
        env.world_mut().step(action.values()).unwrap();
    }
}

/// Take the towel near its middle and lift it.
fn lift(env: &mut Env) {
    let start = env.scene().poses[env.scene().instance("towel").unwrap()].pos;
    let above = |z: f64| start.with_z(0.0) + DVec3::Z * z;
    drive(env, above(0.15), 0.2, 60);
    drive(env, above(0.0135), 0.2, 30);
    drive(env, above(0.0135), 1.0, 8);
    drive(env, above(0.1), 1.0, 30);
}

#[test]
fn a_gripper_holds_a_towel_by_what_is_between_its_pads() {
    let mut env = env();
    lift(&mut env);
    let towel = env.world().bodies().iter().position(|b| b.name == "towel").unwrap();
    let hand = &env.snapshot().hands[0];
    assert!(hand.holds[towel], "it is not held");
    // Two radii of 2 mm keep the fingers apart.
    assert!((0.0035..0.013).contains(&hand.opening), "open by {}", hand.opening);
    let soft = env.snapshot().soft_of(towel).unwrap();
    let highest = soft.points.iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(highest > 0.08, "lifted to {highest}");
    let at = hand.pose.pos;
    drive(&mut env, at, -1.0, 30);
    let snapshot = env.snapshot();
    assert!(!snapshot.hands[0].holds[towel] && snapshot.hands[0].opening > 0.07);
    let highest = snapshot.soft_of(towel).unwrap().points.iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(highest < 0.06, "it hangs at {highest} though nothing holds it");
}

#[test]
fn a_new_episode_forgets_what_was_held() {
    let mut env = env();
    let fresh = env.world().state_hash();
    let closed = |env: &mut Env| {
        let home = env.snapshot().hands[0].commanded.pos;
        drive(env, home, 1.0, 20);
        (env.world().state_hash(), env.snapshot().hands[0].opening)
    };
    let first = closed(&mut env);
    assert!(first.1 < 1e-3, "empty fingers close to {}", first.1);
    env.reset(Seed(1)).unwrap();
    lift(&mut env);
    env.reset(Seed(1)).unwrap();
    assert_eq!(env.world().state_hash(), fresh);
    assert_eq!(closed(&mut env), first);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    /// A world restored while cloth moves goes on to the same bits, also in another world.
    #[test]
    fn cloth_in_motion_is_saved_and_restored(until in 0u32..30, after in 1u32..12, x in -0.05..0.05, z in 0.05..0.2) {
        let mut env = env();
        lift(&mut env);
        let aim = env.snapshot().hands[0].pose.pos + DVec3::new(x, 0.0, z - 0.1);
        drive(&mut env, aim, 1.0, until);
        let saved = env.world().save();
        let go_on = |env: &mut Env| {
            drive(env, aim + DVec3::X * 0.05, 1.0, after);
            drive(env, aim, -1.0, after);
            env.world().state_hash()
        };
        let first = go_on(&mut env);
        env.world_mut().restore(&saved).unwrap();
        prop_assert_eq!(go_on(&mut env), first);
        let mut other = self::env();
        other.world_mut().restore(&saved).unwrap();
        prop_assert_eq!(go_on(&mut other), first);
    }
}

#[test]
fn cloth_is_the_same_on_any_number_of_threads() {
    let jobs: Vec<Job> = (0..4).map(|s| Job { task: task(), seed: Seed(s) }).collect();
    let hashes = |workers| {
        let mut all = Vec::new();
        run(
            &jobs,
            workers,
            &EnvSettings::default(),
            |_, env| {
                let env = env.unwrap();
                lift(env);
                env.world().state_hash()
            },
            |_, hash| {
                all.push(hash);
                true
            },
        );
        all
    };
    let one = hashes(1);
    assert_eq!(one, hashes(2));
    assert_eq!(one, hashes(4));
}

#[test]
fn nothing_allocates_while_cloth_is_held() {
    let mut env = env();
    lift(&mut env);
    let idle = env.world().control().idle();
    let world = env.world_mut();
    world.step(idle.values()).unwrap();
    let mut done = None;
    assert_eq!(counting::allocations(|| done = Some(world.step(idle.values()))), 0);
    done.unwrap().unwrap();
}
