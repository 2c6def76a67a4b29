//! How much neighbours and walls count.

use glam::Vec4;
use longarm_types::DVec3;

/// Wendland's C2 function in units in which a lattice of particles at rest sums to 1, and the share of it
/// that lies behind a wall.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    /// Distance up to which particles count.
    pub(super) reach: f64,
    scale: f64,
    /// What a particle counts at its own place.
    pub(super) own: f64,
    /// How strongly density answers to motion within a lattice at rest.
    pub(super) answer: f64,
    /// One over the reach, the scale, and what turns a way into a slope, for [`Kernel::at`].
    near: [f32; 3],
    /// Share behind a wall by distance from it, and its slope.
    behind: Vec<[f64; 2]>,
}

/// Particles' spacings that a particle reaches.
const REACH: f64 = 2.0;

/// Rows of the table of walls.
const ROWS: usize = 256;

impl Kernel {
    pub(super) fn new(spacing: f64) -> Self {
        let reach = REACH * spacing;
        let mut kernel =
            Self { reach, scale: 1.0, own: 1.0, answer: 0.0, near: [0.0; 3], behind: Vec::new() };
        let range = -3..=3;
        let lattice = range.clone().flat_map(|x| {
            let range = range.clone();
            range.clone().flat_map(move |y| range.clone().map(move |z| [x, y, z]))
        });
        let lattice = lattice.map(|at| DVec3::from_array(at.map(f64::from)) * spacing);
        let places: Vec<DVec3> = lattice.filter(|p| p.length() > 0.0).collect();
        let sum: f64 = 1.0 + places.iter().map(|p| kernel.weight(*p)).sum::<f64>();
        (kernel.scale, kernel.own) = (1.0 / sum, 1.0 / sum);
        kernel.answer = places.iter().map(|p| kernel.slope(*p).length_squared()).sum();
        let steep = -20.0 / (reach * reach);
        kernel.near = [1.0 / reach, kernel.scale, steep].map(|v| v as f32);
        // The part of the function beyond a plane, per plane, by the shells around the particle: of a shell
        // of radius r the share (1 − s/r)/2 lies beyond.
        let shells = 400;
        let volume = |k: usize| {
            let r = (k as f64 + 0.5) / shells as f64 * reach;
            (r, kernel.weight(DVec3::X * r) * r * r)
        };
        let whole: f64 = (0..shells).map(|k| volume(k).1).sum();
        let share = |s: f64| {
            let beyond = (0..shells).map(volume).filter(|(r, _)| *r > s);
            beyond.map(|(r, w)| w * (1.0 - s / r) / 2.0).sum::<f64>() / whole
        };
        let slope = |s: f64| {
            let beyond = (0..shells).map(volume).filter(|(r, _)| *r > s);
            -beyond.map(|(r, w)| w / r / 2.0).sum::<f64>() / whole
        };
        let row = |k: usize| k as f64 / ROWS as f64 * reach;
        kernel.behind = (0..=ROWS).map(|k| [share(row(k)), slope(row(k))]).collect();
        kernel
    }

    fn weight(&self, way: DVec3) -> f64 {
        let q = way.length() / self.reach;
        if q >= 1.0 {
            return 0.0;
        }
        let r = 1.0 - q;
        self.scale * r * r * r * r * (1.0 + 4.0 * q)
    }

    fn slope(&self, way: DVec3) -> DVec3 {
        let r = (1.0 - way.length() / self.reach).max(0.0);
        way * (-20.0 * self.scale * r * r * r / (self.reach * self.reach))
    }

    /// Return the slope of the weight in x, y and z, the weight itself in w, and the slope's square.
    #[inline]
    pub(super) fn at(&self, way: Vec4) -> (Vec4, f32) {
        let square = way.length_squared();
        let q = square.sqrt() * self.near[0];
        let r = (1.0 - q).max(0.0);
        let cube = self.near[1] * r * r * r;
        let steep = cube * self.near[2];
        let slope = way * steep;
        (slope.with_w(cube * r * (1.0 + 4.0 * q)), steep * steep * square)
    }

    /// The share behind a wall at a distance, and its slope.
    #[inline]
    pub(super) fn behind(&self, distance: f64) -> (f64, f64) {
        let at = (distance / self.reach).max(0.0) * ROWS as f64;
        let row = at as usize;
        if row >= ROWS {
            return (0.0, 0.0);
        }
        let (t, [a, b], [c, d]) = (at - row as f64, self.behind[row], self.behind[row + 1]);
        (a + (c - a) * t, b + (d - b) * t)
    }
}
