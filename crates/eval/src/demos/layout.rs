//! Which number goes under which name, for each format.

use longarm_assets::CameraSpec;
use longarm_data::lerobot::{Camera, Layout, Numbers, Version};
use longarm_policy::formats::{
    self, AXIS_ANGLE, GRIP_FINGERS, GRIP_POSITION, GRIP_STATE, WRIST, XYZW,
};
use longarm_task::TaskSpec;
use longarm_types::{Flip, FormatPictures, ObservationFormat, StatePart};
use serde_json::Value;

use super::{DemoConfig, DemoError, Format};

/// A camera and what its pictures are called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedView {
    /// In the rig.
    pub(super) camera: String,
    /// In the dataset.
    pub(super) name: String,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// Largest file of a dataset made of several episodes.
pub(super) const SHARD_MB: u32 = 64;

/// What a format calls what is observed.
pub(super) fn observation(format: Format) -> ObservationFormat {
    const STATE: [StatePart; 4] =
        [StatePart::Joints(None), StatePart::Opening, StatePart::HandJoints, StatePart::BasePose];
    let state: [(&str, &[StatePart]); 2] =
        [("observation.state", &STATE), ("observation.tool", &[StatePart::POSITION, AXIS_ANGLE])];
    match format {
        Format::Lerobot => formats::vectors(&state, FormatPictures::All("observation.images.", "")),
        Format::Npy | Format::Native => formats::vectors(&state, FormatPictures::All("", "")),
        // Pictures mirrored as in openpi's training examples.
        Format::LerobotV21 => formats::one_arm(
            &[("state", &GRIP_STATE)],
            FormatPictures::ByPlace {
                outside: "image",
                wrists: &WRIST,
                wrist: "wrist_image",
                suffix: "_image",
            },
            Flip::Horizontal,
        ),
        // Bottom row first, as robosuite renders.
        Format::Hdf5 => formats::one_arm(
            &[
                ("obs/ee_pos", &[GRIP_POSITION]),
                ("obs/ee_ori", &[AXIS_ANGLE]),
                ("obs/ee_states", &[GRIP_POSITION, AXIS_ANGLE]),
                ("obs/gripper_states", &[GRIP_FINGERS]),
                ("obs/joint_states", &[StatePart::Joints(None)]),
                ("robot_states", &[GRIP_FINGERS, GRIP_POSITION, XYZW]),
            ],
            RGB,
            Flip::Vertical,
        ),
        Format::Hdf5Subtasks => formats::one_arm(
            &[
                ("obs/ee_states", &[GRIP_POSITION, AXIS_ANGLE]),
                ("obs/gripper_states", &[GRIP_FINGERS]),
                ("obs/joint_states", &[StatePart::Joints(None)]),
            ],
            RGB,
            Flip::Vertical,
        ),
        Format::Jsonl => formats::vectors(&state, RGB),
    }
}

/// Pictures by where their camera is, as recorded data of one arm name them.
const RGB: FormatPictures = FormatPictures::ByPlace {
    outside: "agentview_rgb",
    wrists: &WRIST,
    wrist: "eye_in_hand_rgb",
    suffix: "_rgb",
};

/// What actions are called.
pub(super) fn action_name(format: Format) -> &'static str {
    match format {
        Format::LerobotV21 | Format::Hdf5 | Format::Hdf5Subtasks => "actions",
        Format::Lerobot | Format::Npy | Format::Native | Format::Jsonl => "action",
    }
}

/// Per-frame numbers beside vectors and actions, with their types.
pub(super) const FLAGS: [(&str, &str); 7] = [
    ("next.reward", "float32"),
    ("next.done", "bool"),
    ("next.success", "bool"),
    ("stage_index", "int64"),
    ("subtask_index", "int64"),
    ("is_keyframe", "bool"),
    ("next.reward_dense", "float32"),
];

/// Frames per second: one frame per action, and an action of pick-and-place has no fixed length.
pub(super) fn fps(task: &TaskSpec) -> u32 {
    task.rig().action.rate()
}

/// The cameras of a dataset. All tasks must have the same.
pub(super) fn views(config: &DemoConfig, task: &TaskSpec) -> Result<Vec<RecordedView>, DemoError> {
    let rig = task.rig();
    let named = |name: &String| {
        let all = rig.cameras.iter().chain([&rig.view]);
        let names = || all.clone().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = all.clone().find(|c| c.name == *name);
        let missing =
            || DemoError::Config(format!("{} has no camera {name}; it has {}", task.id, names()));
        found.ok_or_else(missing)
    };
    let chosen: Vec<&CameraSpec> = match config.cameras.is_empty() {
        true => rig.cameras.iter().collect(),
        false => config.cameras.iter().map(named).collect::<Result<_, _>>()?,
    };
    let names: Vec<&str> = chosen.iter().map(|c| c.name.as_str()).collect();
    let view = |(name, i): (String, usize)| {
        let c = chosen[i];
        let [width, height] = config.size.unwrap_or([c.width, c.height]);
        RecordedView { camera: c.name.clone(), name, width, height }
    };
    Ok(observation(config.format).pictures.keys(&names).into_iter().map(view).collect())
}

/// LeRobot's description of the dataset.
pub(super) fn lerobot(
    config: &DemoConfig,
    task: &TaskSpec,
    provenance: Value,
) -> Result<Layout, DemoError> {
    let rig = task.rig();
    let vectors = observation(config.format).bind(&rig.observation()).map_err(DemoError::Config)?;
    let mut numbers: Vec<Numbers> = vectors
        .into_iter()
        .map(|v| Numbers { name: v.key, dtype: "float32", names: v.names })
        .collect();
    numbers.push(Numbers {
        name: action_name(config.format).into(),
        dtype: "float32",
        names: rig.action.names(),
    });
    for (name, dtype) in FLAGS {
        numbers.push(Numbers { name: name.into(), dtype, names: Vec::new() });
    }
    let even = |n: usize| n.next_multiple_of(2);
    let camera =
        |v: RecordedView| Camera { name: v.name, width: even(v.width), height: even(v.height) };
    Ok(Layout {
        version: match config.format {
            Format::LerobotV21 => Version::V21,
            _ => Version::V3,
        },
        robot: rig.robot_names(),
        fps: fps(task),
        cameras: views(config, task)?.into_iter().map(camera).collect(),
        numbers,
        shard_mb: SHARD_MB,
        provenance,
    })
}
