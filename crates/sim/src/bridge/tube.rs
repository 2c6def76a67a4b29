//! A rope as one smooth tube along its nodes, with a place on the texture for every vertex.

use longarm_render::Mesh;

use super::flex::{cross, sub, unit};

/// Vertices around, the last where the first is.
const AROUND: usize = 11;
/// Rings between two nodes.
const RINGS: usize = 3;
/// Rings of a round end, as shares of a quarter turn from the tip.
const CAP: [f32; 3] = [0.0, 0.45, 0.8];

/// A tube that follows nodes; only making it allocates.
#[derive(Clone, Debug)]
pub(super) struct Tube {
    radius: f32,
    nodes: usize,
    /// Cosine and sine of each vertex of a ring.
    circle: [[f32; 2]; AROUND],
}

/// A ring's middle, the way along the tube and the directions in which it lies.
#[derive(Clone, Copy)]
struct Ring {
    at: [f32; 3],
    along: [f32; 3],
    x: [f32; 3],
    y: [f32; 3],
}

impl Tube {
    pub fn new(nodes: usize, radius: f32) -> Self {
        let circle = std::array::from_fn(|i| {
            let angle = std::f32::consts::TAU * i as f32 / (AROUND - 1) as f32;
            [libm::cosf(angle), libm::sinf(angle)]
        });
        Self { radius, nodes, circle }
    }

    fn rings(&self) -> usize {
        (self.nodes - 1) * RINGS + 1
    }

    /// Return the mesh with all vertices at the origin.
    pub fn mesh(&self) -> Mesh {
        let rings = self.rings() + 2 * CAP.len();
        let count = rings * AROUND;
        let mut triangles = Vec::new();
        for r in 0..rings as u32 - 1 {
            for i in 0..AROUND as u32 - 1 {
                let a = r * AROUND as u32 + i;
                let b = a + AROUND as u32;
                triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
            }
        }
        let last = (self.rings() - 1) as f32;
        let along = |r: usize| (r as f32 - CAP.len() as f32).clamp(0.0, last) / last;
        let uv = |k: usize| [(k % AROUND) as f32 / (AROUND - 1) as f32, along(k / AROUND)];
        Mesh {
            positions: vec![[0.0; 3]; count],
            normals: vec![[0.0, 0.0, 1.0]; count],
            uvs: Some((0..count).map(uv).collect()),
            triangles,
            double_sided: false,
        }
    }

    /// Lead the tube along the nodes.
    pub fn update(&self, nodes: &[[f32; 3]], mesh: &mut Mesh) {
        let rings = self.rings();
        let mut ring = self.first(nodes);
        for (k, turn) in CAP.iter().enumerate() {
            self.cap(&ring, -1.0, *turn, k, mesh);
        }
        for r in 0..rings {
            let (link, share) = ((r / RINGS).min(self.nodes - 2), r % RINGS);
            let t = if r + 1 == rings { 1.0 } else { share as f32 / RINGS as f32 };
            ring = ring.moved(point(nodes, link, t), tangent(nodes, link, t));
            for (i, [c, s]) in self.circle.iter().enumerate() {
                let out = std::array::from_fn(|k| c * ring.x[k] + s * ring.y[k]);
                self.put(mesh, (CAP.len() + r) * AROUND + i, ring.at, out, out);
            }
        }
        for (k, turn) in CAP.iter().rev().enumerate() {
            self.cap(&ring, 1.0, *turn, CAP.len() + rings + k, mesh);
        }
    }

    /// The ring at the first node.
    fn first(&self, nodes: &[[f32; 3]]) -> Ring {
        let along = tangent(nodes, 0, 0.0);
        let up = if along[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        let x = unit(cross(up, along));
        Ring { at: nodes[0], along, x, y: cross(along, x) }
    }

    fn cap(&self, end: &Ring, side: f32, turn: f32, row: usize, mesh: &mut Mesh) {
        let angle = turn * std::f32::consts::FRAC_PI_2;
        let (wide, far) = (libm::sinf(angle), side * libm::cosf(angle));
        for (i, [c, s]) in self.circle.iter().enumerate() {
            let out =
                std::array::from_fn(|k| wide * (c * end.x[k] + s * end.y[k]) + far * end.along[k]);
            self.put(mesh, row * AROUND + i, end.at, out, out);
        }
    }

    fn put(&self, mesh: &mut Mesh, i: usize, at: [f32; 3], out: [f32; 3], normal: [f32; 3]) {
        mesh.positions[i] = std::array::from_fn(|k| at[k] + self.radius * out[k]);
        mesh.normals[i] = normal;
    }
}

impl Ring {
    /// The same ring further on, not turned about the way.
    fn moved(self, at: [f32; 3], along: [f32; 3]) -> Self {
        let lean: f32 = (0..3).map(|k| self.x[k] * along[k]).sum();
        let x = unit(std::array::from_fn(|k| self.x[k] - lean * along[k]));
        Self { at, along, x, y: cross(along, x) }
    }
}

/// The nodes about a link; beyond an end the line goes on straight.
fn about(nodes: &[[f32; 3]], link: usize) -> [[f32; 3]; 4] {
    let (b, c) = (nodes[link], nodes[link + 1]);
    let beyond = |p: [f32; 3], q: [f32; 3]| std::array::from_fn(|k| 2.0 * p[k] - q[k]);
    let a = if link == 0 { beyond(b, c) } else { nodes[link - 1] };
    let d = nodes.get(link + 2).copied().unwrap_or_else(|| beyond(c, b));
    [a, b, c, d]
}

/// A point of the curve through the nodes (Catmull–Rom).
fn point(nodes: &[[f32; 3]], link: usize, t: f32) -> [f32; 3] {
    let [a, b, c, d] = about(nodes, link);
    std::array::from_fn(|k| {
        let (m, n) = ((c[k] - a[k]) / 2.0, (d[k] - b[k]) / 2.0);
        let (u, v) = (t * t, t * t * t);
        (2.0 * v - 3.0 * u + 1.0) * b[k]
            + (v - 2.0 * u + t) * m
            + (3.0 * u - 2.0 * v) * c[k]
            + (v - u) * n
    })
}

fn tangent(nodes: &[[f32; 3]], link: usize, t: f32) -> [f32; 3] {
    let [a, b, c, d] = about(nodes, link);
    let way: [f32; 3] = std::array::from_fn(|k| {
        let (m, n) = ((c[k] - a[k]) / 2.0, (d[k] - b[k]) / 2.0);
        let u = t * t;
        6.0 * (u - t) * (b[k] - c[k]) + (3.0 * u - 4.0 * t + 1.0) * m + (3.0 * u - 2.0 * t) * n
    });
    let way = unit(way);
    if way == [0.0; 3] { unit(sub(c, b)) } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(a: [f32; 3]) -> f32 {
        a.iter().map(|c| c * c).sum::<f32>().sqrt()
    }

    #[test]
    fn a_tube_keeps_its_radius_around_its_nodes_and_faces_outwards() {
        let nodes: Vec<[f32; 3]> = (0..20)
            .map(|i| {
                let a = 0.3 * i as f32;
                [0.05 * libm::cosf(a), 0.05 * libm::sinf(a), 0.01 * i as f32]
            })
            .collect();
        let tube = Tube::new(nodes.len(), 0.005);
        let mut mesh = tube.mesh();
        tube.update(&nodes, &mut mesh);
        for (i, node) in nodes.iter().enumerate() {
            let row = (CAP.len() + i * RINGS) * AROUND;
            for p in &mesh.positions[row..row + AROUND] {
                assert!((length(sub(*p, *node)) - 0.005).abs() < 1e-6);
            }
        }
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            let face = cross(sub(b, a), sub(c, a));
            let normal = mesh.normals[t[0] as usize];
            let facing: f32 = (0..3).map(|k| face[k] * normal[k]).sum();
            assert!(facing > -1e-9, "{t:?} faces inwards");
        }
    }

    #[test]
    fn nodes_that_lie_on_each_other_give_no_hole() {
        let nodes = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0]];
        let tube = Tube::new(3, 0.005);
        let mut mesh = tube.mesh();
        tube.update(&nodes, &mut mesh);
        assert!(mesh.positions.iter().flatten().all(|c| c.is_finite()));
    }
}
