//! Pictures whose light is computed at vertices, as fixed-function OpenGL draws them: four samples a pixel, each
//! triangle's colour computed once a pixel, fine meshes coarser where that does not show.

mod easel;
mod samples;
mod shade;

use crate::frame::Frame;
use crate::math::Vec3;
use crate::raster::{NONE, Rect};
use crate::renderer::SOLID_ALPHA;
use crate::resolve::{Lengths, Resolver, Stage};
use crate::scene::Scene;
use crate::shadow::center;
use crate::still::{Key, Look, looks, same_looks};
use crate::vertex_light::ViewLights;
use easel::Easel;
use samples::{COUNT, Places, Samples};
use shade::{Surfaces, to_byte};

/// Where in a pixel the samples lie, in sixteenths; OpenGL counts rows upwards.
const SPREAD: [[i32; 2]; COUNT] = [[6, 14], [14, 10], [2, 6], [10, 2]];
/// Without anti-aliasing.
const MIDDLE: [[i32; 2]; COUNT] = [[8; 2]; COUNT];

/// The buffers of a picture, and what a fixed camera saw of what does not move.
#[derive(Debug, Default)]
pub(crate) struct LitPicture {
    stage: Stage,
    samples: Samples,
    /// A see-through instance; clear between uses.
    layer: Samples,
    surfaces: Surfaces,
    /// Depth and index of instances, in the order of drawing.
    order: Vec<(f64, u32)>,
    /// The same of see-through ones.
    glassy: Vec<(f64, u32)>,
    kept: Option<Kept>,
    /// Columns of each row in which something that moves was drawn: first, and one after the last.
    dirty: Vec<(usize, usize)>,
}

/// What a fixed camera sees of what does not move.
#[derive(Debug)]
struct Kept {
    key: Key,
    looks: Vec<Look>,
    lengths: Lengths,
    samples: Samples,
    rgb: Vec<u8>,
}

/// Nothing of a row.
const CLEAN: (usize, usize) = (usize::MAX, 0);

impl LitPicture {
    /// Draw the colours of a picture; for a camera that usually stays where it is, keep what does not move.
    pub fn render(
        &mut self,
        key: Key,
        lights: ViewLights,
        scene: &Scene,
        fixed: bool,
        frame: &mut Frame,
    ) {
        let camera = key.camera;
        let view = camera.view();
        let sixteenths = if key.settings.antialias { SPREAD } else { MIDDLE };
        let places = Places::new(sixteenths, view.bits);
        let easel = Easel { scene, camera: &camera, view, sixteenths, places };
        let first = if fixed && self.restore(&key, scene) {
            self.kept.as_ref().map_or(0, |k| k.lengths.pieces)
        } else {
            self.stage.clear();
            self.stage.lights = Some(lights);
            self.samples.reset(camera.width, camera.height, 1.0 / camera.far);
            self.dirty.clear();
            self.dirty.resize(camera.height, CLEAN);
            self.sort(&easel, false);
            for index in 0..self.order.len() {
                let i = &scene.instances[self.order[index].1 as usize];
                let drawn = easel.draw(i, &mut self.stage, &mut self.samples);
                self.samples.look(drawn);
            }
            if fixed { self.keep(key, &easel, frame) } else { 0 }
        };
        self.sort(&easel, true);
        for index in 0..self.order.len() {
            let i = &scene.instances[self.order[index].1 as usize];
            let drawn = easel.draw(i, &mut self.stage, &mut self.samples);
            self.samples.look(drawn);
            self.touch(drawn);
        }
        self.surfaces.reset(self.stage.pieces.len());
        self.prepare(&easel, fixed, first);
        if fixed {
            if let Some(kept) = &self.kept {
                frame.rgb.copy_from_slice(&kept.rgb);
            }
            for y in 0..camera.height {
                let (from, to) = self.dirty[y];
                self.paint_row(&easel, y, from..to, first as u32, frame);
            }
        } else {
            for y in 0..camera.height {
                self.paint_row(&easel, y, 0..camera.width, 0, frame);
            }
        }
        self.see_through(&easel, frame);
    }

    /// Find the opaque instances that move, or those that do not, nearest first: what they hide need not be drawn.
    fn sort(&mut self, easel: &Easel, moving: bool) {
        let Easel { scene, view, .. } = easel;
        self.order.clear();
        for (index, i) in scene.instances.iter().enumerate() {
            if i.visible && i.is_static != moving && scene.color(i)[3] >= 1.0 {
                let middle = scene.meshes[i.mesh.0 as usize].center;
                self.order.push((center(&view.mesh_to_view(i), middle)[2], index as u32));
            }
        }
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    /// Put back what was kept. False if it is of no use.
    fn restore(&mut self, key: &Key, scene: &Scene) -> bool {
        let Some(kept) =
            self.kept.as_ref().filter(|k| k.key == *key && same_looks(&k.looks, scene))
        else {
            self.kept = None;
            return false;
        };
        self.stage.truncate(&kept.lengths);
        for (y, dirty) in self.dirty.iter_mut().enumerate() {
            let (from, to) = std::mem::replace(dirty, CLEAN);
            if from < to {
                let span = y * kept.samples.width + from..y * kept.samples.width + to;
                self.samples.w[span.clone()].copy_from_slice(&kept.samples.w[span.clone()]);
                self.samples.ids[span.clone()].copy_from_slice(&kept.samples.ids[span]);
            }
        }
        self.samples.far.copy_from_slice(&kept.samples.far);
        true
    }

    /// Paint and keep what has been drawn; return how many triangles that are.
    fn keep(&mut self, key: Key, easel: &Easel, frame: &mut Frame) -> usize {
        self.surfaces.reset(self.stage.pieces.len());
        self.prepare(easel, false, 0);
        for y in 0..key.camera.height {
            self.paint_row(easel, y, 0..key.camera.width, 0, frame);
        }
        let lengths = self.stage.lengths();
        let looks = looks(easel.scene).collect();
        let (samples, rgb) = (self.samples.clone(), frame.rgb.clone());
        self.kept = Some(Kept { key, looks, lengths, samples, rgb });
        lengths.pieces
    }

    fn touch(&mut self, r: Rect) {
        if r.is_empty() {
            return;
        }
        for (from, to) in &mut self.dirty[r.y0 as usize..=r.y1 as usize] {
            *from = (*from).min(r.x0 as usize);
            *to = (*to).max(r.x1 as usize + 1);
        }
    }

    /// Find the triangles from number `first` on that are seen, everywhere or where something moves, and what
    /// painting them takes.
    fn prepare(&mut self, easel: &Easel, moving: bool, first: usize) {
        let Self { stage, samples, surfaces, dirty, .. } = self;
        let mut last = [NONE; COUNT];
        for (y, dirty) in dirty.iter().enumerate() {
            let (from, to) = if moving { *dirty } else { (0, samples.width) };
            let row = y * samples.width;
            for ids in samples.ids[row..row + to].get(from..).unwrap_or_default() {
                if *ids == last {
                    continue;
                }
                last = *ids;
                for id in last {
                    // No triangle at all counts as what does not move.
                    if id.wrapping_add(1) > first as u32 {
                        surfaces.see(id);
                    }
                }
            }
        }
        let resolver = Resolver { scene: easel.scene, view: &easel.view, stage };
        surfaces.prepare(&resolver, first);
    }

    /// Paint the pixels of a row in which a triangle from number `first` on is seen.
    fn paint_row(
        &mut self,
        easel: &Easel,
        y: usize,
        columns: std::ops::Range<usize>,
        first: u32,
        frame: &mut Frame,
    ) {
        let Self { stage, samples, surfaces, .. } = self;
        let resolver = Resolver { scene: easel.scene, view: &easel.view, stage };
        let row = y * samples.width;
        let least = 1.0 / easel.camera.far;
        let mut x = columns.start;
        while x < columns.end {
            let ids = samples.ids[row + x];
            let at = 3 * (row + x);
            // No triangle at all counts as what does not move.
            if first > 0 && ids.iter().all(|id| id.wrapping_add(1) <= first) {
                x += 1;
                continue;
            }
            if ids == [ids[0]; COUNT] && ids[0] != NONE {
                let rest = &samples.ids[row + x..row + columns.end];
                let run = rest.iter().take_while(|i| **i == ids).count();
                let place = [x as f32 + 0.5, y as f32 + 0.5];
                let pixels = &mut frame.rgb[at..at + 3 * run];
                if surfaces.span(&resolver, ids[0], place, least, pixels) {
                    x += run;
                    continue;
                }
            }
            let c = easel.pixel(&resolver, surfaces, [x, y], ids, &samples.w[row + x]);
            frame.rgb[at..at + 3].copy_from_slice(&c.map(to_byte));
            x += 1;
        }
    }

    /// Blend see-through instances over the others, farthest first, each with its nearest surface.
    fn see_through(&mut self, easel: &Easel, frame: &mut Frame) {
        let scene = easel.scene;
        self.glassy.clear();
        for (index, i) in scene.instances.iter().enumerate().filter(|(_, i)| i.visible) {
            let alpha = scene.color(i)[3];
            if alpha > 0.0 && alpha < 1.0 {
                let mesh = &scene.meshes[i.mesh.0 as usize];
                let c = center(&easel.view.mesh_to_view(i), mesh.center);
                self.glassy.push((c[2], index as u32));
            }
        }
        if self.glassy.is_empty() {
            return;
        }
        self.glassy.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (width, height) = (self.samples.width, self.samples.height);
        if (self.layer.width, self.layer.height) != (width, height) {
            self.layer.reset(width, height, 0.0);
        }
        for index in 0..self.glassy.len() {
            let i = &scene.instances[self.glassy[index].1 as usize];
            let r = easel.draw(i, &mut self.stage, &mut self.layer);
            if r.is_empty() {
                continue;
            }
            self.touch(r);
            self.surfaces.reset(self.stage.pieces.len());
            let alpha = scene.color(i)[3];
            let resolver = Resolver { scene, view: &easel.view, stage: &self.stage };
            for y in r.y0 as usize..=r.y1 as usize {
                for x in r.x0 as usize..=r.x1 as usize {
                    let at = y * width + x;
                    let (ids, ws) = (&mut self.layer.ids[at], &mut self.layer.w[at]);
                    let (below, depth) = (&mut self.samples.ids[at], &mut self.samples.w[at]);
                    for s in 0..COUNT {
                        if ids[s] == NONE || ws[s] <= depth[s] {
                            continue;
                        }
                        let place = [x as f32 + 0.5, y as f32 + 0.5];
                        let there = || (easel.place([x, y], s), ws[s]);
                        let least = 1.0 / easel.camera.far;
                        let new = self.surfaces.color(&resolver, ids[s], place, least, there);
                        for k in 0..3 {
                            let old = f32::from(frame.rgb[3 * at + k]) / 255.0;
                            let share = alpha / COUNT as f32;
                            frame.rgb[3 * at + k] = to_byte(old + share * (new[k] - old));
                        }
                        if alpha >= SOLID_ALPHA {
                            (below[s], depth[s]) = (ids[s], ws[s]);
                        }
                    }
                    (*ids, *ws) = ([NONE; COUNT], [0.0; COUNT]);
                }
            }
        }
    }

    /// List the pixels of the last picture in which a segment is seen where it faces `up`, and of how many of
    /// their samples.
    pub fn facing(&self, scene: &Scene, segment: i32, up: Vec3, out: &mut Vec<(usize, u32)>) {
        out.clear();
        let stage = &self.stage;
        let (mut last, mut shown) = (NONE, false);
        let mut shows = |id: u32| {
            if id != last {
                last = id;
                shown = id != NONE && stage.faces(scene, id, segment, up);
            }
            shown
        };
        for (at, ids) in self.samples.ids.iter().enumerate() {
            let count = ids.iter().filter(|id| shows(**id)).count() as u32;
            if count > 0 {
                out.push((at, count));
            }
        }
    }
}
