//! Presets: which picture and which number goes under which key, as policies were trained.

use longarm_types::{
    ActionConvention, ActionForm, ActionUnits, Flip, FormatPictures, FormatVector, GripperSense,
    ImageLayout, ObservationFormat, RotationFormat, StateLayout, StatePart,
};

use super::{
    super::{
        image::Prepare,
        numpy::{Dtype, Keys},
        spec::PresetName,
    },
    Execute, Layout,
};
use crate::formats::{EULER, GRIP_STATE, OUTSIDE, WRIST, WXYZ, native, one_arm, vectors};

const SQUARE: Option<[usize; 2]> = Some([224, 224]);

impl Layout {
    /// Ours: everything, as it is.
    pub(super) fn longarm() -> Self {
        Self {
            keys: Keys::Bin,
            format: native("observation/", FormatPictures::All("observation/image/", "")),
            dtype: Dtype::F64,
            prepare: Prepare::default(),
            state: StateLayout::Parts,
            prompt: "prompt",
            extras: true,
            action: None,
            execute: Execute::All,
            chosen: Vec::new(),
        }
    }

    /// openpi's `examples/libero`.
    ///
    /// robosuite's pictures come bottom row first; the half turn that openpi gives them leaves them
    /// upright and mirrored left to right. Ours come top row first, so they are mirrored only.
    pub(super) fn grip_site() -> Self {
        let pictures = FormatPictures::keyed(&[
            ("observation/image", &OUTSIDE),
            ("observation/wrist_image", &WRIST),
        ]);
        Self {
            format: one_arm(&[("observation/state", &GRIP_STATE)], pictures, Flip::Horizontal),
            prepare: Prepare { size: SQUARE, layout: ImageLayout::Hwc },
            state: StateLayout::PosAxisAngleFingers,
            extras: false,
            action: Some(ActionConvention::EE_DELTA),
            execute: Execute::UpTo(5),
            ..Self::longarm()
        }
    }

    /// openpi's `examples/droid`.
    pub(super) fn droid() -> Self {
        let pictures = FormatPictures::keyed(&[
            ("observation/exterior_image_1_left", &OUTSIDE),
            ("observation/wrist_image_left", &WRIST),
        ]);
        Self {
            format: one_arm(
                &[
                    ("observation/joint_position", &[StatePart::Joints(Some(7))]),
                    ("observation/gripper_position", &[StatePart::Closing]),
                ],
                pictures,
                Flip::None,
            ),
            prepare: Prepare { size: SQUARE, ..Prepare::default() },
            state: StateLayout::Joints,
            extras: false,
            action: Some(ActionConvention {
                form: ActionForm::JointVelocity,
                rotation: RotationFormat::None,
                gripper: GripperSense::Close01,
                dims: 8,
                ..ActionConvention::EE_DELTA
            }),
            execute: Execute::UpTo(8),
            ..Self::longarm()
        }
    }

    /// openpi's `examples/aloha_sim`. A single arm is sent as the left; the right reads zero.
    pub(super) fn aloha() -> Self {
        let pictures = FormatPictures::keyed(&[
            ("cam_high", &["top", "front", "agentview"]),
            ("cam_left_wrist", &WRIST),
        ]);
        let state = FormatVector {
            padded: 14,
            ..FormatVector::joined("state", &[StatePart::Joints(Some(6)), StatePart::Opening])
        };
        Self {
            format: ObservationFormat {
                vectors: vec![state],
                group: Some("images"),
                pictures,
                flip: Flip::None,
                most_limbs: 2,
            },
            prepare: Prepare { size: SQUARE, layout: ImageLayout::Chw },
            state: StateLayout::Joints,
            extras: false,
            action: Some(ActionConvention {
                form: ActionForm::JointPosition,
                rotation: RotationFormat::None,
                gripper: GripperSense::Open01,
                dims: 14,
                ..ActionConvention::EE_DELTA
            }),
            execute: Execute::UpTo(10),
            ..Self::longarm()
        }
    }

    /// vla-eval's observation payload; the server keeps the chunk, so it is asked at every step.
    pub(super) fn vla_eval(preset: PresetName) -> Self {
        let one_arm = preset == PresetName::GripSite;
        let base = Self::grip_site();
        let pictures = match one_arm {
            true => FormatPictures::keyed(&[("agentview", &OUTSIDE), ("wrist", &WRIST)]),
            false => FormatPictures::All("", ""),
        };
        let flip = if one_arm { base.format.flip } else { Flip::None };
        Self {
            keys: Keys::Str,
            format: ObservationFormat {
                group: Some("images"),
                flip,
                most_limbs: if one_arm { 1 } else { usize::MAX },
                ..vectors(&[("states", &GRIP_STATE)], pictures)
            },
            dtype: Dtype::F32,
            prepare: match one_arm {
                true => Prepare { size: Some([256, 256]), ..base.prepare },
                false => Prepare::default(),
            },
            prompt: "task_description",
            action: one_arm.then_some(ActionConvention::EE_DELTA),
            execute: Execute::All,
            ..base
        }
    }

    /// RoboArena's; what the server asks for at the handshake is filled in by its dialect.
    pub(super) fn roboarena() -> Self {
        Self {
            format: one_arm(
                &[
                    ("observation/joint_position", &[StatePart::Joints(Some(7))]),
                    ("observation/cartesian_position", &[StatePart::POSITION, EULER]),
                    ("observation/gripper_position", &[StatePart::Closing]),
                ],
                FormatPictures::Keyed(Vec::new()),
                Flip::None,
            ),
            dtype: Dtype::F32,
            action: Some(ActionConvention {
                rotation: RotationFormat::EulerXyz,
                gripper: GripperSense::Close01,
                units: ActionUnits::Droid,
                ..ActionConvention::EE_DELTA
            }),
            execute: Execute::All,
            ..Self::droid()
        }
    }

    /// BEHAVIOR's flattened keys, `robot::sensor::modality`.
    pub(super) fn behavior() -> Self {
        let own = [
            StatePart::Joints(None),
            StatePart::Velocities,
            StatePart::POSITION,
            WXYZ,
            StatePart::Opening,
        ];
        Self {
            format: vectors(
                &[("robot::proprio", &own)],
                FormatPictures::All("robot::robot:", ":Camera:0::rgb"),
            ),
            dtype: Dtype::F32,
            extras: false,
            ..Self::longarm()
        }
    }
}
