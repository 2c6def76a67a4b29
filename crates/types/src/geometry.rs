use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A rigid transform: rotate, then translate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Translation.
    pub pos: DVec3,
    /// Unit rotation.
    pub rot: DQuat,
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { pos: DVec3::ZERO, rot: DQuat::IDENTITY };

    /// A pose from its parts.
    pub const fn new(pos: DVec3, rot: DQuat) -> Self {
        Self { pos, rot }
    }

    /// An unrotated pose.
    pub const fn at(x: f64, y: f64, z: f64) -> Self {
        Self { pos: DVec3::new(x, y, z), rot: DQuat::IDENTITY }
    }

    /// The same place, turned about the vertical before its own rotation.
    pub fn yawed(self, yaw: f64) -> Self {
        Self { pos: self.pos, rot: DQuat::from_rotation_z(yaw) * self.rot }
    }

    /// From position and w-x-y-z quaternion, normalised.
    #[inline]
    pub fn from_arrays(pos: [f64; 3], wxyz: [f64; 4]) -> Self {
        let [w, x, y, z] = wxyz;
        let q = DQuat::from_xyzw(x, y, z, w);
        let rot = if q.length_squared() > 1e-12 { q.normalize() } else { DQuat::IDENTITY };
        Self { pos: pos.into(), rot }
    }

    /// The rotation as w-x-y-z.
    pub fn wxyz(&self) -> [f64; 4] {
        [self.rot.w, self.rot.x, self.rot.y, self.rot.z]
    }

    /// `self` then `child` in the frame of `self`.
    #[inline]
    pub fn compose(&self, child: &Self) -> Self {
        Self { pos: self.point(child.pos), rot: (self.rot * child.rot).normalize() }
    }

    /// The transform that undoes this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let inv = self.rot.conjugate();
        Self { pos: inv * -self.pos, rot: inv }
    }

    /// A point of this frame, in the parent frame.
    #[inline]
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.pos + self.rot * p
    }

    /// A point of the parent frame, in this frame.
    #[inline]
    pub fn local(&self, p: DVec3) -> DVec3 {
        self.rot.conjugate() * (p - self.pos)
    }

    /// A direction of this frame, in the parent frame.
    #[inline]
    pub fn dir(&self, v: DVec3) -> DVec3 {
        self.rot * v
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.pos.is_finite() && self.rot.is_finite()
    }

    /// Distance and angle to another pose.
    pub fn error_to(&self, other: &Self) -> (f64, f64) {
        ((other.pos - self.pos).length(), rotation_between(self.rot, other.rot).length())
    }
}

impl std::ops::Mul for Pose {
    type Output = Self;
    #[inline]
    fn mul(self, child: Self) -> Self {
        self.compose(&child)
    }
}

#[derive(Serialize, Deserialize)]
struct PoseRepr {
    pos: [f64; 3],
    quat_wxyz: [f64; 4],
}

impl Serialize for Pose {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        PoseRepr { pos: self.pos.to_array(), quat_wxyz: self.wxyz() }.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Pose {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let r = PoseRepr::deserialize(d)?;
        Ok(Self::from_arrays(r.pos, r.quat_wxyz))
    }
}

/// Linear and angular velocity, both in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Metres per second.
    pub linear: DVec3,
    /// Radians per second.
    pub angular: DVec3,
}

/// An axis-aligned box given by centre and half size, in some frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Centre.
    pub centre: [f64; 3],
    /// Half size along each axis.
    pub half: [f64; 3],
}

impl Bounds {
    /// A box standing on the origin.
    pub const fn standing(half_x: f64, half_y: f64, height: f64) -> Self {
        Self { centre: [0.0, 0.0, height / 2.0], half: [half_x, half_y, height / 2.0] }
    }

    /// World centre of the box when its frame has this pose.
    #[inline]
    pub fn centre_in(&self, pose: &Pose) -> DVec3 {
        pose.point(self.centre.into())
    }

    /// Half size of the axis-aligned box around this box in the parent frame.
    #[inline]
    pub fn half_in(&self, pose: &Pose) -> DVec3 {
        let m = DMat3::from_quat(pose.rot);
        let h = DVec3::from(self.half);
        m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z
    }

    /// Radius of the vertical cylinder around the origin that holds the footprint.
    pub fn footprint_radius(&self) -> f64 {
        let x = self.centre[0].abs() + self.half[0];
        let y = self.centre[1].abs() + self.half[1];
        (x * x + y * y).sqrt()
    }
}

/// The rotation vector (axis times angle) of a rotation, the short way round.
#[inline]
pub fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let s = v.length();
    if s < 1e-9 { v * 2.0 } else { v * (2.0 * libm::atan2(s, q.w) / s) }
}

/// The world-frame rotation vector that turns `from` into `to`.
#[inline]
pub fn rotation_between(from: DQuat, to: DQuat) -> DVec3 {
    rotation_vector(to * from.conjugate())
}

/// Heading of a rotation: the angle of its x axis in the horizontal plane.
pub fn yaw(q: DQuat) -> f64 {
    let x = q * DVec3::X;
    libm::atan2(x.y, x.x)
}
