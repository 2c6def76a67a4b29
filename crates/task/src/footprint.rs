//! Do two objects standing side by side overlap? Boxes and discs seen from above, with a height
//! range.

use longarm_types::{Bounds, DVec3, Pose};

/// An object seen from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Footprint {
    centre: [f64; 2],
    shape: Shape,
    z: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Disc(f64),
    Box {
        /// Unit vector of the first axis; the second is at a right angle.
        axis: [f64; 2],
        half: [f64; 2],
    },
}

impl Footprint {
    /// Of a box in a frame, or of the upright round object in it; a tilted one takes the room of the
    /// level box around it.
    pub fn new(bounds: &Bounds, round: bool, pose: &Pose) -> Self {
        let c = bounds.centre_in(pose);
        let world = bounds.half_in(pose);
        let x = pose.dir(DVec3::X);
        let level = pose.dir(DVec3::Z).z > 0.999_999;
        let [hx, hy, _] = bounds.half;
        let shape = if level && round {
            Shape::Disc(hx.max(hy))
        } else if level {
            let n = libm::hypot(x.x, x.y);
            Shape::Box { axis: [x.x / n, x.y / n], half: [hx, hy] }
        } else {
            Shape::Box { axis: [1.0, 0.0], half: [world.x, world.y] }
        };
        Self { centre: [c.x, c.y], shape, z: [c.z - world.z, c.z + world.z] }
    }

    /// Whether any of the objects come closer than `clearance`.
    pub fn collide(a: &[Self], b: &[Self], clearance: f64) -> bool {
        a.iter().any(|p| b.iter().any(|q| p.overlaps(q, clearance)))
    }

    fn overlaps(&self, o: &Self, clearance: f64) -> bool {
        if self.z[0] >= o.z[1] + clearance || o.z[0] >= self.z[1] + clearance {
            return false;
        }
        let d = [o.centre[0] - self.centre[0], o.centre[1] - self.centre[1]];
        match (self.shape, o.shape) {
            (Shape::Disc(r), Shape::Disc(s)) => libm::hypot(d[0], d[1]) < r + s + clearance,
            (Shape::Disc(r), Shape::Box { axis, half })
            | (Shape::Box { axis, half }, Shape::Disc(r)) => {
                let out = |n: [f64; 2], h: f64| (dot(d, n).abs() - h).max(0.0);
                libm::hypot(out(axis, half[0]), out(side(axis), half[1])) < r + clearance
            }
            // Two boxes are apart if they are so along one of their four sides.
            (Shape::Box { axis: a, half: h }, Shape::Box { axis: b, half: k }) => {
                [a, side(a), b, side(b)]
                    .into_iter()
                    .all(|n| dot(d, n).abs() < reach(a, h, n) + reach(b, k, n) + clearance)
            }
        }
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn side(a: [f64; 2]) -> [f64; 2] {
    [-a[1], a[0]]
}

/// Half extent of a box along a direction.
fn reach(axis: [f64; 2], half: [f64; 2], n: [f64; 2]) -> f64 {
    half[0] * dot(axis, n).abs() + half[1] * dot(side(axis), n).abs()
}
