//! Pieces of state vectors: what they are made of, and how a format writes it.

use libm::{acos, sqrt};

use super::{Observation, ObservationSpec, ObservedLimb, Proprioception};
use crate::{DMat3, DQuat, DVec3, RotationFormat};

/// Where a format sees a tool: a point of the hand, told in a world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolSite {
    /// Name of the frame.
    pub frame: &'static str,
    /// Where our origin lies in it for rigs that do not say.
    pub origin: [f64; 3],
    /// How far the point lies behind our tool, metres.
    pub behind: f64,
}

/// The frame that a position is told in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PositionFrame {
    /// Our world.
    World,
    /// The base of the limb.
    Base,
    /// A format's own.
    Site(ToolSite),
}

/// How far apart fingers are told to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FingerRange {
    /// As they are; nothing for ends without fingers.
    Own,
    /// As they are; for ends without fingers as a share of this travel in metres, so that the vector keeps
    /// its length.
    OwnElse(f64),
}

/// A piece of a state vector. It is about one limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatePart {
    /// Tool position.
    Position(PositionFrame),
    /// Tool rotation in the world frame.
    ///
    /// Axis-angles are those of robosuite's `quat2axisangle`: the angle runs to 2π. Of the two quaternions
    /// of a rotation the one with x ≥ 0 is taken, so that a hand that points down reads (π, 0, 0) and never
    /// jumps to its antipode.
    Rotation(RotationFormat),
    /// Arm joints, exactly this many when given.
    Joints(Option<usize>),
    /// Arm joint velocities.
    Velocities,
    /// 0 closed, 1 open.
    Opening,
    /// 0 open, 1 closed.
    Closing,
    /// Both fingers, metres from the middle, +q and −q.
    Fingers(FingerRange),
    /// Joints of a hand's fingers; nothing for other ends.
    HandJoints,
    /// x, y and heading of the base that the limb stands on; nothing where it is bolted down.
    BasePose,
    /// Their rates.
    BaseVelocity,
}

impl StatePart {
    /// Tool position in the world frame.
    pub const POSITION: Self = Self::Position(PositionFrame::World);

    /// Names of its numbers.
    pub fn names(self, limb: &ObservedLimb) -> Vec<String> {
        let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        let count = |name: &str| (1..=limb.joints).map(|i| format!("{name}_{i}")).collect();
        let of_base = |names: &[&str]| if limb.rides { list(names) } else { Vec::new() };
        match self {
            Self::Position(_) => list(&["x", "y", "z"]),
            Self::Rotation(format) => list(match format {
                RotationFormat::AxisAngle => &["rx", "ry", "rz"],
                RotationFormat::EulerXyz => &["roll", "pitch", "yaw"],
                RotationFormat::QuaternionXyzw => &["qx", "qy", "qz", "qw"],
                RotationFormat::QuaternionWxyz => &["qw", "qx", "qy", "qz"],
                RotationFormat::Rot6d => &["r11", "r21", "r31", "r12", "r22", "r32"],
                RotationFormat::None => &[],
            }),
            Self::Joints(_) => count("joint"),
            Self::Velocities => count("velocity"),
            Self::Opening => list(&["opening"]),
            Self::Closing => list(&["closing"]),
            Self::Fingers(FingerRange::Own) if limb.finger_travel.is_none() => Vec::new(),
            Self::Fingers(_) => list(&["finger_left", "finger_right"]),
            Self::HandJoints => (1..=limb.hand_joints).map(|i| format!("hand_{i}")).collect(),
            Self::BasePose => of_base(&["base_x", "base_y", "base_yaw"]),
            Self::BaseVelocity => of_base(&["base_vx", "base_vy", "base_turn"]),
        }
    }

    /// What it is, with its unit, in words for a list of fields.
    pub fn text(self) -> &'static str {
        match self {
            Self::Position(PositionFrame::World) => "tool position in the world frame (m)",
            Self::Position(PositionFrame::Base) => {
                "tool position in the frame of the limb's base (m)"
            }
            Self::Position(PositionFrame::Site(_)) => {
                "tool position in the format's world frame (m)"
            }
            Self::Rotation(RotationFormat::AxisAngle) => "tool rotation as axis times angle (rad)",
            Self::Rotation(RotationFormat::EulerXyz) => "tool rotation as roll, pitch, yaw (rad)",
            Self::Rotation(RotationFormat::QuaternionXyzw) => "tool quaternion (x, y, z, w)",
            Self::Rotation(RotationFormat::QuaternionWxyz) => "tool quaternion (w, x, y, z)",
            Self::Rotation(RotationFormat::Rot6d) => {
                "first two columns of the tool's rotation matrix"
            }
            Self::Rotation(RotationFormat::None) => "",
            Self::Joints(_) => "positions of the arm's joints (rad)",
            Self::Velocities => "velocities of the arm's joints (rad/s)",
            Self::Opening => "gripper opening (0 closed, 1 open)",
            Self::Closing => "gripper closing (0 open, 1 closed)",
            Self::Fingers(_) => "both fingers' distances from the middle, +q and −q (m)",
            Self::HandJoints => "positions of the fingers' joints (rad)",
            Self::BasePose => "position (x, y; m) and heading (rad) of the base in the world frame",
            Self::BaseVelocity => "rates of the base's position (m/s) and heading (rad/s)",
        }
    }

    /// Refuse a limb that it cannot describe.
    pub fn fits(self, limb: &ObservedLimb) -> Result<(), String> {
        match self {
            Self::Joints(Some(n)) if n != limb.joints => Err(format!(
                "the format wants {n} joints and this robot has {} on its {}",
                limb.joints, limb.name
            )),
            _ => Ok(()),
        }
    }

    /// Whether there is anything of it to tell of a limb.
    pub(super) fn told(self, own: &Proprioception) -> bool {
        match self {
            Self::HandJoints => !own.hand.is_empty(),
            Self::BasePose | Self::BaseVelocity => own.base.is_some(),
            _ => true,
        }
    }

    /// Append its numbers for a limb.
    pub fn append(
        self,
        spec: &ObservationSpec,
        limb: usize,
        observation: &Observation,
        out: &mut Vec<f64>,
    ) -> Result<(), String> {
        let (Some(own), Some(limb)) = (observation.limbs.get(limb), spec.limbs.get(limb)) else {
            return Err(format!(
                "limb {limb} was not observed; there are {} of {}",
                observation.limbs.len(),
                spec.limbs.len()
            ));
        };
        match self {
            Self::Position(frame) => out.extend(position(frame, spec, limb, own)),
            Self::Rotation(format) => rotation(own.tool.rot, format, out),
            Self::Joints(_) => out.extend(&own.joints),
            Self::Velocities => out.extend(&own.velocities),
            Self::Opening => out.push(own.opening),
            Self::Closing => out.push(1.0 - own.opening),
            Self::Fingers(range) => {
                let travel = match range {
                    FingerRange::Own => limb.finger_travel,
                    FingerRange::OwnElse(travel) => limb.finger_travel.or(Some(travel)),
                };
                let told = || travel.map(|t| [own.opening * t, -own.opening * t]);
                let fingers = own.fingers.or_else(told);
                out.extend(fingers.into_iter().flatten());
            }
            Self::HandJoints => out.extend(&own.hand),
            Self::BasePose => out.extend(own.base.iter().flat_map(|b| b.pose)),
            Self::BaseVelocity => out.extend(own.base.iter().flat_map(|b| b.velocity)),
        }
        Ok(())
    }
}

fn position(
    frame: PositionFrame,
    spec: &ObservationSpec,
    limb: &ObservedLimb,
    own: &Proprioception,
) -> [f64; 3] {
    let at = match frame {
        PositionFrame::World => own.tool.pos,
        PositionFrame::Base => {
            let base = own.base.map_or(limb.base, |b| b.mount);
            base.rot.inverse() * (own.tool.pos - base.pos)
        }
        PositionFrame::Site(site) => {
            let point = own.tool.pos - own.tool.rot * DVec3::Z * site.behind;
            point + DVec3::from(spec.frame(site.frame).unwrap_or(site.origin))
        }
    };
    at.to_array()
}

/// Append a rotation.
fn rotation(q: DQuat, format: RotationFormat, out: &mut Vec<f64>) {
    match format {
        RotationFormat::AxisAngle => out.extend(axis_angle(q)),
        RotationFormat::EulerXyz => out.extend(euler(q)),
        RotationFormat::QuaternionXyzw => out.extend(q.to_array()),
        RotationFormat::QuaternionWxyz => out.extend([q.w, q.x, q.y, q.z]),
        RotationFormat::Rot6d => {
            let m = DMat3::from_quat(q);
            out.extend(m.x_axis.to_array());
            out.extend(m.y_axis.to_array());
        }
        RotationFormat::None => {}
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
