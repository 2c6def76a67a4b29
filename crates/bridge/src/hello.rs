//! What an arm is.

use longarm_types::{
    ActionConvention, ActionForm, ActionFrame, ActionSpec, ActionUnits, Channel, ChannelKind,
    GripperSense, ObservationSpec, ObservedCamera, ObservedLimb, PictureKind, Pose, RotationFormat,
    ToolScale,
};
use serde::{Deserialize, Serialize};

use crate::{PROTOCOL, Stopped, VERSION};

/// A limb of the robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BridgeLimb {
    /// Name.
    pub name: String,
    /// Joints of the arm, without the gripper.
    pub joints: usize,
    /// Least and greatest position of each joint, radians; wanted where joints are commanded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<[f64; 2]>,
    /// Where its base stands in the world: x, y, z, then the quaternion w, x, y, z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<[f64; 7]>,
    /// Metres that each finger of its gripper moves, where it has one that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finger_travel: Option<f64>,
}

/// A camera.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BridgeCamera {
    /// Name.
    pub name: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
}

/// What actions mean, in the words of the handshake of policy servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spoken {
    /// `ee-delta`, `joint-position` or `joint-delta`.
    pub form: String,
    /// `world`.
    #[serde(default = "world")]
    pub frame: String,
    /// `axis-angle`, or `none` where joints are commanded.
    #[serde(default = "none")]
    pub rotation: String,
    /// `close-positive`, or `none` where there is no gripper.
    pub gripper: String,
    /// `normalized` deltas, or `metric` joint positions.
    pub units: String,
    /// Metres and radians per step that ±1 of a delta stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<[f64; 2]>,
    /// How many numbers.
    pub dims: usize,
}

fn world() -> String {
    ActionFrame::World.name().to_owned()
}

fn none() -> String {
    RotationFormat::None.name().to_owned()
}

/// What a bridge says first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: String,
    /// [`VERSION`].
    pub version: u32,
    /// What the bridge is called.
    pub name: String,
    /// What the robot is called.
    pub robot: String,
    /// Control steps per second.
    pub rate: f64,
    /// Milliseconds of silence after which it halts.
    pub watchdog_ms: u64,
    /// What actions mean.
    pub action: Spoken,
    /// Limbs, in the order of their numbers.
    pub limbs: Vec<BridgeLimb>,
    /// Cameras.
    #[serde(default)]
    pub cameras: Vec<BridgeCamera>,
    /// Tasks it can begin; any where it does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// Control steps of the episode under way.
    #[serde(default)]
    pub step: u64,
    /// The episode under way: its task and seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<(String, u64)>,
    /// What halted the arm last, where it stands halted in an episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted: Option<Stopped>,
}

impl Hello {
    /// Describe an arm that takes and shows what a specification says; what version 1 has no words for is
    /// refused.
    pub fn of(action: &ActionSpec, seen: &ObservationSpec) -> Result<Self, String> {
        let convention = action.convention();
        let scale = action.tool_scale();
        let limits = |limb: &str| {
            let own = |c: &&Channel| {
                c.kind == ChannelKind::JointTarget && c.limb.as_deref() == Some(limb)
            };
            let values = action.channels.iter().filter(own).flat_map(|c| &c.values);
            values.map(|v| [v.low, v.high]).collect()
        };
        let limbs = seen.limbs.iter().map(|l| {
            let (p, q) = (l.base.pos.to_array(), l.base.wxyz());
            BridgeLimb {
                name: l.name.clone(),
                joints: l.joints,
                limits: limits(&l.name),
                base: Some([p[0], p[1], p[2], q[0], q[1], q[2], q[3]]),
                finger_travel: l.finger_travel,
            }
        });
        let cameras = seen.cameras.iter().filter(|c| c.pictures.contains(&PictureKind::Colour));
        let out = Self {
            protocol: PROTOCOL.into(),
            version: VERSION,
            name: String::new(),
            robot: String::new(),
            rate: f64::from(action.rate()),
            watchdog_ms: 500,
            action: Spoken {
                form: convention.form.name().into(),
                frame: convention.frame.name().into(),
                rotation: convention.rotation.name().into(),
                gripper: convention.gripper.name().into(),
                units: convention.units.name().into(),
                scale: Some([scale.metres, scale.radians]),
                dims: convention.dims,
            },
            limbs: limbs.collect(),
            cameras: cameras
                .map(|c| BridgeCamera { name: c.name.clone(), width: c.width, height: c.height })
                .collect(),
            tasks: Vec::new(),
            step: 0,
            episode: None,
            halted: None,
        };
        let plain = seen.limbs.iter().all(|l| l.hand_joints == 0 && !l.rides);
        if !plain {
            return Err(
                "version 1 of the bridge's protocol has no words for hands and bases".into()
            );
        }
        match out.action_spec() {
            Ok(spec) if kinds(&spec) == kinds(action) => Ok(out),
            _ => Err(format!(
                "version 1 of the bridge's protocol has no words for actions as {}",
                convention.form.name()
            )),
        }
    }

    /// Whether it can be talked to; otherwise why not, with what to do.
    pub fn check(&self) -> Result<(), String> {
        if (self.protocol.as_str(), self.version) != (PROTOCOL, VERSION) {
            return Err(format!(
                "the bridge speaks {} version {}, this console {PROTOCOL} version {VERSION}",
                self.protocol, self.version
            ));
        }
        if !(self.rate > 0.0 && self.rate <= 1000.0) {
            return Err(format!(
                "the bridge's rate is {}: say control steps per second",
                self.rate
            ));
        }
        if !(50..=10_000).contains(&self.watchdog_ms) {
            return Err(format!(
                "the bridge's watchdog_ms is {}: say 50 to 10000 milliseconds",
                self.watchdog_ms
            ));
        }
        self.action_spec().map(drop)
    }

    /// What its actions are.
    pub fn action_spec(&self) -> Result<ActionSpec, String> {
        let a = &self.action;
        let form = word("form", &a.form, ActionForm::parse)?;
        let gripper = word("gripper", &a.gripper, GripperSense::parse)?;
        let scale = match a.scale {
            None => ToolScale::DEFAULT,
            Some([metres, radians]) => ToolScale { metres, radians },
        };
        let mut channels = Vec::new();
        for limb in &self.limbs {
            channels.push(match form {
                ActionForm::EeDelta => Channel::tool_delta(&limb.name, scale),
                ActionForm::JointPosition if limb.limits.len() == limb.joints => {
                    let rest = |[low, high]: [f64; 2]| [low, high, 0.0f64.clamp(low, high)];
                    if limb.limits.iter().any(|[low, high]| low.partial_cmp(high).is_none_or(|o| o.is_gt())) {
                        return Err(format!("limits of {} are not pairs of least and greatest", limb.name));
                    }
                    Channel::joint_target(&limb.name, limb.limits.iter().copied().map(rest))
                }
                ActionForm::JointPosition => {
                    return Err(format!(
                        "{} has {} joints and {} limits: a joint that is commanded needs its limits",
                        limb.name,
                        limb.joints,
                        limb.limits.len()
                    ));
                }
                ActionForm::JointDelta => Channel::joint_delta(&limb.name, limb.joints, scale.radians),
                other => {
                    return Err(format!(
                        "action form {} is not driven over a bridge; ee-delta, joint-position and joint-delta are",
                        other.name()
                    ));
                }
            });
            if gripper != GripperSense::None {
                channels.push(Channel::gripper(&limb.name));
            }
        }
        if channels.iter().map(Channel::len).sum::<usize>() > longarm_types::MAX_ACTION {
            return Err("the bridge has more numbers in an action than any robot here".into());
        }
        let spec = ActionSpec::new(channels);
        let stated = ActionConvention {
            form,
            frame: word("frame", &a.frame, ActionFrame::parse)?,
            rotation: word("rotation", &a.rotation, RotationFormat::parse)?,
            gripper,
            units: word("units", &a.units, ActionUnits::parse)?,
            dims: a.dims,
        };
        let ours = spec.convention();
        let pairs = [
            ("frame", stated.frame.name(), ours.frame.name()),
            ("rotation", stated.rotation.name(), ours.rotation.name()),
            ("gripper", stated.gripper.name(), ours.gripper.name()),
            ("units", stated.units.name(), ours.units.name()),
        ];
        if let Some((what, theirs, wanted)) = pairs.into_iter().find(|(_, a, b)| a != b) {
            return Err(format!(
                "the bridge's action {what} is {theirs}; {} over a bridge has {wanted}: convert in the bridge",
                form.name()
            ));
        }
        if stated.dims != ours.dims {
            return Err(format!(
                "the bridge says dims {}, its limbs give {}",
                stated.dims, ours.dims
            ));
        }
        Ok(spec)
    }

    /// What is observed of it.
    pub fn observation_spec(&self) -> ObservationSpec {
        let limb = |l: &BridgeLimb| ObservedLimb {
            name: l.name.clone(),
            joints: l.joints,
            base: l.base.map_or(Pose::IDENTITY, |[x, y, z, qw, qx, qy, qz]| {
                Pose::from_arrays([x, y, z], [qw, qx, qy, qz])
            }),
            finger_travel: l.finger_travel,
            hand_joints: 0,
            rides: false,
        };
        let camera = |c: &BridgeCamera| ObservedCamera {
            name: c.name.clone(),
            width: c.width,
            height: c.height,
            pictures: vec![PictureKind::Colour],
        };
        ObservationSpec {
            limbs: self.limbs.iter().map(limb).collect(),
            cameras: self.cameras.iter().map(camera).collect(),
            ..ObservationSpec::default()
        }
    }
}

fn word<T>(what: &str, said: &str, parse: fn(&str) -> Option<T>) -> Result<T, String> {
    parse(said).ok_or_else(|| format!("the bridge's action {what} {said:?} means nothing here"))
}

fn kinds(spec: &ActionSpec) -> Vec<(Option<&str>, ChannelKind, usize)> {
    spec.channels.iter().map(|c| (c.limb.as_deref(), c.kind, c.len())).collect()
}
