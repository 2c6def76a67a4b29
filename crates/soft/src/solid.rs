//! Solids that move through a step.

use longarm_types::{DMat3, DVec3, Pose};

use crate::Shape;

/// A solid that pushes soft matter and is pushed by it.
#[derive(Clone, Debug)]
pub struct Solid {
    /// What it looks like.
    pub shape: Shape,
    /// Where it is when the step begins.
    pub from: Pose,
    /// Where it is when the step ends.
    pub to: Pose,
    /// Coefficient of friction between it and the matter.
    pub friction: f64,
    /// Force with which it presses on what lies between it and an opposite solid, in its own frame,
    /// newtons.
    ///
    /// Whoever moves the solids keeps jaws apart by the thickness of what they hold and says here
    /// what a jaw would press with. It bounds friction, shared by all that the pressing side touches.
    pub grip: DVec3,
    /// Force on it, averaged over the last step.
    pub force: DVec3,
    /// Torque on it about the origin of its frame, averaged over the last step.
    pub torque: DVec3,
    /// How many parts of the matter lay where it grips at the end of the last step.
    pub gripped: usize,
}

impl Solid {
    /// Make a solid at rest.
    pub fn new(shape: Shape, pose: Pose, friction: f64) -> Self {
        let (force, torque) = (DVec3::ZERO, DVec3::ZERO);
        let (grip, gripped) = (DVec3::ZERO, 0);
        Self { shape, from: pose, to: pose, friction, grip, force, torque, gripped }
    }

    /// Let it travel to a pose during the next step.
    pub fn advance(&mut self, to: Pose) {
        (self.from, self.to) = (self.to, to);
    }

    /// Return its pose when a share of the step has passed.
    pub(crate) fn at(&self, share: f64) -> Frame {
        if self.from == self.to {
            return Frame::of(&self.to);
        }
        let rot = self.from.rot.lerp(self.to.rot, share).normalize();
        Frame::of(&Pose::new(self.from.pos.lerp(self.to.pos, share), rot))
    }
}

impl Solid {
    /// Forget what was felt before a step begins.
    pub fn rest(&mut self) {
        (self.force, self.torque, self.gripped) = (DVec3::ZERO, DVec3::ZERO, 0);
    }

    /// Take a force at a point of the world.
    #[inline]
    pub fn feel(&mut self, point: DVec3, force: DVec3) {
        self.force += force;
        self.torque += (point - self.to.pos).cross(force);
    }
}

/// A pose by its matrix, which turns many points faster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) pos: DVec3,
    pub(crate) rot: DMat3,
}

impl Frame {
    pub(crate) fn of(pose: &Pose) -> Self {
        Self { pos: pose.pos, rot: DMat3::from_quat(pose.rot) }
    }

    #[inline]
    pub(crate) fn local(&self, p: DVec3) -> DVec3 {
        self.rot.transpose() * (p - self.pos)
    }

    #[inline]
    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        self.pos + self.rot * p
    }

    /// The box around a box of this frame.
    pub(crate) fn bounds(&self, (lower, upper): (DVec3, DVec3)) -> (DVec3, DVec3) {
        if !(lower.is_finite() && upper.is_finite()) {
            let far = DVec3::splat(f64::INFINITY);
            return (-far, far);
        }
        let (middle, half) = ((lower + upper) * 0.5, (upper - lower) * 0.5);
        let half = self.rot.x_axis.abs() * half.x
            + self.rot.y_axis.abs() * half.y
            + self.rot.z_axis.abs() * half.z;
        let middle = self.point(middle);
        (middle - half, middle + half)
    }
}
