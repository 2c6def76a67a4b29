//! From meshes to triangles on the image: transformation, clipping, culling.

use crate::camera::{CameraView, Lens};
use crate::math::{cross64, dot64, round, sub64, wide};
use crate::raster::ScreenTriangle;

/// A vertex in the view frame and on the image.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    /// In the view frame.
    pub p: [f32; 3],
    /// On the image, in fixed point; only if `out` is zero.
    pub s: [i32; 2],
    /// See [`Lens`].
    pub w: f32,
    /// A bit for each clip plane it is behind.
    pub out: u32,
}

#[derive(Clone, Copy)]
struct Projector {
    fx: f32,
    fy: f32,
    cx: f32,
    cy: f32,
    one: f32,
    /// Coefficients of `w`, if linear.
    w: Option<[f32; 4]>,
}

impl Projector {
    fn new(view: &CameraView) -> Self {
        Self {
            fx: view.fx as f32,
            fy: view.fy as f32,
            cx: view.cx as f32,
            cy: view.cy as f32,
            one: (1u32 << view.bits) as f32,
            w: match view.lens {
                Lens::Perspective { .. } => None,
                Lens::Orthographic { w } => Some(w.map(|c| c as f32)),
            },
        }
    }

    /// Fixed-point place and `w` of a point inside the guard band.
    #[inline(always)]
    fn project(&self, p: [f32; 3]) -> ([i32; 2], f32) {
        let ([x, y], w) = self.place(p);
        ([round(x), round(y)], w)
    }

    /// The same before rounding.
    #[inline(always)]
    fn place(&self, [x, y, z]: [f32; 3]) -> ([f32; 2], f32) {
        let (w, k) = match self.w {
            None => (1.0 / z, 1.0 / z),
            Some(w) => (w[0] * x + w[1] * y + w[2] * z + w[3], 1.0),
        };
        let px = (self.fx * x) * k + self.cx;
        let py = (self.fy * y) * k + self.cy;
        ([px * self.one, py * self.one], w)
    }
}

/// Appends the transformed vertices of a mesh.
pub(crate) fn transform(
    view: &CameraView,
    from_mesh: &[[f64; 4]; 3],
    positions: &[[f32; 3]],
    out: &mut Vec<Vertex>,
) {
    let m = from_mesh.map(|r| r.map(|c| c as f32));
    let projector = Projector::new(view);
    let near = match view.lens {
        Lens::Perspective { near } => near as f32,
        Lens::Orthographic { .. } => f32::MIN,
    };
    // The guard band in fixed point.
    let one = (1u32 << view.bits) as f64;
    let low = (-view.guard * one) as i32;
    let high = [view.width, view.height].map(|n| ((n as f64 + view.guard) * one) as i32);
    let first = out.len();
    out.resize(first + positions.len(), Vertex::default());
    // In groups with one array per coordinate, which vectorize.
    for (points, slots) in positions.chunks(GROUP).zip(out[first..].chunks_mut(GROUP)) {
        let mut at = [[0f32; GROUP]; 3];
        for (i, p) in points.iter().enumerate() {
            (at[0][i], at[1][i], at[2][i]) = (p[0], p[1], p[2]);
        }
        let (mut x, mut y, mut z) = ([0f32; GROUP], [0f32; GROUP], [0f32; GROUP]);
        let (mut sx, mut sy, mut w) = ([0i32; GROUP], [0i32; GROUP], [0f32; GROUP]);
        let mut sides = [0u32; GROUP];
        for i in 0..GROUP {
            let row = |r: &[f32; 4]| r[0] * at[0][i] + r[1] * at[1][i] + r[2] * at[2][i] + r[3];
            (x[i], y[i], z[i]) = (row(&m[0]), row(&m[1]), row(&m[2]));
        }
        for i in 0..GROUP {
            let ([px, py], k) = projector.place([x[i], y[i], z[i]]);
            let limit = |c: f32| {
                let c = if c > -FARTHEST { c } else { -FARTHEST };
                if c < FARTHEST { c } else { FARTHEST }
            };
            (sx[i], sy[i], w[i]) = (round(limit(px)), round(limit(py)), k);
        }
        for i in 0..GROUP {
            let side = (sx[i] < low) as u32
                | ((sx[i] > high[0]) as u32) << 1
                | ((sy[i] < low) as u32) << 2
                | ((sy[i] > high[1]) as u32) << 3;
            // Behind the camera the picture is upside down and says nothing about the sides.
            sides[i] = if z[i] >= near { side } else { NEAR };
        }
        for (i, slot) in slots.iter_mut().enumerate() {
            *slot = Vertex { p: [x[i], y[i], z[i]], s: [sx[i], sy[i]], w: w[i], out: sides[i] };
        }
    }
}

/// Vertices transformed at once.
const GROUP: usize = 8;

/// The bit of [`Vertex::out`] for what is too near.
const NEAR: u32 = 16;

/// Fixed-point coordinates are cut off here, beyond all guard bands.
const FARTHEST: f32 = 4_000_000.0;

/// Which triangles to leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faces {
    /// Those seen from behind.
    Front,
    /// None.
    Both,
}

/// Calls `emit` with every triangle that may be seen, of vertices from number `first` on: its index, whether it shows its back, its
/// corners on the image, the three vertices that span its plane, and the range of `w`.
#[inline(always)]
pub(crate) fn each_triangle(
    view: &CameraView,
    (vertices, first): (&[Vertex], u32),
    triangles: &[[u32; 3]],
    faces: Faces,
    mut emit: impl FnMut(usize, bool, [[i32; 2]; 3], [&Vertex; 3], [f32; 2]),
) {
    for (index, t) in triangles.iter().enumerate() {
        let at = |k: usize| &vertices[(t[k] - first) as usize];
        let v = [at(0), at(1), at(2)];
        if v[0].out | v[1].out | v[2].out == 0 {
            let c = [v[0].s, v[1].s, v[2].s];
            let area = doubled_area(&c);
            // Front faces wind counter-clockwise on the picture, whose y points down.
            if area < 0 {
                emit(index, false, [c[0], c[2], c[1]], v, range(v[0].w, v[1].w, v[2].w));
            } else if area > 0 && faces == Faces::Both {
                emit(index, true, c, v, range(v[0].w, v[1].w, v[2].w));
            }
        } else if v[0].out & v[1].out & v[2].out == 0 {
            clip(view, v, |c, range| {
                let area = doubled_area(&c);
                if area < 0 {
                    emit(index, false, [c[0], c[2], c[1]], v, range);
                } else if area > 0 && faces == Faces::Both {
                    emit(index, true, c, v, range);
                }
            });
        }
    }
}

#[inline(always)]
fn doubled_area(c: &[[i32; 2]; 3]) -> i64 {
    let d = |i: usize, k: usize| (c[i][k] - c[0][k]) as i64;
    d(1, 0) * d(2, 1) - d(1, 1) * d(2, 0)
}

#[inline(always)]
fn range(a: f32, b: f32, c: f32) -> [f32; 2] {
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let max = |a: f32, b: f32| if a > b { a } else { b };
    [min(min(a, b), c), max(max(a, b), c)]
}

/// Clips a triangle to the guard band and the near plane and hands on the fan that remains.
#[cold]
#[inline(never)]
fn clip(view: &CameraView, v: [&Vertex; 3], mut emit: impl FnMut([[i32; 2]; 3], [f32; 2])) {
    // A triangle cut by five planes has at most eight corners.
    let mut polygon = [[0f64; 3]; 8];
    let mut n = 3;
    for k in 0..3 {
        polygon[k] = wide(v[k].p);
        if v[k].p.iter().any(|c| !c.is_finite()) {
            return;
        }
    }
    let needed: u32 = v[0].out | v[1].out | v[2].out;
    for (i, plane) in view.planes.iter().enumerate() {
        // What is too near may turn out to be beside the picture as well.
        if needed & (1 << i | NEAR) == 0 {
            continue;
        }
        let side = |p: [f64; 3]| plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3];
        let (source, count) = (polygon, n);
        n = 0;
        for k in 0..count {
            let (a, b) = (source[k], source[(k + 1) % count]);
            let (da, db) = (side(a), side(b));
            if da >= 0.0 {
                polygon[n] = a;
                n += 1;
            }
            if (da >= 0.0) != (db >= 0.0) {
                // Always from the inside outwards: triangles that share the edge get one point.
                let (p, q, dp, dq) = if da >= 0.0 { (a, b, da, db) } else { (b, a, db, da) };
                let t = dp / (dp - dq);
                polygon[n] = std::array::from_fn(|k| p[k] + t * (q[k] - p[k]));
                n += 1;
            }
        }
        if n < 3 {
            return;
        }
    }
    let projector = Projector::new(view);
    let mut corners = [([0i32; 2], 0f32); 8];
    for k in 0..n {
        corners[k] = projector.project(polygon[k].map(|c| c as f32));
    }
    let ws = &corners[..n];
    let lo = ws.iter().map(|c| c.1).fold(f32::INFINITY, f32::min);
    let hi = ws.iter().map(|c| c.1).fold(f32::NEG_INFINITY, f32::max);
    for k in 1..n - 1 {
        emit([corners[0].0, corners[k].0, corners[k + 1].0], [lo, hi]);
    }
}

/// Completes a triangle with its `w` as a function of the pixel.
#[inline(always)]
pub(crate) fn set_up(
    view: &CameraView,
    corners: [[i32; 2]; 3],
    v: [&Vertex; 3],
    range: [f32; 2],
) -> ScreenTriangle {
    // From the vertices before clipping and snapping, so that depth is exact.
    let p = wide(v[0].p);
    let n = cross64(sub64(wide(v[1].p), p), sub64(wide(v[2].p), p));
    let w = match view.lens {
        Lens::Perspective { .. } => {
            let k = 1.0 / dot64(n, p);
            let (a, b) = (n[0] * k * view.ifx, n[1] * k * view.ify);
            [a, b, n[2] * k - a * view.cx - b * view.cy]
        }
        Lens::Orthographic { w } => {
            let k = w[2] / n[2];
            let (a, b) = ((w[0] - n[0] * k) * view.ifx, (w[1] - n[1] * k) * view.ify);
            [a, b, dot64(n, p) * k + w[3] - a * view.cx - b * view.cy]
        }
    };
    ScreenTriangle { corners, w, range }
}
