//! Procedural triangle meshes.
//!
//! Every shape is a pure function of its parameters and uses `libm`, so that pictures are the same
//! on every machine. Vertices are doubled where normals or texture coordinates jump; apart from
//! that the solids are closed. Texture coordinates run right (u) and down (v) seen from outside.

mod read;
mod shapes;
mod sweep;
mod triangulate;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use longarm_types::{Bounds, DVec3, Pose};

pub use read::read_mesh;
pub use triangulate::triangulate;

/// A triangle mesh with one normal per vertex (and one texture coordinate, or none at all).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertices.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, one per vertex, or empty.
    pub uvs: Vec<[f32; 2]>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

fn to_f32(v: DVec3) -> [f32; 3] {
    // Adding zero turns −0 into 0, so that equal points have equal bits.
    [v.x as f32 + 0.0, v.y as f32 + 0.0, v.z as f32 + 0.0]
}

fn to_f64(v: [f32; 3]) -> DVec3 {
    DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}

/// Identity of a point: its bits.
fn key(v: [f32; 3]) -> [u32; 3] {
    v.map(|x| (x + 0.0).to_bits())
}

impl TriMesh {
    /// MuJoCo's binary mesh format.
    pub fn to_msh(&self) -> Vec<u8> {
        let n = self.positions.len();
        let mut out = Vec::with_capacity(16 + n * 32 + self.triangles.len() * 12);
        for count in [n, self.normals.len(), self.uvs.len(), self.triangles.len()] {
            out.extend((count as i32).to_le_bytes());
        }
        for v in
            self.positions.iter().chain(&self.normals).flatten().chain(self.uvs.iter().flatten())
        {
            out.extend(v.to_le_bytes());
        }
        for v in self.triangles.iter().flatten() {
            out.extend((*v as i32).to_le_bytes());
        }
        out
    }

    /// Adds a vertex and gives its index.
    fn push(&mut self, p: DVec3, normal: DVec3, uv: [f64; 2]) -> u32 {
        let i = self.positions.len() as u32;
        self.positions.push(to_f32(p));
        self.normals.push(to_f32(normal));
        self.uvs.push(uv.map(|x| x as f32));
        i
    }

    /// Adds a triangle unless two of its corners coincide.
    fn face(&mut self, t: [u32; 3]) {
        let [a, b, c] = t.map(|i| key(self.positions[i as usize]));
        if a != b && b != c && c != a {
            self.triangles.push(t);
        }
    }

    /// Adds the quad `a b c d` (counter-clockwise) as two triangles.
    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.face([a, b, c]);
        self.face([a, c, d]);
    }

    /// Appends another mesh. Where only one of them has texture coordinates the other gets zeros.
    pub fn merge(&mut self, other: &Self) {
        let base = self.positions.len() as u32;
        if !self.uvs.is_empty() || !other.uvs.is_empty() {
            self.uvs.resize(self.positions.len(), [0.0; 2]);
            self.uvs.extend_from_slice(&other.uvs);
            self.uvs.resize(self.positions.len() + other.positions.len(), [0.0; 2]);
        }
        self.positions.extend_from_slice(&other.positions);
        self.normals.extend_from_slice(&other.normals);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + base)));
    }

    /// The union of several meshes as one.
    pub fn merged(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut out = Self::default();
        for p in parts {
            out.merge(&p);
        }
        out
    }

    /// The mesh moved by a rigid transform.
    pub fn transformed(mut self, pose: &Pose) -> Self {
        for p in &mut self.positions {
            *p = to_f32(pose.point(to_f64(*p)));
        }
        for n in &mut self.normals {
            *n = to_f32(pose.dir(to_f64(*n)));
        }
        self
    }

    /// The mesh moved without turning.
    pub fn moved(self, x: f64, y: f64, z: f64) -> Self {
        self.transformed(&Pose::at(x, y, z))
    }

    /// The mesh scaled along its axes (not by zero); mirroring keeps the outside out.
    pub fn scaled(mut self, by: [f64; 3]) -> Self {
        let s = DVec3::from(by);
        for p in &mut self.positions {
            *p = to_f32(to_f64(*p) * s);
        }
        for n in &mut self.normals {
            *n = to_f32((to_f64(*n) / s).normalize_or(DVec3::Z));
        }
        if by[0] * by[1] * by[2] < 0.0 {
            for t in &mut self.triangles {
                t.swap(1, 2);
            }
        }
        self
    }

    /// The same surface seen from its other side.
    pub fn flipped(mut self) -> Self {
        for t in &mut self.triangles {
            t.swap(1, 2);
        }
        for n in &mut self.normals {
            *n = n.map(|x| 0.0 - x);
        }
        self
    }

    /// The mesh without texture coordinates.
    pub fn without_uvs(mut self) -> Self {
        self.uvs.clear();
        self
    }

    /// Moves every vertex by a function of its place; follow it with [`TriMesh::creased`].
    pub fn warped(mut self, f: impl Fn(DVec3) -> DVec3) -> Self {
        for p in &mut self.positions {
            *p = to_f32(f(to_f64(*p)));
        }
        self
    }

    /// New normals: smooth where faces meet at less than `angle` radians, sharp elsewhere.
    pub fn creased(self, angle: f64) -> Self {
        let limit = libm::cos(angle);
        let corner = |i: u32| to_f64(self.positions[i as usize]);
        let mut flat = Vec::with_capacity(self.triangles.len());
        let mut around: BTreeMap<[u32; 3], Vec<(usize, f64)>> = BTreeMap::new();
        for (f, t) in self.triangles.iter().enumerate() {
            let p = t.map(corner);
            let n = (p[1] - p[0]).cross(p[2] - p[0]);
            flat.push(n.normalize_or_zero());
            for k in 0..3 {
                let a = (p[(k + 1) % 3] - p[k]).normalize_or_zero();
                let b = (p[(k + 2) % 3] - p[k]).normalize_or_zero();
                // Weighing by the corner's angle makes the result independent of how flat faces
                // were cut into triangles.
                let w = libm::acos(a.dot(b).clamp(-1.0, 1.0));
                around.entry(key(self.positions[t[k] as usize])).or_default().push((f, w));
            }
        }
        let mut out = Self::default();
        let mut seen = BTreeMap::new();
        for (f, t) in self.triangles.iter().enumerate() {
            let mut face = [0; 3];
            for k in 0..3 {
                let i = t[k] as usize;
                let at = key(self.positions[i]);
                let sum: DVec3 = around[&at]
                    .iter()
                    .filter(|(g, _)| *g == f || flat[*g].dot(flat[f]) >= limit)
                    .map(|(g, w)| flat[*g] * *w)
                    .sum();
                let n = to_f32(sum.normalize_or(DVec3::Z));
                let uv = self.uvs.get(i).copied();
                let id = (at, key(n), uv.unwrap_or_default().map(f32::to_bits));
                face[k] = *seen.entry(id).or_insert_with(|| {
                    out.positions.push(self.positions[i]);
                    out.normals.push(n);
                    out.uvs.extend(uv);
                    out.positions.len() as u32 - 1
                });
            }
            out.triangles.push(face);
        }
        out
    }

    /// Volume enclosed, by the divergence theorem; meaningful for closed meshes.
    pub fn volume(&self) -> f64 {
        let p = |i: u32| to_f64(self.positions[i as usize]);
        self.triangles.iter().map(|t| p(t[0]).dot(p(t[1]).cross(p(t[2]))) / 6.0).sum()
    }

    /// Box around the mesh.
    pub fn bounds(&self) -> Bounds {
        let mut lo = DVec3::MAX;
        let mut hi = DVec3::MIN;
        for p in &self.positions {
            lo = lo.min(to_f64(*p));
            hi = hi.max(to_f64(*p));
        }
        if self.positions.is_empty() {
            return Bounds::default();
        }
        Bounds { centre: ((lo + hi) / 2.0).to_array(), half: ((hi - lo) / 2.0).to_array() }
    }
}
