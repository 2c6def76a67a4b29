//! Properties of predicates over arbitrary moments.

use longarm_task::predicate::{Margins, Unit, View, any};
use longarm_task::prelude::*;
use longarm_task::{Bound, Predicate, Snapshot, sample};
use longarm_types::{DQuat, DVec3, Pose, Seed};
use proptest::arbitrary::any as arb;
use proptest::prelude::*;

const NAMES: [&str; 6] = ["block", "other", "plate", "bin", "cabinet", "zone"];

fn task() -> TaskSpec {
    let spot = |name: &str, x, y| region(format!("{name} spot"), point([x, y]));
    TaskSpec::new("test/predicates", RigName::ARX_R5)
        .place(&object("block", Block::cube(0.04)), &spot("block", 0.2, 0.0))
        .place(&object("other", Block { size: [0.05, 0.03, 0.02] }), &spot("other", 0.2, 0.1))
        .place(&object("plate", Plate { radius: 0.09 }), &spot("plate", 0.3, -0.1))
        .place(
            &object("bin", Bin { size: [0.12, 0.10, 0.08], label: "x".into() }),
            &spot("bin", 0.4, 0.2),
        )
        .place(&object("cabinet", Cabinet), &spot("cabinet", 0.6, 0.0))
        .place(&object("zone", Zone { size: [0.1, 0.1] }), &spot("zone", 0.2, 0.2))
        .region(&region("left", rect([0.1, -0.2], [0.3, 0.0])).or(rect([0.3, 0.0], [0.5, 0.2])))
        .group("blocks", ["block", "other"])
}

fn bind() -> (Bound, Snapshot) {
    let task = task();
    let scene = sample(&task, Seed(0)).unwrap();
    let bound = Bound::new(&task, &scene).unwrap();
    let start = bound.start(&scene);
    (bound, start)
}

fn arb_pose() -> impl Strategy<Value = Pose> {
    let p = (-0.1..0.6f64, -0.3..0.3f64, -0.02..0.3f64);
    let q = (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64);
    (p, q, arb::<bool>()).prop_map(|((x, y, z), (a, b, c, d), upright)| {
        let q = DQuat::from_xyzw(a, b, c, d);
        let rot = if upright || q.length() < 0.1 {
            DQuat::from_rotation_z(a * 3.0)
        } else {
            q.normalize()
        };
        Pose::new(DVec3::new(x, y, z), rot)
    })
}

/// Any moment at all, possible or not.
fn arb_moment() -> impl Strategy<Value = Snapshot> {
    let (bound, _) = bind();
    let n = bound.bodies();
    let bits = || prop::collection::vec(prop::bool::weighted(0.3), n * n);
    (
        prop::collection::vec(arb_pose(), n),
        bits(),
        bits(),
        prop::collection::vec(prop::bool::weighted(0.2), n),
        prop::collection::vec(0.0..0.17f64, n),
        arb_pose(),
    )
        .prop_map(move |(poses, touch, rest, holds, joints, hand)| {
            let mut s = Snapshot::empty(n, &["arm"]);
            for (b, pose) in s.bodies.iter_mut().zip(poses).skip(1) {
                b.pose = pose;
                b.twist.linear = pose.pos * 0.1;
            }
            for a in 0..n {
                for b in 0..n {
                    if touch[a * n + b] {
                        s.touching.set(a, b, true);
                        s.touching.set(b, a, true);
                    }
                    s.rests_on.set(a, b, rest[a * n + b]);
                }
            }
            s.hands[0].touches = holds.clone();
            s.hands[0].holds = holds;
            s.hands[0].pose = hand;
            s.joints = joints;
            s
        })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned)
}

fn atom() -> impl Strategy<Value = Predicate> {
    let place = prop::sample::select(vec!["left", "cabinet/top_region", "cabinet/top_side"]);
    prop_oneof![
        (name(), name()).prop_map(|(a, b)| on(a, b)),
        (name(), name(), 0.001..0.2f64).prop_map(|(a, b, d)| on(a, b).within(d)),
        (name(), place.clone()).prop_map(|(a, r)| at(a, r)),
        (name(), place).prop_map(|(a, r)| on(a, r)),
        (name(), prop::sample::select(vec!["bin", "cabinet/middle_region"]))
            .prop_map(|(a, r)| in_(a, r)),
        name().prop_map(back_at_start),
        (name(), name()).prop_map(|(a, b)| at_start_of(a, b)),
        name().prop_map(grasped),
        (name(), 0.0..0.2f64).prop_map(|(a, c)| lifted(a, c)),
        (name(), name(), 0.0..0.2f64).prop_map(|(a, b, c)| lifted_off(a, b, c)),
        Just(is_open("cabinet/top")),
        Just(is_open("cabinet")),
        Just(is_closed("cabinet")),
        Just(is_closed("cabinet/bottom_region")),
        Just(hand_empty()),
        (0.0..0.3f64).prop_map(hand_away),
        name().prop_map(hand_clear_of),
        name().prop_map(hand_over),
        name().prop_map(still),
        name().prop_map(upright),
        (name(), name()).prop_map(|(a, b)| above(a, b)),
        name().prop_map(|a| above(a, "left")),
        (name(), name()).prop_map(|(a, b)| touching(a, b)),
        (name(), name(), 0.0..0.5f64).prop_map(|(a, b, d)| near(a, b, d)),
        (name(), name()).prop_map(|(a, b)| aligned(a, b)),
        name().prop_map(|a| grasped(if a == "bin" { "blocks".to_owned() } else { a })),
    ]
}

/// Atoms about how objects lie to each other, wherever that is.
fn relation() -> impl Strategy<Value = Predicate> {
    prop_oneof![
        (name(), name()).prop_map(|(a, b)| on(a, b)),
        name().prop_map(|a| on(a, "cabinet/top_side")),
        (name(), prop::sample::select(vec!["bin", "cabinet/middle_region"]))
            .prop_map(|(a, r)| in_(a, r)),
        (name(), 0.0..0.2f64).prop_map(|(a, c)| lifted(a, c)),
        (0.0..0.3f64).prop_map(hand_away),
        name().prop_map(hand_clear_of),
        name().prop_map(hand_over),
        name().prop_map(upright),
        (name(), name()).prop_map(|(a, b)| above(a, b)),
        (name(), name(), 0.0..0.5f64).prop_map(|(a, b, d)| near(a, b, d)),
        (name(), name()).prop_map(|(a, b)| aligned(a, b)),
    ]
}

fn tree() -> impl Strategy<Value = Predicate> {
    atom().prop_recursive(4, 24, 4, |inner| {
        let many = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            inner.prop_map(not),
            many.clone().prop_map(all),
            many.clone().prop_map(any),
            (0usize..4, many).prop_map(|(n, of)| at_least(n, of)),
        ]
    })
}

fn slow(bound: &Bound, p: &Predicate, s: &Snapshot) -> bool {
    match p {
        Predicate::Not(p) => !slow(bound, p, s),
        Predicate::All(of) => of.iter().all(|p| slow(bound, p, s)),
        Predicate::Any(of) => of.iter().any(|p| slow(bound, p, s)),
        Predicate::AtLeast { n, of } => of.iter().filter(|p| slow(bound, p, s)).count() >= *n,
        atom => bound.predicate(atom).unwrap().holds(s),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn checking_and_holding_agree(p in tree(), s in arb_moment()) {
        let (bound, _) = bind();
        let b = bound.predicate(&p).unwrap();
        let mut m = Margins::default();
        let checked = b.check(&s, &mut m);
        prop_assert_eq!(checked, b.holds(&s));
        prop_assert_eq!(checked, slow(&bound, &p, &s));
        prop_assert!(m.gauges().len() <= b.gauges());
        prop_assert_eq!(m.named(bound.names()).len(), m.gauges().len());
    }

    #[test]
    fn the_sign_of_a_margin_is_its_truth(p in atom(), s in arb_moment()) {
        let (bound, _) = bind();
        for (negate, p) in [(false, p.clone()), (true, not(p))] {
            let mut m = Margins::default();
            let checked = bound.predicate(&p).unwrap().check(&s, &mut m);
            for g in m.gauges() {
                prop_assert!(g.slack() == 0.0 || (g.slack() > 0.0) == g.holds(), "{:?}", g);
            }
            // Atoms over several parts or rectangles ask for some of them only.
            let simple = !matches!(p, Predicate::Open { .. } | Predicate::Above { .. } | Predicate::Grasped { .. });
            if !negate && simple {
                prop_assert_eq!(checked, m.gauges().iter().all(|g| g.holds()));
            }
        }
    }

    #[test]
    fn nothing_is_on_what_does_not_carry_it(a in name(), b in name(), s in arb_moment()) {
        let (bound, _) = bind();
        let mut s = s;
        s.rests_on.clear();
        for p in [on(&a, &b), on(&a, "cabinet/top_side"), at(&a, "left"), back_at_start(&a)] {
            prop_assert!(!bound.predicate(&p).unwrap().holds(&s), "{:?}", p);
        }
        // In mid-air, touching nothing, an object is not inside anything either.
        s.touching.clear();
        prop_assert!(!bound.predicate(&in_(&a, "bin")).unwrap().holds(&s));
    }

    #[test]
    fn moving_everything_changes_nothing(
        s in arb_moment(), turn in -3.0..3.0f64, x in -1.0..1.0f64, y in -1.0..1.0f64, p in relation(),
    ) {
        let (bound, _) = bind();
        let b = bound.predicate(&p).unwrap();
        let mut margins = Margins::default();
        let before = b.check(&s, &mut margins);
        // Not on the very edge, where rounding decides.
        prop_assume!(margins.gauges().iter().all(|g| g.unit == Unit::Truth || g.slack().abs() > 1e-9));
        let motion = Pose::at(x, y, 0.0).yawed(turn);
        let mut t = s.clone();
        for b in &mut t.bodies[1..] {
            b.pose = motion * b.pose;
        }
        t.hands[0].pose = motion * t.hands[0].pose;
        prop_assert_eq!(b.holds(&t), before);
    }

    #[test]
    fn the_unseen_satisfies_nothing(p in atom(), s in arb_moment()) {
        let (bound, _) = bind();
        prop_assume!(!matches!(p, Predicate::HandEmpty | Predicate::HandAway { .. }));
        let blind = vec![false; bound.bodies()];
        let all = vec![true; bound.bodies()];
        let b = bound.predicate(&p).unwrap();
        prop_assert!(!b.holds_in(&View::seeing(&s, &blind)));
        prop_assert_eq!(b.holds_in(&View::seeing(&s, &all)), b.holds(&s));
    }

    #[test]
    fn predicates_survive_json(p in tree()) {
        let task = task().stages([stage("only", p)]).horizon(1);
        prop_assert_eq!(&TaskSpec::from_json(&task.to_json()).unwrap(), &task);
    }
}

#[test]
fn a_tumbled_block_still_carries_and_is_lifted_by_its_lowest_point() {
    let (bound, mut s) = bind();
    let (block, other) = (bound.body("block").unwrap(), bound.body("other").unwrap());
    // `other` (5 × 3 × 2 cm) stands on its small end, 5 cm high.
    let end_up = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    s.bodies[other].pose = Pose::new(DVec3::new(0.3, 0.0, 0.025), end_up);
    s.bodies[block].pose = Pose::at(0.325, 0.0, 0.05);
    s.rests_on.set(block, other, true);
    let p = bound.predicate(&on("block", "other")).unwrap();
    assert!(!p.holds(&s), "its centre hangs over: the support is only 2 cm deep now");
    s.bodies[block].pose.pos.x = 0.315;
    let centre = bound.info("other").unwrap().bounds.centre;
    assert!((centre[2] - 0.01).abs() < 1e-9, "stands on its origin");
    assert!(p.holds(&s));

    s.hands[0].holds[other] = true;
    s.rests_on.clear();
    s.touching.clear();
    let lift = |c| bound.predicate(&lifted("other", c)).unwrap();
    s.bodies[other].pose.pos.z = 0.060;
    let mut m = Margins::default();
    assert!(lift(0.03).check(&s, &mut m), "{}", m.text());
    assert!(!lift(0.04).holds(&s));
    s.touching.set(other, 0, true);
    assert!(!lift(0.03).holds(&s), "touching the table");
}

#[test]
fn margins_read_like_sentences() {
    let (bound, mut s) = bind();
    let (block, plate) = (bound.body("block").unwrap(), bound.body("plate").unwrap());
    s.rests_on.set(block, plate, true);
    s.bodies[block].pose = s.bodies[plate].pose;
    s.bodies[block].pose.pos.x += 0.006;
    let mut m = Margins::default();
    assert!(bound.predicate(&on("block", "plate").within(0.04)).unwrap().check(&s, &mut m));
    assert_eq!(m.text(), "centre 6 mm of 40");
    assert_eq!(m.named(bound.names())[1].name, "block, plate: centre");
    m.clear();
    s.rests_on.clear();
    assert!(!bound.predicate(&on("block", "plate").within(0.04)).unwrap().check(&s, &mut m));
    assert_eq!(m.text(), "not resting on it, centre 6 mm of 40");
    assert_eq!(m.unmet(bound.names()), "block, plate: not resting on it");
    m.clear();
    s.bodies[block].pose.pos.x += 0.05;
    assert!(!bound.predicate(&on("block", "plate").within(0.04)).unwrap().check(&s, &mut m));
    let unmet = "block, plate: not resting on it; block, plate: centre 56 mm, wanted at most 40 mm";
    assert_eq!(m.unmet(bound.names()), unmet);
}

#[test]
fn on_a_zone_means_on_the_table_over_it() {
    let (bound, mut s) = bind();
    let (block, zone) = (bound.body("block").unwrap(), bound.body("zone").unwrap());
    let p = bound.predicate(&on("block", "zone")).unwrap();
    s.bodies[block].pose = s.bodies[zone].pose;
    assert!(p.holds(&s));
    s.bodies[block].pose.pos.x += 0.06;
    assert!(!p.holds(&s));
}

#[test]
fn drawers_open_and_close() {
    let (bound, mut s) = bind();
    let top = bound.body("cabinet/top").unwrap();
    let holds = |p: Predicate, s: &Snapshot| bound.predicate(&p).unwrap().holds(s);
    assert!(holds(is_closed("cabinet"), &s) && !holds(is_open("cabinet"), &s));
    s.joints[top] = 0.159;
    assert!(holds(is_open("cabinet"), &s) && holds(is_open("cabinet/top_region"), &s));
    assert!(!holds(is_closed("cabinet"), &s) && holds(is_closed("cabinet/middle"), &s));
    // Half of the way to where it counts as open.
    s.joints[top] = 0.05;
    assert!(!holds(opened("cabinet/top", 0.5), &s) && holds(opened("cabinet/top", 0.2), &s));
    s.joints[top] = 0.12;
    assert!(holds(opened("cabinet/top", 0.5), &s) && !holds(is_open("cabinet/top"), &s));
    // Past the stop by a hair.
    s.joints[top] = -0.003;
    assert!(holds(is_closed("cabinet/top"), &s));
    s.joints[top] = 0.165;
    assert!(holds(is_open("cabinet/top"), &s));
}

#[test]
fn a_rope_goes_through_a_hole() {
    // Two links are enough to cross: the cabinet's parts serve as a chain.
    let task = task().place(
        &object("post", HolePost { height: 0.1, hole: 0.02 }),
        &region("post spot", point([0.5, -0.3])),
    );
    let scene = sample(&task, Seed(0)).unwrap();
    let bound = Bound::new(&task, &scene).unwrap();
    let mut s = bound.start(&scene);
    let hole = s.bodies[bound.body("post").unwrap()].pose.point(DVec3::Z * 0.1);
    let first = bound.body("cabinet").unwrap();
    let p = bound.predicate(&through("cabinet", "post/hole", 0.03)).unwrap();
    let mut chain = |offsets: [f64; 4], side: f64| {
        for (k, x) in offsets.into_iter().enumerate() {
            s.bodies[first + k].pose = Pose::at(hole.x + x, hole.y + side, hole.z);
        }
        p.holds(&s)
    };
    assert!(chain([0.04, 0.02, -0.01, -0.05], 0.0));
    assert!(chain([-0.04, -0.02, 0.01, 0.05], 0.0), "from the other side");
    assert!(!chain([0.02, 0.01, -0.01, -0.05], 0.0), "not far enough");
    assert!(!chain([0.04, 0.02, -0.01, -0.05], 0.03), "beside the hole");
    assert!(!chain([0.09, 0.06, 0.04, 0.02], 0.0), "all on one side");
}
