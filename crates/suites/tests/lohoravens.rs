//! The forty tasks as the paper has them, and instances that can be solved.

use std::collections::BTreeSet;

use longarm_assets::{Colour, Tint};
use longarm_suites::lohoravens::{Mode, SUITE};
use longarm_task::stage::Stages;
use longarm_task::{Bound, Op, Predicate, Scene, TaskSpec, sample};
use longarm_types::Seed;

/// Seeds of all three modes.
fn seeds() -> impl Iterator<Item = u64> {
    (0..10).chain((10_001..10_021).step_by(2))
}

#[test]
fn forty_tasks_half_of_them_seen() {
    let tasks: Vec<TaskSpec> = SUITE.tasks().collect();
    assert_eq!(tasks.len(), 40);
    let with = |label: &str| tasks.iter().filter(|t| t.labels.iter().any(|l| l == label)).count();
    assert_eq!((with("seen"), with("unseen"), with("step-by-step")), (20, 20, 5));
    // As often as the paper's Table 5 names them.
    let table = [
        ("color", 34),
        ("size", 13),
        ("spatiality", 16),
        ("arithmetic", 5),
        ("reference", 9),
        ("shape", 4),
        ("commonsense", 14),
        ("occlusion", 5),
    ];
    for (label, n) in table {
        assert_eq!(with(label), n, "{label}");
    }
    for (i, t) in tasks.iter().enumerate() {
        assert_eq!(t.source.work, format!("LoHoRavens, Table 5, task {}", i + 1));
        assert!(!t.source.title.is_empty() && !t.source.objects.is_empty(), "{}", t.id);
    }
    let hashes: BTreeSet<_> = tasks.iter().map(TaskSpec::hash).collect();
    assert_eq!(hashes.len(), 40, "two tasks are the same");
    // The seed decides the instance, and nothing else does.
    let of = |seed: u64| tasks.iter().map(move |t| t.instance(Seed(seed)).hash());
    assert!(of(2).eq(of(2)));
    assert_eq!(of(2).zip(of(4)).filter(|(a, b)| a == b).count(), 0);
}

#[test]
fn no_two_modes_share_a_colour() {
    let modes = [Mode::Train, Mode::Validation, Mode::Test];
    let all: Vec<Colour> = modes.iter().flat_map(|m| m.colours().iter().copied()).collect();
    assert_eq!(all.len(), 16);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 16);
    assert_eq!(
        [0, 1, 9_999, 10_000, 10_001].map(|s| Mode::of(Seed(s))),
        [Mode::Train, Mode::Validation, Mode::Validation, Mode::Train, Mode::Test]
    );
}

/// Rectangles of the objects that stand on the table, by name.
fn footprints(scene: &Scene) -> Vec<(&str, [f64; 4], bool)> {
    let parts = scene.structure.instances.iter().zip(&scene.poses);
    parts
        .filter(|(_, p)| p.pos.z < 0.01)
        .map(|(i, pose)| {
            let info = i.asset.info();
            let (c, h) = (info.bounds.centre_in(pose), info.bounds.half_in(pose));
            let covers = i.asset.kind() == "hollow";
            (i.name.as_str(), [c.x - h.x, c.y - h.y, c.x + h.x, c.y + h.y], covers)
        })
        .collect()
}

#[test]
fn every_instance_is_sound_fair_and_free_of_clashes() {
    for task in SUITE.tasks() {
        for seed in seeds() {
            let what = format!("{} seed {seed}", task.id);
            let spec = task.instance(Seed(seed));
            assert_eq!(spec.problems(), [], "{what}");
            let scene = sample(&task, Seed(seed)).unwrap_or_else(|e| panic!("{what}: {e}"));
            let colours = Mode::of(Seed(seed)).colours();
            for tint in &scene.tints {
                if let Tint::Named(c) = tint {
                    assert!(colours.contains(c), "{what}: {c:?}");
                }
            }
            let flat = footprints(&scene);
            for (i, (a, p, covers)) in flat.iter().enumerate() {
                for (b, q, _) in &flat[i + 1..] {
                    let apart = p[0] > q[2] || q[0] > p[2] || p[1] > q[3] || q[1] > p[3];
                    // A cover, and what it covers, which comes before it.
                    let hides = *covers || flat.iter().any(|(n, _, over)| n == b && *over);
                    assert!(apart || hides, "{what}: {a} and {b} overlap");
                }
            }
            goal(&spec, &scene, &what);
        }
    }
}

/// Something counts, nothing counts yet, the plan places all that counts in the actions there are,
/// and no higher than the arm places.
fn goal(spec: &TaskSpec, scene: &Scene, what: &str) {
    let Stages::Placed(goal) = &spec.stages else { panic!("{what} has no goal") };
    let n = goal.objects.len();
    assert!(n > 0, "{what}: nothing counts");
    let mut placed = BTreeSet::new();
    let steps = spec.plan.written();
    for s in &steps {
        let Op::PickPlace { object, to } = &s.op else { panic!("{what}: {:?}", s.op) };
        if goal.objects.iter().any(|b| b.object == *object) {
            assert!(placed.insert(object), "{what}: {object} is placed twice");
        }
        let info = spec.object(object).unwrap().assets[0].info();
        assert!(to.at[2] + 2.0 * info.bounds.half[2] < 0.3, "{what}: {object} goes too high");
    }
    assert_eq!(placed.len(), n, "{what}");
    assert!(steps.len() <= spec.horizon as usize, "{what}");
    let bound = Bound::new(spec, scene).unwrap();
    let one = Predicate::Placed { n: 1, goal: goal.clone() };
    let now = bound.start(scene);
    assert!(!bound.predicate(&one).unwrap().holds(&now), "{what}: something counts at the start");
}

#[test]
fn instances_are_as_recorded() {
    for id in
        ["stack-blocks-by-color-in-size-order", "put-hidden-blocks-in-pyramid-into-matching-bowls"]
    {
        let task = longarm_suites::task(&format!("lohoravens/{id}")).unwrap();
        insta::assert_snapshot!(format!("{id}__10001"), task.instance(Seed(10_001)).to_json());
    }
}
