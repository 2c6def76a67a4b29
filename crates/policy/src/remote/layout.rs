//! Presets: which picture and which number goes under which key, as data.

use libm::{acos, sqrt};
use longarm_types::{CameraImage, DQuat, DVec3, Observation};

use super::{
    conventions::{
        ActionConvention, ActionForm, ActionUnits, GripperSense, ImageLayout,
        ObservationConvention, RotationFormat, StateLayout,
    },
    image::{self, Flip, Prepare, Resizer},
    msgpack::Pack,
    numpy::{Dtype, Keys},
    spec::{DialectName, PresetName, RemoteSpec},
};
use crate::EpisodeInfo;

/// How far robosuite's `grip_site` (97 mm from the hand) lies behind our tool (103.4 mm).
const GRIP_SITE: f64 = 0.0064;

/// A piece of a state vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// Tool position.
    Position,
    /// Where LIBERO sees the hand: in its world, robosuite's `grip_site`.
    LiberoPosition,
    /// Tool rotation as robosuite's `quat2axisangle`: the angle runs to 2π. Of the two quaternions
    /// of a rotation the one with x ≥ 0 is taken, so that a hand that points down reads (π, 0, 0)
    /// and never jumps to its antipode, as in LIBERO's data.
    AxisAngle,
    /// Tool rotation as fixed-axis roll, pitch, yaw.
    Euler,
    /// Tool rotation, w x y z.
    Wxyz,
    /// Tool rotation, x y z w.
    Xyzw,
    /// Arm joints, exactly this many when given.
    Joints(Option<usize>),
    /// Arm joint velocities.
    Velocities,
    /// 0 closed, 1 open.
    Opening,
    /// 0 open, 1 closed.
    Closing,
    /// Both fingers, metres from the middle, +q and −q; this much when open.
    Fingers(f64),
    /// That many zeros.
    Zeros(usize),
}

/// A vector under a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// Key.
    pub key: &'static str,
    /// F32 or F64.
    pub dtype: Dtype,
    /// What it holds, in order.
    pub parts: Vec<Part>,
}

/// Which pictures are sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Pictures {
    /// Every camera of the rig, under prefix, its name and suffix.
    All(&'static str, &'static str),
    /// These keys, each from the first camera there is among the candidates.
    Keyed(Vec<(String, Vec<&'static str>)>),
}

/// How many actions of a chunk are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execute {
    /// All that come.
    All,
    /// The first so many, or fewer if fewer come.
    UpTo(usize),
    /// The first so many; fewer is a fault. What a user asks for.
    Exactly(usize),
}

/// An observation dictionary and what comes back for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// How array keys are written.
    pub keys: Keys,
    /// Pictures are in a map under this key, or at the top.
    pub group: Option<&'static str>,
    /// Which.
    pub pictures: Pictures,
    /// How they are made ready.
    pub prepare: Prepare,
    /// Vectors.
    pub vectors: Vec<Vector>,
    /// What the state is called in conventions.
    pub state: StateLayout,
    /// Where the instruction goes.
    pub prompt: &'static str,
    /// Whether step, task and seed go along.
    pub extras: bool,
    /// What the server's actions are; `None` is whatever the environment takes.
    pub action: Option<ActionConvention>,
    /// How many are executed when the user does not say.
    pub execute: Execute,
    /// Cameras the user chose for a key; `None` sends black.
    pub chosen: Vec<(String, Option<String>)>,
}

const OUTSIDE: [&str; 4] = ["agentview", "front", "top", "left"];
const WRIST: [&str; 3] = ["wrist", "eye_in_hand", "hand"];
const SQUARE: Option<[usize; 2]> = Some([224, 224]);

fn keyed(pairs: &[(&str, &[&'static str])]) -> Pictures {
    Pictures::Keyed(pairs.iter().map(|(k, c)| ((*k).to_owned(), c.to_vec())).collect())
}

fn vector(key: &'static str, dtype: Dtype, parts: &[Part]) -> Vector {
    Vector { key, dtype, parts: parts.to_vec() }
}

impl Layout {
    /// What a dialect and preset send, with the user's changes.
    pub fn of(spec: &RemoteSpec) -> Self {
        let mut layout = match (spec.dialect, spec.preset) {
            (DialectName::VlaEval, preset) => Self::vla_eval(preset),
            (DialectName::RoboArena, _) => Self::roboarena(),
            (DialectName::Behavior, _) => Self::behavior(),
            (DialectName::OpenPi, PresetName::Longarm) => Self::longarm(),
            (DialectName::OpenPi, PresetName::Libero) => Self::libero(),
            (DialectName::OpenPi, PresetName::Droid) => Self::droid(),
            (DialectName::OpenPi, PresetName::Aloha) => Self::aloha(),
        };
        if let Some(size) = spec.size {
            layout.prepare.size = size;
        }
        if let Some(flip) = spec.flip {
            layout.prepare.flip = flip;
        }
        layout.chosen.clone_from(&spec.cameras);
        layout.action = spec.action.apply(layout.action);
        if let Some(k) = spec.execute {
            layout.execute = k;
        }
        layout
    }

    /// Ours: everything, as it is.
    fn longarm() -> Self {
        Self {
            keys: Keys::Bin,
            group: None,
            pictures: Pictures::All("observation/image/", ""),
            prepare: Prepare::default(),
            vectors: vec![
                vector("observation/joint_position", Dtype::F64, &[Part::Joints(None)]),
                vector("observation/joint_velocity", Dtype::F64, &[Part::Velocities]),
                vector("observation/tool_pose", Dtype::F64, &[Part::Position, Part::Wxyz]),
                vector("observation/gripper_opening", Dtype::F64, &[Part::Opening]),
            ],
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
    fn libero() -> Self {
        Self {
            pictures: keyed(&[
                ("observation/image", &OUTSIDE),
                ("observation/wrist_image", &WRIST),
            ]),
            prepare: Prepare { size: SQUARE, flip: Flip::Horizontal, layout: ImageLayout::Hwc },
            vectors: vec![vector(
                "observation/state",
                Dtype::F64,
                &[Part::LiberoPosition, Part::AxisAngle, Part::Fingers(0.04)],
            )],
            state: StateLayout::PosAxisAngleFingers,
            extras: false,
            action: Some(ActionConvention::EE_DELTA),
            execute: Execute::UpTo(5),
            ..Self::longarm()
        }
    }

    /// openpi's `examples/droid`.
    fn droid() -> Self {
        Self {
            pictures: keyed(&[
                ("observation/exterior_image_1_left", &OUTSIDE),
                ("observation/wrist_image_left", &WRIST),
            ]),
            prepare: Prepare { size: SQUARE, ..Prepare::default() },
            vectors: vec![
                vector("observation/joint_position", Dtype::F64, &[Part::Joints(Some(7))]),
                vector("observation/gripper_position", Dtype::F64, &[Part::Closing]),
            ],
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

    /// openpi's `examples/aloha_sim`. One arm is sent as the left; the right reads zero.
    fn aloha() -> Self {
        Self {
            group: Some("images"),
            pictures: keyed(&[
                ("cam_high", &["top", "front", "agentview"]),
                ("cam_left_wrist", &WRIST),
            ]),
            prepare: Prepare { size: SQUARE, layout: ImageLayout::Chw, flip: Flip::None },
            vectors: vec![vector(
                "state",
                Dtype::F64,
                &[Part::Joints(Some(6)), Part::Opening, Part::Zeros(7)],
            )],
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
    fn vla_eval(preset: PresetName) -> Self {
        let libero = preset == PresetName::Libero;
        let base = Self::libero();
        Self {
            keys: Keys::Str,
            group: Some("images"),
            pictures: if libero {
                keyed(&[("agentview", &OUTSIDE), ("wrist", &WRIST)])
            } else {
                Pictures::All("", "")
            },
            prepare: if libero {
                Prepare { size: Some([256, 256]), ..base.prepare }
            } else {
                Prepare::default()
            },
            vectors: vec![Vector { key: "states", dtype: Dtype::F32, ..base.vectors[0].clone() }],
            prompt: "task_description",
            action: libero.then_some(ActionConvention::EE_DELTA),
            execute: Execute::All,
            ..base
        }
    }

    /// RoboArena's; what the server asks for at the handshake is filled in by its dialect.
    fn roboarena() -> Self {
        Self {
            pictures: Pictures::Keyed(Vec::new()),
            vectors: vec![
                vector("observation/joint_position", Dtype::F32, &[Part::Joints(Some(7))]),
                vector(
                    "observation/cartesian_position",
                    Dtype::F32,
                    &[Part::Position, Part::Euler],
                ),
                vector("observation/gripper_position", Dtype::F32, &[Part::Closing]),
            ],
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
    fn behavior() -> Self {
        let own = [Part::Joints(None), Part::Velocities, Part::Position, Part::Wxyz, Part::Opening];
        Self {
            pictures: Pictures::All("robot::robot:", ":Camera:0::rgb"),
            vectors: vec![vector("robot::proprio", Dtype::F32, &own)],
            extras: false,
            ..Self::longarm()
        }
    }

    /// The outside cameras in order of preference, and the wrist's.
    pub fn candidates() -> (&'static [&'static str], &'static [&'static str]) {
        (&OUTSIDE, &WRIST)
    }

    /// What is compared at the handshake.
    pub fn observation(&self) -> ObservationConvention {
        let cameras = match &self.pictures {
            Pictures::All(..) => Vec::new(),
            Pictures::Keyed(keys) => keys.iter().map(|(k, _)| k.clone()).collect(),
        };
        ObservationConvention { image: self.prepare.layout, state: self.state, cameras }
    }
}

/// Writes observations by a layout.
#[derive(Debug)]
pub struct Encoder {
    /// The layout.
    pub layout: Layout,
    resizer: Resizer,
    numbers: Vec<f64>,
}

impl Encoder {
    /// For this layout.
    pub fn new(layout: Layout) -> Self {
        Self { layout, resizer: Resizer::default(), numbers: Vec::new() }
    }

    /// How many entries [`Encoder::write`] makes.
    pub fn entries(&self, observation: &Observation) -> usize {
        let pictures = match (&self.layout.group, &self.layout.pictures) {
            (Some(_), _) => 1,
            (None, Pictures::All(..)) => observation.cameras.len(),
            (None, Pictures::Keyed(keys)) => keys.len(),
        };
        pictures + self.layout.vectors.len() + 1 + if self.layout.extras { 3 } else { 0 }
    }

    /// Writes the keys and values of an observation; the head of the map is the caller's.
    pub fn write(
        &mut self,
        pack: &mut Pack,
        observation: &Observation,
        episode: &EpisodeInfo,
    ) -> Result<(), String> {
        let Self { layout, resizer, numbers } = self;
        if let Some(group) = layout.group {
            pack.str(group);
            pack.map(match &layout.pictures {
                Pictures::All(..) => observation.cameras.len(),
                Pictures::Keyed(keys) => keys.len(),
            });
        }
        match &layout.pictures {
            Pictures::All(prefix, suffix) => {
                for camera in &observation.cameras {
                    pack.str(&format!("{prefix}{}{suffix}", camera.name));
                    image::write(pack, layout.keys, Some(camera), &layout.prepare, resizer)?;
                }
            }
            Pictures::Keyed(keys) => {
                for (key, candidates) in keys {
                    let camera = choose(key, candidates, &layout.chosen, &observation.cameras)?;
                    pack.str(key);
                    image::write(pack, layout.keys, camera, &layout.prepare, resizer)?;
                }
            }
        }
        for v in &layout.vectors {
            numbers.clear();
            for part in &v.parts {
                part.append(observation, numbers)?;
            }
            pack.str(v.key);
            match v.dtype {
                Dtype::F32 => layout.keys.f32(pack, numbers, &[numbers.len()]),
                _ => layout.keys.f64(pack, numbers, &[numbers.len()]),
            }
        }
        pack.str(layout.prompt);
        pack.str(&observation.instruction);
        if layout.extras {
            pack.str("step");
            pack.uint(u64::from(observation.step));
            pack.str("task");
            pack.str(episode.task.as_str());
            pack.str("policy_seed");
            pack.uint(episode.policy_seed.0);
        }
        Ok(())
    }
}

/// The camera for a key: the user's choice, else the first candidate there is.
fn choose<'a>(
    key: &str,
    candidates: &[&str],
    chosen: &[(String, Option<String>)],
    cameras: &'a [CameraImage],
) -> Result<Option<&'a CameraImage>, String> {
    let named = |name: &str| cameras.iter().find(|c| c.name == name);
    let found = match chosen.iter().find(|(k, _)| k == key) {
        Some((_, None)) => return Ok(None),
        Some((_, Some(name))) => named(name),
        None => candidates.iter().find_map(|c| named(c)),
    };
    found.map(Some).ok_or_else(|| {
        let there: Vec<_> = cameras.iter().map(|c| c.name.as_str()).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        format!(
            "no camera of this robot fits {key:?} (cameras: {there}); choose one with \
             camera.{key}=NAME, or none for black"
        )
    })
}

impl Part {
    /// Adds its numbers; what does not fit otherwise.
    pub fn append(self, observation: &Observation, out: &mut Vec<f64>) -> Result<(), String> {
        let own = &observation.proprioception;
        match self {
            Self::Position => out.extend(own.tool.pos.to_array()),
            Self::LiberoPosition => {
                let site = own.tool.pos - own.tool.rot * DVec3::Z * GRIP_SITE;
                out.extend((site + DVec3::from(observation.libero_origin)).to_array());
            }
            Self::AxisAngle => out.extend(axis_angle(own.tool.rot)),
            Self::Euler => out.extend(euler(own.tool.rot)),
            Self::Wxyz => out.extend(own.tool.wxyz()),
            Self::Xyzw => out.extend(own.tool.rot.to_array()),
            Self::Joints(Some(n)) if n != own.joints.len() => {
                return Err(format!(
                    "the server wants {n} joints and this robot has {}",
                    own.joints.len()
                ));
            }
            Self::Joints(_) => out.extend(&own.joints),
            Self::Velocities => out.extend(&own.velocities),
            Self::Opening => out.push(own.opening),
            Self::Closing => out.push(1.0 - own.opening),
            Self::Fingers(open) => out.extend([own.opening * open, -own.opening * open]),
            Self::Zeros(n) => out.resize(out.len() + n, 0.0),
        }
        Ok(())
    }
}

fn axis_angle(q: DQuat) -> [f64; 3] {
    let q = if q.x < 0.0 { -q } else { q };
    let w = q.w.clamp(-1.0, 1.0);
    let sine = sqrt(1.0 - w * w);
    if sine < 1e-9 {
        return [0.0; 3];
    }
    let scale = 2.0 * acos(w) / sine;
    [q.x * scale, q.y * scale, q.z * scale]
}

/// Roll, pitch, yaw about fixed axes.
fn euler(q: DQuat) -> [f64; 3] {
    let DQuat { x, y, z, w } = q;
    [
        libm::atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        libm::asin((2.0 * (w * y - z * x)).clamp(-1.0, 1.0)),
        libm::atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    ]
}
