//! Predicates about cloth, over moments made by hand.

use longarm_task::predicate::Margins;
use longarm_task::prelude::*;
use longarm_task::{Bound, Predicate, Snapshot, sample};
use longarm_types::{DVec3, Seed};

const EDGE: f64 = 0.2;

fn task() -> TaskSpec {
    let spot = |name: &str, x, y| region(format!("{name} spot"), point([x, y]));
    TaskSpec::new("test/soft", RigName::PANDA)
        .place(&object("towel", Towel::square(EDGE)), &spot("towel", 0.4, 0.0))
        .place(&object("block", Block::cube(0.04)), &spot("block", 0.4, 0.3))
        .region(&region("under it", rect([0.3, -0.1], [0.5, 0.1])))
        .region(&region("half beside it", rect([0.4, -0.1], [0.6, 0.1])))
}

struct Bench {
    bound: Bound,
    now: Snapshot,
}

fn bench() -> Bench {
    let task = task();
    let scene = sample(&task, Seed(0)).unwrap();
    let bound = Bound::new(&task, &scene).unwrap();
    let now = bound.start(&scene);
    Bench { bound, now }
}

impl Bench {
    /// Moves each point by what its place as cut says.
    fn bend(mut self, to: impl Fn(DVec3) -> DVec3) -> Self {
        let soft = &mut self.now.soft[0];
        let rest = soft.form.rest.clone();
        for (p, rest) in soft.points.iter_mut().zip(rest) {
            *p = to(rest) + DVec3::new(0.4, 0.0, 0.002);
        }
        self
    }

    fn holds(&self, p: &Predicate) -> bool {
        self.bound.predicate(p).unwrap().holds(&self.now)
    }

    /// The first measured value of a predicate.
    fn value(&self, p: &Predicate) -> f64 {
        let mut margins = Margins::default();
        self.bound.predicate(p).unwrap().check(&self.now, &mut margins);
        margins.gauges()[0].value
    }
}

/// Folded in half at x = 0, the far half on top.
fn fold(p: DVec3) -> DVec3 {
    DVec3::new(-p.x.abs(), p.y, if p.x > 0.0 { 0.004 } else { 0.0 })
}

#[test]
fn footprints_are_counted() {
    let flat = bench();
    let share = |b: &Bench| b.value(&spread_out("towel", 0.9));
    assert!((share(&flat) - 1.0).abs() < 0.03, "{}", share(&flat));
    assert!(flat.holds(&spread_out("towel", 0.9)));
    let half = bench().bend(fold);
    assert!((share(&half) - 0.5).abs() < 0.03, "{}", share(&half));
    let upright = bench().bend(|p| DVec3::new(p.x, 0.0, p.y + 0.2));
    assert!(share(&upright) < 0.02, "{}", share(&upright));
}

#[test]
fn covering_is_by_the_share_of_the_region() {
    let flat = bench();
    assert!((flat.value(&covers("towel", "under it", 0.9)) - 1.0).abs() < 0.03);
    assert!((flat.value(&covers("towel", "half beside it", 0.9)) - 0.5).abs() < 0.03);
}

#[test]
fn folding_is_told_by_what_mirrors_each_other() {
    let along_y = folded("towel", Axis::Y, 0.02);
    let flat = bench();
    assert!(!flat.holds(&along_y));
    // Columns are as far apart as they are from the middle, twice, on average.
    let apart = flat.value(&along_y);
    assert!((apart - EDGE / 2.0).abs() < 0.015, "{apart}");
    let half = bench().bend(fold);
    assert!(half.holds(&along_y) && !half.holds(&folded("towel", Axis::X, 0.02)));
}

#[test]
fn what_is_folded_lies_in_half_of_where_it_lay() {
    let half = lies_in("towel", [-0.11, -0.11], [0.01, 0.11], 0.88);
    assert!(!bench().holds(&half), "{}", bench().value(&half));
    let folded = bench().bend(fold);
    assert!(folded.holds(&half) && folded.value(&half) > 0.99);
    // Folded as well, but drawn away.
    let moved = bench().bend(|p| fold(p) + DVec3::Y * 0.05);
    assert!(!moved.holds(&half), "{}", moved.value(&half));
}

#[test]
fn points_are_told_by_their_place_as_cut() {
    let (corner, image) = ([0.1, 0.1], [-0.1, 0.1]);
    let onto = point_at("towel", corner, Spot::Point(image));
    assert!(!bench().holds(&onto) && bench().bend(fold).holds(&onto));
    let at_start = point_at("towel", corner, Spot::Start(corner));
    assert!(bench().holds(&at_start) && !bench().bend(fold).holds(&at_start));
    let there = Spot::Region { name: "under it".into(), at: [1.0, 1.0] };
    assert!(bench().holds(&point_at("towel", corner, there)));
}

#[test]
fn hanging_is_without_a_hand() {
    let p = hangs_on("towel", "block", 0.1);
    let mut b = bench().bend(|p| DVec3::new(p.x, 0.0, p.y + 0.3));
    let [towel, block] = ["towel", "block"].map(|n| b.bound.body(n).unwrap());
    b.now.bodies[towel].pose.pos.z = 0.2;
    assert!(!b.holds(&p), "it touches nothing");
    b.now.touching.set(towel, block, true);
    assert!(b.holds(&p));
    b.now.hands[0].holds[towel] = true;
    assert!(!b.holds(&p), "it is held");
}

#[test]
fn only_cloth_can_be_folded() {
    for p in [folded("block", Axis::X, 0.02), spread_out("block", 0.5)] {
        let e = bench().bound.predicate(&p).unwrap_err().to_string();
        assert!(e.contains("block") && e.contains("cloth"), "{e}");
    }
}
