use longarm_types::Seed;

use super::*;
use crate::shapes::{self, Shape};
use crate::{Cloud, Perception};

/// A gripper as there are many.
pub(crate) fn gripper() -> Gripper {
    Gripper {
        widest: 0.08,
        finger: [0.013, 0.012, 0.03],
        pad: 0.009,
        tip: 0.012,
        palm: vec![Bounds { centre: [0.0, 0.0, -0.07], half: [0.033, 0.104, 0.033] }],
    }
}

fn found(cloud: &Cloud) -> Vec<Candidate> {
    let target = cloud.surface(1, &mut Seed(0).stream("surface"));
    let around = cloud.around(1, middle(&target), 0.3);
    let gripper = gripper();
    let search = Search { target: &target, around: &around, cloud, gripper: &gripper };
    search.proposals().choose(24, &|_| true)
}

fn best(parts: &[Shape]) -> Candidate {
    let all = found(&shapes::scene(parts));
    assert!(!all.is_empty(), "nothing found");
    assert!(all.windows(2).all(|w| w[0].score >= w[1].score), "ranked");
    all[0]
}

/// How far the way the fingers close is from a direction, radians, either way round.
fn off(c: &Candidate, along: DVec3) -> f64 {
    libm::acos(c.tool.dir(DVec3::Y).dot(along).abs().min(1.0))
}

#[test]
fn a_box_is_taken_across_its_narrow_side() {
    for angle in [0.0, 0.4, 1.1] {
        let turn = DQuat::from_rotation_z(angle);
        let part = shapes::turned(DVec3::Z * 0.025, turn, DVec3::new(0.06, 0.02, 0.025));
        let c = best(&[part]);
        assert!(off(&c, turn * DVec3::Y) < 0.16, "{angle}: {c:?}");
        assert!(c.tool.pos.truncate().length() < 0.02, "{angle}: in the middle, {c:?}");
        assert!(c.opening > 0.04 && c.tool.pos.z > 0.01, "{angle}: {c:?}");
    }
}

#[test]
fn what_is_wider_than_the_gripper_is_not_taken_around() {
    let cloud = shapes::scene(&[shapes::cuboid(DVec3::Z * 0.03, DVec3::new(0.06, 0.06, 0.03))]);
    // What is left pinches an edge and is worth less than any good hold.
    let narrow = shapes::scene(&[shapes::cuboid(DVec3::Z * 0.03, DVec3::new(0.06, 0.025, 0.03))]);
    let good = found(&narrow)[0].score;
    for c in found(&cloud) {
        assert!(c.score < good - 0.15, "{good} {c:?}");
    }
}

#[test]
fn a_cylinder_is_taken_across_its_axis() {
    let c = best(&[shapes::cylinder(DVec3::Z * 0.04, 0.025, 0.04)]);
    let level = c.tool.dir(DVec3::Y).z.abs();
    assert!(level < 0.2, "fingers beside it: {c:?}");
    let line = c.tool.dir(DVec3::Y);
    let away = (DVec3::new(0.0, 0.0, c.tool.pos.z) - c.tool.pos).reject_from(line).length();
    assert!(away < 0.012, "through the axis: {c:?}");
}

#[test]
fn a_bowl_is_taken_by_its_rim() {
    let (radius, wall) = (0.065, 0.005);
    let c = best(&[shapes::bowl(DVec3::Z * radius, radius, wall)]);
    let out = c.tool.pos.truncate();
    assert!((out.length() - radius).abs() < 0.02, "at the rim: {c:?}");
    assert!(off(&c, out.extend(0.0).normalize()) < 0.6, "one finger inside, one outside: {c:?}");
}

#[test]
fn a_mug_is_taken_by_rim_or_handle() {
    let c = best(&shapes::mug(0.042, 0.09));
    // Too wide to be taken around.
    let out = c.tool.pos.truncate().length();
    assert!(out > 0.03, "{c:?}");
}

#[test]
fn the_handle_of_a_pan_is_offered_beside_its_rim() {
    let rim = shapes::bowl(DVec3::Z * 0.065, 0.065, 0.005);
    let handle = shapes::cuboid(DVec3::new(0.14, 0.0, 0.05), DVec3::new(0.075, 0.009, 0.008));
    let all = found(&shapes::scene(&[rim, handle]));
    let at_handle = |c: &&Candidate| c.tool.pos.x > 0.09 && off(c, DVec3::Y) < 0.3;
    assert!(all.iter().filter(at_handle).count() > 2, "{all:?}");
    assert!(all.iter().any(|c| c.tool.pos.x < 0.0), "{all:?}");
    assert!(all.windows(2).all(|w| w[0].score >= w[1].score), "ranked");
}

#[test]
fn fingers_keep_clear_of_neighbours() {
    let block = |x: f64, y: f64| shapes::cuboid(DVec3::new(x, y, 0.02), DVec3::splat(0.02));
    let wall = |y: f64| Shape { segment: 2, ..block(0.0, y) };
    let c = best(&[block(0.0, 0.0), wall(0.05), wall(-0.05)]);
    assert!(off(&c, DVec3::X) < 0.3, "not into the gaps: {c:?}");
}

#[test]
fn out_of_reach_is_left_out() {
    let cloud = shapes::scene(&[shapes::cuboid(DVec3::Z * 0.02, DVec3::splat(0.02))]);
    let target = cloud.surface(1, &mut Seed(0).stream("surface"));
    let gripper = gripper();
    let search = Search { target: &target, around: &[], cloud: &cloud, gripper: &gripper };
    let all = search.proposals();
    assert_eq!(all.choose(9, &|_| false), []);
    let level = |p: &Pose| p.dir(DVec3::Z).z > -0.1;
    assert!(all.choose(9, &level).iter().all(|c| level(&c.tool)));
}

#[test]
fn a_little_noise_leaves_holds_and_they_are_the_same_for_a_seed() {
    let parts = [shapes::cuboid(DVec3::Z * 0.025, DVec3::new(0.05, 0.02, 0.025))];
    let noisy = |seed| {
        let noise = Perception { noise: 0.003 };
        found(&shapes::noisy(&parts, noise, &mut Seed(seed).stream("noise")))
    };
    assert_eq!(noisy(3), noisy(3));
    assert!(off(&noisy(3)[0], DVec3::Y) < 0.3, "{:?}", noisy(3)[0]);
}
