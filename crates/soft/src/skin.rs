//! The surface of matter that is points.
//!
//! Points are smeared over a grid, and where that is dense enough is inside. Every cell that the surface
//! passes through has one vertex, amid the places where its edges are cut (surface nets, Gibson 1998).

use glam::{Vec2, Vec3};
use longarm_types::DVec3;

use crate::grid::{EDGE, Grid, NODES, SPAN, gather, scatter};

/// Density of the surface, as a share of that within.
const DENSE: f32 = 0.6;

/// Lonely points count this much at most, so that drops are seen.
const LONELY: f32 = 7.0;

/// Spacings that a cell is wide.
const WIDE: f64 = 1.0;

const NO_VERTEX: u32 = u32::MAX;

/// A closed surface around points; its lists are used again.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Where its vertices are.
    pub positions: Vec<[f32; 3]>,
    /// Directions outward, not of unit length.
    pub normals: Vec<[f32; 3]>,
    /// Share of points with a tag above 0 around each vertex.
    pub tints: Vec<f32>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    grid: Grid,
    /// Density of all points and of those with a tag.
    values: Vec<Vec2>,
    weights: Vec<f32>,
    vertices: Vec<u32>,
}

impl Skin {
    /// Make an empty surface for points at a spacing.
    pub fn new(spacing: f64, points: usize) -> Self {
        Self {
            positions: Vec::new(),
            normals: Vec::new(),
            tints: Vec::new(),
            triangles: Vec::new(),
            grid: Grid::new(WIDE * spacing, points),
            values: Vec::new(),
            weights: vec![1.0; points],
            vertices: Vec::new(),
        }
    }

    /// Wrap points, as many as it was made for, with their tags.
    pub fn wrap(&mut self, points: &[DVec3], tags: &[u32]) {
        self.grid.fill(points);
        self.weights.fill(1.0);
        self.smear(points, tags);
        self.weigh(points);
        self.smear(points, tags);
        self.close();
        self.place_vertices();
        self.span();
    }

    /// Smears points over the grid.
    fn smear(&mut self, points: &[DVec3], tags: &[u32]) {
        self.grid.clear(&mut self.values, Vec2::ZERO);
        let share = (WIDE * WIDE * WIDE) as f32;
        for block in self.grid.blocks.iter().filter(|b| b.begin < b.end) {
            let mut tile = [Vec2::ZERO; SPAN * SPAN * SPAN];
            for i in &self.grid.order[block.begin as usize..block.end as usize] {
                let i = *i as usize;
                let tint = if tags[i] > 0 { 1.0 } else { 0.0 };
                let value = Vec2::new(1.0, tint) * (self.weights[i] / share);
                let (node, weight) = weights(&self.grid, block.corner, points[i]);
                each(node, &weight, |k, w| tile[k] += value * w);
            }
            scatter(&tile, &block.around, &mut self.values);
        }
    }

    /// Finds how much points must count for lonely ones to be seen.
    fn weigh(&mut self, points: &[DVec3]) {
        let mut tile = [Vec2::ZERO; SPAN * SPAN * SPAN];
        for block in self.grid.blocks.iter().filter(|b| b.begin < b.end) {
            gather(&mut tile, &block.around, &self.values);
            for i in &self.grid.order[block.begin as usize..block.end as usize] {
                let i = *i as usize;
                let (node, weight) = weights(&self.grid, block.corner, points[i]);
                let mut dense = 0.0;
                each(node, &weight, |k, w| dense += tile[k].x * w);
                self.weights[i] = (0.8 / dense).clamp(1.0, LONELY);
            }
        }
    }

    /// Makes blocks below those that are dense at their lower ends, and an empty one for all others.
    fn close(&mut self) {
        for b in 0..self.grid.blocks.len() {
            let corner = self.grid.blocks[b].corner;
            for below in 1..8 {
                let low = |node: usize| {
                    let at = [node / (EDGE * EDGE), node / EDGE % EDGE, node % EDGE];
                    (0..3).all(|axis| below >> axis & 1 == 0 || at[axis] == 0)
                };
                let values = &self.values[b * NODES..(b + 1) * NODES];
                if (0..NODES).any(|k| values[k].x > DENSE && low(k)) {
                    let at = |axis: usize| corner[axis] - (EDGE * (below >> axis & 1)) as i32;
                    self.grid.find([at(0), at(1), at(2)]);
                }
            }
        }
        self.grid.link();
        self.values.resize((self.grid.blocks.len() + 1) * NODES, Vec2::ZERO);
        self.vertices.clear();
        self.vertices.resize(self.values.len(), NO_VERTEX);
    }

    /// Puts a vertex into every cell that the surface passes through.
    fn place_vertices(&mut self) {
        self.positions.clear();
        self.normals.clear();
        self.tints.clear();
        let mut tile = [Vec2::ZERO; SPAN * SPAN * SPAN];
        for (b, block) in self.grid.blocks.iter().enumerate() {
            gather(&mut tile, &block.around, &self.values);
            for k in 0..NODES {
                let at = [k / (EDGE * EDGE), k / EDGE % EDGE, k % EDGE];
                let value: [Vec2; 8] = std::array::from_fn(|c| tile[node(at) + corner(c)]);
                let inside = value.iter().filter(|v| v.x > DENSE).count();
                if inside == 0 || inside == 8 {
                    continue;
                }
                let (place, slope, tint) = cut(&value);
                let lowest = self.grid.place(b, k).as_vec3();
                self.vertices[b * NODES + k] = self.positions.len() as u32;
                self.positions.push((lowest + place * self.grid.cell as f32).to_array());
                self.normals.push((-slope).to_array());
                self.tints.push(tint);
            }
        }
    }

    /// Spans two triangles around every edge that is cut.
    fn span(&mut self) {
        self.triangles.clear();
        let mut tile = [Vec2::ZERO; SPAN * SPAN * SPAN];
        let mut vertices = [NO_VERTEX; SPAN * SPAN * SPAN];
        for (b, block) in self.grid.blocks.iter().enumerate() {
            if self.vertices[b * NODES..(b + 1) * NODES].iter().all(|v| *v == NO_VERTEX) {
                continue;
            }
            gather(&mut tile, &block.around, &self.values);
            gather(&mut vertices, &block.around, &self.vertices);
            for k in 0..NODES {
                let cell = node([k / (EDGE * EDGE), k / EDGE % EDGE, k % EDGE]);
                if vertices[cell] == NO_VERTEX {
                    continue;
                }
                for axis in 0..3 {
                    let (u, v) = (STRIDE[(axis + 1) % 3], STRIDE[(axis + 2) % 3]);
                    let edge = cell + u + v;
                    let ends = [tile[edge].x > DENSE, tile[edge + STRIDE[axis]].x > DENSE];
                    if ends[0] == ends[1] {
                        continue;
                    }
                    let mut quad = [cell, cell + u, cell + u + v, cell + v].map(|c| vertices[c]);
                    if ends[1] {
                        quad.swap(1, 3);
                    }
                    let [p, q, r, s] = quad.map(|v| Vec3::from(self.positions[v as usize]));
                    let [a, b, c, d] = quad;
                    if p.distance_squared(r) <= q.distance_squared(s) {
                        self.triangles.extend([[a, b, c], [a, c, d]]);
                    } else {
                        self.triangles.extend([[a, b, d], [b, c, d]]);
                    }
                }
            }
        }
    }
}

/// Nodes of a tile from one to the next along each axis.
const STRIDE: [usize; 3] = [SPAN * SPAN, SPAN, 1];

fn node(at: [usize; 3]) -> usize {
    (at[0] * SPAN + at[1]) * SPAN + at[2]
}

/// From a cell's lowest node to its k-th corner.
fn corner(k: usize) -> usize {
    (k & 1) * STRIDE[0] + (k >> 1 & 1) * STRIDE[1] + (k >> 2 & 1) * STRIDE[2]
}

/// Where the surface cuts a cell, in cells from its lowest node, how density rises there, and its tint.
fn cut(value: &[Vec2; 8]) -> (Vec3, Vec3, f32) {
    let place = |c: usize| Vec3::new((c & 1) as f32, (c >> 1 & 1) as f32, (c >> 2 & 1) as f32);
    let (mut sum, mut count, mut slope) = (Vec3::ZERO, 0.0, Vec3::ZERO);
    for axis in 0..3 {
        for c in (0..8).filter(|c| c >> axis & 1 == 0) {
            let (a, b) = (value[c].x, value[c | 1 << axis].x);
            slope[axis] += b - a;
            if (a > DENSE) != (b > DENSE) {
                let mut at = place(c);
                at[axis] = (DENSE - a) / (b - a);
                sum += at;
                count += 1.0;
            }
        }
    }
    let all = value.iter().fold(Vec2::ZERO, |s, v| s + *v);
    (sum / count, slope, if all.x > 0.0 { all.y / all.x } else { 0.0 })
}

/// The lowest node of a tile that a point reaches, and its weights along each axis.
#[inline]
fn weights(grid: &Grid, corner: [i32; 3], p: DVec3) -> (usize, [[f32; 3]; 3]) {
    let (low, above) = grid.reach(p);
    let at = std::array::from_fn(|k| (low[k] - corner[k]) as usize);
    let weight = above.map(|f| {
        let (a, b, c) = (1.5 - f, f - 1.0, f - 0.5);
        [0.5 * a * a, 0.75 - b * b, 0.5 * c * c]
    });
    (node(at), weight)
}

/// Calls for the 27 nodes around a point with their weights.
#[inline]
fn each(first: usize, weight: &[[f32; 3]; 3], mut f: impl FnMut(usize, f32)) {
    for i in 0..3 {
        for j in 0..3 {
            let row = weight[0][i] * weight[1][j];
            for k in 0..3 {
                f(first + (i * SPAN + j) * SPAN + k, row * weight[2][k]);
            }
        }
    }
}
