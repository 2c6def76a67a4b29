//! Boxes turned and placed.

use longarm_task::BodyId;
use longarm_types::{Bounds, DMat3, DVec3, Pose};

/// How a solid gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolidKind {
    /// Not at all.
    Fixed,
    /// It can be pushed over or away.
    Movable {
        /// Its box has corners it has not.
        round: bool,
    },
    /// It slides or turns with a joint.
    Part,
}

/// A box turned and placed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solid {
    /// The body it belongs to.
    pub(crate) body: BodyId,
    pub(crate) kind: SolidKind,
    pub(crate) centre: DVec3,
    axes: [DVec3; 3],
    half: DVec3,
}

impl Solid {
    pub(crate) fn new(body: BodyId, kind: SolidKind, frame: &Pose, bounds: &Bounds) -> Self {
        let m = DMat3::from_quat(frame.rot);
        Self {
            body,
            kind,
            centre: bounds.centre_in(frame),
            axes: [m.x_axis, m.y_axis, m.z_axis],
            half: bounds.half.into(),
        }
    }

    fn reach(&self, along: DVec3) -> f64 {
        (0..3).map(|i| self.half[i] * self.axes[i].dot(along).abs()).sum()
    }

    /// Return the box without the corners that a round body lacks.
    pub(crate) fn shaped(mut self) -> Self {
        if self.kind == (SolidKind::Movable { round: true }) {
            self.half *= 0.75;
        }
        self
    }

    /// Return half the size of the upright box around it.
    pub(crate) fn extent(&self) -> DVec3 {
        DVec3::new(self.reach(DVec3::X), self.reach(DVec3::Y), self.reach(DVec3::Z))
    }

    /// Return how far a point lies outside of it, seen from above.
    pub(crate) fn beyond(&self, p: DVec3) -> f64 {
        let d = (p - self.centre).with_z(0.0);
        let off = |i: usize| {
            let axis = self.axes[i].with_z(0.0);
            match axis.try_normalize() {
                Some(a) => (d.dot(a).abs() - self.reach(a)).max(0.0),
                None => 0.0,
            }
        };
        DVec3::new(off(0), off(1), off(2)).length()
    }

    /// Return the distance of a point from it, 0 inside.
    pub(crate) fn distance(&self, p: DVec3) -> f64 {
        let d = p - self.centre;
        let off = |i: usize| (d.dot(self.axes[i]).abs() - self.half[i]).max(0.0);
        DVec3::new(off(0), off(1), off(2)).length()
    }

    /// Return the widest gap along any separating axis, negative where the boxes overlap.
    pub(crate) fn gap(&self, other: &Self) -> f64 {
        let between = other.centre - self.centre;
        let along = |a: DVec3| between.dot(a).abs() - self.reach(a) - other.reach(a);
        let faces = self.axes.iter().chain(&other.axes).map(|a| along(*a));
        let edges = self
            .axes
            .iter()
            .flat_map(|a| other.axes.iter().filter_map(|b| a.cross(*b).try_normalize()).map(along));
        faces.chain(edges).fold(f64::MIN, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use longarm_types::DQuat;

    use super::*;

    fn block(at: [f64; 3], yaw: f64) -> Solid {
        let frame = Pose::new(at.into(), DQuat::from_rotation_z(yaw));
        Solid::new(1, SolidKind::Fixed, &frame, &Bounds::standing(0.1, 0.02, 0.06))
    }

    #[test]
    fn gaps_follow_how_boxes_are_turned() {
        let (a, b) = (block([0.0; 3], 0.0), block([0.0, 0.1, 0.0], 0.0));
        assert!((a.gap(&b) - 0.06).abs() < 1e-12);
        let across = block([0.0, 0.1, 0.0], std::f64::consts::FRAC_PI_2);
        assert!((a.gap(&across) + 0.02).abs() < 1e-12, "{}", a.gap(&across));
    }

    #[test]
    fn points_are_outside_by_the_way_to_the_nearest_face() {
        let a = block([0.0; 3], 0.0);
        assert_eq!(a.distance(DVec3::new(0.05, 0.0, 0.03)), 0.0);
        assert!((a.distance(DVec3::new(0.13, 0.06, 0.03)) - 0.05).abs() < 1e-12);
        // Seen from above the height does not matter.
        assert!((a.beyond(DVec3::new(0.13, 0.06, 9.0)) - 0.05).abs() < 1e-12);
    }
}
