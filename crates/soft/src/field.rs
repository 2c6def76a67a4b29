//! Signed distances of a closed mesh, sampled on a grid.

use longarm_types::DVec3;

use crate::SoftError;
use crate::closest::point_on_triangle;

/// Signed distances on a grid, read by trilinear interpolation.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    lower: DVec3,
    cell: f64,
    size: [usize; 3],
    values: Vec<f64>,
}

/// Cells around the mesh.
const MARGIN: f64 = 4.0;

impl Field {
    /// Sample a function within a box.
    pub fn sample(
        lower: DVec3,
        upper: DVec3,
        cell: f64,
        mut distance: impl FnMut(DVec3) -> f64,
    ) -> Self {
        let size = ((upper - lower) / cell).to_array().map(|n| libm::ceil(n) as usize + 1);
        let mut field = Self { lower, cell, size, values: Vec::new() };
        field.values = (0..size[0] * size[1] * size[2]).map(|i| distance(field.node(i))).collect();
        field
    }

    /// Sample the signed distance of a closed mesh of triangles that wind outward.
    pub fn of_mesh(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        cell: f64,
    ) -> Result<Self, SoftError> {
        let finite = vertices.iter().all(|v| v.is_finite());
        if triangles.is_empty() || !finite || cell <= 0.0 {
            return Err(SoftError::Mesh("no triangles, or vertices that are not finite".into()));
        }
        let corners = |t: usize| triangles[t].map(|v| vertices[v as usize]);
        let all = |f: fn(DVec3, DVec3) -> DVec3| vertices.iter().copied().reduce(f);
        let (Some(lower), Some(upper)) = (all(DVec3::min), all(DVec3::max)) else {
            return Err(SoftError::Mesh("it has no vertices".into()));
        };
        let margin = DVec3::splat(MARGIN * cell);
        let mut field = Self::sample(lower - margin, upper + margin, cell, |_| f64::INFINITY);
        let mut nearest = vec![u32::MAX; field.values.len()];
        // Exact near the surface, then the nearest triangle travels from node to node.
        for t in 0..triangles.len() {
            let [a, b, c] = corners(t);
            let (from, to) = (a.min(b).min(c), a.max(b).max(c));
            field.within(from - DVec3::splat(cell), to + DVec3::splat(cell), |field, i| {
                field.offer(&mut nearest, i, t as u32, corners(t));
            });
        }
        for _ in 0..2 {
            field.spread(&mut nearest, corners);
        }
        field.sign(triangles.len(), corners)?;
        Ok(field)
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[2] * self.size[1] + at[1]) * self.size[0] + at[0]
    }

    fn place(&self, i: usize) -> [usize; 3] {
        let [nx, ny, _] = self.size;
        [i % nx, i / nx % ny, i / (nx * ny)]
    }

    fn node(&self, i: usize) -> DVec3 {
        let [x, y, z] = self.place(i);
        self.lower + DVec3::new(x as f64, y as f64, z as f64) * self.cell
    }

    /// Calls for every node of a box.
    fn within(&mut self, from: DVec3, to: DVec3, mut f: impl FnMut(&mut Self, usize)) {
        let at = |p: DVec3, round: fn(f64) -> f64| {
            ((p - self.lower) / self.cell).to_array().map(|c| round(c).max(0.0) as usize)
        };
        let (a, b) = (at(from, libm::floor), at(to, libm::ceil));
        for z in a[2]..=b[2].min(self.size[2] - 1) {
            for y in a[1]..=b[1].min(self.size[1] - 1) {
                for x in a[0]..=b[0].min(self.size[0] - 1) {
                    f(self, self.index([x, y, z]));
                }
            }
        }
    }

    /// Offers a triangle to a node as its nearest.
    fn offer(&mut self, nearest: &mut [u32], i: usize, t: u32, [a, b, c]: [DVec3; 3]) {
        let p = self.node(i);
        let w = point_on_triangle(p, a, b, c);
        let d = (p - (a * w[0] + b * w[1] + c * w[2])).length();
        if d < self.values[i] {
            (self.values[i], nearest[i]) = (d, t);
        }
    }

    /// Sweeps in both directions: each node is offered what its neighbours have.
    fn spread(&mut self, nearest: &mut [u32], corners: impl Fn(usize) -> [DVec3; 3]) {
        let count = self.values.len();
        let [nx, ny, _] = self.size;
        let strides = [1, nx, nx * ny];
        for sweep in 0..2 {
            for k in 0..count {
                let i = if sweep == 0 { k } else { count - 1 - k };
                let at = self.place(i);
                for axis in 0..3 {
                    let edge = if sweep == 0 { 0 } else { self.size[axis] - 1 };
                    if at[axis] == edge {
                        continue;
                    }
                    let stride = strides[axis];
                    let from = if sweep == 0 { i - stride } else { i + stride };
                    let t = nearest[from];
                    if t != u32::MAX && t != nearest[i] {
                        self.offer(nearest, i, t, corners(t as usize));
                    }
                }
            }
        }
    }

    /// Makes distances inside negative: along lines in x, every crossing changes sides.
    fn sign(
        &mut self,
        count: usize,
        corners: impl Fn(usize) -> [DVec3; 3],
    ) -> Result<(), SoftError> {
        let [nx, ny, nz] = self.size;
        // A line exactly through an edge would count it twice or never.
        let nudge = DVec3::new(0.0, 0.123_457, 0.076_543) * self.cell * 1e-3;
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); ny * nz];
        for t in 0..count {
            let [a, b, c] = corners(t).map(|p| (p - self.lower - nudge) / self.cell);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let area = (b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y);
            if area == 0.0 {
                continue;
            }
            for z in libm::ceil(low.z) as usize..=(libm::floor(high.z) as usize).min(nz - 1) {
                for y in libm::ceil(low.y) as usize..=(libm::floor(high.y) as usize).min(ny - 1) {
                    let (py, pz) = (y as f64, z as f64);
                    let cross =
                        |p: DVec3, q: DVec3| (p.y - py) * (q.z - pz) - (p.z - pz) * (q.y - py);
                    let w = [cross(b, c) / area, cross(c, a) / area, cross(a, b) / area];
                    if w.iter().all(|w| *w >= 0.0) {
                        crossings[z * ny + y].push(w[0] * a.x + w[1] * b.x + w[2] * c.x);
                    }
                }
            }
        }
        for (line, at) in crossings.iter_mut().enumerate() {
            if at.len() % 2 == 1 {
                return Err(SoftError::Mesh("it is not closed".into()));
            }
            at.sort_by(f64::total_cmp);
            for x in 0..nx {
                if at.iter().filter(|c| **c < x as f64).count() % 2 == 1 {
                    let value = &mut self.values[line * nx + x];
                    *value = -*value;
                }
            }
        }
        Ok(())
    }

    /// Return the distance of a point and the direction away from the surface.
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let upper = DVec3::from_array(self.size.map(|n| (n - 1) as f64)) * self.cell;
        let inside = (p - self.lower).clamp(DVec3::ZERO, upper);
        let beyond = (p - self.lower - inside).length();
        let at = inside / self.cell;
        let corner: [usize; 3] = std::array::from_fn(|i| (at[i] as usize).min(self.size[i] - 2));
        let f = at - DVec3::from_array(corner.map(|c| c as f64));
        let v = |x: usize, y: usize, z: usize| {
            self.values[self.index([corner[0] + x, corner[1] + y, corner[2] + z])]
        };
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let face =
            |x: usize| mix(mix(v(x, 0, 0), v(x, 1, 0), f.y), mix(v(x, 0, 1), v(x, 1, 1), f.y), f.z);
        let (west, east) = (face(0), face(1));
        let row = |y: usize, z: usize| mix(v(0, y, z), v(1, y, z), f.x);
        let (south, north) = (mix(row(0, 0), row(0, 1), f.z), mix(row(1, 0), row(1, 1), f.z));
        let (under, over) = (mix(row(0, 0), row(1, 0), f.y), mix(row(0, 1), row(1, 1), f.y));
        let slope = DVec3::new(east - west, north - south, over - under);
        (mix(west, east, f.x) + beyond, slope.normalize_or(DVec3::Z))
    }

    /// Return the box that is sampled.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let size = DVec3::from_array(self.size.map(|n| (n - 1) as f64)) * self.cell;
        (self.lower, self.lower + size)
    }
}
