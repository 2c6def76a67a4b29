//! Shapes that robots are put together from.

use std::f64::consts::{PI, TAU};

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::Paint;
use crate::mesh::TriMesh;
use crate::{Geom, Mjcf};

/// Sides of round parts.
const ROUND: usize = 20;

/// Draws one mesh in one paint at the link's origin. The name is shared by all robots of a model.
pub(super) fn draw(out: &mut Mjcf, name: &str, paint: Paint, parts: impl FnOnce() -> Vec<TriMesh>) {
    draw_at(out, name, paint, &Pose::IDENTITY, parts);
}

/// Draws one mesh in one paint somewhere on the link.
pub(super) fn draw_at(
    out: &mut Mjcf,
    name: &str,
    paint: Paint,
    pose: &Pose,
    parts: impl FnOnce() -> Vec<TriMesh>,
) {
    let shape = out.mesh(&format!("robot_{name}"), || TriMesh::merged(parts()).without_uvs());
    let surface = paint.surface(out);
    out.geom(Geom::visual(shape, surface).at(*pose));
}

/// A cylinder between the centres of its ends, with rounded edges.
pub(super) fn barrel(a: [f64; 3], b: [f64; 3], radius: f64, bevel: f64) -> TriMesh {
    let (a, b) = (DVec3::from(a), DVec3::from(b));
    let half = (b - a).length() / 2.0;
    let sides = if radius > 0.03 { ROUND } else { 16 };
    let mesh = TriMesh::cylinder(radius, half, bevel, sides).along(b - a);
    let m = (a + b) / 2.0;
    mesh.moved(m.x, m.y, m.z)
}

/// A solid of revolution about `axis` from `origin`, by its (radius, height) profile.
pub(super) fn turned(origin: [f64; 3], axis: DVec3, profile: &[[f64; 2]]) -> TriMesh {
    let [x, y, z] = origin;
    TriMesh::lathe(profile, ROUND, 0.6).along(axis).moved(x, y, z)
}

/// A cap with a soft edge and a slightly domed face, sitting at `origin` and facing along `axis`.
pub(super) fn cap(origin: [f64; 3], axis: DVec3, radius: f64, height: f64) -> TriMesh {
    let (r, h) = (radius, height);
    let profile = [
        [0.0, 0.0],
        [r, 0.0],
        [r, 0.45 * h],
        [0.97 * r, 0.68 * h],
        [0.90 * r, 0.85 * h],
        [0.78 * r, 0.94 * h],
        [0.4 * r, 0.99 * h],
        [0.0, h],
    ];
    turned(origin, axis, &profile)
}

/// A round bar along a smooth curve through the points, of the given radius at each.
pub(super) fn bend(points: &[[f64; 4]]) -> TriMesh {
    const STEPS: usize = 2;
    let n = points.len();
    let p = |i: isize, k: usize| points[i.clamp(0, n as isize - 1) as usize][k];
    let mut path = Vec::new();
    let mut radii = Vec::new();
    for i in 0..n - 1 {
        let last = if i == n - 2 { STEPS } else { STEPS - 1 };
        for s in 0..=last {
            // Catmull–Rom.
            let t = s as f64 / STEPS as f64;
            let i = i as isize;
            let at = |k: usize| {
                let (a, b, c, d) = (p(i - 1, k), p(i, k), p(i + 1, k), p(i + 2, k));
                b + 0.5
                    * t
                    * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
            };
            path.push(DVec3::new(at(0), at(1), at(2)));
            radii.push(at(3));
        }
    }
    TriMesh::sweep(&path, &radii, ROUND)
}

/// A rounded box by half size and centre.
pub(super) fn block(half: [f64; 3], at: [f64; 3], radius: f64) -> TriMesh {
    TriMesh::rounded_box(half, radius, if radius > 0.01 { 2 } else { 1 }).moved(at[0], at[1], at[2])
}

/// The outline of a belt around two discs (x, y, radius), counter-clockwise.
pub(super) fn belt(a: [f64; 3], b: [f64; 3]) -> Vec<[f64; 2]> {
    const STEPS: usize = 10;
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let d = libm::hypot(dx, dy);
    let heading = libm::atan2(dy, dx);
    // Where the straight parts leave the discs.
    let lean = libm::acos(((a[2] - b[2]) / d).clamp(-1.0, 1.0));
    let around = |c: [f64; 3], from: f64, to: f64| {
        (0..=STEPS).map(move |i| {
            let t = from + (to - from) * i as f64 / STEPS as f64;
            [c[0] + c[2] * libm::cos(t), c[1] + c[2] * libm::sin(t)]
        })
    };
    around(b, heading - lean, heading + lean)
        .chain(around(a, heading + lean, heading + TAU - lean))
        .collect()
}

/// A rounded plate: an outline in x and z, thick along y from `y - half` to `y + half`.
pub(super) fn plate_xz(outline: &[[f64; 2]], y: f64, half: f64, bevel: f64) -> TriMesh {
    let stand = Pose::new(DVec3::new(0.0, y + half, 0.0), DQuat::from_rotation_x(PI / 2.0));
    TriMesh::extrude(outline, 2.0 * half, bevel).transformed(&stand)
}

/// A rounded plate: an outline in y and z, thick along x from `x - half` to `x + half`.
pub(super) fn plate_yz(outline: &[[f64; 2]], x: f64, half: f64, bevel: f64) -> TriMesh {
    let turn = DQuat::from_mat3(&DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
    let stand = Pose::new(DVec3::new(x - half, 0.0, 0.0), turn);
    TriMesh::extrude(outline, 2.0 * half, bevel).transformed(&stand)
}
