//! Clay and sand as objects of a scene.

mod counting;

use std::sync::Arc;

use longarm_assets::RigName;
use longarm_render::Channels;
use longarm_sim::{CameraRig, Env, EnvSettings, ImageSettings, World};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{DQuat, Pose, Seed, Segment, ToolScale};
use proptest::prelude::*;

/// A block of clay, and sand in a trough beside it.
fn task() -> Arc<TaskSpec> {
    let clay = Clay { shape: ClayShape::Block { size: [0.05, 0.05, 0.03] }, spacing: 0.005 };
    let clay = object("clay", clay);
    let trough = object("trough", Trough { size: [0.08, 0.08, 0.05] });
    let sand = object("sand", Sand::bed([0.08, 0.08, 0.02]));
    let at = |name: &str, y: f64| region(name, rect([0.30, y], [0.30, y]));
    Arc::new(
        TaskSpec::new("test/granular", RigName::PANDA)
            .instruction("press the clay")
            .place(&clay, &at("clay spot", 0.0))
            .place(&trough, &at("trough spot", 0.14))
            .place(&sand, trough.path("inside"))
            .stages([stage("raise it", lowest(&clay, 0.1))])
            .horizon(400),
    )
}

fn env() -> Env {
    let mut env = Env::new(task(), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    env
}

fn body(world: &World, name: &str) -> usize {
    world.bodies().iter().position(|b| b.name == name).unwrap()
}

/// Moves the closed hand towards a point.
fn drive(world: &mut World, to: [f64; 3], steps: u32) {
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    for _ in 0..steps {
        let at = world.snapshot().hands[0].commanded;
        let action = ToolScale::DEFAULT.towards(&at, &Pose::new(to.into(), down), 0.03, 0.1, 1.0);
        world.step(action.values()).unwrap();
    }
}

fn speed(world: &World, name: &str) -> f64 {
    world.snapshot().soft_of(body(world, name)).unwrap().speed
}

/// Height of the clay's top over the middle of where it lies.
fn top(world: &World) -> f64 {
    let points = &world.snapshot().soft_of(body(world, "clay")).unwrap().points;
    let beside = |x: f64, y: f64| (x - 0.30).abs() < 0.008 && y.abs() < 0.008;
    points.iter().filter(|p| beside(p.x, p.y)).map(|p| p.z).fold(0.0, f64::max)
}

#[test]
fn clay_keeps_the_print_of_fingers_and_moves_on_to_the_bit() {
    let mut env = env();
    let world = env.world_mut();
    let before = top(world);
    drive(world, [0.30, 0.0, 0.10], 30);
    drive(world, [0.30, 0.0, 0.028], 12);
    let saved = world.save();
    let run = |world: &mut World| {
        drive(world, [0.30, 0.0, 0.10], 10);
        (world.state_hash(), world.snapshot().clone())
    };
    let first = run(world);
    let print = before - top(world);
    println!("pressed in by {:.1} mm", 1e3 * print);
    assert!(print > 0.004, "{print}");
    world.restore(&saved).unwrap();
    assert_eq!(counting::allocations(|| world.step(&[0.0; 7]).unwrap()), 0);
    world.restore(&saved).unwrap();
    assert_eq!(first, run(world));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    /// A world restored while clay or sand moves goes on to the same bits, also in another world.
    #[test]
    fn what_is_in_motion_is_saved_and_restored(into_sand: bool, until in 6u32..14, after in 1u32..6, x in -0.01..0.01) {
        let mut env = env();
        let y = if into_sand { 0.14 } else { 0.0 };
        let world = env.world_mut();
        drive(world, [0.30, y, 0.10], 30);
        drive(world, [0.30 + x, y, 0.03], until);
        let name = if into_sand { "sand" } else { "clay" };
        let saved = world.save();
        let go_on = |world: &mut World| {
            drive(world, [0.30 + x, y, 0.026], after);
            drive(world, [0.30 - x, y + 0.01, 0.06], after);
            (world.state_hash(), speed(world, name))
        };
        let first = go_on(world);
        world.restore(&saved).unwrap();
        prop_assert_eq!(go_on(world), first);
        let mut other = self::env();
        other.world_mut().restore(&saved).unwrap();
        prop_assert_eq!(go_on(other.world_mut()), first);
    }
}

#[test]
fn clay_and_sand_are_seen_as_themselves() {
    let env = env();
    let channels = Channels { segment: true, ..Channels::COLOR };
    let images = ImageSettings { channels, size: Some((224, 224)), ..ImageSettings::default() };
    let mut cameras = CameraRig::new(env.world(), images).unwrap();
    cameras.draw(env.world(), &mut Seed(0).stream("pixels"));
    let (_, view) = cameras.frames().next().unwrap();
    for name in ["clay", "sand"] {
        let own = Segment::Body(body(env.world(), name));
        let count = view.segment.iter().filter(|s| Segment::of(**s) == own).count();
        assert!(count > 60, "{name}: {count} pixels");
    }
}
