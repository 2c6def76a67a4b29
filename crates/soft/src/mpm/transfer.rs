//! From points to the grid and back.

use glam::Vec4;
use longarm_types::DVec3;

use super::contact::POINTS_REACH;
use super::{FASTEST, Mpm, Point};
use crate::Solid;
use crate::grid::{self, SPAN, Tile};

const EMPTY: Tile<Vec4> = [Vec4::ZERO; SPAN * SPAN * SPAN];

/// Where a point lies in a tile: the lowest node it reaches, weights and ways to three nodes on each axis.
struct Stencil {
    node: usize,
    weight: [[f32; 3]; 3],
    way: [[f32; 3]; 3],
}

impl Stencil {
    #[inline]
    fn new(grid: &grid::Grid, corner: [i32; 3], p: DVec3) -> Self {
        let (low, above) = grid.reach(p);
        let [x, y, z]: [usize; 3] = std::array::from_fn(|k| (low[k] - corner[k]) as usize);
        let cell = grid.cell as f32;
        let weight = above.map(|f| {
            let (a, b, c) = (1.5 - f, f - 1.0, f - 0.5);
            [0.5 * a * a, 0.75 - b * b, 0.5 * c * c]
        });
        let way = above.map(|f| [-f * cell, (1.0 - f) * cell, (2.0 - f) * cell]);
        Self { node: (x * SPAN + y) * SPAN + z, weight, way }
    }

    /// Calls for rows of three nodes along z: the first node, the weight of the row, its way in x and y.
    #[inline]
    fn rows(&self, mut f: impl FnMut(usize, f32, f32, f32)) {
        for i in 0..3 {
            for j in 0..3 {
                let node = self.node + (i * SPAN + j) * SPAN;
                f(node, self.weight[0][i] * self.weight[1][j], self.way[0][i], self.way[1][j]);
            }
        }
    }
}

impl Mpm {
    /// Gives the grid mass and momentum, and the push of stress.
    pub(super) fn spread(&mut self, h: f64) {
        let cell = self.grid.cell;
        let mass = self.point_mass() as f32;
        let d = self.spec.spacing;
        let push = (h * d * d * d * 4.0 / (cell * cell)) as f32;
        self.grid.clear(&mut self.nodes, Vec4::ZERO);
        self.grid.clear(&mut self.middles, Vec4::ZERO);
        for b in 0..self.grid.blocks.len() {
            let block = self.grid.blocks[b];
            if block.begin == block.end {
                continue;
            }
            let mut tile = EMPTY;
            let mut middle = EMPTY;
            let beside = block.around.iter().any(|k| self.near[*k as usize]);
            for i in &self.grid.order[block.begin as usize..block.end as usize] {
                let point = &self.points[*i as usize];
                let stencil = Stencil::new(&self.grid, block.corner, self.now[*i as usize]);
                let [xx, yy, zz, xy, xz, yz] = self.law.stress(&point.strain);
                let column = |k: usize, s: [f32; 3]| {
                    point.gradient[k] * mass - Vec4::new(s[0], s[1], s[2], 0.0) * push
                };
                let all = (point.velocity * mass).with_w(mass);
                let by =
                    [column(0, [xx, xy, xz]), column(1, [xy, yy, yz]), column(2, [xz, yz, zz])];
                let [wz, z] = [stencil.weight[2], stencil.way[2]];
                let deep = z.map(|z| by[2] * z);
                stencil.rows(|node, w, x, y| {
                    let row = all + by[0] * x + by[1] * y;
                    for (k, t) in tile[node..node + 3].iter_mut().enumerate() {
                        *t += (row + deep[k]) * (w * wz[k]);
                    }
                    if beside {
                        for (k, m) in middle[node..node + 3].iter_mut().enumerate() {
                            *m -= Vec4::new(x, y, z[k], 0.0) * (w * wz[k] * mass);
                        }
                    }
                });
            }
            grid::scatter(&tile, &block.around, &mut self.nodes);
            if beside {
                grid::scatter(&middle, &block.around, &mut self.middles);
            }
        }
    }

    /// Moves points with the grid and strains them.
    pub(super) fn collect(&mut self, h: f64, solids: &mut [Solid]) {
        let fast = (FASTEST * self.spec.sound()) as f32;
        let spread = (4.0 / (self.grid.cell * self.grid.cell)) as f32;
        let mut tile = EMPTY;
        for b in 0..self.grid.blocks.len() {
            let block = self.grid.blocks[b];
            if block.begin == block.end {
                continue;
            }
            grid::gather(&mut tile, &block.around, &self.nodes);
            let beside = block.around.iter().any(|k| self.near[*k as usize]);
            if beside {
                self.touch(b, POINTS_REACH);
            }
            for i in block.begin..block.end {
                let i = self.grid.order[i as usize] as usize;
                let stencil = Stencil::new(&self.grid, block.corner, self.now[i]);
                let [wz, z] = [stencil.weight[2], stencil.way[2]];
                let weighted: [f32; 3] = std::array::from_fn(|k| wz[k] * z[k]);
                let (mut all, mut by) = (Vec4::ZERO, [Vec4::ZERO; 3]);
                stencil.rows(|node, w, x, y| {
                    let three = &tile[node..node + 3];
                    let row = (three[0] * wz[0] + three[1] * wz[1] + three[2] * wz[2]) * w;
                    let deep =
                        three[0] * weighted[0] + three[1] * weighted[1] + three[2] * weighted[2];
                    all += row;
                    by[0] += row * x;
                    by[1] += row * y;
                    by[2] += deep * w;
                });
                let point = &mut self.points[i];
                Self::carry(point, all.with_w(0.0), by.map(|v| (v * spread).with_w(0.0)), fast);
                let t = h as f32;
                let gradient = &point.gradient;
                let displaced: [[f32; 3]; 3] =
                    std::array::from_fn(|r| std::array::from_fn(|c| gradient[c][r] * t));
                self.law.strain(&mut point.strain, &displaced);
                let to = self.now[i] + point.velocity.truncate().as_dvec3() * h;
                self.now[i] = if beside { self.keep_out(i, to, h, solids) } else { to };
            }
        }
    }

    /// Gives a point its velocity, within what a step can follow.
    #[inline]
    fn carry(point: &mut Point, velocity: Vec4, gradient: [Vec4; 3], fast: f32) {
        let speed = velocity.length_squared();
        let slow = if speed > fast * fast { fast / speed.sqrt() } else { 1.0 };
        point.velocity = velocity * slow;
        point.gradient = gradient;
    }
}
