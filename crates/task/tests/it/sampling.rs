//! Scenes: what a seed decides, and what it does not.

use longarm_assets::Tint;
use longarm_task::prelude::*;
use longarm_task::{Edit, Place, SampleError, Scene, sample, sample_with};
use longarm_types::{Bounds, Pose, Seed};
use proptest::arbitrary::any as arb;
use proptest::prelude::*;

use crate::tasks::*;

fn crowd(n: usize, side: f64) -> TaskSpec {
    let table = region("table", rect([0.2, -side], [0.2 + side, side])).yaw(-3.0, 3.0);
    let mut task = TaskSpec::new("test/crowd", RigName::ARX_R5);
    for i in 0..n {
        let asset: Asset = match i % 3 {
            0 => Block::cube(0.05).into(),
            1 => Plate { radius: 0.06 }.into(),
            _ => Block { size: [0.10, 0.02, 0.03] }.into(),
        };
        task = task.place(&object(format!("item {i}"), asset), &table);
    }
    task
}

/// Points of an object's footprint in the world; round objects are taken as discs.
fn points(b: &Bounds, round: bool, pose: &Pose) -> Vec<[f64; 2]> {
    let mut out = Vec::new();
    for i in -6..=6 {
        for j in -6..=6 {
            let (u, v) = (f64::from(i) / 6.0, f64::from(j) / 6.0);
            if round && u * u + v * v > 1.0 {
                continue;
            }
            let local = [b.centre[0] + u * b.half[0], b.centre[1] + v * b.half[1], b.centre[2]];
            let p = pose.point(local.into());
            out.push([p.x, p.y]);
        }
    }
    out
}

fn inside(b: &Bounds, round: bool, pose: &Pose, [x, y]: [f64; 2]) -> bool {
    let p = pose.local([x, y, pose.pos.z].into());
    let (u, v) = ((p.x - b.centre[0]) / b.half[0], (p.y - b.centre[1]) / b.half[1]);
    if round { u * u + v * v < 1.0 } else { u.abs() < 1.0 && v.abs() < 1.0 }
}

fn overlap(scene: &Scene) -> Option<(usize, usize)> {
    let n = scene.poses.len();
    let info: Vec<_> = scene.structure.instances.iter().map(|i| i.asset.info()).collect();
    let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b);
    pairs.into_iter().find(|&(a, b)| {
        points(&info[a].bounds, info[a].symmetry == 0, &scene.poses[a])
            .into_iter()
            .any(|p| inside(&info[b].bounds, info[b].symmetry == 0, &scene.poses[b], p))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn objects_never_overlap(seed in arb::<u64>(), n in 2usize..8) {
        let scene = sample(&crowd(n, 0.25), Seed(seed)).unwrap();
        prop_assert_eq!(overlap(&scene), None);
    }

    #[test]
    fn a_seed_is_a_scene(seed in arb::<u64>()) {
        for task in all_tasks() {
            let scene = sample(&task, Seed(seed)).unwrap();
            prop_assert_eq!(&sample(&task, Seed(seed)).unwrap(), &scene);
            let text = serde_json::to_string(&scene).unwrap();
            let again: Scene = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(again.instruction, scene.instruction);
            prop_assert!(scene.poses.iter().all(Pose::is_finite));
        }
    }

    #[test]
    fn a_new_object_moves_no_other(seed in arb::<u64>()) {
        for task in [stack_block(), repeat_placement(), pull_drawer(), vase_sticks()] {
            let before = sample(&task, Seed(seed)).unwrap();
            let corner = region("far corner", rect([0.7, 0.3], [0.8, 0.4])).yaw(0.0, 1.0);
            let new = object("onion", Apple).colour(any_colour());
            let edits = [
                Edit::AddRegion(corner),
                Edit::AddObject { object: new, place: Place::At("far corner".into()) },
            ];
            let after = sample(&task.edited(&edits).unwrap(), Seed(seed)).unwrap();
            let n = before.poses.len();
            prop_assert_eq!(&after.poses[..n], &before.poses[..]);
            prop_assert_eq!(&after.tints[..n], &before.tints[..]);
            prop_assert_eq!(&after.parts, &before.parts);
            prop_assert_eq!(after.variables, before.variables);
            prop_assert_eq!(after.poses.len(), n + 1);
        }
    }

    #[test]
    fn colours_follow_their_rules(seed in arb::<u64>()) {
        let scene = sample(&stack_block(), Seed(seed)).unwrap();
        for a in 0..5 {
            prop_assert!(matches!(scene.tints[a], Tint::Named(_)));
            for b in 0..a {
                prop_assert_ne!(scene.tints[a], scene.tints[b]);
            }
        }
    }
}

#[test]
fn different_seeds_differ_and_variables_take_all_values() {
    let scenes: Vec<_> = (0..60).map(|s| sample(&vase_sticks(), Seed(s)).unwrap()).collect();
    assert!(scenes.windows(2).all(|w| w[0].poses != w[1].poses));
    for n in 3..=5 {
        let some = scenes.iter().find(|s| s.variables["n"] == n).unwrap();
        assert_eq!(some.poses.len(), n as usize + 1);
        assert_eq!(some.instruction, format!("put three of the {n} sticks into the vase"));
    }
}

#[test]
fn hidden_objects_are_where_the_variable_says() {
    for seed in 0..20 {
        let scene = sample(&hide_block(), Seed(seed)).unwrap();
        let cover = if scene.variables["hidden under"] == 0 { "funnel A" } else { "funnel B" };
        let at = |n: &str| scene.poses[scene.instance(n).unwrap()].pos;
        assert_eq!(at("block"), at(cover));
    }
}

#[test]
fn objects_start_on_and_in_others() {
    for seed in 0..20 {
        let scene = sample(&pull_drawer(), Seed(seed)).unwrap();
        let cube = scene.instance("cube").unwrap();
        // World, cabinet, top, middle.
        assert_eq!(scene.starts_on[cube], 3);
        let task = pull_drawer();
        let bound = longarm_task::Bound::new(&task, &scene).unwrap();
        let start = bound.start(&scene);
        let inside = bound.predicate(&in_("cube", "cabinet/middle_region")).unwrap();
        assert!(inside.holds(&start));
        let scene = sample(&wipe_plate(), Seed(seed)).unwrap();
        let on = bound_on(&wipe_plate(), &scene, "scrap", "plate");
        assert!(on, "seed {seed}");
    }
}

fn bound_on(task: &TaskSpec, scene: &Scene, a: &str, b: &str) -> bool {
    let bound = longarm_task::Bound::new(task, scene).unwrap();
    bound.predicate(&on(a, b)).unwrap().holds(&bound.start(scene))
}

#[test]
fn bodies_are_numbered_as_the_model_numbers_them() {
    for task in all_tasks() {
        for seed in 0..3 {
            let scene = sample(&task, Seed(seed)).unwrap();
            let bound = longarm_task::Bound::new(&task, &scene).unwrap();
            let composed = longarm_assets::compose(&scene.structure);
            let names: Vec<_> = composed.bodies.into_iter().map(|b| b.name).collect();
            assert_eq!(bound.names(), names, "{}", task.id);
        }
    }
}

#[test]
fn an_open_drawer_needs_room() {
    let task = |start| {
        TaskSpec::new("test/drawer", RigName::ARX_R5)
            .place(&object("cabinet", Cabinet), &region("wall", point([0.6, 0.0])))
            .place(
                &object("block", Block::cube(0.04)),
                &region("front", rect([0.375, -0.005], [0.385, 0.005])),
            )
            .part("cabinet/bottom", start)
    };
    assert!(sample(&task(PartStart::Closed), Seed(0)).is_ok());
    let error = sample(&task(PartStart::Open), Seed(0)).unwrap_err();
    assert!(matches!(error, SampleError::Crowded { .. }));
}

#[test]
fn a_crowded_table_is_told_plainly() {
    let error = sample(&crowd(9, 0.08), Seed(5)).unwrap_err().to_string();
    assert!(error.starts_with("test/crowd, seed 5: no free place for \"item "), "{error}");
    assert!(error.contains("in region \"table\"") && error.contains("in the way: item"), "{error}");
    assert!(error.contains("Enlarge the region"), "{error}");
}

#[test]
fn a_variable_told_moves_nothing_else() {
    let task = vase_sticks();
    for seed in (0..20).map(Seed) {
        let told = |n| sample_with(&task, seed, &[("n".to_owned(), n)].into()).unwrap();
        let (three, five) = (told(3), told(5));
        assert_eq!((three.variables["n"], five.variables["n"]), (3, 5));
        let drawn = sample(&task, seed).unwrap();
        assert_eq!(drawn, told(drawn.variables["n"]));
        for (i, instance) in three.structure.instances.iter().enumerate() {
            let j = five.instance(&instance.name).unwrap();
            assert_eq!(three.poses[i], five.poses[j], "{}", instance.name);
        }
    }
}
