//! Parts of fine meshes that are left out together, because all of them face away or lie beside the picture.

use crate::math::{Vec3, add, cross, normalize, scale, sub};
use crate::mesh::Mesh;

/// Triangles of a part.
const SIZE: usize = 32;
/// Meshes with fewer triangles are one part.
const FINE: usize = 4 * SIZE;
/// A part whose normals differ by more has no side that it faces.
const LEAST_COSINE: f32 = 0.1;

/// Some triangles of a mesh that follow each other, in the mesh's frame.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// First triangle, and one after the last.
    pub triangles: (u32, u32),
    /// The same of its vertices.
    pub vertices: (u32, u32),
    pub center: Vec3,
    pub radius: f32,
    /// Where its triangles face, and the sine of how far they differ from it.
    facing: Option<(Vec3, f32)>,
}

fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Cluster {
    /// Whether all of it faces away from a point.
    pub fn faces_away(&self, eye: Vec3) -> bool {
        let Some((axis, spread)) = self.facing else { return false };
        let d = sub(self.center, eye);
        dot(d, axis) > (spread + 1e-3) * dot(d, d).sqrt() + self.radius * 1.001
    }
}

/// Sort a mesh's triangles by where they face and lie, and divide it into parts with vertices of their own.
pub(crate) fn divide(mesh: &mut Mesh) -> Vec<Cluster> {
    if mesh.triangles.len() < FINE {
        return Vec::new();
    }
    let corners = |t: &[u32; 3]| t.map(|i| mesh.positions[i as usize]);
    let mut sides: [Vec<Item>; 6] = Default::default();
    for (i, t) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = corners(t);
        let n = cross(sub(b, a), sub(c, a));
        let side = (0..3).fold(0, |best, k| if n[k].abs() > n[best].abs() { k } else { best });
        let middle = scale(add(add(a, b), c), 1.0 / 3.0);
        sides[2 * side + usize::from(n[side] < 0.0)].push((middle, i as u32));
    }
    let (mut triangles, mut parts) = (Vec::with_capacity(mesh.triangles.len()), Vec::new());
    for items in &mut sides {
        split(items, &mut |part| {
            let from = triangles.len();
            triangles.extend(part.iter().map(|(_, i)| mesh.triangles[*i as usize]));
            parts.push((from, triangles.len()));
        });
    }
    renumber(mesh, triangles, &parts);
    parts.into_iter().map(|(from, to)| measure(mesh, from, to)).collect()
}

/// The middle of a triangle, and its number.
type Item = (Vec3, u32);

/// Halve triangles across their longest side until they are few, and hand on each part.
fn split(items: &mut [Item], out: &mut impl FnMut(&[Item])) {
    if items.len() <= SIZE {
        if !items.is_empty() {
            out(items);
        }
        return;
    }
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for (p, _) in items.iter() {
        low = std::array::from_fn(|k| low[k].min(p[k]));
        high = std::array::from_fn(|k| high[k].max(p[k]));
    }
    let long = sub(high, low);
    let axis = (0..3).fold(0, |best, k| if long[k] > long[best] { k } else { best });
    // The left part takes whole parts, so that few are left over.
    let half = items.len().div_ceil(2).next_multiple_of(SIZE).min(items.len() - 1);
    items.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    let (left, right) = items.split_at_mut(half);
    split(left, out);
    split(right, out);
}

/// Give each part vertices of its own, one after the other.
fn renumber(mesh: &mut Mesh, mut triangles: Vec<[u32; 3]>, parts: &[(usize, usize)]) {
    let mut new = vec![(usize::MAX, 0); mesh.positions.len()];
    let mut old = Vec::with_capacity(mesh.positions.len());
    for (part, (from, to)) in parts.iter().enumerate() {
        for i in triangles[*from..*to].iter_mut().flatten() {
            let known = &mut new[*i as usize];
            if known.0 != part {
                *known = (part, old.len() as u32);
                old.push(*i as usize);
            }
            *i = known.1;
        }
    }
    mesh.positions = old.iter().map(|i| mesh.positions[*i]).collect();
    mesh.normals = old.iter().map(|i| mesh.normals[*i]).collect();
    if let Some(uvs) = &mut mesh.uvs {
        *uvs = old.iter().map(|i| uvs[*i]).collect();
    }
    mesh.triangles = triangles;
}

fn measure(mesh: &Mesh, from: usize, to: usize) -> Cluster {
    let triangles = &mesh.triangles[from..to];
    let used = || triangles.iter().flatten();
    let first = used().min().copied().unwrap_or(0);
    let last = used().max().map_or(0, |m| m + 1);
    let points = || used().map(|i| mesh.positions[*i as usize]);
    let sum = points().fold([0.0; 3], add);
    let center = scale(sum, 1.0 / (3 * triangles.len()) as f32);
    let far = points().map(|p| sub(p, center)).map(|d| dot(d, d)).fold(0.0, f32::max);
    let normals = || {
        triangles.iter().filter_map(|t| {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            let n = cross(sub(b, a), sub(c, a));
            (dot(n, n) > 0.0).then(|| normalize(n))
        })
    };
    let axis = normalize(normals().fold([0.0; 3], add));
    let least = normals().map(|n| dot(n, axis)).fold(1.0, f32::min);
    let facing = (!mesh.double_sided && least > LEAST_COSINE)
        .then(|| (axis, (1.0 - least * least).max(0.0).sqrt()));
    Cluster {
        triangles: (from as u32, to as u32),
        vertices: (first, last),
        center,
        radius: far.sqrt(),
        facing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn parts_hold_every_triangle_and_those_that_face_away_do() {
        let plain = shapes::sphere(48, 24);
        let mut mesh = plain.clone();
        let parts = divide(&mut mesh);
        let held: usize = parts.iter().map(|c| (c.triangles.1 - c.triangles.0) as usize).sum();
        assert_eq!(held, plain.triangles.len());
        assert_eq!(parts.last().map(|p| p.vertices.1 as usize), Some(mesh.positions.len()));
        let eye = [3.0, 1.0, 0.5];
        let mut away = 0;
        for part in parts.iter().filter(|p| p.faces_away(eye)) {
            for t in &mesh.triangles[part.triangles.0 as usize..part.triangles.1 as usize] {
                let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
                assert!(dot(cross(sub(b, a), sub(c, a)), sub(eye, a)) <= 0.0);
                away += 1;
            }
        }
        assert!(away * 8 > held, "{away} of {held}");
    }
}
