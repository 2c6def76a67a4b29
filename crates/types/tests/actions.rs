//! What follows from an action specification.

use longarm_types::{
    Action, ActionConvention, ActionForm, ActionSpec, ActionUnits, Bounds, Channel, DQuat,
    GripperSense, MAX_ACTION, PickPlaceSpace, Pose, Rng, RotationFormat, Seed, ToolScale,
};

fn deltas() -> ActionSpec {
    ActionSpec::tool_delta(&["arm"])
}

fn poses() -> ActionSpec {
    let space = PickPlaceSpace {
        workspace: Bounds { centre: [0.5, 0.0, 0.15], half: [0.25, 0.5, 0.15] },
        idle: Pose::at(0.3, -0.45, 0.3),
        random_height: 0.1,
    };
    ActionSpec::pick_place("arm", &space)
}

fn two_arms() -> ActionSpec {
    ActionSpec::tool_delta(&["left", "right"])
}

fn joints() -> ActionSpec {
    let limits = [[-2.0, 2.0, 0.5], [-3.0, 0.0, -1.5]];
    ActionSpec::new(vec![Channel::joint_target("arm", limits), Channel::gripper("arm")])
}

#[test]
fn numbers_have_names() {
    assert_eq!(deltas().names(), ["dx", "dy", "dz", "rx", "ry", "rz", "gripper"]);
    assert_eq!(poses().names()[..4], ["pick_x", "pick_y", "pick_z", "pick_qw"]);
    assert_eq!(poses().names()[13], "place_qz");
    assert_eq!(joints().names(), ["joint_1", "joint_2", "gripper"]);
    let names = two_arms().names();
    assert_eq!(
        (names.len(), names[0].as_str(), names[13].as_str()),
        (14, "left_dx", "right_gripper")
    );
    let several = two_arms();
    let channels: Vec<_> = several.channels.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(channels, ["left_tool", "left_gripper", "right_tool", "right_gripper"]);
}

#[test]
fn idle_is_within_bounds() {
    assert_eq!(deltas().idle().values(), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    let half = [0.3, -0.45, 0.3, 1.0, 0.0, 0.0, 0.0];
    assert_eq!(poses().idle().values(), [half, half].concat());
    assert_eq!(joints().idle().values(), [0.5, -1.5, -1.0]);
    for spec in [deltas(), poses(), two_arms(), joints()] {
        let idle = spec.idle();
        spec.check(idle.values()).unwrap();
        let mut out = [0.0; MAX_ACTION];
        // Single precision moves a bound by less than a tenth of a micrometre.
        let near = spec.clip(idle.values(), &mut out)
            && out.iter().zip(idle.values()).any(|(a, b)| (a - f64::from(*b)).abs() > 1e-7);
        assert!(!near);
    }
}

/// Random actions are part of what a seed means: the same draws in the same order for ever.
#[test]
fn random_actions_are_drawn_in_order() {
    let stream = || Seed(3).stream("random policy");
    let (mut rng, mut spec_rng) = (stream(), stream());
    for _ in 0..50 {
        let want: Vec<f32> = (0..7).map(|_| rng.range(-1.0, 1.0) as f32).collect();
        assert_eq!(deltas().random(&mut spec_rng).values(), want);
    }
    let pose = |rng: &mut Rng| {
        let at = [rng.range(0.25, 0.75), rng.range(-0.5, 0.5), rng.range(0.0, 0.1)];
        let q = DQuat::from_rotation_z(rng.range(-1.0, 1.0) * std::f64::consts::PI);
        [at[0], at[1], at[2], q.w, 0.0, 0.0, q.z].map(|v| v as f32)
    };
    for _ in 0..50 {
        let want = [pose(&mut rng), pose(&mut rng)].concat();
        assert_eq!(poses().random(&mut spec_rng).values(), want);
    }
}

#[test]
fn clipping_keeps_numbers_in_their_own_bounds() {
    let mut out = [9.0; MAX_ACTION];
    assert!(!joints().clip(&[1.5, -2.5, 1.0], &mut out));
    assert_eq!(out[..4], [1.5, -2.5, 1.0, 9.0]);
    assert!(joints().clip(&[1.5, 0.5, 1.0], &mut out));
    assert_eq!(out[..3], [1.5, 0.0, 1.0]);
    assert!(deltas().clip(&[0.0, -1.5, 0.0, 0.0, 0.0, 0.0, 0.0], &mut out));
    assert_eq!(out[1], -1.0);
}

#[test]
fn noise_spares_grippers_and_keeps_within_bounds() {
    let mut rng = Seed(1).stream("noise");
    for _ in 0..200 {
        let mut action = Action::new(&[1.9, -0.1, 1.0]);
        joints().disturb(&mut action, 0.5, &mut rng);
        let v = action.values();
        assert!((-2.0..=2.0).contains(&v[0]) && (-3.0..=0.0).contains(&v[1]) && v[2] == 1.0);
    }
    let mut outside = Action::new(&[2.5, 0.0, 0.0]);
    joints().disturb(&mut outside, 1e-3, &mut rng);
    assert!(outside.values()[0] > 2.4, "what a policy says beyond the bounds stays its own");
}

#[test]
fn whole_motions_take_tool_deltas_step_by_step() {
    assert!(poses().whole_motions() && !deltas().whole_motions());
    assert_eq!(*poses().control(), deltas());
    assert_eq!(*joints().control(), joints());
    assert_eq!((poses().rate(), deltas().rate()), (1, 20));
}

#[test]
fn conventions_follow() {
    assert_eq!(deltas().convention(), ActionConvention::EE_DELTA);
    assert_eq!(
        two_arms().convention(),
        ActionConvention { dims: 14, ..ActionConvention::EE_DELTA }
    );
    let c = poses().convention();
    assert_eq!((c.form, c.gripper, c.dims), (ActionForm::PickPlace, GripperSense::None, 14));
    let c = joints().convention();
    assert_eq!(
        (c.form, c.rotation, c.units),
        (ActionForm::JointPosition, RotationFormat::None, ActionUnits::Metric)
    );
    for spec in [deltas(), poses(), two_arms(), joints()] {
        spec.convention().fits(&spec).unwrap();
    }
    assert!(ActionConvention::EE_DELTA.fits(&two_arms()).unwrap_err().contains("14"));
}

#[test]
fn each_limb_is_converted_at_its_own_scale() {
    let fine = ToolScale { metres: 0.01, radians: 0.1 };
    let spec = ActionSpec::new(vec![
        Channel::tool_delta("left", ToolScale::DEFAULT),
        Channel::gripper("left"),
        Channel::tool_delta("right", fine),
        Channel::gripper("right"),
    ]);
    let convention = ActionConvention {
        units: ActionUnits::Metric,
        gripper: GripperSense::Close01,
        ..spec.convention()
    };
    let one = [0.01, 0.0, 0.0, 0.0, 0.0, 0.05, 1.0];
    let mut numbers = [one, one].concat();
    convention.convert(&spec, &mut numbers);
    let want = [0.2, 0.0, 0.0, 0.0, 0.0, 0.1, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0];
    assert!(numbers.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{numbers:?}");
}
