//! The engine against its promises: exactness, refusals, accuracy, no allocation.

mod counting;

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

/// Brings the tool to a pose by actions, as a policy would.
fn drive(world: &mut World, goal: &Pose, steps: u32) -> (f64, f64) {
    for _ in 0..steps {
        let at = world.snapshot().hands[0].commanded;
        let a = world.control().tool_scale().towards(&at, goal, 0.03, 0.15, -1.0);
        world.step(a.values()).unwrap();
    }
    world.snapshot().hands[0].pose.error_to(goal)
}

#[test]
fn the_tool_reaches_commanded_poses_over_the_workspace() {
    for rig in [RigName::ARX_R5, RigName::PANDA] {
        let r = rig.rig();
        let structure = Structure { rig: r.clone(), instances: vec![] };
        let mut scene = longarm_task::sample(&blocks(rig), Seed(0)).unwrap();
        scene.structure = structure.clone();
        scene.poses.clear();
        scene.tints.clear();
        let mut world = World::new(&structure).unwrap();
        world.reset(&scene).unwrap();
        let (c, h) = (DVec3::from(r.workspace.centre), DVec3::from(r.workspace.half));
        let down = DQuat::from_rotation_x(std::f64::consts::PI);
        for i in 0..3 {
            for j in 0..3 {
                for k in 0..3 {
                    let t = DVec3::new(f64::from(i), f64::from(j), f64::from(k)) - DVec3::ONE;
                    let mut pos = c + t * h * 0.92;
                    pos.z = pos.z.max(0.03);
                    let yaw = DQuat::from_rotation_z(0.4 * t.y);
                    let goal = Pose::new(pos, yaw * down);
                    let (far, turned) = drive(&mut world, &goal, 70);
                    assert!(
                        far < 2e-3 && turned < 1f64.to_radians(),
                        "{rig:?} at {pos}: {:.1} mm, {:.2}°",
                        far * 1e3,
                        turned.to_degrees()
                    );
                }
            }
        }
    }
}

#[test]
fn full_speed_never_exceeds_joint_speed_limits() {
    for rig in [RigName::ARX_R5, RigName::PANDA] {
        let mut e = env(rig);
        let n = e.world().dof();
        let limits: Vec<f64> =
            e.world().controller(0).chain().joints.iter().map(|j| j.velocity).collect();
        let (mut q, mut v) = (vec![0.0; n], vec![0.0; n]);
        let mut before = vec![0.0; n];
        e.world().read_joints(&mut before, &mut v);
        for k in 0..160u64 {
            // Full deflection, changing direction now and then, and sometimes every step.
            let mut a = wild(if k < 100 { k / 10 } else { k });
            for x in a.values_mut() {
                *x = x.signum();
            }
            e.world_mut().step(a.values()).unwrap();
            e.world().read_joints(&mut q, &mut v);
            for i in 0..n {
                assert!(v[i].abs() <= limits[i], "{rig:?} joint {i}: {} of {}", v[i], limits[i]);
                let mean = (q[i] - before[i]) * f64::from(CONTROL_HZ);
                assert!(mean.abs() <= limits[i], "{rig:?} joint {i} on average: {mean}");
            }
            before.clone_from(&q);
        }
    }
}

#[test]
fn reaching_too_far_does_not_wind_up() {
    let mut e = env(RigName::ARX_R5);
    let out = Action::new(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    for _ in 0..80 {
        e.world_mut().step(out.values()).unwrap();
    }
    let far = e.snapshot().hands[0].pose;
    let back = Action::new(&[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    for _ in 0..8 {
        e.world_mut().step(back.values()).unwrap();
    }
    let moved = far.pos.x - e.snapshot().hands[0].pose.pos.x;
    assert!(moved > 0.04, "came back only {moved:.3} m in 8 steps");
    let tilt = rotation_between(far.rot, e.snapshot().hands[0].pose.rot).length();
    assert!(tilt < 0.3, "it tilted by {tilt:.3} rad on the way back");
}

fn pick_place(pick: [f64; 3], place: [f64; 3]) -> Action {
    let mut v = [0.0f32; 14];
    for (slot, p) in v.chunks_exact_mut(7).zip([pick, place]) {
        for (s, x) in slot.iter_mut().zip(p) {
            *s = x as f32;
        }
        slot[3] = 1.0;
    }
    Action::new(&v)
}

#[test]
fn suction_picks_and_places_by_motion() {
    let task = blocks(RigName::UR5E_SUCTION);
    let mut e = Env::new(task, EnvSettings::default()).unwrap();
    e.reset(Seed(3)).unwrap();
    let at = |e: &Env, b: usize| e.snapshot().bodies[b].pose.pos.to_array();
    let [x, y, _] = at(&e, 1);
    let [u, v, _] = at(&e, 2);
    let report = e.step(&pick_place([x, y, 0.04], [u, v, 0.08])).unwrap();
    assert_eq!(e.picked().map(|p| p.outcome), Some(PickPlaceOutcome::Placed), "{:?}", e.picked());
    assert!(report.success, "{:?}", e.record("test", None).stages);
    assert_eq!(report.step, 1, "steps are actions");
    assert!(e.snapshot().step > 20, "it takes time");
}

/// From corner to corner: the whole workspace can be worked in.
#[test]
fn suction_reaches_the_corners_of_the_workspace() {
    let mut e = Env::new(blocks(RigName::UR5E_SUCTION), EnvSettings::default()).unwrap();
    e.reset(Seed(3)).unwrap();
    for (x, y) in [(0.72, 0.47), (0.72, -0.47), (0.28, -0.47), (0.28, 0.47), (0.5, 0.0)] {
        let at = e.snapshot().bodies[1].pose.pos;
        e.step(&pick_place([at.x, at.y, 0.04], [x, y, 0.04])).unwrap();
        let picked = e.picked().unwrap();
        assert_eq!(picked.outcome, PickPlaceOutcome::Placed, "({x}, {y}): {:?}", picked.reason);
        let off = (e.snapshot().bodies[1].pose.pos - DVec3::new(x, y, 0.0)).length();
        assert!(off < 0.01, "({x}, {y}): {off:.4} m off");
    }
}

#[test]
fn poses_that_cannot_be_are_refused_with_a_reason_and_the_episode_goes_on() {
    let task = blocks(RigName::UR5E_SUCTION);
    let mut e = Env::new(task.clone(), EnvSettings::default()).unwrap();
    // All of the rig's own workspace is within reach.
    let mut scene = longarm_task::sample(&task, Seed(3)).unwrap();
    scene.structure.rig.workspace.half[0] = 0.9;
    e.reset_to(scene).unwrap();
    let fine = [0.5, 0.0, 0.05];
    let mut no_rotation = pick_place(fine, fine);
    no_rotation.values_mut()[3..7].fill(0.0);
    let mut not_a_number = pick_place(fine, fine);
    not_a_number.values_mut()[8] = f32::NAN;
    for (action, outcome, why) in [
        (pick_place([0.6, 0.3, 0.05], fine), PickPlaceOutcome::NothingPicked, "met nothing"),
        (pick_place([2.0, 0.3, 0.05], fine), PickPlaceOutcome::Refused, "outside the workspace"),
        (pick_place(fine, [1.1, 0.3, 0.05]), PickPlaceOutcome::Refused, "beyond the arm's reach"),
        (no_rotation, PickPlaceOutcome::Refused, "quaternion has length 0.000"),
        (not_a_number, PickPlaceOutcome::Refused, "number 1 of the place pose is NaN"),
    ] {
        let before = e.snapshot().bodies[1].pose;
        let report = e.step(&action).unwrap();
        let picked = e.picked().unwrap();
        assert_eq!(picked.outcome, outcome, "{why}");
        let reason = picked.reason.clone().unwrap_or_default();
        assert!(reason.contains(why), "{reason:?} does not say {why:?}");
        assert!(!report.failed && !report.success);
        assert!((before.pos - e.snapshot().bodies[1].pose.pos).length() < 1e-4);
    }
    assert_eq!(e.report().step, 5);
    assert!(e.step(&Action::new(&[0.0; 7])).is_err(), "a wrong length is no action");
}

#[test]
fn clouds_and_height_maps_show_the_blocks_where_they_are() {
    let channels = Channels { depth: true, segment: true, ..Channels::COLOR };
    let images = ImageSettings { channels, size: Some((160, 120)), ..ImageSettings::default() };
    let mut e =
        Env::new(blocks(RigName::UR5E_SUCTION), EnvSettings { images: Some(images) }).unwrap();
    e.reset(Seed(3)).unwrap();
    e.observe();
    let red = e.snapshot().bodies[1].pose.pos;
    let over = Bounds { centre: [0.5, 0.0, 0.14], half: [0.25, 0.5, 0.14] };
    let (cameras, _) = e.cameras().unwrap();
    let map = cameras.height_map(&over, 0.003125);
    assert_eq!((map.rows, map.columns), (160, 320));
    let cell = |p: DVec3| {
        let (i, j) = ((p.x - 0.25) / 0.003125, (p.y + 0.5) / 0.003125);
        map.heights[i as usize * map.columns + j as usize]
    };
    // Three views from the sides leave gaps: look at the best of the cells around the middle.
    let best = (-2..=2)
        .flat_map(|a| (-2..=2).map(move |b| DVec3::new(f64::from(a), f64::from(b), 0.0) * 0.004))
        .map(|d| cell(red + d))
        .fold(0.0f32, f32::max);
    assert!((best - 0.04).abs() < 0.003, "the block's top is {best} m high");
    let mut points = Vec::new();
    cameras.point_cloud(&over, &mut points);
    let of_red: Vec<_> = points.iter().filter(|p| p.segment == 1).collect();
    assert!(of_red.len() > 20);
    for p in &of_red {
        let off = DVec3::from(p.position.map(f64::from)) - red;
        assert!(off.truncate().length() < 0.035 && off.z > -0.002 && off.z < 0.043, "{off}");
    }
    let few = longarm_render::point_cloud::farthest_points(&points, 512);
    assert_eq!(few.len(), 512);
    let mut seen = vec![0; 3];
    cameras.visible(&mut seen);
    assert!(seen[1] > 0 && seen[2] > 0, "{seen:?}");
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
    e.reset_to(other).unwrap();
    assert!(e.world().physics_time().is_zero(), "another structure has a model of its own");
}

#[test]
fn a_control_step_is_a_twentieth_of_a_second() {
    let mut e = env(RigName::ARX_R5);
    let idle = e.action_spec().idle();
    e.step(&idle).unwrap();
    assert!((e.snapshot().time - 1.0 / f64::from(CONTROL_HZ)).abs() < 1e-9);
}
