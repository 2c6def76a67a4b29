//! Solid shapes as signed distances.

use std::sync::Arc;

use longarm_types::DVec3;

use crate::Field;

/// A solid shape about its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Everything below z = 0.
    Plane,
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A rod with round ends along z.
    Capsule {
        /// Radius.
        radius: f64,
        /// From the middle to the centre of either end.
        half: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half its length.
        half: f64,
        /// Radius of its rims; 0 for sharp ones.
        round: f64,
    },
    /// A box.
    Box {
        /// Half its size.
        half: DVec3,
        /// Radius of its edges; 0 for sharp ones.
        round: f64,
    },
    /// Distances sampled on a grid, for meshes.
    Sampled(Arc<Field>),
}

impl Shape {
    /// Return the distance of a point of the shape's frame from its surface, negative inside, and
    /// the direction away from it.
    #[inline]
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let from = |centre: DVec3, radius: f64| {
            let d = p - centre;
            (d.length() - radius, d.normalize_or(DVec3::Z))
        };
        match self {
            Self::Plane => (p.z, DVec3::Z),
            Self::Sphere { radius } => from(DVec3::ZERO, *radius),
            Self::Capsule { radius, half } => from(DVec3::Z * p.z.clamp(-half, *half), *radius),
            Self::Cylinder { radius, half, round } => {
                let flat = DVec3::new(p.x, p.y, 0.0);
                let side = flat.normalize_or(DVec3::X);
                let along = DVec3::Z * p.z.signum();
                let (out, up) = (flat.length() - (radius - round), p.z.abs() - (half - round));
                let (d, away) = match (out > 0.0, up > 0.0) {
                    (true, true) => {
                        let d = side * out + along * up;
                        (d.length(), d.normalize_or(DVec3::Z))
                    }
                    _ if out > up => (out, side),
                    _ => (up, along),
                };
                (d - round, away)
            }
            Self::Box { half, round } => {
                let d = p.abs() - (*half - DVec3::splat(*round));
                let sign = DVec3::new(p.x.signum(), p.y.signum(), p.z.signum());
                let outside = d.max(DVec3::ZERO);
                if outside != DVec3::ZERO {
                    let length = outside.length();
                    return (length - round, outside * sign / length);
                }
                let (mut nearest, axis) = (2, [DVec3::X, DVec3::Y, DVec3::Z]);
                for i in 0..2 {
                    if d[i] > d[nearest] {
                        nearest = i;
                    }
                }
                (d[nearest] - round, axis[nearest] * sign[nearest])
            }
            Self::Sampled(field) => field.distance(p),
        }
    }

    /// Where a point on its way first comes too near, moved on along the surface.
    pub(crate) fn stop(&self, from: DVec3, to: DVec3, least: f64) -> Option<DVec3> {
        let way = to - from;
        let length = way.length();
        let mut along = 0.0;
        while along < length {
            let at = from + way * (along / length);
            let (distance, away) = self.distance(at);
            let inward = way.dot(away);
            if distance < least && inward < 0.0 {
                // What is left of the way goes along the wall.
                let rest = way * (1.0 - along / length);
                return Some(at + rest - away * rest.dot(away).min(0.0));
            }
            along += distance.max(0.1 * least);
        }
        None
    }

    /// Return the smallest box around it in its own frame, lower and upper corner.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let half = match self {
            Self::Plane => {
                let far = DVec3::splat(f64::INFINITY);
                return (-far, far.with_z(0.0));
            }
            Self::Sphere { radius } => DVec3::splat(*radius),
            Self::Capsule { radius, half } => DVec3::new(*radius, *radius, half + radius),
            Self::Cylinder { radius, half, .. } => DVec3::new(*radius, *radius, *half),
            Self::Box { half, .. } => *half,
            Self::Sampled(field) => return field.bounds(),
        };
        (-half, half)
    }
}
