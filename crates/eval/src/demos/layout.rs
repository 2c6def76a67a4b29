//! Which number goes under which name, for each format.

use longarm_assets::CameraSpec;
use longarm_data::lerobot::{Camera, Layout, Numbers, Version};
use longarm_policy::remote::Part;
use longarm_task::TaskSpec;
use serde_json::Value;

use super::{DemoConfig, DemoError, Format};

/// A vector of an episode's frames.
pub(super) struct Vector {
    pub(super) name: &'static str,
    pub(super) parts: Vec<Part>,
}

/// A camera and what its pictures are called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct View {
    /// In the rig.
    pub(super) camera: String,
    /// In the dataset.
    pub(super) name: String,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// A Panda's finger when open, metres from the middle.
const FINGER: f64 = 0.04;
/// Largest file of a dataset made of several episodes.
pub(super) const SHARD_MB: u32 = 64;

/// The vectors of a format.
pub(super) fn vectors(format: Format) -> Vec<Vector> {
    let vector = |name, parts: &[Part]| Vector { name, parts: parts.to_vec() };
    let fingers = Part::Fingers(FINGER);
    match format {
        Format::Lerobot | Format::Npy | Format::Native => vec![
            vector("observation.state", &[Part::Joints(None), Part::Opening]),
            vector("observation.tool", &[Part::Position, Part::AxisAngle]),
        ],
        Format::LerobotV21 => {
            vec![vector("state", &[Part::LiberoPosition, Part::AxisAngle, fingers])]
        }
        Format::Hdf5 => vec![
            vector("obs/ee_pos", &[Part::LiberoPosition]),
            vector("obs/ee_ori", &[Part::AxisAngle]),
            vector("obs/ee_states", &[Part::LiberoPosition, Part::AxisAngle]),
            vector("obs/gripper_states", &[fingers]),
            vector("obs/joint_states", &[Part::Joints(None)]),
            vector("robot_states", &[fingers, Part::LiberoPosition, Part::Xyzw]),
        ],
    }
}

/// What actions are called.
pub(super) fn action_name(format: Format) -> &'static str {
    match format {
        Format::LerobotV21 | Format::Hdf5 => "actions",
        Format::Lerobot | Format::Npy | Format::Native => "action",
    }
}

/// Per-frame numbers beside vectors and actions, with their types.
pub(super) const FLAGS: [(&str, &str); 6] = [
    ("next.reward", "float32"),
    ("next.done", "bool"),
    ("next.success", "bool"),
    ("stage_index", "int64"),
    ("subtask_index", "int64"),
    ("is_keyframe", "bool"),
];

/// Frames per second: one frame per action, and an action of pick-and-place has no fixed length.
pub(super) fn fps(task: &TaskSpec) -> u32 {
    task.rig().action.rate()
}

/// The cameras of a dataset. All tasks must have the same.
pub(super) fn views(config: &DemoConfig, task: &TaskSpec) -> Result<Vec<View>, DemoError> {
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
    let wrist = |c: &CameraSpec| ["wrist", "eye_in_hand", "hand"].contains(&c.name.as_str());
    let outside = chosen.iter().position(|c| !wrist(c));
    let view = |(i, c): (usize, &&CameraSpec)| {
        let first = outside == Some(i);
        let name = match config.format {
            Format::Lerobot => format!("observation.images.{}", c.name),
            Format::LerobotV21 if first => "image".into(),
            Format::LerobotV21 if wrist(c) => "wrist_image".into(),
            Format::LerobotV21 => format!("{}_image", c.name),
            Format::Hdf5 if first => "agentview_rgb".into(),
            Format::Hdf5 if wrist(c) => "eye_in_hand_rgb".into(),
            Format::Hdf5 => format!("{}_rgb", c.name),
            Format::Npy | Format::Native => c.name.clone(),
        };
        let [width, height] = config.size.unwrap_or([c.width, c.height]);
        View { camera: c.name.clone(), name, width, height }
    };
    Ok(chosen.iter().enumerate().map(view).collect())
}

/// LeRobot's description of the dataset.
pub(super) fn lerobot(
    config: &DemoConfig,
    task: &TaskSpec,
    provenance: Value,
) -> Result<Layout, DemoError> {
    let rig = task.rig();
    let joints = rig.dof();
    let mut numbers = Vec::new();
    for v in vectors(config.format) {
        let names = v.parts.iter().flat_map(|p| part_names(*p, joints)).collect();
        numbers.push(Numbers { name: v.name.into(), dtype: "float32", names });
    }
    numbers.push(Numbers {
        name: action_name(config.format).into(),
        dtype: "float32",
        names: rig.action.names(),
    });
    for (name, dtype) in FLAGS {
        numbers.push(Numbers { name: name.into(), dtype, names: Vec::new() });
    }
    let even = |n: usize| n.next_multiple_of(2);
    let camera = |v: View| Camera { name: v.name, width: even(v.width), height: even(v.height) };
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

fn part_names(part: Part, joints: usize) -> Vec<String> {
    let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
    match part {
        Part::Position | Part::LiberoPosition => list(&["x", "y", "z"]),
        Part::AxisAngle => list(&["rx", "ry", "rz"]),
        Part::Fingers(_) => list(&["finger_left", "finger_right"]),
        Part::Opening => list(&["opening"]),
        Part::Joints(_) => (1..=joints).map(|i| format!("joint_{i}")).collect(),
        _ => Vec::new(),
    }
}
