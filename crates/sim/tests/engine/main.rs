//! The engine against its promises: exactness, refusals, accuracy, no allocation.

mod arm;
#[path = "../counting/mod.rs"]
mod counting;
mod files;
mod osc;
mod pictures;
mod shows;
mod suction;

use std::sync::Arc;

use longarm_assets::{Instance, RigName, Structure, Tint};
use longarm_render::Channels;
use longarm_sim::batch::{self, Job};
use longarm_sim::{Env, EnvSettings, ImageSettings, PickPlaceOutcome, SimError, World};
use longarm_task::prelude::*;
use longarm_task::{Scene, TaskSpec};
use longarm_types::{
    Action, ActionError, ActionSpec, Bounds, CONTROL_HZ, DQuat, DVec3, Pose, Seed, rotation_between,
};

fn blocks(rig: RigName) -> Arc<TaskSpec> {
    let red = object("red", Block::cube(0.04)).colour(Colour::Red);
    let blue = object("blue", Block::cube(0.04)).colour(Colour::Blue);
    let left = region("left", rect([0.30, 0.08], [0.36, 0.14])).yaw(-0.5, 0.5);
    let right = region("right", rect([0.30, -0.14], [0.36, -0.08]));
    Arc::new(
        TaskSpec::new("test/blocks", rig)
            .instruction("put the red block on the blue one")
            .place(&red, &left)
            .place(&blue, &right)
            .plan([pick(&red), put(&red).on(&blue)])
            .stages([stage("stacked", on(&red, &blue))])
            .horizon(400),
    )
}

fn env(rig: RigName) -> Env {
    let mut env = Env::new(blocks(rig), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    env
}

/// A world of a rig with nothing on the table.
fn empty(rig: RigName) -> World {
    let structure = Structure { rig: rig.rig(), instances: vec![] };
    let mut scene = longarm_task::sample(&blocks(rig), Seed(0)).unwrap();
    scene.structure = structure.clone();
    scene.poses.clear();
    scene.tints.clear();
    let mut world = World::new(&structure).unwrap();
    world.reset(&scene).unwrap();
    world
}

/// A wild but reproducible action.
fn idle() -> Action {
    ActionSpec::tool_delta(&["arm"]).idle()
}

fn wild(k: u64) -> Action {
    let mut rng = Seed(k).stream("wild");
    let v: [f32; 7] = std::array::from_fn(|_| rng.range(-1.0, 1.0) as f32);
    Action::new(&v)
}

#[test]
fn same_seed_and_actions_give_the_same_bits() {
    let mut hashes = Vec::new();
    for _ in 0..2 {
        let mut e = env(RigName::ARX_R5);
        for k in 0..60 {
            e.step(&wild(k)).unwrap();
        }
        // A second episode in the same world, after a different one: nothing may be left over.
        e.reset(Seed(7)).unwrap();
        e.step(&wild(3)).unwrap();
        e.reset(Seed(1)).unwrap();
        for k in 0..60 {
            e.step(&wild(k)).unwrap();
        }
        hashes.push((e.world().state_hash(), e.record("wild", None).action_hash));
    }
    assert_eq!(hashes[0], hashes[1]);
    let mut other = env(RigName::ARX_R5);
    other.reset(Seed(2)).unwrap();
    for k in 0..60 {
        other.step(&wild(k)).unwrap();
    }
    assert_ne!(other.world().state_hash(), hashes[0].0, "another seed is another world");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let task = blocks(RigName::ARX_R5);
    let jobs: Vec<Job> = (0..6).map(|s| Job { task: task.clone(), seed: Seed(s) }).collect();
    let images = ImageSettings { size: Some((96, 96)), ..ImageSettings::default() };
    let settings = EnvSettings { images: Some(images) };
    let run = |workers| {
        let mut out = Vec::new();
        batch::run(
            &jobs,
            workers,
            &settings,
            |i, env| {
                let env = env.unwrap();
                for k in 0..20 {
                    env.step(&wild(k + i as u64)).unwrap();
                }
                let picture = longarm_types::Digest::of(&env.observe().cameras[0].rgb);
                (env.world().state_hash(), picture)
            },
            |i, r| {
                out.push((i, r));
                true
            },
        );
        out
    };
    let one = run(1);
    assert_eq!(one.iter().map(|r| r.0).collect::<Vec<_>>(), (0..6).collect::<Vec<_>>());
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn restoring_is_exact_also_with_sleeping_bodies() {
    let mut e = env(RigName::ARX_R5);
    // Long enough for the blocks to fall asleep.
    for _ in 0..40 {
        e.step(&idle()).unwrap();
    }
    let saved = e.world().save();
    let run = |w: &mut World| {
        for k in 0..50 {
            w.step(wild(k).values()).unwrap();
        }
        (w.state_hash(), w.snapshot().clone())
    };
    let first = run(e.world_mut());
    e.world_mut().restore(&saved).unwrap();
    assert_eq!(first, run(e.world_mut()));
    // Also into another world of the same structure.
    let mut other = World::new(e.world().structure()).unwrap();
    other.restore(&saved).unwrap();
    assert_eq!(first, run(&mut other));
    let mut foreign =
        World::new(&Structure { instances: vec![], ..e.world().structure().clone() }).unwrap();
    assert!(matches!(foreign.restore(&saved), Err(SimError::ForeignCheckpoint)));
}

#[test]
fn support_stays_known_while_bodies_sleep() {
    let structure = Structure {
        rig: RigName::ARX_R5.rig(),
        instances: ["lower", "upper"]
            .map(|name| Instance { name: name.into(), asset: Block::cube(0.04).into() })
            .into(),
    };
    let mut scene: Scene = longarm_task::sample(&blocks(RigName::ARX_R5), Seed(0)).unwrap();
    scene.structure = structure.clone();
    scene.poses = vec![Pose::at(0.3, 0.1, 0.0), Pose::at(0.3, 0.1, 0.04)];
    scene.tints = vec![Tint::Own; 2];
    let mut world = World::new(&structure).unwrap();
    world.reset(&scene).unwrap();
    for _ in 0..200 {
        world.step(idle().values()).unwrap();
    }
    let s = world.snapshot();
    assert!(s.rests_on.get(1, 0) && s.rests_on.get(2, 1), "table carries lower carries upper");
    assert!(!s.rests_on.get(1, 2) && !s.rests_on.get(2, 0));
    assert!(s.touching.get(1, 2) && s.touching.get(2, 1));
    assert_eq!(s.bodies[2].twist.linear, DVec3::ZERO, "they do sleep");
}

#[test]
fn bad_actions_are_refused_and_change_nothing() {
    let mut e = env(RigName::ARX_R5);
    let before = (e.world().state_hash(), e.snapshot().clone());
    let mut nan = idle();
    nan.values_mut()[2] = f32::NAN;
    match e.step(&nan) {
        Err(SimError::Action(ActionError::NotFinite { index: 2, .. })) => {}
        other => panic!("{other:?}"),
    }
    match e.step(&Action::new(&[0.0; 6])) {
        Err(SimError::Action(ActionError::Length { got: 6, want: 7 })) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(before, (e.world().state_hash(), e.snapshot().clone()));
    // Beyond ±1 is clipped, and counted.
    let mut twin = env(RigName::ARX_R5);
    e.step(&Action::new(&[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, -5.0])).unwrap();
    twin.step(&Action::new(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0])).unwrap();
    assert_eq!(e.world().state_hash(), twin.world().state_hash());
    assert_eq!((e.world().clipped(), twin.world().clipped()), (1, 0));
}

#[test]
fn the_step_loop_does_not_allocate() {
    let mut e = env(RigName::ARX_R5);
    for k in 0..20 {
        e.step(&wild(k)).unwrap();
    }
    let n = counting::allocations(|| {
        for k in 20..60 {
            // The generator's name is hashed without allocating, too.
            e.step(&wild(k)).unwrap();
        }
    });
    assert_eq!(n, 0, "allocations in 40 steps");
}

#[test]
fn scenes_that_differ_only_in_poses_share_a_model() {
    let mut e = env(RigName::ARX_R5);
    // What was measured stays with the compiled world.
    e.world_mut().time_physics(true);
    let idle = e.action_spec().idle();
    e.step(&idle).unwrap();
    let measured = e.world().physics_time();
    assert!(!measured.is_zero());
    let before = e.snapshot().bodies[1].pose;
    e.reset(Seed(5)).unwrap();
    assert_ne!(before, e.snapshot().bodies[1].pose);
    assert!(e.world().physics_time() >= measured, "the model was compiled again");

    let mut other = longarm_task::sample(e.task(), Seed(5)).unwrap();
    let mut more = other.structure.instances[0].clone();
    more.name = "another block".into();
    other.structure.instances.push(more);
    other.poses.push(Pose::at(0.4, 0.2, 0.1));
    other.tints.push(other.tints[0]);
    other.starts_on.push(0);
    other.called.push("another block".into());
    e.reset_scene(other).unwrap();
    assert!(e.world().physics_time().is_zero(), "another structure has a model of its own");
}

#[test]
fn a_control_step_is_a_twentieth_of_a_second() {
    let mut e = env(RigName::ARX_R5);
    let idle = e.action_spec().idle();
    e.step(&idle).unwrap();
    assert!((e.snapshot().time - 1.0 / f64::from(CONTROL_HZ)).abs() < 1e-9);
}
