//! Small vector helpers on plain arrays, kept free of operations whose result depends on the
//! instruction set.

/// A point, direction or colour.
pub type Vec3 = [f32; 3];

/// A 3×3 matrix as rows; a rotation maps local to world.
pub type Mat3 = [[f32; 3]; 3];

/// The rotation that changes nothing.
pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: Vec3, s: f32) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Unit vector along `a`; zero stays zero.
pub(crate) fn normalize(a: Vec3) -> Vec3 {
    let l = dot(a, a).sqrt();
    if l > 0.0 { scale(a, 1.0 / l) } else { a }
}

pub(crate) fn column(m: &Mat3, i: usize) -> Vec3 {
    [m[0][i], m[1][i], m[2][i]]
}

pub(crate) fn wide(v: Vec3) -> [f64; 3] {
    [v[0] as f64, v[1] as f64, v[2] as f64]
}

pub(crate) fn dot64(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross64(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn sub64(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box from `min` to `max`.
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// Whether `p` lies inside or on the border.
    pub fn contains(&self, p: Vec3) -> bool {
        (0..3).all(|k| p[k] >= self.min[k] && p[k] <= self.max[k])
    }

    pub(crate) fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            std::array::from_fn(|k| if i >> k & 1 == 0 { self.min[k] } else { self.max[k] })
        })
    }
}

/// Rotation that looks from `eye` to `target` in MuJoCo's camera convention (local −z forward,
/// +y up), with `up` as the rough upward direction.
pub fn look_at(eye: Vec3, target: Vec3, up: Vec3) -> Mat3 {
    let back = normalize(sub(eye, target));
    let mut right = cross(up, back);
    if dot(right, right) < 1e-10 {
        right = cross([0.0, 1.0, 0.0], back);
    }
    if dot(right, right) < 1e-10 {
        right = cross([1.0, 0.0, 0.0], back);
    }
    let right = normalize(right);
    let up = cross(back, right);
    [[right[0], up[0], back[0]], [right[1], up[1], back[1]], [right[2], up[2], back[2]]]
}

/// Nearest integer for |x| < 2^22, as arithmetic that is cheap and vectorizes everywhere; the
/// checked casts of the language are neither.
#[inline(always)]
pub(crate) fn round(x: f32) -> i32 {
    const MAGIC: f32 = 12_582_912.0;
    ((x + MAGIC).to_bits() as i32).wrapping_sub(MAGIC.to_bits() as i32)
}
