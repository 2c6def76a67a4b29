//! Flexes: ropes as tubes, cloth and soft bodies as skins.

use std::collections::BTreeMap;

use longarm_render::{Instance, MaterialId, Mesh, MeshId, Scene, shapes};
use mujoco_rs::prelude::*;

use super::looks::texture_of;
use super::tube::Tube;

/// Sides of a rope.
const SIDES: usize = 16;

/// A flex and the vertices of its mesh.
#[derive(Clone, Debug)]
pub(super) struct Flex {
    mesh: MeshId,
    instance: usize,
    /// Its vertices in the model's list.
    vertices: std::ops::Range<usize>,
    radius: f32,
    kind: FlexKind,
    /// Positions and smoothed normals of the vertices, refreshed at each update.
    points: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

#[derive(Clone, Debug)]
enum FlexKind {
    Rope {
        edges: Vec<[u32; 2]>,
        /// A capsule whose halves are to be put at an edge's ends.
        link: Mesh,
    },
    /// A rope with a texture.
    Tube(Tube),
    Skin {
        /// Triangles that define the normals.
        elements: Vec<[u32; 3]>,
        /// For each vertex of the mesh: which vertex, and how many radii along its normal.
        sources: Vec<(u32, f32)>,
        /// Fragments of the rim (cloth only), each with four vertices of the mesh, after the
        /// others.
        rim: Vec<[u32; 2]>,
        /// Facets instead of smooth shading; no vertex is then shared.
        flat: bool,
    },
}

impl Flex {
    /// Adds flex `i` to a scene.
    pub fn new(model: &MjModel, i: usize, scene: &mut Scene, material: MaterialId) -> Self {
        let first = model.flex_vertadr()[i] as usize;
        let count = model.flex_vertnum()[i] as usize;
        let radius = model.flex_radius()[i] as f32;
        let (kind, mesh) = match model.flex_dim()[i] {
            1 if texture_of(model, model.flex_matid()[i]).is_some() => {
                let tube = Tube::new(count, radius);
                let mesh = tube.mesh();
                (FlexKind::Tube(tube), mesh)
            }
            1 => rope(model, i, radius),
            2 => cloth(model, i),
            _ => body(model, i),
        };
        let mesh = scene.add_mesh(mesh);
        let instance = Instance { segment: -2 - i as i32, ..Instance::new(mesh, material) };
        Self {
            mesh,
            instance: scene.add_instance(instance),
            vertices: first..first + count,
            radius,
            kind,
            points: vec![[0.0; 3]; count],
            normals: vec![[0.0; 3]; count],
        }
    }

    pub fn instance(&self) -> usize {
        self.instance
    }

    /// Moves the mesh to where the vertices are.
    pub fn update(&mut self, positions: &[[f64; 3]], scene: &mut Scene) {
        for (p, q) in self.points.iter_mut().zip(&positions[self.vertices.clone()]) {
            *p = q.map(|c| c as f32);
        }
        if let FlexKind::Skin { elements, .. } = &self.kind {
            smooth(&self.points, elements, &mut self.normals);
        }
        let (points, normals, radius) = (&self.points, &self.normals, self.radius);
        scene.update_mesh(self.mesh, |mesh| match &self.kind {
            FlexKind::Rope { edges, link } => {
                for (k, e) in edges.iter().enumerate() {
                    let ends = e.map(|v| points[v as usize]);
                    let range = k * link.positions.len()..(k + 1) * link.positions.len();
                    place(link, ends, &mut mesh.positions[range.clone()], &mut mesh.normals[range]);
                }
            }
            FlexKind::Tube(tube) => tube.update(points, mesh),
            FlexKind::Skin { sources, rim, flat, .. } => {
                for (i, &(v, side)) in sources.iter().enumerate() {
                    let (p, n) = (points[v as usize], normals[v as usize]);
                    mesh.positions[i] = std::array::from_fn(|k| p[k] + side * radius * n[k]);
                    mesh.normals[i] = n.map(|c| c * side.signum());
                }
                if *flat {
                    for t in &mesh.triangles[..mesh.triangles.len() - 2 * rim.len()] {
                        let p = t.map(|i| mesh.positions[i as usize]);
                        let n = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
                        for &i in t {
                            mesh.normals[i as usize] = n;
                        }
                    }
                }
                for (i, &[a, b]) in rim.iter().enumerate() {
                    let (pa, pb) = (points[a as usize], points[b as usize]);
                    let (na, nb) = (normals[a as usize], normals[b as usize]);
                    let out = unit(cross(sub(pb, pa), nb));
                    let base = sources.len() + 4 * i;
                    for (j, (p, n, side)) in
                        [(pa, na, radius), (pa, na, -radius), (pb, nb, radius), (pb, nb, -radius)]
                            .into_iter()
                            .enumerate()
                    {
                        mesh.positions[base + j] = std::array::from_fn(|k| p[k] + side * n[k]);
                        mesh.normals[base + j] = out;
                    }
                }
            }
        });
    }
}

fn rope(model: &MjModel, i: usize, radius: f32) -> (FlexKind, Mesh) {
    let first = model.flex_edgeadr()[i] as usize;
    let count = model.flex_edgenum()[i] as usize;
    let edges: Vec<[u32; 2]> =
        model.flex_edge()[first..first + count].iter().map(|e| e.map(|v| v as u32)).collect();
    // Of length 2 between the ends' centres, to be pulled apart along z.
    let mut link = shapes::capsule(radius, 1.0, SIDES, SIDES / 2);
    link.uvs = None;
    let mut mesh = Mesh::default();
    for _ in &edges {
        mesh.append(&link, [0.0; 3]);
    }
    (FlexKind::Rope { edges, link }, mesh)
}

/// Puts a capsule between two points.
fn place(link: &Mesh, ends: [[f32; 3]; 2], positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
    let z = unit(sub(ends[1], ends[0]));
    let side = if z[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let x = unit(cross(side, z));
    let y = cross(z, x);
    let turn = |v: [f32; 3]| -> [f32; 3] {
        std::array::from_fn(|k| x[k] * v[0] + y[k] * v[1] + z[k] * v[2])
    };
    for (i, (p, n)) in link.positions.iter().zip(&link.normals).enumerate() {
        // The straight part of the template ends at z = ±1.
        let (end, shift) = if p[2] < 0.0 { (ends[0], 1.0) } else { (ends[1], -1.0) };
        let q = turn([p[0], p[1], p[2] + shift]);
        positions[i] = std::array::from_fn(|k| end[k] + q[k]);
        normals[i] = turn(*n);
    }
}

fn elements(model: &MjModel, i: usize) -> Vec<([u32; 3], [u32; 3])> {
    let first = model.flex_elemdataadr()[i] as usize;
    let count = 3 * model.flex_elemnum()[i] as usize;
    let corner = |list: &[i32], e: usize| [0, 1, 2].map(|k| list[first + 3 * e + k] as u32);
    let coords = model.flex_elemtexcoord();
    (0..count / 3)
        .map(|e| {
            let v = corner(model.flex_elem(), e);
            (v, if coords.len() >= first + count { corner(coords, e) } else { v })
        })
        .collect()
}

fn shell<const N: usize>(model: &MjModel, i: usize) -> Vec<[u32; N]> {
    let first = model.flex_shelldataadr()[i].max(0) as usize;
    let count = model.flex_shellnum()[i] as usize;
    (0..count)
        .map(|s| std::array::from_fn(|k| model.flex_shell()[first + N * s + k] as u32))
        .collect()
}

fn texcoords(model: &MjModel, i: usize) -> Option<&[[f32; 2]]> {
    usize::try_from(model.flex_texcoordadr()[i]).ok().map(|a| &model.flex_texcoord()[a..])
}

/// Vertices of a skin, one for each pair of a vertex and its place on the texture.
#[derive(Default)]
struct Sewing {
    flat: bool,
    known: BTreeMap<(u32, u32, bool), u32>,
    sources: Vec<(u32, f32)>,
    uvs: Vec<[f32; 2]>,
}

impl Sewing {
    fn vertex(&mut self, v: u32, t: u32, side: f32, coords: Option<&[[f32; 2]]>) -> u32 {
        let t = if coords.is_some() { t } else { 0 };
        let next = self.sources.len() as u32;
        let i = *self.known.entry((v, t, side < 0.0)).or_insert(next);
        if i < next && !self.flat {
            return i;
        }
        self.sources.push((v, side));
        self.uvs.extend(coords.map(|c| c[t as usize]));
        next
    }
}

fn cloth(model: &MjModel, i: usize) -> (FlexKind, Mesh) {
    let coords = texcoords(model, i);
    let all = elements(model, i);
    let flat = model.flex_flatskin()[i];
    let mut sewing = Sewing { flat, ..Sewing::default() };
    let mut triangles = Vec::new();
    for &(v, t) in &all {
        let mut corner = |k: usize, side: f32| sewing.vertex(v[k], t[k], side, coords);
        triangles.push([corner(0, 1.0), corner(1, 1.0), corner(2, 1.0)]);
        triangles.push([corner(0, -1.0), corner(2, -1.0), corner(1, -1.0)]);
    }
    let rim: Vec<[u32; 2]> = shell(model, i);
    for k in 0..rim.len() as u32 {
        let b = sewing.sources.len() as u32 + 4 * k;
        triangles.extend([[b, b + 3, b + 2], [b + 3, b, b + 1]]);
    }
    let Sewing { sources, mut uvs, .. } = sewing;
    let count = sources.len() + 4 * rim.len();
    if let Some(coords) = coords {
        let at = |v: u32| coords.get(v as usize).copied().unwrap_or_default();
        uvs.extend(rim.iter().flat_map(|&[a, b]| [at(a), at(a), at(b), at(b)]));
    }
    let elements = all.iter().map(|e| e.0).collect();
    let mesh = Mesh {
        positions: vec![[0.0; 3]; count],
        normals: vec![[0.0; 3]; count],
        uvs: coords.map(|_| uvs),
        triangles,
        double_sided: false,
    };
    (FlexKind::Skin { elements, sources, rim, flat }, mesh)
}

/// Side of the texture of a soft body that has no places on it, metres.
const TILE: f32 = 0.06;

/// Places on a texture that is laid on each side of a soft body as it is at rest: those of a vertex on the
/// sides that face along x, y and z, one after the other.
fn wrapped(model: &MjModel, i: usize) -> Option<Vec<[f32; 2]>> {
    texture_of(model, model.flex_matid()[i])?;
    let first = model.flex_vertadr()[i] as usize;
    let count = model.flex_vertnum()[i] as usize;
    let size = match model.flex_interp()[i] {
        0 => [1.0; 3],
        // Vertices are given as shares of the box.
        _ => model.flex_size()[i].map(|half| 2.0 * half as f32),
    };
    let places = model.flex_vert0()[first..first + count].iter().flat_map(|p| {
        let p: [f32; 3] = std::array::from_fn(|k| p[k] as f32 * size[k] / TILE);
        [[p[1], p[2]], [p[0], p[2]], [p[0], p[1]]]
    });
    Some(places.collect())
}

fn body(model: &MjModel, i: usize) -> (FlexKind, Mesh) {
    let laid = if texcoords(model, i).is_none() { wrapped(model, i) } else { None };
    let coords = laid.as_deref().or_else(|| texcoords(model, i));
    let faces: Vec<[u32; 3]> = shell(model, i);
    let flat = model.flex_flatskin()[i];
    let mut sewing = Sewing { flat, ..Sewing::default() };
    let rest = &model.flex_vert0()[model.flex_vertadr()[i] as usize..];
    let triangles = faces
        .iter()
        .map(|f| {
            let p = f.map(|v| rest[v as usize].map(|c| c as f32));
            let out = cross(sub(p[1], p[0]), sub(p[2], p[0])).map(f32::abs);
            let side = (0..3).max_by(|&a, &b| out[a].total_cmp(&out[b])).unwrap_or(2) as u32;
            f.map(|v| sewing.vertex(v, if laid.is_some() { 3 * v + side } else { v }, 1.0, coords))
        })
        .collect();
    let Sewing { sources, uvs, .. } = sewing;
    let mesh = Mesh {
        positions: vec![[0.0; 3]; sources.len()],
        normals: vec![[0.0; 3]; sources.len()],
        uvs: coords.map(|_| uvs),
        triangles,
        double_sided: false,
    };
    (FlexKind::Skin { elements: faces, sources, rim: Vec::new(), flat }, mesh)
}

/// Unit normals at the vertices, each triangle counting the same.
fn smooth(points: &[[f32; 3]], elements: &[[u32; 3]], normals: &mut [[f32; 3]]) {
    normals.fill([0.0; 3]);
    for e in elements {
        let p = e.map(|v| points[v as usize]);
        let n = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
        for &v in e {
            for k in 0..3 {
                normals[v as usize][k] += n[k];
            }
        }
    }
    for n in normals {
        *n = unit(*n);
    }
}

pub(super) fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn unit(a: [f32; 3]) -> [f32; 3] {
    let l = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    if l > 0.0 { a.map(|c| c / l) } else { a }
}
