//! Meshes of planes, height fields and mesh assets.

use std::collections::BTreeMap;

use longarm_render::{Mesh, shapes};
use mujoco_rs::prelude::*;

/// Half-size in metres of a plane without bounds.
const ENDLESS: f64 = 500.0;

/// A plane without bounds in one direction or both, with the texture MuJoCo would lay on it.
pub(super) fn endless_plane(model: &MjModel, geom: usize) -> Mesh {
    let size = model.geom_size()[geom];
    let half = [0, 1].map(|k| if size[k] > 0.0 { size[k] } else { ENDLESS } as f32);
    let material = usize::try_from(model.geom_matid()[geom]).ok();
    let repeat = material.map_or([1.0; 2], |m| model.mat_texrepeat()[m]);
    let mut mesh = shapes::quad();
    let uvs = mesh.positions.iter_mut().map(|p| {
        (p[0], p[1]) = (p[0] * half[0], p[1] * half[1]);
        let u = |k: usize, sign: f32| {
            let c = sign * p[k];
            let own = if size[k] > 0.0 { 0.5 + 0.5 * c / half[k] } else { 0.5 * c };
            own - 0.5 / repeat[k].max(1e-6)
        };
        [u(0, 1.0), u(1, -1.0)]
    });
    mesh.uvs = Some(uvs.collect());
    mesh
}

/// A plane divided as MuJoCo divides it: squares twice its third size, a narrower rim.
pub(super) fn divided_plane(size: [f64; 3]) -> Mesh {
    const MOST: f64 = 200.0;
    let lines = |k: usize| -> Vec<f32> {
        let step = size[2].max(size[k] / (MOST - 2.0)).max(1e-6);
        let whole = (size[k] / step).floor() as i64;
        let whole = whole - whole % 2;
        let rim = size[k] - whole as f64 * step;
        let mut out = vec![-1.0];
        out.extend((0..=whole).map(|i| ((rim + 2.0 * step * i as f64) / size[k] - 1.0) as f32));
        out.push(1.0);
        out.dedup();
        out
    };
    shapes::divided_quad(&lines(0), &lines(1))
}

pub(super) fn field(model: &MjModel, id: usize) -> Mesh {
    let (rows, columns) = (model.hfield_nrow()[id] as usize, model.hfield_ncol()[id] as usize);
    let first = model.hfield_adr()[id] as usize;
    let size = model.hfield_size()[id];
    let heights: Vec<f32> = model.hfield_data()[first..first + rows * columns]
        .iter()
        .map(|h| h * size[2] as f32)
        .collect();
    let mut mesh = shapes::height_field(&heights, columns, rows, 1.0, 1.0, size[3] as f32);
    // Textures are projected from above.
    mesh.uvs = None;
    mesh
}

/// A mesh asset divided by `scale`. Vertices are shared where position, normal and texture
/// coordinate agree.
pub(super) fn imported(model: &MjModel, id: usize, scale: [f32; 3]) -> Mesh {
    let range = |first: i32, count: i32| first as usize..(first + count) as usize;
    let points = &model.mesh_vert()[range(model.mesh_vertadr()[id], model.mesh_vertnum()[id])];
    let normals =
        &model.mesh_normal()[range(model.mesh_normaladr()[id], model.mesh_normalnum()[id])];
    let faces = range(model.mesh_faceadr()[id], model.mesh_facenum()[id]);
    let uvs =
        usize::try_from(model.mesh_texcoordadr()[id]).ok().map(|a| &model.mesh_texcoord()[a..]);
    let mut mesh = Mesh { uvs: uvs.map(|_| Vec::new()), ..Mesh::default() };
    let mut known = BTreeMap::new();
    for f in faces {
        let face = model.mesh_face()[f];
        let p = face.map(|i| points[i as usize]);
        let flat = face_normal(p);
        let mut triangle = [0; 3];
        for k in 0..3 {
            let mut normal = normals[model.mesh_facenormal()[f][k] as usize];
            let along = normal[0] * flat[0] + normal[1] * flat[1] + normal[2] * flat[2];
            // MuJoCo's rule for creases.
            if uvs.is_none() && along < 0.8 {
                normal = flat;
            }
            let uv = uvs.map(|t| t[model.mesh_facetexcoord()[f][k] as usize]);
            let key = (face[k], normal.map(f32::to_bits), uv.map(|t| t.map(f32::to_bits)));
            triangle[k] = *known.entry(key).or_insert_with(|| {
                mesh.positions.push(std::array::from_fn(|c| p[k][c] / scale[c]));
                mesh.normals.push(std::array::from_fn(|c| normal[c] * scale[c]));
                if let (Some(all), Some(uv)) = (&mut mesh.uvs, uv) {
                    all.push(uv);
                }
                mesh.positions.len() as u32 - 1
            });
        }
        mesh.triangles.push(triangle);
    }
    mesh
}

fn face_normal(p: [[f32; 3]; 3]) -> [f32; 3] {
    let d = |i: usize, k: usize| p[i][k] - p[0][k];
    let n: [f32; 3] = std::array::from_fn(|k| {
        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
        d(1, a) * d(2, b) - d(1, b) * d(2, a)
    });
    let l = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt().max(1e-20);
    n.map(|c| c / l)
}
