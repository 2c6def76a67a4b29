//! Coarser versions of fine meshes, for where the difference is less than a pixel.
//!
//! Vertices are drawn together with a neighbour, cheapest first, by the distance from the planes of the triangles
//! that met in them (Garland and Heckbert's quadrics) and by how their normals differ. Positions that remain are
//! positions of the mesh. Where facets are small, normals that meet in a place become one.

mod collapse;
mod quadric;
mod weld;

use std::collections::BTreeMap;

use crate::math::{Vec3, add, cross, dot, normalize, scale, sub};
use crate::mesh::Mesh;
use quadric::Quadric;

/// How much two normals that differ by one count, against the length of the edges on which that is seen.
const NORMALS: f32 = 0.7;
/// Vertices at one place whose normals have at least this cosine are one vertex.
const SAME_NORMAL: f32 = 0.97;
/// Rounds without end are no use.
const ROUNDS: usize = 24;

/// A mesh that is getting coarser.
pub(crate) struct Simplifier {
    /// Of vertices that are told apart by normal or texture: where, and the unit normal.
    place: Vec<u32>,
    normals: Vec<Vec3>,
    /// Normals as the mesh gives them.
    given: Vec<Vec3>,
    /// Unit normals of the mesh that each stands for, summed by area, and the area.
    sums: Vec<(Vec3, f32)>,
    /// Where on the texture; of no meaning without one.
    uvs: Vec<[f32; 2]>,
    textured: bool,
    points: Vec<Vec3>,
    quadrics: Vec<Quadric>,
    triangles: Vec<[u32; 3]>,
    /// First triangle of each place in `around`.
    starts: Vec<u32>,
    around: Vec<u32>,
}

fn face(p: [Vec3; 3]) -> Vec3 {
    cross(sub(p[1], p[0]), sub(p[2], p[0]))
}

fn added(a: (Vec3, f32), b: (Vec3, f32)) -> (Vec3, f32) {
    (add(a.0, b.0), a.1 + b.1)
}

/// Mean square of how normals, summed by area, differ from one of unit length.
fn apart_from(normal: Vec3, (sum, area): (Vec3, f32)) -> f32 {
    if area > 0.0 { (2.0 - 2.0 * dot(normal, sum) / area).max(0.0) } else { 0.0 }
}

impl Simplifier {
    pub fn new(mesh: &Mesh) -> Self {
        let mut places = BTreeMap::new();
        let mut out = Self {
            place: Vec::new(),
            normals: Vec::new(),
            given: Vec::new(),
            sums: Vec::new(),
            uvs: Vec::new(),
            textured: mesh.uvs.is_some(),
            points: Vec::new(),
            quadrics: Vec::new(),
            triangles: Vec::new(),
            starts: Vec::new(),
            around: Vec::new(),
        };
        // Vertices of the mesh that are one here, by place.
        let mut at_place: Vec<Vec<u32>> = Vec::new();
        let mut number = Vec::with_capacity(mesh.positions.len());
        for (i, p) in mesh.positions.iter().enumerate() {
            let next = out.points.len() as u32;
            // The sum makes one of both zeros.
            let place = *places.entry(p.map(|c| (c + 0.0).to_bits())).or_insert(next);
            if place == next {
                out.points.push(*p);
                at_place.push(Vec::new());
            }
            let n = normalize(mesh.normals[i]);
            let uv = mesh.uvs.as_ref().map_or([0.0; 2], |t| t[i]);
            let known = at_place[place as usize].iter().copied().find(|v| {
                dot(out.normals[*v as usize], n) > SAME_NORMAL && out.uvs[*v as usize] == uv
            });
            number.push(known.unwrap_or_else(|| {
                let v = out.place.len() as u32;
                out.place.push(place);
                out.normals.push(n);
                out.uvs.push(uv);
                out.given.push(mesh.normals[i]);
                out.sums.push(([0.0; 3], 0.0));
                at_place[place as usize].push(v);
                v
            }));
        }
        out.triangles = mesh.triangles.iter().map(|t| t.map(|i| number[i as usize])).collect();
        out.drop_flat();
        out.quadrics = vec![Quadric::default(); out.points.len()];
        for i in 0..out.triangles.len() {
            let places = out.places(i);
            let p = places.map(|v| out.points[v as usize]);
            let n = face(p);
            let area = dot(n, n).sqrt();
            let q = Quadric::plane(normalize(n), p[0], area);
            places.iter().for_each(|v| out.quadrics[*v as usize].add(&q));
            for v in out.triangles[i].map(|v| v as usize) {
                let sum = (scale(out.normals[v], area), area);
                out.sums[v] = added(out.sums[v], sum);
            }
        }
        out.connect();
        out.hold_rims();
        out
    }

    fn places(&self, triangle: usize) -> [u32; 3] {
        self.triangles[triangle].map(|v| self.place[v as usize])
    }

    /// Drop triangles with a corner twice.
    fn drop_flat(&mut self) {
        let place = &self.place;
        self.triangles.retain(|t| {
            let [a, b, c] = t.map(|v| place[v as usize]);
            a != b && b != c && c != a
        });
    }

    /// Find the triangles around each place.
    fn connect(&mut self) {
        self.starts.clear();
        self.starts.resize(self.points.len() + 1, 0);
        for t in &self.triangles {
            t.iter().for_each(|v| self.starts[self.place[*v as usize] as usize + 1] += 1);
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        let mut next = self.starts.clone();
        self.around.clear();
        self.around.resize(3 * self.triangles.len(), 0);
        for (i, t) in self.triangles.iter().enumerate() {
            for v in t {
                let slot = &mut next[self.place[*v as usize] as usize];
                self.around[*slot as usize] = i as u32;
                *slot += 1;
            }
        }
    }

    fn around(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.around[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// The vertices of a triangle at two places.
    fn pair(&self, triangle: u32, a: u32, b: u32) -> Option<(u32, u32)> {
        let t = self.triangles[triangle as usize];
        let places =
            [self.place[t[0] as usize], self.place[t[1] as usize], self.place[t[2] as usize]];
        let at = |place: u32| (0..3).find(|k| places[*k] == place).map(|k| t[k]);
        Some((at(a)?, at(b)?))
    }

    /// Whether an edge is a rim: one triangle, or two whose textures do not meet there. Creases are held by
    /// the planes beside them.
    fn rim(&self, a: u32, b: u32) -> bool {
        let uv = |(p, q): (u32, u32)| [self.uvs[p as usize], self.uvs[q as usize]];
        let mut known = None;
        let mut count = 0;
        for t in self.around(a) {
            if let Some(pair) = self.pair(*t, a, b) {
                count += 1;
                if known.replace(uv(pair)).is_some_and(|k| k != uv(pair)) {
                    return true;
                }
            }
        }
        count != 2
    }

    /// Keep rims where they are by planes across them.
    fn hold_rims(&mut self) {
        for i in 0..self.triangles.len() {
            let places = self.places(i);
            let n = normalize(face(places.map(|v| self.points[v as usize])));
            for k in 0..3 {
                let (a, b) = (places[k], places[(k + 1) % 3]);
                if self.rim(a, b) {
                    let (p, q) = (self.points[a as usize], self.points[b as usize]);
                    let along = sub(q, p);
                    let across = normalize(cross(along, n));
                    let mut held = Quadric::plane(across, p, dot(along, along));
                    held.weight = 0.0;
                    self.quadrics[a as usize].add(&held);
                    self.quadrics[b as usize].add(&held);
                }
            }
        }
    }

    /// Length of the longest edge at a place, squared: how far a normal there is seen.
    fn reach(&self, place: u32) -> f32 {
        let p = self.points[place as usize];
        let corners = self.around(place).iter().flat_map(|t| self.places(*t as usize));
        let edges = corners.map(|v| sub(self.points[v as usize], p));
        edges.map(|d| dot(d, d)).fold(0.0, f32::max)
    }

    /// Cost of drawing a place together with a neighbour, squared, if it is no more than `most`.
    fn cost(&self, from: u32, to: u32, reach: f32, most: f32) -> Option<f32> {
        let q = self.points[to as usize];
        let far = self.quadrics[from as usize].at(q);
        if far > most {
            return None;
        }
        let mut apart = 0f32;
        for t in self.around(from) {
            if let Some((a, b)) = self.pair(*t, from, to) {
                let sum = added(self.sums[a as usize], self.sums[b as usize]);
                apart = apart.max(apart_from(self.normals[b as usize], sum));
            }
        }
        Some(far + NORMALS * NORMALS * apart * reach).filter(|cost| *cost <= most)
    }

    /// Draw places together while that costs less than a distance. Return whether the mesh became coarser.
    pub fn reduce(&mut self, most: f32) -> bool {
        let before = self.triangles.len();
        self.weld(most);
        for _ in 0..ROUNDS {
            let count = self.triangles.len();
            self.round(most * most);
            if self.triangles.len() * 50 > count * 49 {
                break;
            }
        }
        self.triangles.len() < before
    }

    /// Triangles left.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Return the mesh as it is now, with the vertices that are left.
    pub fn mesh(&self, of: &Mesh) -> Mesh {
        let mut number = vec![u32::MAX; self.place.len()];
        let mut out = Mesh {
            uvs: of.uvs.as_ref().map(|_| Vec::new()),
            double_sided: of.double_sided,
            ..Mesh::default()
        };
        for t in &self.triangles {
            out.triangles.push(t.map(|v| {
                let slot = &mut number[v as usize];
                if *slot == u32::MAX {
                    *slot = out.positions.len() as u32;
                    let v = v as usize;
                    out.positions.push(self.points[self.place[v] as usize]);
                    out.normals.push(self.given[v]);
                    if let Some(to) = &mut out.uvs {
                        to.push(self.uvs[v]);
                    }
                }
                *slot
            }));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn a_ball_gets_coarser_and_stays_a_ball() {
        let ball = shapes::sphere(64, 32);
        let mut simplifier = Simplifier::new(&ball);
        assert!(simplifier.reduce(0.02));
        let coarse = simplifier.mesh(&ball);
        assert!(coarse.triangles.len() * 3 < ball.triangles.len(), "{}", coarse.triangles.len());
        for t in &coarse.triangles {
            let p = t.map(|i| coarse.positions[i as usize]);
            let middle: Vec3 = std::array::from_fn(|k| (p[0][k] + p[1][k] + p[2][k]) / 3.0);
            assert!((1.0 - dot(middle, middle).sqrt()).abs() < 0.06, "{middle:?}");
            assert!(dot(face(p), middle) > 0.0, "faces outwards");
        }
    }

    #[test]
    fn facets_with_a_texture_get_coarser_and_keep_it_in_place() {
        let ball = shapes::sphere(64, 32);
        let mut facets = Mesh::flat(&ball.positions, &ball.triangles);
        facets.uvs = Some(facets.positions.iter().map(|p| [p[0], p[1]]).collect());
        let mut simplifier = Simplifier::new(&facets);
        assert!(simplifier.reduce(0.02));
        let coarse = simplifier.mesh(&facets);
        assert!(coarse.triangles.len() * 2 < facets.triangles.len(), "{}", coarse.triangles.len());
        for (p, uv) in coarse.positions.iter().zip(coarse.uvs.as_deref().unwrap_or_default()) {
            assert_eq!([p[0], p[1]], *uv);
        }
    }

    #[test]
    fn edges_of_a_box_stay() {
        let coarse = coarse_square(0.1);
        let area: f32 = sides(&coarse).map(|n| 0.5 * dot(n, n).sqrt()).sum();
        assert!((area - 0.04).abs() < 1e-5, "{area}");
        assert!(coarse.triangles.len() < 100, "{}", coarse.triangles.len());
    }

    #[test]
    fn a_wide_table_keeps_corners_to_be_lit() {
        let coarse = coarse_square(1.0);
        let edges = coarse.triangles.iter().flat_map(|t| {
            let p = t.map(|i| coarse.positions[i as usize]);
            [sub(p[1], p[0]), sub(p[2], p[1]), sub(p[0], p[2])]
        });
        let longest = edges.map(|e| dot(e, e).sqrt()).fold(0.0, f32::max);
        assert!(longest < 0.31 && coarse.triangles.len() < 512, "{longest}");
    }

    /// A square of this half side, of 512 triangles at first.
    fn coarse_square(half: f32) -> Mesh {
        let lines: Vec<f32> = (0..=16).map(|i| half * (i as f32 / 8.0 - 1.0)).collect();
        let square = shapes::divided_quad(&lines, &lines);
        let mut simplifier = Simplifier::new(&square);
        assert!(simplifier.reduce(1e-3 * half));
        simplifier.mesh(&square)
    }

    fn sides(mesh: &Mesh) -> impl Iterator<Item = Vec3> {
        mesh.triangles.iter().map(|t| face(t.map(|i| mesh.positions[i as usize])))
    }
}
