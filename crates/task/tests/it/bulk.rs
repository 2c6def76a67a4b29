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
