//! Pick-and-place actions, and what cameras measure.

use super::*;

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
    e.reset_scene(scene).unwrap();
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
    assert!(e.step(&Action::new(&[0.0; 7])).is_err(), "a wrong length is not an action");
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
