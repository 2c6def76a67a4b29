//! How the numbers of an action are written by others, and what becomes of them here.

use super::{ActionSpec, Channel, ChannelKind, ToolScale};
use crate::{DQuat, rotation_vector};

named! {
    /// What an action moves.
    ActionForm {
        /// Changes of the end-effector pose.
        EeDelta = "ee-delta" | "ee_delta" | "delta_xyz" | "cartesian_velocity",
        /// Poses of the end effector.
        EePose = "ee-pose" | "ee_pose" | "absolute_xyz" | "cartesian_position",
        /// Joint positions.
        JointPosition = "joint-position" | "joint_position" | "joint_positions",
        /// Joint velocities.
        JointVelocity = "joint-velocity" | "joint_velocity",
        /// Changes of joint positions.
        JointDelta = "joint-delta" | "joint_delta" | "delta_joint_positions",
        /// Changes of a mobile base's pose.
        BaseDelta = "base-delta" | "base_delta",
        /// A pick pose, then a place pose.
        PickPlace = "pick-place" | "pick_place",
    }
}

named! {
    /// The frame that directions of an action are in.
    ActionFrame {
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
    RotationFormat {
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
    GripperSense {
        /// −1 opens, +1 closes: ours.
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

impl GripperSense {
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
    /// The scale of deltas.
    ActionUnits {
        /// ±1 is the environment's scale; ±0.05 m and ±0.5 rad per step by default.
        Normalized = "normalized",
        /// Metres and radians per step.
        Metric = "metric" | "metres-radians" | "meters-radians",
        /// ±1 is ±0.075 m and ±0.15 rad per step: DROID's Cartesian velocity.
        Droid = "droid",
    }
}

impl ActionUnits {
    /// Factors from these units to multiples of a scale, for positions and rotations.
    pub fn to_normalized(self, scale: ToolScale) -> (f64, f64) {
        let per = |p: f64, r: f64| (p / scale.metres, r / scale.radians);
        match self {
            Self::Normalized => (1.0, 1.0),
            Self::Metric => per(1.0, 1.0),
            Self::Droid => per(0.075, 0.15),
        }
    }
}

/// Everything that must agree about actions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionConvention {
    /// What moves.
    pub form: ActionForm,
    /// In which frame.
    pub frame: ActionFrame,
    /// How rotations are written.
    pub rotation: RotationFormat,
    /// What the gripper's number means.
    pub gripper: GripperSense,
    /// Scale.
    pub units: ActionUnits,
    /// How many numbers.
    pub dims: usize,
}

impl ActionConvention {
    /// End-effector deltas as our environments take them.
    pub const EE_DELTA: Self = Self {
        form: ActionForm::EeDelta,
        frame: ActionFrame::World,
        rotation: RotationFormat::AxisAngle,
        gripper: GripperSense::ClosePositive,
        units: ActionUnits::Normalized,
        dims: 7,
    };

    /// Whether actions of this convention can be turned into what an environment takes; if not, why.
    pub fn fits(&self, spec: &ActionSpec) -> Result<(), String> {
        let native = spec.convention();
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
        if self.form == ActionForm::PickPlace {
            let differs = self.rotation != native.rotation || self.frame != native.frame;
            return if differs {
                Err("pick-and-place poses are taken in the world frame with w-x-y-z quaternions only"
                    .to_owned())
            } else {
                Ok(())
            };
        }
        if self.frame == ActionFrame::Tool {
            return Err(
                "deltas in the tool's frame cannot be executed open loop; the environment \
                 takes them in the world's frame"
                    .to_owned(),
            );
        }
        match self.rotation {
            RotationFormat::AxisAngle | RotationFormat::EulerXyz => Ok(()),
            r if r == native.rotation => Ok(()),
            r => Err(format!("rotations as {} do not fit in {} numbers", r.name(), self.dims)),
        }
    }

    /// Turn the numbers of an action that [`fits`](Self::fits) into what the environment takes.
    pub fn convert(&self, spec: &ActionSpec, numbers: &mut [f64]) {
        for (channel, at) in spec.slices() {
            let Some(numbers) = numbers.get_mut(at) else { return };
            match channel.kind {
                ChannelKind::ToolDelta(scale) => self.convert_delta(scale, numbers),
                ChannelKind::BaseDelta(scale) => {
                    let (metres, radians) = self.units.to_normalized(scale);
                    let factors = [metres, metres, radians];
                    numbers.iter_mut().zip(factors).for_each(|(n, f)| *n *= f);
                }
                ChannelKind::JointDelta { radians } => {
                    let scale = ToolScale { metres: radians, radians };
                    let (_, factor) = self.units.to_normalized(scale);
                    numbers.iter_mut().for_each(|n| *n *= factor);
                }
                ChannelKind::Gripper => {
                    let sense = self.gripper;
                    numbers.iter_mut().for_each(|g| *g = sense.to_close_positive(*g));
                }
                ChannelKind::HandJoints | ChannelKind::JointTarget | ChannelKind::PickPlace => {}
            }
        }
    }

    fn convert_delta(&self, scale: ToolScale, numbers: &mut [f64]) {
        let [position @ .., rx, ry, rz] = numbers else { return };
        let (metres, radians) = self.units.to_normalized(scale);
        position.iter_mut().for_each(|p| *p *= metres);
        let mut turn = [*rx, *ry, *rz].map(|r| r * radians);
        if self.rotation == RotationFormat::EulerXyz {
            let [x, y, z] = turn.map(|r| r * scale.radians);
            let q =
                DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x);
            turn = (rotation_vector(q) / scale.radians).to_array();
        }
        [*rx, *ry, *rz] = turn;
    }
}

impl ActionSpec {
    /// How these actions are written on the wire when both sides speak our language.
    pub fn convention(&self) -> ActionConvention {
        let base = ActionConvention { dims: self.dim(), ..ActionConvention::EE_DELTA };
        let joints = ActionConvention { rotation: RotationFormat::None, ..base };
        let has = |kind: fn(&ChannelKind) -> bool| self.channels.iter().any(|c| kind(&c.kind));
        let gripper = match has(|k| *k == ChannelKind::Gripper) {
            true => GripperSense::ClosePositive,
            false => GripperSense::None,
        };
        // An arm's part gives the form its name; hands and bases ride along.
        let lead = |c: &&Channel| {
            !matches!(
                c.kind,
                ChannelKind::Gripper | ChannelKind::HandJoints | ChannelKind::BaseDelta(_)
            )
        };
        let lead = self.channels.iter().find(lead).or(self.channels.first()).map(|c| c.kind);
        let convention = match lead {
            None | Some(ChannelKind::ToolDelta(_) | ChannelKind::Gripper) => base,
            Some(ChannelKind::JointTarget | ChannelKind::HandJoints) => ActionConvention {
                form: ActionForm::JointPosition,
                units: ActionUnits::Metric,
                ..joints
            },
            Some(ChannelKind::JointDelta { .. }) => {
                ActionConvention { form: ActionForm::JointDelta, ..joints }
            }
            Some(ChannelKind::BaseDelta(_)) => {
                ActionConvention { form: ActionForm::BaseDelta, ..joints }
            }
            Some(ChannelKind::PickPlace) => ActionConvention {
                form: ActionForm::PickPlace,
                rotation: RotationFormat::QuaternionWxyz,
                units: ActionUnits::Metric,
                ..base
            },
        };
        ActionConvention { gripper, ..convention }
    }
}
