//! Round shapes along a path.

use std::f64::consts::{FRAC_PI_2, TAU};

use longarm_types::{DQuat, DVec3};

use super::TriMesh;

/// Rings of a rounded end.
const CAP_RINGS: usize = 4;

impl TriMesh {
    /// A round bar of one thickness along a polyline, with rounded ends.
    pub fn tube(path: &[DVec3], radius: f64, segments: usize) -> Self {
        Self::sweep(path, &vec![radius; path.len()], segments)
    }

    /// A round bar along a polyline, of the given radius at each point, with rounded ends. The
    /// radii should not change faster than the path advances.
    pub fn sweep(path: &[DVec3], radii: &[f64], segments: usize) -> Self {
        let mut out = Self::default();
        let n = path.len().min(radii.len());
        if n < 2 || segments < 3 {
            return out;
        }
        let tangents: Vec<DVec3> = (0..n)
            .map(|i| {
                let before = path[i] - path[i.saturating_sub(1)];
                let after = path[(i + 1).min(n - 1)] - path[i];
                (before.normalize_or_zero() + after.normalize_or_zero()).normalize_or(DVec3::Z)
            })
            .collect();
        // Rings: centre, tangent, radius, tilt of the normal along the tangent.
        let mut rings = Vec::new();
        let cap = |i: usize, sign: f64, k: usize| {
            let t = FRAC_PI_2 * k as f64 / CAP_RINGS as f64;
            let (sin, cos) = (libm::sin(t), if k == CAP_RINGS { 0.0 } else { libm::cos(t) });
            (path[i] + tangents[i] * (sign * sin * radii[i]), tangents[i], radii[i] * cos, sign * t)
        };
        rings.extend((1..=CAP_RINGS).rev().map(|k| cap(0, -1.0, k)));
        for i in 0..n {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
            let taper = if i == 0 || i == n - 1 {
                0.0
            } else {
                libm::atan((radii[a] - radii[b]) / (path[b] - path[a]).length().max(1e-12))
            };
            rings.push((path[i], tangents[i], radii[i], taper));
        }
        rings.extend((1..=CAP_RINGS).map(|k| cap(n - 1, 1.0, k)));

        // The frame is carried along without twisting.
        let mut side = tangents[0].any_orthonormal_vector();
        let mut last = tangents[0];
        let length = (rings.len() - 1) as f64;
        for (r, &(centre, tangent, radius, tilt)) in rings.iter().enumerate() {
            side = DQuat::from_rotation_arc(last, tangent) * side;
            side = (side - tangent * side.dot(tangent)).normalize_or(side);
            last = tangent;
            let other = tangent.cross(side);
            for i in 0..=segments {
                let a = TAU * (i % segments) as f64 / segments as f64;
                let radial = side * libm::cos(a) + other * libm::sin(a);
                let normal = radial * libm::cos(tilt) + tangent * libm::sin(tilt);
                let uv = [i as f64 / segments as f64, 1.0 - r as f64 / length];
                out.push(centre + radial * radius, normal.normalize_or(radial), uv);
            }
        }
        let row = segments as u32 + 1;
        for r in 0..rings.len() as u32 - 1 {
            for i in 0..segments as u32 {
                let a = r * row + i;
                out.quad([a, a + 1, a + 1 + row, a + row]);
            }
        }
        out
    }
}
