//! What follows from an observation specification.

use std::f64::consts::{FRAC_PI_2, PI};

use longarm_types::{
    BoundVector, Bounds, Calibration, CameraImage, CloudSpec, DQuat, DVec3, FieldType, FingerRange,
    Flip, FormatPictures, FormatVector, Meaning, Observation, ObservationFormat, ObservationSpec,
    ObservedCamera, ObservedLimb, PictureKind, Pose, PositionFrame, Proprioception, RotationFormat,
    StatePart, ToolSite, WorldFrame,
};

fn limb(name: &str, joints: usize) -> ObservedLimb {
    let turned = DQuat::from_rotation_z(FRAC_PI_2);
    let base = Pose::new(DVec3::new(0.1, 0.0, 0.2), turned);
    let finger_travel = Some(0.044);
    ObservedLimb { name: name.into(), joints, base, finger_travel, hand_joints: 0, rides: false }
}

fn spec(limbs: &[&str]) -> ObservationSpec {
    ObservationSpec {
        limbs: limbs.iter().map(|l| limb(l, 2)).collect(),
        cameras: vec![ObservedCamera {
            name: "top".into(),
            width: 4,
            height: 3,
            pictures: vec![PictureKind::Colour, PictureKind::Depth],
        }],
        frames: Vec::new(),
        cloud: None,
    }
}

fn seen(limbs: usize) -> Observation {
    let own = |i: usize| Proprioception {
        joints: vec![0.1 + i as f64, 0.2 + i as f64],
        velocities: vec![0.0, 0.5],
        // Pointing down, as hands do.
        tool: Pose::new(DVec3::new(0.5, 0.0, 0.3), DQuat::from_rotation_x(PI)),
        opening: 0.5,
        fingers: None,
        hand: Vec::new(),
        base: None,
    };
    Observation {
        limbs: (0..limbs).map(own).collect(),
        cameras: vec![CameraImage::default()],
        ..Observation::default()
    }
}

fn bound(parts: &[StatePart], spec: &ObservationSpec) -> BoundVector {
    FormatVector::joined("state", parts).bind(spec).unwrap().remove(0)
}

fn numbers(parts: &[StatePart], spec: &ObservationSpec) -> Vec<f64> {
    let mut out = Vec::new();
    bound(parts, spec).append(spec, &seen(spec.limbs.len()), &mut out).unwrap();
    out
}

#[track_caller]
fn near(got: &[f64], want: &[f64]) {
    let same = got.len() == want.len() && got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(same, "{got:?} is not {want:?}");
}

#[test]
fn fields_have_names_shapes_and_units() {
    let one = spec(&["arm"]).fields();
    let names: Vec<_> = one.iter().map(|f| f.name.as_str()).collect();
    let limb = ["joint_position", "joint_velocity", "tool_pose", "gripper_opening"];
    assert_eq!(
        names,
        [&limb[..], &["top_rgb", "top_depth", "top_intrinsics", "top_extrinsics", "instruction"],]
            .concat()
    );
    assert_eq!((&one[2].shape, one[2].unit), (&vec![7], "m"));
    assert_eq!((&one[4].shape, one[4].number), (&vec![3, 4, 3], FieldType::U8));
    assert_eq!((&one[5].shape, one[5].number, one[5].unit), (&vec![3, 4], FieldType::F32, "m"));
    assert_eq!((&one[6].shape, one[6].unit), (&vec![3, 3], "px"));
    assert_eq!(one[8].meaning, Meaning::Instruction);
    let two = spec(&["left", "right"]).fields();
    assert_eq!(
        (two[0].name.as_str(), two[4].name.as_str()),
        ("left_joint_position", "right_joint_position")
    );
    assert_eq!(two[4].of.as_deref(), Some("right"));
}

/// The fields and our own format are the same table.
#[test]
fn our_own_format_has_every_field_of_a_limb() {
    for spec in [spec(&["arm"]), spec(&["left", "right"])] {
        let vectors: Vec<_> =
            FormatVector::native("").iter().flat_map(|v| v.bind(&spec).unwrap()).collect();
        let fields = spec.fields().into_iter().filter(|f| f.number == FieldType::F64);
        let told: Vec<_> = vectors.iter().map(|v| (v.key.clone(), vec![v.names.len()])).collect();
        let mut by_limb: Vec<_> = fields.map(|f| (f.name, f.shape)).collect();
        let mut by_vector = told;
        by_limb.sort();
        by_vector.sort();
        assert_eq!(by_limb, by_vector);
    }
}

#[test]
fn positions_are_told_in_the_frame_of_the_format() {
    let site = ToolSite { frame: "other", origin: [1.0, 2.0, 3.0], behind: 0.1 };
    let other = [StatePart::Position(PositionFrame::Site(site))];
    let mut spec = spec(&["arm"]);
    near(&numbers(&[StatePart::POSITION], &spec), &[0.5, 0.0, 0.3]);
    near(&numbers(&[StatePart::Position(PositionFrame::Base)], &spec), &[0.0, -0.4, 0.1]);
    near(&numbers(&other, &spec), &[1.5, 2.0, 3.4]);
    spec.frames.push(WorldFrame { name: "other".into(), origin: [-0.5, 0.0, 0.0] });
    near(&numbers(&other, &spec), &[0.0, 0.0, 0.4]);
}

#[test]
fn rotations_and_fingers_are_converted() {
    let spec = spec(&["arm"]);
    let told = |f| numbers(&[StatePart::Rotation(f)], &spec);
    near(&told(RotationFormat::AxisAngle), &[PI, 0.0, 0.0]);
    near(&told(RotationFormat::QuaternionXyzw), &[1.0, 0.0, 0.0, 0.0]);
    near(&told(RotationFormat::QuaternionWxyz), &[0.0, 1.0, 0.0, 0.0]);
    near(&told(RotationFormat::Rot6d), &[1.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
    near(&told(RotationFormat::EulerXyz), &[PI, 0.0, 0.0]);
    near(&numbers(&[StatePart::Fingers(FingerRange::Own)], &spec), &[0.022, -0.022]);
    near(&numbers(&[StatePart::Fingers(FingerRange::OwnElse(0.04))], &spec), &[0.022, -0.022]);
    let mut suction = spec.clone();
    suction.limbs[0].finger_travel = None;
    near(&numbers(&[StatePart::Fingers(FingerRange::OwnElse(0.04))], &suction), &[0.02, -0.02]);
    near(&numbers(&[StatePart::Fingers(FingerRange::Own)], &suction), &[]);
    near(&numbers(&[StatePart::Opening, StatePart::Closing], &spec), &[0.5, 0.5]);
}

#[test]
fn several_limbs_are_joined_or_apart() {
    let spec = spec(&["left", "right"]);
    let parts = [StatePart::Joints(None), StatePart::Opening];
    assert_eq!(bound(&parts, &spec).names[2..4], ["left_opening", "right_joint_1"]);
    near(&numbers(&parts, &spec), &[0.1, 0.2, 0.5, 1.1, 1.2, 0.5]);
    let keys: Vec<_> = FormatVector::native("obs/")
        .iter()
        .flat_map(|v| v.bind(&spec).unwrap())
        .map(|v| v.key)
        .collect();
    assert_eq!(keys[..2], ["obs/left_joint_position", "obs/right_joint_position"]);
}

#[test]
fn a_format_says_what_it_has_no_room_for() {
    let state = FormatVector {
        padded: 7,
        ..FormatVector::joined("state", &[StatePart::Joints(Some(2)), StatePart::Opening])
    };
    let format = ObservationFormat {
        vectors: vec![state],
        group: None,
        pictures: FormatPictures::All("", ""),
        flip: Flip::None,
        most_limbs: 2,
    };
    let one = spec(&["arm"]);
    let mut out = Vec::new();
    format.bind(&one).unwrap()[0].append(&one, &seen(1), &mut out).unwrap();
    near(&out, &[0.1, 0.2, 0.5, 0.0, 0.0, 0.0, 0.0]);
    assert!(format.bind(&spec(&["a", "b", "c"])).unwrap_err().contains("this robot has 3"));
    let long = ObservationSpec { limbs: vec![limb("arm", 7)], ..one.clone() };
    assert!(format.bind(&long).unwrap_err().contains("wants 2 joints and this robot has 7"));
    let vector = &format.bind(&one).unwrap()[0];
    assert!(vector.append(&one, &seen(0), &mut out).unwrap_err().contains("not observed"));
}

#[test]
fn pictures_are_named_by_table() {
    let cameras = ["left", "wrist", "agentview"];
    let keyed = FormatPictures::keyed(&[("image", &["agentview", "left"]), ("none", &["rear"])]);
    assert_eq!(keyed.keys(&cameras), [("image".to_owned(), 2)]);
    let placed = FormatPictures::ByPlace {
        outside: "image",
        wrists: &["wrist"],
        wrist: "wrist_image",
        suffix: "_image",
    };
    let names: Vec<_> = placed.keys(&cameras).into_iter().map(|(k, _)| k).collect();
    assert_eq!(names, ["image", "wrist_image", "agentview_image"]);
}

#[test]
fn pictures_are_turned() {
    // Two rows of two pixels.
    let rgb: Vec<u8> = [1u8, 2, 3, 4].iter().flat_map(|p| [*p; 3]).collect();
    for (flip, want) in [
        (Flip::None, [1, 2, 3, 4]),
        (Flip::Horizontal, [2, 1, 4, 3]),
        (Flip::Vertical, [3, 4, 1, 2]),
        (Flip::Both, [4, 3, 2, 1]),
    ] {
        let mut out = vec![0; rgb.len()];
        flip.write(&rgb, 2, &mut out);
        assert_eq!(out.iter().step_by(3).copied().collect::<Vec<_>>(), want, "{flip:?}");
    }
}

#[test]
fn a_point_cloud_is_three_fields() {
    let bounds = Bounds { centre: [0.5, 0.0, 0.2], half: [0.2, 0.3, 0.2] };
    let cloud = CloudSpec::around(&bounds, 512);
    let fields = ObservationSpec { cloud: Some(cloud), ..spec(&["arm"]) }.fields();
    let told: Vec<_> = fields
        .iter()
        .filter(|f| f.name.starts_with("point_cloud"))
        .map(|f| (f.name.as_str(), f.shape.clone(), f.number, f.unit))
        .collect();
    assert_eq!(
        told,
        [
            ("point_cloud_xyz", vec![512, 3], FieldType::F32, "m"),
            ("point_cloud_rgb", vec![512, 3], FieldType::U8, "1"),
            ("point_cloud_segment", vec![512], FieldType::I32, "1"),
        ]
    );
    assert_eq!(cloud.bounds.half, [0.25, 0.35, 0.25]);
}

/// A point goes through both matrices to the pixel where it is seen, turned or not.
#[test]
fn matrices_project_points_to_pixels() {
    // At (1, 2, 3), looking along the world's −z with the picture's top towards +y.
    let camera = Calibration {
        focal: [100.0, 120.0],
        centre: [32.0, 24.0],
        position: [1.0, 2.0, 3.0],
        rotation: [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]],
    };
    let point = [1.2f32, 2.1, 1.0, 1.0];
    let row = |m: &[f32], v: &[f32]| m.iter().zip(v).map(|(a, b)| a * b).sum::<f32>();
    let e = camera.extrinsics();
    let seen: Vec<f32> = e.chunks(4).map(|r| row(r, &point)).collect();
    let close = |a: f32, b: f32| (a - b).abs() < 1e-4;
    assert!(close(seen[0], 0.2) && close(seen[1], -0.1) && close(seen[2], 2.0), "{seen:?}");
    for (flip, u, v) in [
        (Flip::None, 42.0, 18.0),
        (Flip::Horizontal, 22.0, 18.0),
        (Flip::Vertical, 42.0, 30.0),
        (Flip::Both, 22.0, 30.0),
    ] {
        let k = camera.intrinsics(flip, 64, 48);
        let at = [row(&k[..3], &seen[..3]) / seen[2], row(&k[3..6], &seen[..3]) / seen[2]];
        assert!(close(at[0], u) && close(at[1], v), "{flip:?} {at:?}");
    }
}
