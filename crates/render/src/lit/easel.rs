//! Instances drawn into the samples of a picture, and the colours of its pixels.

use super::samples::{COUNT, Places, Samples};
use super::shade::Surfaces;
use crate::camera::{Camera, CameraView};
use crate::cluster::Cluster;
use crate::geometry::{Faces, each_triangle, set_up, transform};
use crate::math::Vec3;
use crate::mesh::{Level, Mesh};
use crate::raster::{NONE, Rect};
use crate::resolve::{Resolver, Stage};
use crate::scene::{Instance, Scene};
use crate::shadow::{bounding_radius, center};

/// Pixels by which a coarser mesh may differ.
const UNSEEN: f64 = 0.45;
/// The same of one that still has many triangles.
const HARDLY_SEEN: f64 = 0.8;
const MANY: usize = 6000;

/// First of some triangles or vertices, and one after the last.
type Span = (u32, u32);

/// What all triangles of a picture share.
pub(super) struct Easel<'a> {
    pub scene: &'a Scene,
    pub camera: &'a Camera,
    pub view: CameraView,
    pub sixteenths: [[i32; 2]; COUNT],
    pub places: Places,
}

impl Easel<'_> {
    /// Where a sample of a pixel lies.
    pub fn place(&self, [x, y]: [usize; 2], sample: usize) -> [f32; 2] {
        let s = self.sixteenths[sample];
        [x as f32 + s[0] as f32 / 16.0, y as f32 + s[1] as f32 / 16.0]
    }

    /// The mean colour of a pixel's samples.
    #[inline(always)]
    pub fn pixel(
        &self,
        resolver: &Resolver,
        surfaces: &mut Surfaces,
        [x, y]: [usize; 2],
        ids: [u32; COUNT],
        ws: &[f32; COUNT],
    ) -> Vec3 {
        let middle = [x as f32 + 0.5, y as f32 + 0.5];
        let least = 1.0 / self.camera.far;
        let mut one = |s: usize| match ids[s] {
            NONE => self.background(middle),
            id => {
                let there = || (self.place([x, y], s), ws[s]);
                surfaces.color(resolver, id, middle, least, there)
            }
        };
        if ids == [ids[0]; COUNT] {
            return one(0);
        }
        let mut sum = [0.0; 3];
        let mut done = 0u32;
        for s in 0..COUNT {
            if done >> s & 1 == 1 {
                continue;
            }
            let same = (s..COUNT).filter(|k| ids[*k] == ids[s]).fold(0u32, |all, k| all | 1 << k);
            done |= same;
            let (c, share) = (one(s), same.count_ones() as f32 / COUNT as f32);
            for k in 0..3 {
                sum[k] += share * c[k];
            }
        }
        sum
    }

    fn background(&self, [x, y]: [f32; 2]) -> Vec3 {
        let (c, r) = (self.camera, &self.camera.rotation);
        let (a, b) = ((x - c.cx) / c.fx, (c.cy - y) / c.fy);
        let ray: Vec3 = std::array::from_fn(|k| r[k][0] * a + r[k][1] * b - r[k][2]);
        let length = (ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]).sqrt();
        let t = (ray[2] / length).max(0.0);
        let b = &self.scene.background;
        std::array::from_fn(|k| (b.horizon[k] + t * (b.zenith[k] - b.horizon[k])).clamp(0.0, 1.0))
    }

    /// Draw an instance; return what may have changed.
    pub fn draw(&self, i: &Instance, stage: &mut Stage, samples: &mut Samples) -> Rect {
        let Self { scene, view, .. } = self;
        let stored = &scene.meshes[i.mesh.0 as usize];
        let m = view.mesh_to_view(i);
        let mut drawn = Rect::EMPTY;
        if !view.sees(center(&m, stored.center), bounding_radius(i, stored.radius)) {
            return drawn;
        }
        let eye = i.local(view.origin);
        // Of a part: its middle's depth, if it may be seen. What was drawn before has no say: the picture would
        // hang on what moved lately.
        let depth = |c: &Cluster| {
            let (at, radius) = (center(&m, c.center), bounding_radius(i, c.radius));
            (!c.faces_away(eye) && view.sees(at, radius)).then_some(at[2])
        };
        let whole = (center(&m, stored.center), bounding_radius(i, stored.radius));
        if self.hides(samples, whole.0, whole.1) {
            return drawn;
        }
        let mut level = 0;
        if let Some(coarsest) = stored.levels.last() {
            let far = match coarsest.clusters.as_slice() {
                [] => whole.0[2] - whole.1,
                parts => {
                    let seen = parts.iter().filter_map(depth);
                    let (sum, count) = seen.fold((0.0, 0.0), |(s, n), d| (s + d, n + 1.0));
                    if count > 0.0 { sum / count } else { f64::INFINITY }
                }
            };
            let pixel = far.max(f64::from(self.camera.near)) / view.fx.max(view.fy);
            let differs = |l: &Level| f64::from(l.error) * bounding_radius(i, 1.0) / pixel;
            level = stored.levels.iter().take_while(|l| differs(l) <= UNSEEN).count();
            while stored.level(level as u32).triangles.len() > MANY
                && stored.levels.get(level).is_some_and(|l| differs(l) <= HARDLY_SEEN)
            {
                level += 1;
            }
        }
        stage.begin(scene, i);
        let (mesh, clusters) = match level.checked_sub(1) {
            Some(k) => (&stored.levels[k].mesh, &stored.levels[k].clusters),
            None => (&stored.mesh, &stored.clusters),
        };
        if let Some(last) = stage.draws.last_mut() {
            last.level = level as u32;
        }
        if clusters.is_empty() {
            let all = (0, mesh.positions.len() as u32);
            drawn = self.draw_part(&m, mesh, all, &mesh.triangles, stage, samples);
            stage.end_parts();
            return drawn;
        }
        let mut part: Option<(Span, Span)> = None;
        let mut finish = |part: &mut Option<(Span, Span)>, samples: &mut Samples| {
            if let Some((t, vertices)) = part.take() {
                let triangles = &mesh.triangles[t.0 as usize..t.1 as usize];
                drawn.include(self.draw_part(&m, mesh, vertices, triangles, stage, samples));
            }
        };
        for c in clusters {
            let (at, radius) = (center(&m, c.center), bounding_radius(i, c.radius));
            if c.faces_away(eye) || !view.sees(at, radius) || self.hides(samples, at, radius) {
                finish(&mut part, samples);
                continue;
            }
            part = Some(match part {
                None => (c.triangles, c.vertices),
                Some((t, v)) => {
                    ((t.0, c.triangles.1), (v.0.min(c.vertices.0), v.1.max(c.vertices.1)))
                }
            });
        }
        finish(&mut part, samples);
        stage.end_parts();
        drawn
    }

    /// Whether a sphere lies behind what has been drawn everywhere.
    fn hides(&self, samples: &Samples, c: [f64; 3], radius: f64) -> bool {
        let near = c[2] - radius;
        if near <= f64::from(self.camera.near) {
            return false;
        }
        // Its extent on the picture, and a little more.
        let span = |at: f64, focal: f64, middle: f64, size: usize| {
            let far = c[2] + radius;
            let (lo, hi) = (at - radius, at + radius);
            let lo = focal * lo / if lo > 0.0 { far } else { near } + middle;
            let hi = focal * hi / if hi > 0.0 { near } else { far } + middle;
            ((lo - 1.0).max(0.0) as usize, ((hi + 1.0).max(0.0) as usize).min(size - 1))
        };
        let view = &self.view;
        let columns = span(c[0], view.fx, view.cx, samples.width);
        let rows = span(c[1], view.fy, view.cy, samples.height);
        let beside = columns.0 > columns.1 || rows.0 > rows.1;
        beside || samples.nearer(columns, rows, (1.000_01 / near) as f32)
    }

    /// Draw some triangles of the instance begun last, whose vertices lie in a range.
    fn draw_part(
        &self,
        m: &[[f64; 4]; 3],
        mesh: &Mesh,
        (first, end): Span,
        triangles: &[[u32; 3]],
        stage: &mut Stage,
        samples: &mut Samples,
    ) -> Rect {
        let Self { view, places, .. } = self;
        let mut drawn = Rect::EMPTY;
        let base = stage.vertices.len();
        stage.begin_part(first);
        transform(view, m, &mesh.positions[first as usize..end as usize], &mut stage.vertices);
        let Stage { vertices, draws, pieces, .. } = stage;
        let faces = if mesh.double_sided { Faces::Both } else { Faces::Front };
        let seen = (&vertices[base..], first);
        each_triangle(view, seen, triangles, faces, |index, back, corners, v, range| {
            let id = pieces.len() as u32;
            let plane = || set_up(view, corners, v, range);
            if let Some(r) = samples.fill(&corners, places, (id, range[1]), plane) {
                drawn.include(r);
                pieces.push(Stage::piece(draws, triangles[index], back));
            }
        });
        drawn
    }
}
