//! Layers of cloth that keep apart.
//!
//! From time to time all pairs of a corner and a triangle, and of two edges, that come near each other
//! are listed (`list`), and more often their distances are measured (`measure`). A corner may then travel
//! less than half of the distance to what is nearest to its triangles before they are measured again, so no two parts ever
//! pass through each other: the side on which a layer lies needs no memory. (The bound is that of Chen et
//! al. 2025, offset geometric contact.)

use longarm_types::DVec3;

use super::Cloth;
use super::contact::push;
use super::sheet::Topology;
use crate::cells::Cells;
use crate::closest::{between_segments, point_on_triangle};

/// Share of its distance to others that a corner may travel.
const BOUND: f64 = 0.45;

/// Share of that after which distances are measured again.
const SOON: f64 = 0.6;

/// How much farther than the gap pairs are listed, in gaps.
const SKIN: f64 = 0.75;

/// How much farther than the gap contacts are kept ready, in gaps.
const READY: f64 = 0.35;

/// Edges whose nearest points lie this far beyond an end are left to corners and triangles.
const BEYOND: f64 = 0.3;

/// Four corners whose weighted sum is the way between two parts.
#[derive(Clone, Copy, Debug)]
struct Contact {
    corners: [u32; 4],
    weights: [f64; 4],
    normal: DVec3,
}

impl Contact {
    /// The way between the parts.
    #[inline]
    fn way(&self, at: &[DVec3]) -> DVec3 {
        let (c, w) = (&self.corners, &self.weights);
        let term = |k: usize| at[c[k] as usize] * w[k];
        term(0) + term(1) + term(2) + term(3)
    }
}

impl Cloth {
    /// Pushes layers apart that are nearer than the gap.
    pub(super) fn part(&mut self, h: f64) {
        let gap = self.layers.gap;
        for contact in &self.layers.contacts {
            let way = contact.way(&self.now);
            let after = way.dot(contact.normal) - gap;
            if after >= 0.0 {
                continue;
            }
            let moved = way - contact.way(&self.before);
            let across = moved.dot(contact.normal);
            let push = push(after - across, after, h);
            // What lies on a solid is pushed back by it within this step, so that the push must part
            // the layers without its yielding; it still takes its share, which the solid then feels.
            let (mut yielding, mut light) = (0.0, 0.0);
            for k in 0..4 {
                let (i, w) = (contact.corners[k] as usize, contact.weights[k]);
                let share = self.lightness[i] * w * w;
                light += share;
                if self.support[i].dot(contact.normal) * w > -0.5 * w.abs() {
                    yielding += share;
                }
            }
            if light == 0.0 {
                continue;
            }
            let light = if yielding > 0.1 * light { yielding } else { light };
            let slip = moved - contact.normal * across;
            let (length, most) = (slip.length(), self.spec.friction * push.force);
            let back = if length > most { slip * (most / length) } else { slip };
            let change = (contact.normal * (push.force + push.shift) - back) / light;
            let shift = contact.normal * (push.shift / light);
            for k in 0..4 {
                let i = contact.corners[k] as usize;
                let share = self.lightness[i] * contact.weights[k];
                self.now[i] += change * share;
                self.before[i] += shift * share;
            }
        }
    }
}

/// What keeps layers apart.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    gap: f64,
    /// Where corners were when pairs were listed.
    pub(super) listed: Vec<DVec3>,
    /// Where corners were when distances were measured, and how far they may go from there.
    pub(super) measured: Vec<DVec3>,
    bound: Vec<f64>,
    /// Whether a corner has come far enough to measure again.
    pub(super) stale: bool,
    points: Vec<[u32; 2]>,
    edges: Vec<[u32; 2]>,
    contacts: Vec<Contact>,
    boxes: Vec<[DVec3; 2]>,
    normals: Vec<DVec3>,
    /// The square of twice the area below which a triangle is crushed, and the corners of such.
    least: Vec<f64>,
    tight: Vec<bool>,
    /// Triangles with such a corner.
    crushed: Vec<bool>,
    /// Triangles by the middle of their box.
    cells: Cells,
    /// The last triangle each triangle was found near to.
    stamp: Vec<u32>,
}

impl Layers {
    pub(super) fn new(topology: &Topology, gap: f64, at: &[DVec3]) -> Self {
        let (count, triangles) = (at.len(), topology.triangles.len());
        let mut layers = Self {
            gap,
            listed: at.to_vec(),
            measured: at.to_vec(),
            bound: vec![0.0; count],
            stale: false,
            points: Vec::with_capacity(24 * count),
            edges: Vec::with_capacity(32 * count),
            contacts: Vec::with_capacity(24 * count),
            boxes: vec![[DVec3::ZERO; 2]; triangles],
            normals: vec![DVec3::ZERO; triangles],
            least: topology.areas.iter().map(|a| a * a).collect(),
            tight: vec![false; count],
            crushed: vec![false; triangles],
            cells: Cells::new(triangles),
            stamp: vec![u32::MAX; triangles],
        };
        layers.again(topology);
        layers
    }

    /// List and measure again from where that was done.
    pub(super) fn again(&mut self, topology: &Topology) {
        self.list(topology);
        self.measure(topology);
    }

    /// Look at distances again if corners have come far enough.
    pub(super) fn look(&mut self, topology: &Topology, now: &[DVec3]) {
        if !self.stale {
            return;
        }
        self.stale = false;
        self.measured.copy_from_slice(now);
        if self.known() < self.gap {
            self.listed.copy_from_slice(now);
            self.list(topology);
        }
        self.measure(topology);
    }

    fn radius(&self) -> f64 {
        self.gap * (1.0 + SKIN)
    }

    /// The distance below which all pairs are listed, where corners were measured.
    fn known(&self) -> f64 {
        let shift = mean(&self.measured, &self.listed);
        let moved = |(m, l): (&DVec3, &DVec3)| (*m - *l - shift).length_squared();
        let most = self.measured.iter().zip(&self.listed).map(moved).fold(0.0, f64::max);
        self.radius() - 2.0 * most.sqrt()
    }

    /// Lists pairs that are near each other.
    fn list(&mut self, topology: &Topology) {
        let radius = self.radius();
        let at = &self.listed;
        let mut size: f64 = 0.0;
        self.tight.fill(false);
        for (t, tri) in topology.triangles.iter().enumerate() {
            let [a, b, c] = tri.map(|v| at[v as usize]);
            let (lower, upper) = (a.min(b).min(c), a.max(b).max(c));
            size = size.max((upper - lower).max_element());
            self.boxes[t] = [lower, upper];
            let normal = (b - a).cross(c - a);
            self.normals[t] = normal;
            if normal.length_squared() < self.least[t] {
                tri.iter().for_each(|v| self.tight[*v as usize] = true);
            }
        }
        for (crushed, tri) in self.crushed.iter_mut().zip(&topology.triangles) {
            *crushed = tri.iter().any(|v| self.tight[*v as usize]);
        }
        let boxes = &self.boxes;
        self.cells.fill(size + radius, |t| (boxes[t][0] + boxes[t][1]) * 0.5);
        self.points.clear();
        self.edges.clear();
        let reach = DVec3::splat(radius);
        let (cells, boxes) = (&self.cells, &self.boxes);
        let (normals, crushed) = (&self.normals, &self.crushed);
        let (points, edges, stamp) = (&mut self.points, &mut self.edges, &mut self.stamp);
        stamp.fill(u32::MAX);
        let (mut last, mut lower, mut upper) = (usize::MAX, DVec3::ZERO, DVec3::ZERO);
        cells.pairs(|i, j| {
            let (t, u) = (cells.members[i] as usize, cells.members[j] as usize);
            if t != last {
                last = t;
                (lower, upper) = (boxes[t][0] - reach, boxes[t][1] + reach);
                topology.near[t].iter().for_each(|n| stamp[*n as usize] = t as u32);
            }
            let [low, high] = boxes[u];
            if low.cmpgt(upper).any() || high.cmplt(lower).any() {
                return;
            }
            // Neighbours come near each other only where the cloth turns back or is crushed.
            let turned = normals[t].dot(normals[u]) <= 0.0;
            if stamp[u] == t as u32 && !turned && !crushed[t] && !crushed[u] {
                return;
            }
            pair_points(topology, at, radius, t, u, points);
            pair_points(topology, at, radius, u, t, points);
            pair_edges(topology, at, radius, t, u, edges);
        });
    }

    /// Measures the distances of listed pairs.
    fn measure(&mut self, topology: &Topology) {
        let known = self.known();
        let at = &self.measured;
        self.bound.fill(known);
        self.contacts.clear();
        let ready = self.gap * (1.0 + READY);
        let bound = &mut self.bound;
        let mut note = |corners: [u32; 4], weights: [f64; 4], fallback: DVec3| {
            let way = (0..4).fold(DVec3::ZERO, |sum, k| sum + at[corners[k] as usize] * weights[k]);
            let distance = way.length();
            for c in corners {
                let bound = &mut bound[c as usize];
                *bound = bound.min(distance);
            }
            if distance < ready {
                let normal = way.normalize_or(fallback);
                self.contacts.push(Contact { corners, weights, normal });
            }
        };
        for &[v, t] in &self.points {
            let tri = topology.triangles[t as usize];
            let [a, b, c] = tri.map(|v| at[v as usize]);
            let w = point_on_triangle(at[v as usize], a, b, c);
            let normal = (b - a).cross(c - a).normalize_or(DVec3::Z);
            note([v, tri[0], tri[1], tri[2]], [1.0, -w[0], -w[1], -w[2]], normal);
        }
        for &[e, f] in &self.edges {
            let ([i, j], [k, l]) = (topology.edges[e as usize], topology.edges[f as usize]);
            let [p, q, r, s] = [i, j, k, l].map(|v| at[v as usize]);
            let (u, t) = between_segments(p, q, r, s);
            // At an end it is a matter of a corner and a triangle.
            if u > 0.0 && u < 1.0 && t > 0.0 && t < 1.0 {
                let normal = (q - p).cross(s - r).normalize_or(DVec3::Z);
                note([i, j, k, l], [1.0 - u, u, t - 1.0, -t], normal);
            }
        }
        for bound in &mut self.bound {
            *bound *= BOUND;
        }
    }

    /// Holds corners back that would travel too far, seen from the cloth as a whole.
    pub(super) fn restrain(&mut self, now: &mut [DVec3], lightness: &[f64]) {
        let shift = mean(now, &self.measured);
        for i in 0..now.len() {
            let way = now[i] - self.measured[i] - shift;
            let (length, bound) = (way.length_squared(), self.bound[i]);
            if length > bound * bound * (SOON * SOON) {
                self.stale = true;
                if length > bound * bound && lightness[i] > 0.0 {
                    now[i] = self.measured[i] + shift + way * (bound / length.sqrt());
                }
            }
        }
    }
}

/// The mean way from one set of places to another.
fn mean(to: &[DVec3], from: &[DVec3]) -> DVec3 {
    let sum = to.iter().zip(from).fold(DVec3::ZERO, |sum, (t, f)| sum + (*t - *f));
    sum / to.len() as f64
}

/// Lists the corners that triangle `t` owns and that are near triangle `u`.
// Seldom reached: kept out of the loop that sorts most pairs out.
#[inline(never)]
fn pair_points(
    topology: &Topology,
    at: &[DVec3],
    radius: f64,
    t: usize,
    u: usize,
    points: &mut Vec<[u32; 2]>,
) {
    let tri = topology.triangles[u];
    for &v in &topology.owned_vertices[t] {
        if tri.contains(&v) {
            continue;
        }
        let p = at[v as usize];
        let [a, b, c] = tri.map(|v| at[v as usize]);
        let reach = DVec3::splat(radius);
        let (lower, upper) = (a.min(b).min(c) - reach, a.max(b).max(c) + reach);
        if p.cmplt(lower).any() || p.cmpgt(upper).any() {
            continue;
        }
        let w = point_on_triangle(p, a, b, c);
        let way = p - (a * w[0] + b * w[1] + c * w[2]);
        if way.length_squared() < radius * radius {
            points.push([v, u as u32]);
        }
    }
}

/// Lists the edges of two triangles that pass near each other.
#[inline(never)]
fn pair_edges(
    topology: &Topology,
    at: &[DVec3],
    radius: f64,
    t: usize,
    u: usize,
    edges: &mut Vec<[u32; 2]>,
) {
    for &e in &topology.owned_edges[t] {
        let [i, j] = topology.edges[e as usize];
        let (p, q) = (at[i as usize], at[j as usize]);
        let (lower, upper) = (p.min(q) - DVec3::splat(radius), p.max(q) + DVec3::splat(radius));
        for &f in &topology.owned_edges[u] {
            let [k, l] = topology.edges[f as usize];
            if i == k || i == l || j == k || j == l {
                continue;
            }
            let (r, s) = (at[k as usize], at[l as usize]);
            if r.min(s).cmpgt(upper).any() || r.max(s).cmplt(lower).any() {
                continue;
            }
            let stretch = |a: DVec3, b: DVec3| (a - (b - a) * BEYOND, b + (b - a) * BEYOND);
            let ((p, q), (r, s)) = (stretch(p, q), stretch(r, s));
            let (x, y) = between_segments(p, q, r, s);
            let inside = x > 0.0 && x < 1.0 && y > 0.0 && y < 1.0;
            let way = p.lerp(q, x) - r.lerp(s, y);
            if inside && way.length_squared() < radius * radius {
                edges.push([e, f]);
            }
        }
    }
}
