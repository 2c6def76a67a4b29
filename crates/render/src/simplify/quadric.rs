//! Distances from planes.

use crate::math::{Vec3, dot};

/// Sum of squared distances from planes, weighted by area.
#[derive(Clone, Copy, Default)]
pub(super) struct Quadric {
    a: [f64; 6],
    b: [f64; 3],
    c: f64,
    pub weight: f64,
}

impl Quadric {
    /// Of one plane through a point.
    pub fn plane(n: Vec3, at: Vec3, weight: f32) -> Self {
        let [x, y, z] = n.map(f64::from);
        let d = -f64::from(dot(n, at));
        let w = f64::from(weight);
        Self {
            a: [x * x, y * y, z * z, x * y, x * z, y * z].map(|c| c * w),
            b: [x * d, y * d, z * d].map(|c| c * w),
            c: d * d * w,
            weight: w,
        }
    }

    pub fn add(&mut self, o: &Self) {
        for k in 0..6 {
            self.a[k] += o.a[k];
        }
        for k in 0..3 {
            self.b[k] += o.b[k];
        }
        self.c += o.c;
        self.weight += o.weight;
    }

    /// Mean squared distance of a point.
    pub fn at(&self, p: Vec3) -> f32 {
        let [x, y, z] = p.map(f64::from);
        let a = &self.a;
        let square = a[0] * x * x + a[1] * y * y + a[2] * z * z;
        let mixed = a[3] * x * y + a[4] * x * z + a[5] * y * z;
        let linear = self.b[0] * x + self.b[1] * y + self.b[2] * z;
        let sum = square + 2.0 * (mixed + linear) + self.c;
        (sum / self.weight.max(1e-30)).max(0.0) as f32
    }
}
