//! Predicates about liquid, over moments made by hand.

use longarm_task::predicate::Margins;
use longarm_task::prelude::*;
use longarm_task::{Bound, Predicate, Snapshot, SpecError, sample};
use longarm_types::{DVec3, Seed};

fn task() -> TaskSpec {
    let spot = |name: &str, y| region(format!("{name} spot"), point([0.4, y]));
    let beaker = object("beaker", Beaker { radius: 0.04, height: 0.08 });
    TaskSpec::new("test/bulk", RigName::PANDA)
        .place(&beaker, &spot("beaker", 0.0))
        .place(&object("dish", Beaker { radius: 0.06, height: 0.06 }), &spot("dish", 0.2))
        .place(&object("block", Block::cube(0.04)), &spot("block", -0.2))
        .place(&object("water", Water::column(0.03, 0.04)), beaker.path("inside"))
}

/// Moves this share of the water by an offset and measures.
fn measured(p: &Predicate, share: f64, by: [f64; 3]) -> Result<(bool, f64), SpecError> {
    let task = task();
    let scene = sample(&task, Seed(0)).unwrap();
    let bound = Bound::new(&task, &scene)?;
    let mut now: Snapshot = bound.start(&scene);
    let points = &mut now.soft[0].points;
    let count = (share * points.len() as f64).round() as usize;
    points[..count].iter_mut().for_each(|p| *p += DVec3::from(by));
    let predicate = bound.predicate(p)?;
    let mut margins = Margins::default();
    predicate.check(&now, &mut margins);
    Ok((predicate.holds(&now), margins.gauges()[0].value))
}

#[test]
fn what_a_container_contains_is_counted() {
    let [beaker, dish] = ["beaker", "dish"].map(|c| contains(c, "water", 0.7));
    assert_eq!(measured(&beaker, 0.0, [0.0; 3]).unwrap(), (true, 1.0));
    assert_eq!(measured(&dish, 0.0, [0.0; 3]).unwrap(), (false, 0.0));
    let (holds, share) = measured(&beaker, 0.25, [0.0, 0.2, 0.0]).unwrap();
    assert!(holds && (share - 0.75).abs() < 0.01, "{share}");
    let (holds, share) = measured(&dish, 0.75, [0.0, 0.2, 0.0]).unwrap();
    assert!(holds && (share - 0.75).abs() < 0.01, "{share}");
    // Above the rim, and under the floor.
    for z in [0.1, -0.05] {
        let (holds, share) = measured(&beaker, 0.5, [0.0, 0.0, z]).unwrap();
        assert!(!holds && (share - 0.5).abs() < 0.01, "{z}: {share}");
    }
}

#[test]
fn spilled_is_what_is_in_nothing() {
    let most = spilled("water", 0.1);
    assert_eq!(measured(&most, 0.0, [0.0; 3]).unwrap(), (true, 0.0));
    assert_eq!(measured(&most, 0.5, [0.0, 0.2, 0.0]).unwrap(), (true, 0.0));
    let (holds, share) = measured(&most, 0.3, [0.0, 0.1, 0.0]).unwrap();
    assert!(!holds && (share - 0.3).abs() < 0.01, "{share}");
}

#[test]
fn wrong_names_are_refused_by_name() {
    for (p, name) in [
        (contains("block", "water", 0.5), "block"),
        (contains("dish", "block", 0.5), "block"),
        (spilled("dish", 0.5), "dish"),
    ] {
        let error = measured(&p, 0.0, [0.0; 3]).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}

/// A scene of a clay block of 6 × 4 cm over a mark of the same size.
fn on_a_mark(p: &Predicate, change: impl Fn(&mut DVec3)) -> (bool, f64) {
    let spot = region("spot", point([0.4, 0.1])).yaw(0.4, 0.4);
    let mark = object("mark", Zone { size: [0.06, 0.04] });
    let block = ClayShape::Block { size: [0.06, 0.04, 0.02] };
    let clay = object("clay", Clay { shape: block, spacing: 0.004 });
    let task = TaskSpec::new("test/clay", RigName::PANDA)
        .place(&mark, &spot)
        .place(&clay, mark.path("surface"));
    let scene = sample(&task, Seed(0)).unwrap();
    let bound = Bound::new(&task, &scene).unwrap();
    let mut now: Snapshot = bound.start(&scene);
    now.soft[0].points.iter_mut().for_each(change);
    let predicate = bound.predicate(p).unwrap();
    let mut margins = Margins::default();
    predicate.check(&now, &mut margins);
    (predicate.holds(&now), margins.gauges()[0].value)
}

#[test]
fn moulded_compares_what_is_covered() {
    let like = moulded("clay", "mark/surface", 0.8);
    let (holds, whole) = on_a_mark(&like, |_| {});
    // The grid's cells measure 1.6 × 3 cm × 2 / 64 = 1.5 mm. The middles of 40 × 26 lie on the mark; particles 2 mm
    // from the block's edge reach 2.4 mm, 0.4 mm beyond it, which takes in one more row on either long side.
    assert!(holds && (whole - 40.0 * 26.0 / (40.0 * 28.0)).abs() < 1e-9, "{whole}");
    // Moved by half the width of a mark that is turned by 0.4: half of it is covered, the same again lies beside it.
    let across = DVec3::new(-0.4_f64.sin(), 0.4_f64.cos(), 0.0) * 0.02;
    let (holds, half) = on_a_mark(&like, |p| *p += across);
    assert!(!holds && (half - 1.0 / 3.0).abs() < 0.05, "{half}");
    let (_, away) = on_a_mark(&like, |p| p.y += 1.0);
    assert_eq!(away, 0.0);
    // Height does not matter.
    let (_, high) = on_a_mark(&like, |p| p.z += 0.1);
    assert!((high - whole).abs() < 1e-9, "{high}");
}

#[test]
fn heights_are_those_of_particles() {
    let up = raised("clay", 0.008, 0.5);
    let (holds, share) = on_a_mark(&up, |_| {});
    assert!(holds && (share - 0.6).abs() < 1e-9, "{share}");
    let (holds, share) = on_a_mark(&up, |p| p.z -= 0.007);
    assert!(!holds && (share - 0.2).abs() < 1e-9, "{share}");
    let clear = lowest("clay", 0.05);
    let (holds, z) = on_a_mark(&clear, |p| p.z += 0.06);
    assert!(holds && (z - 0.06).abs() < 1e-3, "{z}");
    assert!(!on_a_mark(&clear, |p| p.z += 0.04).0);
}

#[test]
fn what_is_not_soft_is_refused_by_name() {
    for (p, name) in [
        (moulded("block", "dish/inside", 0.5), "block"),
        (raised("dish", 0.1, 0.5), "dish"),
        (lowest("block", 0.1), "block"),
    ] {
        let error = measured(&p, 0.0, [0.0; 3]).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}
