//! Boxes, solids of revolution and extrusions.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use longarm_types::{DMat3, DVec3};

use super::{TriMesh, triangulate};

/// Corners sharper than this stay sharp in the shapes that do not ask for an angle.
const CREASE: f64 = 0.7;
/// Steps of a rounded bevel.
const BEVEL_STEPS: usize = 3;

/// Points of a quarter (or other) arc in the plane, both ends included.
fn arc(
    centre: [f64; 2],
    radius: f64,
    from: f64,
    to: f64,
    steps: usize,
) -> impl Iterator<Item = [f64; 2]> {
    (0..=steps).map(move |i| {
        let t = from + (to - from) * i as f64 / steps as f64;
        [centre[0] + radius * libm::cos(t), centre[1] + radius * libm::sin(t)]
    })
}

impl TriMesh {
    /// A surface of revolution about z from a profile of (radius, z).
    ///
    /// The outside is on the right of the profile's direction: from the axis at the bottom out, up,
    /// and back to the axis at the top gives a closed solid; a profile whose last point is its first
    /// gives a closed ring. Profile corners turning by more than `crease` radians stay sharp.
    pub fn lathe(profile: &[[f64; 2]], segments: usize, crease: f64) -> Self {
        let mut out = Self::default();
        let points = profile.len();
        if points < 2 || segments < 3 {
            return out;
        }
        let limit = libm::cos(crease);
        let dir: Vec<[f64; 2]> = profile
            .windows(2)
            .map(|w| {
                let (dr, dz) = (w[1][0] - w[0][0], w[1][1] - w[0][1]);
                let len = libm::hypot(dr, dz);
                if len > 0.0 { [dz / len, -dr / len] } else { [0.0, 0.0] }
            })
            .collect();
        let closed = profile[0] == profile[points - 1];
        let last = dir.len() - 1;
        // Normal of segment `s` at one of its ends, smoothed with the neighbouring segment.
        let normal = |s: usize, end: usize| -> [f64; 2] {
            let at = profile[s + end];
            let own = dir[s];
            let other = match end {
                0 if s > 0 => Some(dir[s - 1]),
                0 if closed => Some(dir[last]),
                1 if s < last => Some(dir[s + 1]),
                1 if closed => Some(dir[0]),
                // At the axis the surface goes on into its mirror image.
                _ if at[0] < 1e-9 => Some([-own[0], own[1]]),
                _ => None,
            };
            match other {
                Some(o) if o[0] * own[0] + o[1] * own[1] >= limit => {
                    let sum = [o[0] + own[0], o[1] + own[1]];
                    let len = libm::hypot(sum[0], sum[1]);
                    [sum[0] / len, sum[1] / len]
                }
                _ => own,
            }
        };
        let mut run = vec![0.0; points];
        for i in 1..points {
            let (a, b) = (profile[i - 1], profile[i]);
            run[i] = run[i - 1] + libm::hypot(b[0] - a[0], b[1] - a[1]);
        }
        let length = run[points - 1];
        for s in (0..dir.len()).filter(|&s| dir[s] != [0.0, 0.0]) {
            let base = out.positions.len() as u32;
            for end in 0..2 {
                let [r, z] = profile[s + end];
                let n = normal(s, end);
                for i in 0..=segments {
                    let angle = TAU * (i % segments) as f64 / segments as f64;
                    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
                    out.push(
                        DVec3::new(r * cos, r * sin, z),
                        DVec3::new(n[0] * cos, n[0] * sin, n[1]),
                        [i as f64 / segments as f64, 1.0 - run[s + end] / length],
                    );
                }
            }
            let row = segments as u32 + 1;
            for i in base..base + row - 1 {
                out.quad([i, i + 1, i + 1 + row, i + row]);
            }
        }
        out
    }

    /// A box whose edges and corners are rounded with `radius`, `segments` steps per eighth turn.
    /// Each face has texture coordinates of its own; on the sides the picture stands upright, on
    /// the top its upper edge lies towards +y.
    pub fn rounded_box(half: [f64; 3], radius: f64, segments: usize) -> Self {
        let mut out = Self::default();
        let h = DVec3::from(half);
        let radius = radius.clamp(0.0, h.min_element());
        let steps = if radius > 1e-9 { segments.max(1) } else { 0 };
        // The slope of the normal across a face: −45° … 0 at one edge, 0 … 45° at the other.
        let slopes: Vec<(f64, f64)> = (0..=steps)
            .map(|i| (-1.0, -slope(steps - i, steps)))
            .chain((0..=steps).map(|i| (1.0, slope(i, steps))))
            .collect();
        // Normal, right and up of each face.
        let faces = [
            (DVec3::X, DVec3::Y, DVec3::Z),
            (DVec3::NEG_X, DVec3::NEG_Y, DVec3::Z),
            (DVec3::Y, DVec3::NEG_X, DVec3::Z),
            (DVec3::NEG_Y, DVec3::X, DVec3::Z),
            (DVec3::Z, DVec3::X, DVec3::Y),
            (DVec3::NEG_Z, DVec3::X, DVec3::NEG_Y),
        ];
        let row = slopes.len() as u32;
        for (n, right, up) in faces {
            let base = out.positions.len() as u32;
            for &(side_v, slope_v) in &slopes {
                for &(side_u, slope_u) in &slopes {
                    let corner = n + right * side_u + up * side_v;
                    let dir = if steps > 0 {
                        (n + right * slope_u + up * slope_v).normalize()
                    } else {
                        n
                    };
                    let p =
                        if steps > 0 { corner * (h - radius) + dir * radius } else { corner * h };
                    let uv = [
                        0.5 + 0.5 * p.dot(right) / h.dot(right.abs()),
                        0.5 - 0.5 * p.dot(up) / h.dot(up.abs()),
                    ];
                    out.push(p, dir, uv);
                }
            }
            for v in 0..row - 1 {
                for u in 0..row - 1 {
                    let i = base + v * row + u;
                    out.quad([i, i + 1, i + 1 + row, i + row]);
                }
            }
        }
        out
    }

    /// A simple polygon (counter-clockwise, may be concave) swept from z = 0 to `height`, its upper
    /// and lower edges rounded by `bevel`.
    pub fn extrude(polygon: &[[f64; 2]], height: f64, bevel: f64) -> Self {
        let mut out = Self::default();
        let n = polygon.len();
        if n < 3 {
            return out;
        }
        let edge: Vec<[f64; 2]> = (0..n)
            .map(|i| {
                let (a, b) = (polygon[i], polygon[(i + 1) % n]);
                let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
                let len = libm::hypot(dx, dy).max(1e-12);
                [dy / len, -dx / len]
            })
            .collect();
        // Vertex `i` lies between edges i−1 and i; `inset` moves both edges inwards.
        let inset = |i: usize, by: f64| -> [f64; 2] {
            let (a, b) = (edge[(i + n - 1) % n], edge[i]);
            let scale = by / (1.0 + a[0] * b[0] + a[1] * b[1]).max(0.2);
            [polygon[i][0] - (a[0] + b[0]) * scale, polygon[i][1] - (a[1] + b[1]) * scale]
        };
        let smooth = |own: [f64; 2], other: [f64; 2]| -> [f64; 2] {
            if own[0] * other[0] + own[1] * other[1] < libm::cos(CREASE) {
                return own;
            }
            let s = [own[0] + other[0], own[1] + other[1]];
            let len = libm::hypot(s[0], s[1]);
            [s[0] / len, s[1] / len]
        };
        let bevel = bevel.clamp(0.0, height / 2.0);
        // Rows from the lower cap to the upper one: inset, z, tilt of the normal.
        let mut rows = Vec::new();
        if bevel > 0.0 {
            for k in 0..=BEVEL_STEPS {
                let t = FRAC_PI_2 * (1.0 - k as f64 / BEVEL_STEPS as f64);
                rows.push((bevel * (1.0 - libm::cos(t)), bevel * (1.0 - libm::sin(t)), -t));
            }
            let upper: Vec<_> = rows.iter().rev().map(|&(d, z, t)| (d, height - z, -t)).collect();
            rows.extend(upper);
        } else {
            rows.extend([(0.0, 0.0, 0.0), (0.0, height, 0.0)]);
        }
        for i in 0..n {
            let j = (i + 1) % n;
            let ends = [
                (i, smooth(edge[i], edge[(i + n - 1) % n]), i as f64 / n as f64),
                (j, smooth(edge[i], edge[j]), (i + 1) as f64 / n as f64),
            ];
            let base = out.positions.len() as u32;
            for &(d, z, tilt) in &rows {
                for (k, normal, u) in ends {
                    let [x, y] = inset(k, d);
                    let c = libm::cos(tilt);
                    let dir = DVec3::new(normal[0] * c, normal[1] * c, libm::sin(tilt));
                    out.push(DVec3::new(x, y, z), dir, [u, 1.0 - z / height]);
                }
            }
            for r in 0..rows.len() as u32 - 1 {
                let a = base + 2 * r;
                out.quad([a, a + 1, a + 3, a + 2]);
            }
        }
        out.caps(&(0..n).map(|i| inset(i, bevel)).collect::<Vec<_>>(), height);
        out
    }

    /// Flat lids at z = 0 and z = `height`, their texture spanning the polygon's box.
    fn caps(&mut self, outline: &[[f64; 2]], height: f64) {
        let fold = |k: usize, f: fn(f64, f64) -> f64, start: f64| {
            outline.iter().fold(start, |m, p| f(m, p[k]))
        };
        let lo = [fold(0, f64::min, f64::MAX), fold(1, f64::min, f64::MAX)];
        let hi = [fold(0, f64::max, f64::MIN), fold(1, f64::max, f64::MIN)];
        let triangles = triangulate(outline);
        for (z, up) in [(0.0, -1.0), (height, 1.0)] {
            let base = self.positions.len() as u32;
            for p in outline {
                let uv = [
                    (p[0] - lo[0]) / (hi[0] - lo[0]).max(1e-12),
                    1.0 - (p[1] - lo[1]) / (hi[1] - lo[1]).max(1e-12),
                ];
                self.push(DVec3::new(p[0], p[1], z), DVec3::Z * up, uv);
            }
            for &[a, b, c] in &triangles {
                let t = if up > 0.0 { [a, b, c] } else { [a, c, b] };
                self.face(t.map(|i| base + i as u32));
            }
        }
    }

    /// A cylinder along z about the origin, its edges rounded by `bevel`.
    pub fn cylinder(radius: f64, half_height: f64, bevel: f64, segments: usize) -> Self {
        let (r, h) = (radius, half_height);
        let b = bevel.clamp(0.0, r.min(h));
        let mut profile = vec![[0.0, -h]];
        if b > 0.0 {
            profile.extend(arc([r - b, b - h], b, -FRAC_PI_2, 0.0, BEVEL_STEPS));
            profile.extend(arc([r - b, h - b], b, 0.0, FRAC_PI_2, BEVEL_STEPS));
        } else {
            profile.extend([[r, -h], [r, h]]);
        }
        profile.push([0.0, h]);
        Self::lathe(&profile, segments, CREASE)
    }

    /// A capsule along z about the origin; `half_length` is that of its straight part.
    pub fn capsule(radius: f64, half_length: f64, segments: usize) -> Self {
        let steps = (segments / 4).max(2);
        let mut profile: Vec<[f64; 2]> = Vec::new();
        profile.extend(arc([0.0, -half_length], radius, -FRAC_PI_2, 0.0, steps));
        profile.extend(arc([0.0, half_length], radius, 0.0, FRAC_PI_2, steps));
        // cos(π/2) is not quite zero; the poles must lie on the axis.
        profile[0][0] = 0.0;
        profile[2 * steps + 1][0] = 0.0;
        Self::lathe(&profile, segments, PI / 2.0)
    }

    /// A sphere about the origin.
    pub fn sphere(radius: f64, segments: usize) -> Self {
        Self::capsule(radius, 0.0, segments)
    }

    /// A ring about z: `major` is the radius of its middle line, `minor` that of its thickness.
    pub fn torus(major: f64, minor: f64, segments: usize, around: usize) -> Self {
        let mut profile: Vec<_> = arc([major, 0.0], minor, 0.0, TAU, around.max(3)).collect();
        profile[around.max(3)] = profile[0];
        Self::lathe(&profile, segments, PI)
    }

    /// The mesh with its z axis laid along `axis`.
    pub fn along(self, axis: DVec3) -> Self {
        let z = axis.normalize_or(DVec3::Z);
        let x = z.any_orthonormal_vector();
        let rot = longarm_types::DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
        self.transformed(&longarm_types::Pose::new(DVec3::ZERO, rot.normalize()))
    }
}

/// tan of `i/steps` of an eighth turn, exactly 0 and 1 at the ends so that faces meet.
fn slope(i: usize, steps: usize) -> f64 {
    if i == 0 || steps == 0 {
        0.0
    } else if i == steps {
        1.0
    } else {
        libm::tan(PI / 4.0 * i as f64 / steps as f64)
    }
}
