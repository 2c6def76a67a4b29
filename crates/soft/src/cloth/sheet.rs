//! The mesh of a cloth: corners, triangles, and who is next to whom.

use std::collections::{BTreeMap, BTreeSet};

use longarm_types::DVec3;

use crate::SoftError;
use crate::closest::{between_segments, point_on_triangle};

/// A flat sheet of cloth as it is cut.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Corners of the triangles, metres.
    pub vertices: Vec<DVec3>,
    /// Triangles by their corners.
    pub triangles: Vec<[u32; 3]>,
    /// Pairs of corners that keep their distance by shear, softer than threads.
    pub shear: Vec<[u32; 2]>,
}

impl Sheet {
    /// Make a rectangle in the plane z = 0 about the origin: `columns` × `rows` corners.
    pub fn rectangle(size: [f64; 2], columns: usize, rows: usize) -> Self {
        let (nx, ny) = (columns.max(2), rows.max(2));
        let at = |i: usize, j: usize| (j * nx + i) as u32;
        let step = [size[0] / (nx - 1) as f64, size[1] / (ny - 1) as f64];
        let mut sheet = Self { vertices: Vec::new(), triangles: Vec::new(), shear: Vec::new() };
        for j in 0..ny {
            for i in 0..nx {
                let (x, y) = (i as f64 * step[0], j as f64 * step[1]);
                sheet.vertices.push(DVec3::new(x - size[0] / 2.0, y - size[1] / 2.0, 0.0));
            }
        }
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                sheet.shear.extend([[a, c], [b, d]]);
                // Diagonals alternate, so that neither direction is favoured.
                sheet.triangles.extend(if (i + j) % 2 == 0 {
                    [[a, b, c], [a, c, d]]
                } else {
                    [[a, b, d], [b, c, d]]
                });
            }
        }
        sheet
    }
}

/// An interior edge with the corners opposite to it, and how much its four corners tell of bending.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    pub(super) corners: [u32; 4],
    pub(super) weights: [f64; 4],
    /// How much it gives at a bending rigidity of 1.
    pub(super) give: f64,
}

/// What follows from a sheet.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) hinges: Vec<Hinge>,
    /// Areas of the triangles as cut.
    pub(super) areas: Vec<f64>,
    /// Share of the area that each corner carries.
    pub(super) area: Vec<f64>,
    /// What each triangle owns, so that every corner and edge has one owner.
    pub(super) owned_vertices: Vec<Vec<u32>>,
    pub(super) owned_edges: Vec<Vec<u32>>,
    /// Triangles around each triangle within two rings, itself included.
    pub(super) near: Vec<Vec<u32>>,
}

impl Topology {
    pub(super) fn of(sheet: &Sheet) -> Result<Self, SoftError> {
        let count = sheet.vertices.len();
        let bad = |what: &str| Err(SoftError::Mesh(what.to_owned()));
        if sheet.triangles.is_empty() || !sheet.vertices.iter().all(|v| v.is_finite()) {
            return bad("it has no triangles, or vertices that are not finite");
        }
        let every = sheet.triangles.iter().flatten().chain(sheet.shear.iter().flatten());
        if every.clone().any(|v| *v as usize >= count) {
            return bad("a triangle names a corner that is not there");
        }
        let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        let mut area = vec![0.0; count];
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut areas = Vec::new();
        for (t, tri) in sheet.triangles.iter().enumerate() {
            let [a, b, c] = tri.map(|v| sheet.vertices[v as usize]);
            let size = (b - a).cross(c - a).length() / 2.0;
            if size <= 0.0 {
                return bad("a triangle has no area");
            }
            areas.push(size);
            for k in 0..3 {
                let (i, j) = (tri[k], tri[(k + 1) % 3]);
                sides.entry([i.min(j), i.max(j)]).or_default().push(t);
                area[i as usize] += size / 3.0;
                around[i as usize].push(t as u32);
            }
        }
        if around.iter().any(Vec::is_empty) {
            return bad("a corner belongs to no triangle");
        }
        if sides.values().any(|t| t.len() > 2) {
            return bad("more than two triangles share an edge");
        }
        let diagonals: BTreeSet<[u32; 2]> =
            sheet.shear.iter().map(|&[i, j]| [i.min(j), i.max(j)]).collect();
        let mut owned_edges = vec![Vec::new(); areas.len()];
        let mut hinges = Vec::new();
        for (e, ([i, j], tris)) in sides.iter().enumerate() {
            owned_edges[tris[0]].push(e as u32);
            if let [s, t] = tris[..] {
                let apex = |t: usize| sheet.triangles[t].into_iter().find(|v| v != i && v != j);
                if let (Some(k), Some(l)) = (apex(s), apex(t)) {
                    let area = areas[s] + areas[t];
                    let soft = diagonals.contains(&[*i, *j]);
                    hinges.push(hinge(&sheet.vertices, [*i, *j, k, l], area, soft));
                }
            }
        }
        let mut owned_vertices = vec![Vec::new(); areas.len()];
        for (v, tris) in around.iter().enumerate() {
            owned_vertices[tris[0] as usize].push(v as u32);
        }
        let ring = |t: &u32| {
            let corners = sheet.triangles[*t as usize].into_iter();
            corners.flat_map(|v| around[v as usize].iter().copied()).collect::<BTreeSet<u32>>()
        };
        let two = |t: u32| ring(&t).iter().flat_map(ring).collect::<BTreeSet<u32>>();
        let near = (0..areas.len() as u32).map(|t| two(t).into_iter().collect()).collect();
        let edges = sides.into_keys().collect();
        let triangles = sheet.triangles.clone();
        Ok(Self { triangles, edges, hinges, areas, area, owned_vertices, owned_edges, near })
    }

    /// The least distance of a corner or edge from a triangle or edge nearby that shares no corner with it.
    pub(super) fn apart(&self, rest: &[DVec3]) -> f64 {
        let at = |v: u32| rest[v as usize];
        let mut least = f64::INFINITY;
        for (t, tri) in self.triangles.iter().enumerate() {
            for &other in &self.near[t] {
                for &v in &self.owned_vertices[other as usize] {
                    if !tri.contains(&v) {
                        let [a, b, c] = tri.map(at);
                        let w = point_on_triangle(at(v), a, b, c);
                        let d = at(v) - (a * w[0] + b * w[1] + c * w[2]);
                        least = least.min(d.length());
                    }
                }
                for &e in &self.owned_edges[t] {
                    for &f in &self.owned_edges[other as usize] {
                        let ([i, j], [k, l]) = (self.edges[e as usize], self.edges[f as usize]);
                        if i != k && i != l && j != k && j != l {
                            let (s, u) = between_segments(at(i), at(j), at(k), at(l));
                            let d = at(i).lerp(at(j), s) - at(k).lerp(at(l), u);
                            least = least.min(d.length());
                        }
                    }
                }
            }
        }
        least
    }
}

/// Curvature across an edge as a weighted sum of four corners, as Bergou et al. 2006 have it for
/// inextensible surfaces.
///
/// Squares with a diagonal get the energy B κ²/2 of a beam whichever way they are bent if their
/// diagonals count half: bent along the threads only threads see it, bent along a diagonal each thread
/// sees a half of the curvature and the diagonal twice as much as a thread would.
fn hinge(rest: &[DVec3], corners: [u32; 4], area: f64, diagonal: bool) -> Hinge {
    let [i, j, k, l] = corners.map(|v| rest[v as usize]);
    let cot = |at: DVec3, p: DVec3, q: DVec3| {
        let (u, v) = (p - at, q - at);
        u.dot(v) / u.cross(v).length()
    };
    let (ik, il) = (cot(i, j, k), cot(i, j, l));
    let (jk, jl) = (cot(j, i, k), cot(j, i, l));
    let weights = [jk + jl, ik + il, -(ik + jk), -(il + jl)];
    Hinge { corners, weights, give: if diagonal { 2.0 * area } else { area } }
}

/// Order pairs so that neighbours in the order share no corner: their arithmetic overlaps.
pub(super) fn spread<T: Copy, const N: usize>(
    items: &[T],
    count: usize,
    corners: impl Fn(&T) -> [u32; N],
) -> Vec<T> {
    let mut colours: Vec<(Vec<T>, Vec<bool>)> = Vec::new();
    for item in items {
        let own = corners(item);
        let free = |used: &[bool]| own.iter().all(|v| !used[*v as usize]);
        let at = match colours.iter().position(|(_, used)| free(used)) {
            Some(at) => at,
            None => {
                colours.push((Vec::new(), vec![false; count]));
                colours.len() - 1
            }
        };
        let (list, used) = &mut colours[at];
        list.push(*item);
        own.iter().for_each(|v| used[*v as usize] = true);
    }
    colours.into_iter().flat_map(|(list, _)| list).collect()
}
