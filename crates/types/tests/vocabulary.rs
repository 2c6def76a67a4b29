//! The vocabulary keeps its word.

use longarm_types::{
    ActionError, ActionSpec, Bounds, DQuat, DVec3, Digest, Pose, RunningHash, Seed, TaskId,
    ToolScale, nearest, rotation_between, rotation_vector, yaw,
};
use proptest::prelude::*;

fn pose() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-2.0..2.0f64), prop::array::uniform3(-3.0..3.0f64))
        .prop_map(|(p, r)| Pose::new(p.into(), DQuat::from_scaled_axis(r.into())))
}

proptest! {
    #[test]
    fn a_pose_and_its_inverse_cancel(a in pose(), b in pose(), p in prop::array::uniform3(-1.0..1.0f64)) {
        let p = DVec3::from(p);
        prop_assert!((a.inverse().point(a.point(p)) - p).length() < 1e-12);
        prop_assert!((a.local(a.point(p)) - p).length() < 1e-12);
        prop_assert!(((a * b).point(p) - a.point(b.point(p))).length() < 1e-12);
        let (far, turn) = (a * b).error_to(&(a * b));
        prop_assert!(far == 0.0 && turn < 1e-7);
    }

    #[test]
    fn rotation_vectors_turn_one_rotation_into_another(a in pose(), b in pose()) {
        let v = rotation_between(a.rot, b.rot);
        prop_assert!(v.length() <= std::f64::consts::PI + 1e-9, "the short way round");
        let back = DQuat::from_scaled_axis(v) * a.rot;
        prop_assert!(rotation_between(back, b.rot).length() < 1e-7);
        prop_assert!((rotation_vector(DQuat::from_scaled_axis(v)) - v).length() < 1e-7);
    }

    #[test]
    fn bounds_in_the_world_hold_every_corner(a in pose(), h in prop::array::uniform3(0.01..0.3f64)) {
        let b = Bounds { centre: [0.1, -0.2, 0.05], half: h };
        let (c, half) = (b.centre_in(&a), b.half_in(&a));
        for k in 0..8 {
            let sign = |i: usize| if k >> i & 1 == 0 { -1.0 } else { 1.0 };
            let corner = DVec3::from(b.centre) + DVec3::new(sign(0) * h[0], sign(1) * h[1], sign(2) * h[2]);
            let off = (a.point(corner) - c).abs() - half;
            prop_assert!(off.max_element() < 1e-12);
        }
    }

    #[test]
    fn numbers_stay_in_their_range(seed: u64, n in 1usize..50, lo in -5.0..5.0f64, width in 0.0..3.0f64) {
        let mut r = Seed(seed).stream("test");
        for _ in 0..50 {
            prop_assert!(r.below(n) < n);
            let v = r.range(lo, lo + width);
            prop_assert!(v >= lo && (v < lo + width || width == 0.0));
            prop_assert!(r.normal().is_finite());
        }
        let mut items: Vec<usize> = (0..n).collect();
        r.shuffle(&mut items);
        items.sort_unstable();
        prop_assert_eq!(items, (0..n).collect::<Vec<_>>());
    }

    #[test]
    fn streams_of_one_seed_are_apart_and_repeat(seed: u64) {
        let first = |name: &str| Seed(seed).stream(name).next_u64();
        prop_assert_eq!(first("a"), first("a"));
        prop_assert_ne!(first("a"), first("b"));
        prop_assert_ne!(first("a"), Seed(seed ^ 1).stream("a").next_u64());
    }

    #[test]
    fn actions_are_refused_for_what_is_wrong_with_them(len in 0usize..20, bad in 0usize..7) {
        let values = vec![0.5f32; len];
        let wrong = ActionSpec::tool_delta(&["arm"]).check(&values);
        prop_assert_eq!(wrong.is_ok(), len == 7);
        let mut seven = [0.0f32; 7];
        seven[bad] = f32::INFINITY;
        let refused = ActionSpec::tool_delta(&["arm"]).check(&seven);
        let named = matches!(refused, Err(ActionError::NotFinite { index, .. }) if index == bad);
        prop_assert!(named, "{:?}", refused);
    }

    #[test]
    fn going_towards_a_pose_gets_there(a in pose(), b in pose()) {
        let mut at = a;
        for _ in 0..400 {
            let step = ToolScale::DEFAULT.towards(&at, &b, 0.05, 0.5, -1.0);
            let v: Vec<f64> = step.values().iter().map(|x| f64::from(*x)).collect();
            prop_assert!(v.iter().all(|x| x.abs() <= 1.0 + 1e-6));
            let turn = DVec3::new(v[3], v[4], v[5]) * ToolScale::DEFAULT.radians;
            at.pos += DVec3::new(v[0], v[1], v[2]) * ToolScale::DEFAULT.metres;
            at.rot = (DQuat::from_scaled_axis(turn) * at.rot).normalize();
        }
        let (far, turn) = at.error_to(&b);
        prop_assert!(far < 1e-5 && turn < 1e-5, "{far} {turn}");
    }
}

/// A seed means the same for ever: these numbers may never change.
#[test]
fn what_a_seed_means_is_fixed() {
    let mut r = Seed(42).stream("block pose");
    let drawn = [r.next_u64(), r.next_u64(), r.next_u64()];
    let mut again = Seed(42).stream("block pose");
    assert_eq!(drawn, [again.next_u64(), again.next_u64(), again.next_u64()]);
    assert_eq!(drawn, FIXED, "{drawn:?}");
}

const FIXED: [u64; 3] = [4024610807711218407, 16691730331042541730, 3993323663381291955];

#[test]
fn normals_are_normal() {
    let mut r = Seed(7).stream("normal");
    let n = 20_000;
    let v: Vec<f64> = (0..n).map(|_| r.normal()).collect();
    let mean = v.iter().sum::<f64>() / f64::from(n);
    let variance = v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
    assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
}

#[test]
fn names_and_digests_read_back() {
    let id: TaskId = "longbench/stack-block".parse().unwrap();
    assert_eq!((id.suite(), id.name()), ("longbench", "stack-block"));
    for bad in ["stack-block", "Long/bench", "a/", "/b", "a/b c", "a/b/c"] {
        assert!(bad.parse::<TaskId>().is_err(), "{bad}");
    }
    let d = Digest::of(b"longarm");
    assert_eq!(Digest::try_from(d.to_string()).unwrap(), d);
    assert!(Digest::try_from("zz".to_owned()).is_err());
    assert!(Digest::try_from("é".repeat(16)).is_err());
    let mut h = RunningHash::default();
    h.floats(&[1.0; 100]);
    let mut one_by_one = RunningHash::default();
    (0..100).for_each(|_| one_by_one.floats(&[1.0]));
    assert_eq!(h.digest(), one_by_one.digest());
    assert_eq!(nearest("stak-block", ["stack-block", "pull-drawer"]), ["stack-block"]);
    assert!(nearest("zzz", ["stack-block"]).is_empty());
    assert!((yaw(DQuat::from_rotation_z(0.7)) - 0.7).abs() < 1e-12);
}
