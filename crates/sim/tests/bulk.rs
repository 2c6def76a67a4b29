//! Liquid, clay and sand as objects of a scene.

mod counting;

use std::sync::Arc;

use longarm_assets::RigName;
use longarm_render::Channels;
use longarm_sim::{CameraRig, Env, EnvSettings, ImageSettings, World};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{DQuat, DVec3, Pose, Seed, Segment, ToolScale};

/// A wide beaker that is lighter than the water in it.
fn task() -> Arc<TaskSpec> {
    let beaker = object("beaker", Beaker { radius: 0.045, height: 0.07 });
    let water = object("water", Water::column(0.04, 0.04)).colour(Colour::Blue);
    let spot = region("spot", rect([0.30, 0.0], [0.30, 0.0]));
    Arc::new(
        TaskSpec::new("test/water", RigName::PANDA)
            .instruction("look at the water")
            .place(&beaker, &spot)
            .place(&water, beaker.path("inside"))
            .stages([stage("dry", contains(&beaker, &water, 0.1))])
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

/// Moves the hand towards a point.
fn drive(world: &mut World, to: [f64; 3], steps: u32) {
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    for _ in 0..steps {
        let at = world.snapshot().hands[0].commanded;
        let action = ToolScale::DEFAULT.towards(&at, &Pose::new(to.into(), down), 0.02, 0.1, -1.0);
        world.step(action.values()).unwrap();
    }
}

/// The share of the water that is in the beaker.
fn inside(world: &World) -> f64 {
    let snapshot = world.snapshot();
    let frame = snapshot.bodies[body(world, "beaker")].pose;
    let points = &snapshot.soft_of(body(world, "water")).unwrap().points;
    let within = |p: &&DVec3| {
        let p = frame.local(**p);
        p.truncate().length() < 0.045 && p.z > 0.0 && p.z < 0.07
    };
    points.iter().filter(within).count() as f64 / points.len() as f64
}

#[test]
fn a_light_beaker_with_heavy_water_stands_still() {
    let mut env = env();
    let world = env.world_mut();
    let (beaker, water) = (body(world, "beaker"), body(world, "water"));
    let before = world.snapshot().bodies[beaker].pose;
    let idle = world.control().idle();
    let mut fastest: f64 = 0.0;
    for _ in 0..40 {
        world.step(idle.values()).unwrap();
        fastest = fastest.max(world.snapshot().soft_of(water).unwrap().speed);
    }
    let after = world.snapshot().bodies[beaker].pose;
    let moved = (after.pos - before.pos).length();
    println!("moved {moved:.6} m, water {fastest:.4} m/s, {:.3} inside", inside(world));
    assert!(moved < 1e-3, "{moved}");
    assert!(fastest < 0.05, "{fastest}");
    assert_eq!(inside(world), 1.0);
    assert!(world.snapshot().touching.get(water, beaker));
}

#[test]
fn pushed_water_goes_on_to_the_bit() {
    let mut env = env();
    let world = env.world_mut();
    let water = body(world, "water");
    // Against the beaker's side.
    drive(world, [0.30, -0.10, 0.10], 25);
    drive(world, [0.30, -0.10, 0.04], 15);
    drive(world, [0.30, -0.03, 0.04], 8);
    let speed = world.snapshot().soft_of(water).unwrap().speed;
    println!("water at {speed:.3} m/s, {:.3} inside", inside(world));
    let saved = world.save();
    let run = |world: &mut World| {
        drive(world, [0.30, 0.05, 0.04], 10);
        (world.state_hash(), world.snapshot().clone())
    };
    let first = run(world);
    world.restore(&saved).unwrap();
    assert_eq!(counting::allocations(|| world.step(&[0.0; 7]).unwrap()), 0);
    world.restore(&saved).unwrap();
    assert_eq!(first, run(world));
    // Into another world of the same structure.
    let mut other = self::env();
    other.world_mut().restore(&saved).unwrap();
    assert_eq!(first, run(other.world_mut()));
}

#[test]
fn water_is_seen_through_glass() {
    let env = env();
    let channels = Channels { segment: true, ..Channels::COLOR };
    let images = ImageSettings { channels, size: Some((224, 224)), ..ImageSettings::default() };
    let mut cameras = CameraRig::new(env.world(), images).unwrap();
    cameras.draw(env.world(), &mut Seed(0).stream("pixels"));
    let water = body(env.world(), "water");
    let (_, view) = cameras.frames().next().unwrap();
    let own = view.segment.iter().filter(|s| Segment::of(**s) == Segment::Body(water)).count();
    assert!(own > 60, "{own} pixels");
}
