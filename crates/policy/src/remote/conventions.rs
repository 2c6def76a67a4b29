//! What numbers and pictures mean, so that two sides can find out that they disagree.
//!
//! An inverted gripper or Euler angles taken for an axis-angle score zero without a word. A server
//! that says what it speaks is compared with what we were told to speak, and refused when the two
//! differ; one that says nothing is believed, and that is noted.

use longarm_types::{ActionKind, ActionSpec};

use super::{
    msgpack::View,
    numpy::{clip, scalar},
};

/// An enum whose variants have names: the first is ours, the rest are what others write.
macro_rules! named {
    ($(#[$m:meta])* $name:ident { $($(#[$v:meta])* $variant:ident = $own:literal $(| $other:literal)*,)+ }) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$v])* $variant,)+ }

        impl $name {
            /// All names of ours.
            pub const NAMES: &[&str] = &[$($own),+];

            /// Our name for it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $own,)+ }
            }

            /// By our name or by a name others use.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($own $(| $other)* => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

named! {
    /// What an action moves.
    Form {
        /// Changes of the end-effector pose.
        EeDelta = "ee-delta" | "ee_delta" | "delta_xyz" | "cartesian_velocity",
        /// Poses of the end effector.
        EePose = "ee-pose" | "ee_pose" | "absolute_xyz" | "cartesian_position",
        /// Joint positions.
        JointPosition = "joint-position" | "joint_position" | "joint_positions",
        /// Joint velocities.
        JointVelocity = "joint-velocity" | "joint_velocity",
        /// A pick pose, then a place pose.
        PickPlace = "pick-place" | "pick_place",
    }
}

named! {
    /// The frame that directions of an action are in.
    Frame {
        /// The world's, z up.
        World = "world",
        /// The robot base's; the same directions as the world's for an upright, unturned base.
        Base = "base" | "robot-base" | "robot_base",
        /// The tool's own.
        Tool = "tool" | "ee" | "gripper" | "hand",
    }
}

named! {
    /// How a rotation is written.
    Rotation {
        /// Unit axis times angle.
        AxisAngle = "axis-angle" | "axis_angle" | "rotvec",
        /// Roll, pitch, yaw about the fixed x, y, z axes, in that order.
        EulerXyz = "euler-xyz" | "euler_xyz",
        /// Quaternion, x y z w.
        QuaternionXyzw = "quaternion-xyzw" | "quaternion_xyzw",
        /// Quaternion, w x y z.
        QuaternionWxyz = "quaternion-wxyz" | "quaternion_wxyz",
        /// Two columns of the rotation matrix.
        Rot6d = "rot6d" | "rot6d_interleaved",
        /// There is none.
        None = "none",
    }
}

named! {
    /// What the gripper's number means.
    Gripper {
        /// −1 opens, +1 closes: LIBERO, and ours.
        ClosePositive = "close-positive" | "binary_close_positive",
        /// +1 opens, −1 closes.
        CloseNegative = "close-negative" | "binary_close_negative",
        /// 0 open, 1 closed: DROID.
        Close01 = "close-01" | "binary_close_01",
        /// 0 closed, 1 open: ALOHA.
        Open01 = "open-01" | "binary_open_01",
        /// There is none.
        None = "none",
    }
}

impl Gripper {
    /// The same command as −1 open, +1 closed.
    pub fn to_close_positive(self, g: f64) -> f64 {
        match self {
            Self::ClosePositive | Self::None => g,
            Self::CloseNegative => -g,
            Self::Close01 => 2.0 * g - 1.0,
            Self::Open01 => 1.0 - 2.0 * g,
        }
    }
}

named! {
    /// The scale of an end-effector delta.
    Units {
        /// ±1 is ±0.05 m and ±0.5 rad per step: LIBERO, and ours.
        Normalized = "normalized",
        /// Metres and radians per step.
        Metric = "metric" | "metres-radians" | "meters-radians",
        /// ±1 is ±0.075 m and ±0.15 rad per step: DROID's Cartesian velocity.
        Droid = "droid",
    }
}

impl Units {
    /// Factors from these units to ours, for positions and rotations.
    pub fn to_normalized(self) -> (f64, f64) {
        let per = |p: f64, r: f64| (p / ActionSpec::POSITION_SCALE, r / ActionSpec::ROTATION_SCALE);
        match self {
            Self::Normalized => (1.0, 1.0),
            Self::Metric => per(1.0, 1.0),
            Self::Droid => per(0.075, 0.15),
        }
    }
}

named! {
    /// Order of a picture's axes.
    #[derive(Default)]
    ImageLayout {
        /// Rows, columns, channels.
        #[default]
        Hwc = "rgb-hwc-u8" | "rgb_hwc_uint8",
        /// Channels, rows, columns.
        Chw = "rgb-chw-u8" | "rgb_chw_uint8",
    }
}

named! {
    /// What the state vector holds.
    StateLayout {
        /// Position, axis-angle, both fingers.
        PosAxisAngleFingers = "pos3-axisangle3-gripper2" | "eef_pos3_axisangle3_gripper2",
        /// Position, quaternion, opening.
        PosQuatGripper = "pos3-quat4-gripper1" | "eef_pos3_quat4_gripper1",
        /// Position, Euler angles, both fingers.
        PosEulerFingers = "pos3-euler3-gripper2" | "eef_pos3_euler3_gripper2",
        /// Joint positions and gripper.
        Joints = "joint-positions" | "joint_positions",
        /// Every part under a key of its own.
        Parts = "parts",
    }
}

/// Everything that must agree about actions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionConvention {
    /// What moves.
    pub form: Form,
    /// In which frame.
    pub frame: Frame,
    /// How rotations are written.
    pub rotation: Rotation,
    /// What the gripper's number means.
    pub gripper: Gripper,
    /// Scale.
    pub units: Units,
    /// How many numbers.
    pub dims: usize,
}

impl ActionConvention {
    /// End-effector deltas as LIBERO has them, which are ours.
    pub const EE_DELTA: Self = Self {
        form: Form::EeDelta,
        frame: Frame::World,
        rotation: Rotation::AxisAngle,
        gripper: Gripper::ClosePositive,
        units: Units::Normalized,
        dims: 7,
    };

    /// What an environment takes.
    pub fn native(spec: ActionSpec) -> Self {
        match spec.kind {
            ActionKind::EeDelta => Self { dims: spec.dim, ..Self::EE_DELTA },
            ActionKind::PickPlace => Self {
                form: Form::PickPlace,
                frame: Frame::World,
                rotation: Rotation::QuaternionWxyz,
                gripper: Gripper::None,
                units: Units::Metric,
                dims: spec.dim,
            },
        }
    }

    /// Whether actions of this convention can be turned into what an environment takes; if not, why.
    pub fn fits(&self, spec: ActionSpec) -> Result<(), String> {
        let native = Self::native(spec);
        if (self.form, self.dims) != (native.form, native.dims) {
            return Err(format!(
                "the policy answers with {} actions of {} numbers and the environment takes {} \
                 actions of {}",
                self.form.name(),
                self.dims,
                native.form.name(),
                native.dims
            ));
        }
        if self.form == Form::PickPlace {
            let differs = self.rotation != native.rotation || self.frame != native.frame;
            return if differs {
                Err("pick-and-place poses are taken in the world frame with w-x-y-z quaternions only"
                    .to_owned())
            } else {
                Ok(())
            };
        }
        if self.frame == Frame::Tool {
            return Err(
                "deltas in the tool's frame cannot be executed open loop; the environment \
                        takes them in the world's frame"
                    .to_owned(),
            );
        }
        match self.rotation {
            Rotation::AxisAngle | Rotation::EulerXyz => Ok(()),
            r => Err(format!("rotations as {} do not fit in {} numbers", r.name(), self.dims)),
        }
    }
}

/// Everything that must agree about observations.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationConvention {
    /// Order of a picture's axes.
    pub image: ImageLayout,
    /// What the state vector holds.
    pub state: StateLayout,
    /// Names of the pictures, as the server sees them.
    pub cameras: Vec<String>,
}

/// One thing two sides disagree about.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What.
    pub what: String,
    /// What the server says.
    pub server: String,
    /// What we were told to speak.
    pub ours: String,
}

/// What a server says of itself at the handshake; `None` is silence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stated {
    form: Option<Result<Form, String>>,
    frame: Option<Result<Frame, String>>,
    rotation: Option<Result<Rotation, String>>,
    gripper: Option<Result<Gripper, String>>,
    units: Option<Result<Units, String>>,
    dims: Option<usize>,
    image: Option<Result<ImageLayout, String>>,
    state: Option<Vec<Result<StateLayout, String>>>,
    cameras: Option<Vec<String>>,
}

fn stated<T>(value: Option<View<'_>>, parse: fn(&str) -> Option<T>) -> Option<Result<T, String>> {
    let text = value?.as_str()?;
    // vla-eval's word for "no convention enforced".
    (text != "raw").then(|| parse(text).ok_or_else(|| clip(text)))
}

impl Stated {
    /// Reads `conventions: {action: {form, frame, rotation, gripper, units, dims}, observation:
    /// {image, state, cameras}}` (ours) and `action_spec`, `observation_spec` (vla-eval's) from what
    /// a server sends first.
    pub fn read(metadata: &View<'_>) -> Self {
        let mut out = Self::default();
        if let Some(ours) = metadata.get("conventions") {
            let action = |key: &str| ours.get("action")?.get(key);
            let observation = |key: &str| ours.get("observation")?.get(key);
            out.form = stated(action("form"), Form::parse);
            out.frame = stated(action("frame"), Frame::parse);
            out.rotation = stated(action("rotation"), Rotation::parse);
            out.gripper = stated(action("gripper"), Gripper::parse);
            out.units = stated(action("units"), Units::parse);
            out.dims = action("dims").and_then(|v| scalar(&v)).map(|d| d as usize);
            out.image = stated(observation("image"), ImageLayout::parse);
            out.state = stated(observation("state"), StateLayout::parse).map(|s| vec![s]);
            out.cameras = observation("cameras")
                .and_then(|v| v.items())
                .map(|v| v.take(64).filter_map(|c| c.as_str().map(clip)).collect());
        }
        if let Some(spec) = metadata.get("action_spec") {
            out.read_action_spec(&spec);
        }
        if let Some(spec) = metadata.get("observation_spec") {
            out.read_observation_spec(&spec);
        }
        out
    }

    /// Takes an action space by one of its names, as RoboArena states it.
    pub fn form(&mut self, name: &str) {
        self.form = Some(Form::parse(name).ok_or_else(|| clip(name)));
    }

    fn read_action_spec(&mut self, spec: &View<'_>) {
        let format = |key: &str| spec.get(key)?.get("format");
        self.form = stated(format("position"), Form::parse);
        self.rotation = stated(format("rotation"), Rotation::parse);
        self.gripper = stated(format("gripper"), Gripper::parse);
        let dims: Option<Vec<f64>> = spec
            .pairs()
            .map(|p| p.take(64).map(|(_, v)| v.get("dims").and_then(|d| scalar(&d))).collect())
            .unwrap_or_default();
        // A part of unknown length (0) leaves the sum unknown.
        self.dims = dims
            .filter(|d| !d.is_empty() && d.iter().all(|&n| (1.0..1e6).contains(&n)))
            .map(|d| d.iter().sum::<f64>() as usize);
    }

    fn read_observation_spec(&mut self, spec: &View<'_>) {
        let mut cameras = Vec::new();
        for (key, part) in spec.pairs().into_iter().flatten().take(64) {
            let format = part.get("format").and_then(|f| f.as_str()).unwrap_or("raw");
            match key.as_str() {
                Some("state" | "states") => {
                    // A consumer may take several formats.
                    let accepted = part.get("accepts").and_then(|a| a.items());
                    let names: Vec<_> = match accepted {
                        Some(all) => all.take(64).filter_map(|f| f.as_str()).collect(),
                        None => vec![format],
                    };
                    if !names.contains(&"raw") {
                        let parse = |n: &str| StateLayout::parse(n).ok_or_else(|| clip(n));
                        self.state = Some(names.into_iter().map(parse).collect());
                    }
                }
                Some(name) if format != "raw" && format != "language" => {
                    cameras.push(clip(name));
                    self.image = Some(ImageLayout::parse(format).ok_or_else(|| clip(format)));
                }
                _ => {}
            }
        }
        if !cameras.is_empty() {
            self.cameras = Some(cameras);
        }
    }

    /// What the server says and we do not.
    pub fn differences(
        &self,
        action: Option<&ActionConvention>,
        observation: &ObservationConvention,
    ) -> Vec<Difference> {
        let mut out = Vec::new();
        let mut differ = |what: &str, server: String, ours: String| {
            out.push(Difference { what: what.to_owned(), server, ours });
        };
        macro_rules! compare {
            ($what:literal, $said:expr, $ours:expr) => {
                match &$said {
                    Some(Ok(s)) if *s != $ours => {
                        differ($what, s.name().to_owned(), $ours.name().to_owned());
                    }
                    Some(Err(unknown)) => {
                        differ($what, format!("{unknown:?}"), $ours.name().to_owned());
                    }
                    _ => {}
                }
            };
        }
        if let Some(ours) = action {
            compare!("action form", self.form, ours.form);
            compare!("action frame", self.frame, ours.frame);
            compare!("action rotation", self.rotation, ours.rotation);
            compare!("gripper", self.gripper, ours.gripper);
            compare!("action units", self.units, ours.units);
            if let Some(d) = self.dims.filter(|&d| d != ours.dims) {
                differ("numbers per action", d.to_string(), ours.dims.to_string());
            }
        }
        compare!("picture layout", self.image, observation.image);
        if let Some(taken) = &self.state
            && !taken.contains(&Ok(observation.state))
        {
            let names: Vec<_> = taken
                .iter()
                .map(|s| s.as_ref().map_or_else(Clone::clone, |s| s.name().to_owned()))
                .collect();
            differ("state", names.join(" or "), observation.state.name().to_owned());
        }
        // A preset that sends every camera under its own name learns the names later.
        if let Some(wanted) = &self.cameras
            && !observation.cameras.is_empty()
        {
            for camera in wanted.iter().filter(|c| !observation.cameras.contains(c)) {
                differ("picture", format!("wants {camera}"), observation.cameras.join(", "));
            }
        }
        out
    }

    /// What the server did not say, for the record.
    pub fn silence(&self) -> Vec<&'static str> {
        let said = [
            ("action form", self.form.is_some()),
            ("action frame", self.frame.is_some()),
            ("action rotation", self.rotation.is_some()),
            ("gripper", self.gripper.is_some()),
            ("action units", self.units.is_some()),
            ("numbers per action", self.dims.is_some()),
            ("picture layout", self.image.is_some()),
            ("state", self.state.is_some()),
        ];
        said.into_iter().filter(|(_, s)| !s).map(|(what, _)| what).collect()
    }
}
