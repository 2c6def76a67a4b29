//! Meshes of the usual primitives.
//!
//! [`cube`], [`sphere`], [`cylinder`] and [`quad`] are of unit half-size, to be scaled per
//! instance (an ellipsoid is a scaled sphere); [`capsule`], [`bevelled_box`] and
//! [`height_field`] are made to measure.

use crate::math::{Vec3, add, normalize, scale};
use crate::mesh::Mesh;

const TAU: f32 = std::f32::consts::TAU;
const PI: f32 = std::f32::consts::PI;

fn sin_cos(a: f32) -> (f32, f32) {
    (libm::sinf(a), libm::cosf(a))
}

/// A box from −1 to 1 with flat faces and texture coordinates 0–1 on each.
pub fn cube() -> Mesh {
    let mut mesh = Mesh { uvs: Some(Vec::new()), ..Mesh::default() };
    for axis in 0..3 {
        for side in [-1.0f32, 1.0] {
            let mut n = [0.0; 3];
            n[axis] = side;
            let (mut u, mut v) = ([0.0; 3], [0.0; 3]);
            // Horizontal and vertical direction on the face, seen from outside; z stays up.
            match axis {
                0 => (u[1], v[2]) = (side, 1.0),
                1 => (u[0], v[2]) = (-side, 1.0),
                _ => (u[0], v[1]) = (1.0, side),
            }
            let base = mesh.positions.len() as u32;
            for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                mesh.positions.push(add(n, add(scale(u, s), scale(v, t))));
                mesh.normals.push(n);
                mesh.uvs.as_mut().unwrap().push([0.5 + 0.5 * s, 0.5 - 0.5 * t]);
            }
            mesh.triangles.push([base, base + 1, base + 2]);
            mesh.triangles.push([base, base + 2, base + 3]);
        }
    }
    mesh
}

/// The faces of [`cube`], each of `n` × `n` squares, for light that is computed at vertices.
pub fn divided_cube(n: usize) -> Mesh {
    let whole = cube();
    let mut mesh = Mesh { uvs: Some(Vec::new()), ..Mesh::default() };
    let steps: Vec<f32> = (0..=n.max(1)).map(|i| i as f32 / n.max(1) as f32).collect();
    let (Some(from), Some(uvs)) = (&whole.uvs, &mut mesh.uvs) else { return whole };
    for face in 0..6 {
        let corner = |k: usize| whole.positions[4 * face + k];
        let base = mesh.positions.len() as u32;
        for t in &steps {
            for s in &steps {
                let mix = |a: f32, b: f32, d: f32| a + s * (b - a) + t * (d - a);
                let (a, b, d) = (corner(0), corner(1), corner(3));
                mesh.positions.push(std::array::from_fn(|k| mix(a[k], b[k], d[k])));
                mesh.normals.push(whole.normals[4 * face]);
                let (a, b, d) = (from[4 * face], from[4 * face + 1], from[4 * face + 3]);
                uvs.push(std::array::from_fn(|k| mix(a[k], b[k], d[k])));
            }
        }
        squares(steps.len() as u32, steps.len() as u32, base, &mut mesh.triangles);
    }
    mesh
}

/// [`quad`] divided at these coordinates from −1 to 1.
pub fn divided_quad(xs: &[f32], ys: &[f32]) -> Mesh {
    let mut mesh = Mesh { uvs: Some(Vec::new()), ..Mesh::default() };
    for y in ys {
        for x in xs {
            mesh.positions.push([*x, *y, 0.0]);
            mesh.normals.push([0.0, 0.0, 1.0]);
            mesh.uvs.get_or_insert_default().push([0.5 + 0.5 * x, 0.5 - 0.5 * y]);
        }
    }
    squares(xs.len() as u32, ys.len() as u32, 0, &mut mesh.triangles);
    mesh
}

/// Two triangles for each square of a grid of vertices.
fn squares(columns: u32, rows: u32, base: u32, triangles: &mut Vec<[u32; 3]>) {
    for j in 1..rows {
        for i in 1..columns {
            let at = base + (j - 1) * columns + i - 1;
            triangles.push([at, at + 1, at + columns + 1]);
            triangles.push([at, at + columns + 1, at + columns]);
        }
    }
}

/// Rows of vertices from south to north pole, `columns + 1` per row so that the seam has two
/// texture coordinates. `z_shift` moves the rows of each half apart (a capsule's barrel).
fn globe(columns: usize, rows: usize, radius: f32, z_shift: f32) -> Mesh {
    let mut mesh = Mesh { uvs: Some(Vec::new()), ..Mesh::default() };
    let mut latitudes: Vec<(f32, f32)> = Vec::new();
    for j in 0..=rows {
        let lat = PI * (j as f32 / rows as f32 - 0.5);
        if z_shift > 0.0 && 2 * j == rows {
            latitudes.push((lat, -z_shift));
        }
        latitudes.push((lat, if 2 * j < rows { -z_shift } else { z_shift }));
    }
    let height = (2.0 * (radius + z_shift)).max(1e-9);
    for &(lat, shift) in &latitudes {
        let (sl, cl) = sin_cos(lat);
        for i in 0..=columns {
            // The last column repeats the first exactly, so that no crack opens at the seam.
            let (s, c) = sin_cos(TAU * (i % columns) as f32 / columns as f32);
            let pole = cl.abs() < 1e-6;
            let n = if pole { [0.0, 0.0, sl] } else { [cl * c, cl * s, sl] };
            let p = scale(n, radius);
            let z = p[2] + shift;
            mesh.positions.push([p[0], p[1], z]);
            mesh.normals.push(n);
            let v = if z_shift > 0.0 { 0.5 - z / height } else { 0.5 - lat / PI };
            mesh.uvs.as_mut().unwrap().push([i as f32 / columns as f32, v]);
        }
    }
    let stride = columns as u32 + 1;
    for j in 0..latitudes.len() as u32 - 1 {
        for i in 0..columns as u32 {
            let (a, b) = (j * stride + i, j * stride + i + 1);
            let (c, d) = (a + stride, b + stride);
            if j > 0 {
                mesh.triangles.push([a, b, d]);
            }
            if (j as usize) < latitudes.len() - 2 {
                mesh.triangles.push([a, d, c]);
            }
        }
    }
    mesh
}

/// A sphere of radius 1; `columns` around, `rows` from pole to pole.
pub fn sphere(columns: usize, rows: usize) -> Mesh {
    globe(columns, rows, 1.0, 0.0)
}

/// A capsule along z: `half_length` is that of the straight part.
pub fn capsule(radius: f32, half_length: f32, columns: usize, rows: usize) -> Mesh {
    globe(columns, rows.next_multiple_of(2), radius, half_length.max(1e-6))
}

/// A cylinder of radius 1 along z from −1 to 1, with sharp rims.
pub fn cylinder(columns: usize) -> Mesh {
    let mut mesh = Mesh { uvs: Some(Vec::new()), ..Mesh::default() };
    let ring: Vec<(f32, f32)> =
        (0..=columns).map(|i| sin_cos(TAU * (i % columns) as f32 / columns as f32)).collect();
    for (i, &(s, c)) in ring.iter().enumerate() {
        for z in [-1.0, 1.0] {
            mesh.positions.push([c, s, z]);
            mesh.normals.push([c, s, 0.0]);
            mesh.uvs.as_mut().unwrap().push([i as f32 / columns as f32, 0.5 - 0.5 * z]);
        }
    }
    for i in 0..columns as u32 {
        let a = 2 * i;
        mesh.triangles.push([a, a + 2, a + 3]);
        mesh.triangles.push([a, a + 3, a + 1]);
    }
    for z in [-1.0f32, 1.0] {
        let base = mesh.positions.len() as u32;
        mesh.positions.push([0.0, 0.0, z]);
        mesh.normals.push([0.0, 0.0, z]);
        mesh.uvs.as_mut().unwrap().push([0.5, 0.5]);
        for &(s, c) in &ring[..columns] {
            mesh.positions.push([c, s, z]);
            mesh.normals.push([0.0, 0.0, z]);
            mesh.uvs.as_mut().unwrap().push([0.5 + 0.5 * c, 0.5 - 0.5 * s * z]);
        }
        let n = columns as u32;
        for i in 0..n {
            let (a, b) = (base + 1 + i, base + 1 + (i + 1) % n);
            mesh.triangles.push(if z > 0.0 { [base, a, b] } else { [base, b, a] });
        }
    }
    mesh
}

/// A square from −1 to 1 in the xy plane, facing +z. Scaled far out it serves as an endless
/// floor: the near and guard-band clipping keep it exact.
pub fn quad() -> Mesh {
    Mesh {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        uvs: Some(vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        double_sided: false,
    }
}

/// A box of the given half-sizes whose edges are rounded by `radius` in `steps` strips, so that
/// they catch light.
pub fn bevelled_box(half: Vec3, radius: f32, steps: usize) -> Mesh {
    let r = radius.min(half[0]).min(half[1]).min(half[2]).max(0.0);
    let steps = steps.max(1);
    let n = 2 * (steps + 1);
    // One grid per face, wrapped over the rounded rim: coordinates on the unit cube, pushed out.
    let mut mesh = Mesh { uvs: Some(Vec::new()), ..Mesh::default() };
    let inner = [half[0] - r, half[1] - r, half[2] - r];
    // tan of the angle from the face's normal, from −1 (the edge) to 1.
    let slope = |i: usize| {
        let (k, sign) = if i <= steps { (steps - i, -1.0) } else { (i - steps - 1, 1.0) };
        sign * libm::tanf(PI / 4.0 * k as f32 / steps as f32)
    };
    for axis in 0..3 {
        for side in [-1.0f32, 1.0] {
            let (ua, va) = ((axis + 1) % 3, (axis + 2) % 3);
            let base = mesh.positions.len() as u32;
            for j in 0..n {
                for i in 0..n {
                    let mut d = [0.0; 3];
                    d[axis] = side;
                    d[ua] = slope(i);
                    d[va] = slope(j);
                    let normal = normalize(d);
                    let mut p = scale(normal, r);
                    p[axis] += side * inner[axis];
                    p[ua] += if i <= steps { -inner[ua] } else { inner[ua] };
                    p[va] += if j <= steps { -inner[va] } else { inner[va] };
                    mesh.positions.push(p);
                    mesh.normals.push(normal);
                    let uv = face_uv(axis, side, p, half);
                    mesh.uvs.as_mut().unwrap().push(uv);
                }
            }
            for j in 0..n as u32 - 1 {
                for i in 0..n as u32 - 1 {
                    let a = base + j * n as u32 + i;
                    let (b, c) = (a + 1, a + n as u32);
                    let d = c + 1;
                    if side > 0.0 {
                        mesh.triangles.extend([[a, b, d], [a, d, c]]);
                    } else {
                        mesh.triangles.extend([[a, d, b], [a, c, d]]);
                    }
                }
            }
        }
    }
    mesh
}

fn face_uv(axis: usize, side: f32, p: Vec3, half: Vec3) -> [f32; 2] {
    let q: Vec3 = std::array::from_fn(|k| p[k] / half[k].max(1e-9));
    let (s, t) = match axis {
        0 => (side * q[1], q[2]),
        1 => (-side * q[0], q[2]),
        _ => (q[0], side * q[1]),
    };
    [0.5 + 0.5 * s, 0.5 - 0.5 * t]
}

/// A height field over x from −`half_x` to `half_x` (columns) and y likewise (rows, first row at
/// −y), with smooth normals. With `base > 0` it gets walls down to −`base` and a bottom.
pub fn height_field(
    heights: &[f32],
    columns: usize,
    rows: usize,
    half_x: f32,
    half_y: f32,
    base: f32,
) -> Mesh {
    assert_eq!(heights.len(), columns * rows, "a height field needs rows × columns heights");
    assert!(columns > 1 && rows > 1, "a height field needs at least 2 × 2 heights");
    let x = |i: usize| half_x * (2.0 * i as f32 / (columns - 1) as f32 - 1.0);
    let y = |j: usize| half_y * (2.0 * j as f32 / (rows - 1) as f32 - 1.0);
    let mut positions = Vec::with_capacity(columns * rows);
    let mut uvs = Vec::with_capacity(columns * rows);
    for j in 0..rows {
        for i in 0..columns {
            positions.push([x(i), y(j), heights[j * columns + i]]);
            uvs.push([i as f32 / (columns - 1) as f32, 1.0 - j as f32 / (rows - 1) as f32]);
        }
    }
    let mut triangles = Vec::new();
    for j in 0..rows as u32 - 1 {
        for i in 0..columns as u32 - 1 {
            let a = j * columns as u32 + i;
            let c = a + columns as u32;
            triangles.extend([[a, a + 1, c + 1], [a, c + 1, c]]);
        }
    }
    let mut mesh = Mesh::smooth(positions, triangles);
    mesh.uvs = Some(uvs);
    if base > 0.0 {
        let h = |i: usize, j: usize| [x(i), y(j), heights[j * columns + i]];
        let (lx, ly) = (columns - 1, rows - 1);
        for i in 0..lx {
            wall(&mut mesh, h(i, 0), h(i + 1, 0), base);
            wall(&mut mesh, h(i + 1, ly), h(i, ly), base);
        }
        for j in 0..ly {
            wall(&mut mesh, h(0, j + 1), h(0, j), base);
            wall(&mut mesh, h(lx, j), h(lx, j + 1), base);
        }
        let b = mesh.positions.len() as u32;
        for (i, j) in [(0, 0), (0, ly), (lx, ly), (lx, 0)] {
            mesh.positions.push([x(i), y(j), -base]);
            mesh.normals.push([0.0, 0.0, -1.0]);
            mesh.uvs.as_mut().unwrap().push([0.0, 0.0]);
        }
        mesh.triangles.extend([[b, b + 1, b + 2], [b, b + 2, b + 3]]);
    }
    mesh
}

fn wall(mesh: &mut Mesh, a: Vec3, b: Vec3, base: f32) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let n = normalize([dy, -dx, 0.0]);
    let i = mesh.positions.len() as u32;
    mesh.positions.extend([[a[0], a[1], -base], [b[0], b[1], -base], b, a]);
    mesh.normals.extend([n; 4]);
    mesh.uvs.as_mut().unwrap().extend([[0.0, 0.0]; 4]);
    mesh.triangles.extend([[i, i + 1, i + 2], [i, i + 2, i + 3]]);
}
