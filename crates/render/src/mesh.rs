//! Triangle meshes.

use crate::cluster::{Cluster, divide};
use crate::math::{Vec3, add, cross, normalize, sub};
use crate::simplify::Simplifier;

/// A triangle mesh in its own frame; counter-clockwise triangles face outwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions.
    pub positions: Vec<Vec3>,
    /// One normal per vertex; need not be of unit length.
    pub normals: Vec<Vec3>,
    /// Texture coordinates, one per vertex; without them a flat texture is projected along z.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
    /// Draw both sides (cloth, open shells).
    pub double_sided: bool,
}

impl Mesh {
    /// A mesh with smooth normals computed from its triangles.
    pub fn smooth(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let mut mesh = Self { positions, triangles, ..Self::default() };
        mesh.recompute_normals();
        mesh
    }

    /// A mesh whose every triangle is flat: vertices are not shared.
    pub fn flat(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut mesh = Self::default();
        for t in triangles {
            let p = t.map(|i| positions[i as usize]);
            let n = normalize(cross(sub(p[1], p[0]), sub(p[2], p[0])));
            let base = mesh.positions.len() as u32;
            mesh.positions.extend(p);
            mesh.normals.extend([n; 3]);
            mesh.triangles.push([base, base + 1, base + 2]);
        }
        mesh
    }

    /// Area-weighted normals from the present positions; allocates only if the count changed.
    pub fn recompute_normals(&mut self) {
        self.normals.clear();
        self.normals.resize(self.positions.len(), [0.0; 3]);
        for t in &self.triangles {
            let p = t.map(|i| self.positions[i as usize]);
            let n = cross(sub(p[1], p[0]), sub(p[2], p[0]));
            for &i in t {
                self.normals[i as usize] = add(self.normals[i as usize], n);
            }
        }
        for n in &mut self.normals {
            *n = normalize(*n);
        }
    }

    /// Appends `other` moved by `offset`.
    pub fn append(&mut self, other: &Mesh, offset: Vec3) {
        let base = self.positions.len() as u32;
        self.positions.extend(other.positions.iter().map(|&p| add(p, offset)));
        self.normals.extend_from_slice(&other.normals);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + base)));
        match (&mut self.uvs, &other.uvs) {
            (Some(a), Some(b)) => a.extend_from_slice(b),
            (Some(a), None) => a.resize(self.positions.len(), [0.0; 2]),
            (None, Some(b)) if base == 0 => self.uvs = Some(b.clone()),
            (None, _) => {}
        }
    }

    pub(crate) fn check(&self) {
        let n = self.positions.len();
        assert_eq!(self.normals.len(), n, "a mesh needs one normal per vertex");
        if let Some(uvs) = &self.uvs {
            assert_eq!(uvs.len(), n, "a mesh needs one texture coordinate per vertex or none");
        }
        assert!(
            self.triangles.iter().flatten().all(|&i| (i as usize) < n),
            "a triangle refers to a vertex that does not exist"
        );
    }
}

/// A mesh as the scene keeps it: with its bounds and a number that changes with its content.
#[derive(Clone, Debug)]
pub(crate) struct StoredMesh {
    pub mesh: Mesh,
    pub center: Vec3,
    pub radius: f32,
    pub min: Vec3,
    pub max: Vec3,
    pub revision: u64,
    /// Parts that may be left out, of a mesh that is divided.
    pub clusters: Vec<Cluster>,
    /// Coarser versions, each coarser than the one before.
    pub levels: Vec<Level>,
}

/// A coarser version of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub mesh: Mesh,
    pub clusters: Vec<Cluster>,
    /// How far it may be from the mesh, in the mesh's frame.
    pub error: f32,
}

/// Meshes with fewer triangles have no coarser versions.
const FINE: usize = 100;
/// Distances of coarser versions as shares of the mesh's radius: the first, and how many, each twice the one before.
const FIRST_ERROR: f32 = 1.0 / 8192.0;
const LEVELS: usize = 11;

fn levels(mesh: &Mesh, radius: f32) -> Vec<Level> {
    let mut out: Vec<Level> = Vec::new();
    if mesh.triangles.len() < FINE {
        return out;
    }
    let mut simplifier = Simplifier::new(mesh);
    let mut last = mesh.triangles.len();
    for k in 0..LEVELS {
        let error = radius * FIRST_ERROR * (1 << k) as f32;
        simplifier.reduce(error);
        if simplifier.len() * 4 < last * 3 {
            last = simplifier.len();
            let mut mesh = simplifier.mesh(mesh);
            let clusters = divide(&mut mesh);
            out.push(Level { mesh, clusters, error });
        }
    }
    out
}

impl StoredMesh {
    pub fn new(mesh: Mesh) -> Self {
        mesh.check();
        // Two scenes drawn by one renderer must not be taken for each other.
        let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ mesh.triangles.len() as u64;
        for p in &mesh.positions {
            for c in p {
                hash = (hash ^ c.to_bits() as u64).wrapping_mul(0x100_0000_01b3);
            }
        }
        let mut stored = Self {
            mesh,
            center: [0.0; 3],
            radius: 0.0,
            min: [0.0; 3],
            max: [0.0; 3],
            revision: hash,
            clusters: Vec::new(),
            levels: Vec::new(),
        };
        stored.measure();
        stored
    }

    /// The same for a mesh that stays as it is: fine ones are divided.
    pub fn divided(mut mesh: Mesh) -> Self {
        mesh.check();
        let clusters = divide(&mut mesh);
        let mut stored = Self { clusters, ..Self::new(mesh) };
        stored.levels = levels(&stored.mesh, stored.radius);
        stored
    }

    /// A version by its number; the mesh itself is number 0.
    pub fn level(&self, number: u32) -> &Mesh {
        match (number as usize).checked_sub(1) {
            Some(k) => &self.levels[k].mesh,
            None => &self.mesh,
        }
    }

    pub fn touched(&mut self) {
        self.clusters.clear();
        self.levels.clear();
        self.revision = self.revision.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        self.mesh.check();
        self.measure();
    }

    fn measure(&mut self) {
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for p in &self.mesh.positions {
            for k in 0..3 {
                min[k] = min[k].min(p[k]);
                max[k] = max[k].max(p[k]);
            }
        }
        if self.mesh.positions.is_empty() {
            (min, max) = ([0.0; 3], [0.0; 3]);
        }
        self.center = std::array::from_fn(|k| 0.5 * (min[k] + max[k]));
        let mut r2 = 0.0f32;
        for p in &self.mesh.positions {
            let d = sub(*p, self.center);
            r2 = r2.max(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
        (self.min, self.max, self.radius) = (min, max, r2.sqrt());
    }
}
