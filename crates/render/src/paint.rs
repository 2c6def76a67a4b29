//! From visibility to colours and normals.

use crate::camera::CameraView;
use crate::frame::{Channels, Frame};
use crate::raster::{NONE, Plane, Rect};
use crate::renderer::SOLID_ALPHA;
use crate::resolve::{Resolver, Run, Stage};
use crate::scene::Scene;
use crate::shade::{BATCH, Batch, GROUP, Shader};
use crate::still::{Notes, PixelKind};

/// Where in a pixel the four samples of anti-aliasing lie, in sixteenths.
pub(crate) const SAMPLES: [[i32; 2]; 4] = [[6, 2], [14, 6], [2, 10], [10, 14]];

/// Marks a point of a batch whose normal is wanted but not its colour.
const NORMAL_ONLY: u32 = 1 << 31;

/// Opacity that marks the background among the samples of a pixel.
const UNLIT: f32 = -1.0;

/// The buffers of a [`Painter`], kept from frame to frame.
pub(crate) struct Brushes {
    /// One point per pixel.
    plain: Box<Batch>,
    /// Four points per pixel.
    mixed: Box<Batch>,
    /// What to do with the pixels of a row.
    kinds: Vec<PixelKind>,
}

impl Default for Brushes {
    fn default() -> Self {
        Self { plain: Batch::new(), mixed: Batch::new(), kinds: Vec::new() }
    }
}

impl std::fmt::Debug for Brushes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Brushes")
    }
}

/// Turns visibility into colours and normals, in batches.
pub(crate) struct Painter<'a> {
    pub shader: Shader<'a>,
    pub brushes: &'a mut Brushes,
    pub channels: Channels,
    pub frame: &'a mut Frame,
    pub notes: Option<&'a mut Notes>,
}

/// 0–255 from 0–1, rounded, as arithmetic that vectorizes everywhere.
#[inline(always)]
fn to_byte(c: f32) -> u8 {
    let c = if c > 0.0 { c } else { 0.0 };
    let c = if c < 1.0 { c } else { 1.0 };
    (c * 255.0 + 8_388_608.0).to_bits() as u8
}

impl Painter<'_> {
    /// Paints what the opaque instances left in `planes`, but for what `keep` marks as
    /// [`PixelKind::Keep`] in a row; it says whether there is anything else to do in it.
    pub fn opaque(
        &mut self,
        scene: &Scene,
        view: &CameraView,
        stage: &Stage,
        planes: &[Plane],
        keep: impl Fn(usize, &mut [PixelKind]) -> bool,
    ) {
        let resolver = Resolver { scene, view, stage };
        let (center, samples) = planes.split_first().unwrap();
        let width = center.width;
        let mut kinds = std::mem::take(&mut self.brushes.kinds);
        kinds.clear();
        kinds.resize(width, PixelKind::Single);
        for y in 0..center.height {
            kinds.fill(PixelKind::Single);
            if !keep(y, &mut kinds) {
                continue;
            }
            let row = y * center.stride;
            let ids = &center.ids[row..row + width];
            let ws = &center.w[row..row + center.stride];
            if !samples.is_empty() {
                find_mixed((scene, stage), ids, ws, samples, row, &mut kinds);
            }
            let mut x = 0;
            while x < width {
                if kinds[x] == PixelKind::Keep {
                    x += 1;
                    continue;
                }
                if kinds[x] == PixelKind::Mixed {
                    self.mixed_pixel(&resolver, samples, row + x, x, y, width);
                    // The centre alone decides the normal.
                    if self.channels.normals && ids[x] == NONE {
                        let at = 3 * (y * width + x);
                        self.frame.normals[at..at + 3].fill(0.0);
                    } else if self.channels.normals {
                        self.queue(&resolver, center, row + x, [x, y], [8, 8], Self::flush);
                        let b = &mut *self.brushes.plain;
                        b.pixel[b.len - 1] |= NORMAL_ONLY;
                    }
                    x += 1;
                    continue;
                }
                let id = ids[x];
                let mut end = x + 1;
                while end < width && ids[end] == id && kinds[end] == PixelKind::Single {
                    end += 1;
                }
                if id == NONE {
                    self.empty(scene, x..end, y, width);
                    x = end;
                    continue;
                }
                while x < end {
                    if self.brushes.plain.len == BATCH {
                        self.flush();
                    }
                    let stop = end.min(x + BATCH - self.brushes.plain.len);
                    let run = Run {
                        id,
                        x: x as f32 + 0.5,
                        y: y as f32 + 0.5,
                        len: stop - x,
                        w: &ws[x..stop + GROUP],
                        pixel: (y * width + x) as u32,
                    };
                    resolver.push(&mut self.brushes.plain, &run);
                    x = stop;
                }
            }
        }
        self.flush();
        self.flush_mixed();
        self.brushes.kinds = kinds;
    }

    fn background(&self, scene: &Scene, x: f32, y: f32) -> [f32; 3] {
        let r = self.shader.ray(x, y);
        let l = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
        let t = (r[2] / l).max(0.0);
        let b = &scene.background;
        std::array::from_fn(|k| b.horizon[k] + t * (b.zenith[k] - b.horizon[k]))
    }

    fn empty(&mut self, scene: &Scene, xs: std::ops::Range<usize>, y: usize, width: usize) {
        if self.channels.color {
            for x in xs.clone() {
                let c = self.background(scene, x as f32 + 0.5, y as f32 + 0.5);
                let at = 3 * (y * width + x);
                self.frame.rgb[at..at + 3].copy_from_slice(&c.map(to_byte));
            }
        }
        if self.channels.normals {
            let at = y * width;
            self.frame.normals[3 * (at + xs.start)..3 * (at + xs.end)].fill(0.0);
        }
    }

    fn flush(&mut self) {
        self.brushes.plain.unit();
        self.write_normals(false);
        let b = &mut *self.brushes.plain;
        if self.channels.color {
            self.shader.shade(b);
            if let (Some(notes), true) = (&mut self.notes, self.shader.has_shadows()) {
                for i in (0..b.len).filter(|&i| b.pixel[i] & NORMAL_ONLY == 0) {
                    notes.single[b.pixel[i] as usize] = b.probes.probed(i);
                }
            }
            let mut bytes = [[0u8; BATCH]; 3];
            for (bytes, out) in bytes.iter_mut().zip(&b.out) {
                for i in 0..BATCH {
                    bytes[i] = to_byte(out[i]);
                }
            }
            let first = b.pixel[0] as usize;
            let marked = self.channels.normals && b.pixel.iter().any(|p| p & NORMAL_ONLY != 0);
            let in_a_row = !marked && b.len > 0 && b.pixel[b.len - 1] as usize == first + b.len - 1;
            if in_a_row {
                let pixels = self.frame.rgb[3 * first..3 * (first + b.len)].chunks_exact_mut(3);
                for (i, p) in pixels.enumerate() {
                    p.copy_from_slice(&[bytes[0][i], bytes[1][i], bytes[2][i]]);
                }
            } else {
                for i in (0..b.len).filter(|&i| b.pixel[i] & NORMAL_ONLY == 0) {
                    let at = 3 * b.pixel[i] as usize;
                    let c = [bytes[0][i], bytes[1][i], bytes[2][i]];
                    self.frame.rgb[at..at + 3].copy_from_slice(&c);
                }
            }
        }
        b.len = 0;
    }

    fn write_normals(&mut self, marked_only: bool) {
        if !self.channels.normals {
            return;
        }
        let b = &*self.brushes.plain;
        for i in 0..b.len {
            if !marked_only || b.pixel[i] & NORMAL_ONLY != 0 {
                let at = 3 * (b.pixel[i] & !NORMAL_ONLY) as usize;
                let n = [b.n[0][i], b.n[1][i], b.n[2][i]];
                self.frame.normals[at..at + 3].copy_from_slice(&n);
            }
        }
    }

    /// Queues the four samples of a pixel.
    fn mixed_pixel(
        &mut self,
        resolver: &Resolver,
        samples: &[Plane],
        at: usize,
        x: usize,
        y: usize,
        width: usize,
    ) {
        for (plane, s) in samples.iter().zip(SAMPLES) {
            let place = [x as f32 + s[0] as f32 / 16.0, y as f32 + s[1] as f32 / 16.0];
            let pixel = (y * width + x) as u32;
            let id = plane.ids[at];
            let w = &plane.w[at..at + GROUP];
            if id == NONE {
                let c = self.background(resolver.scene, place[0], place[1]);
                let b = &mut *self.brushes.mixed;
                let i = b.len;
                b.len += 1;
                (b.pixel[i], b.x[i], b.y[i], b.w[i]) = (pixel, place[0], place[1], 1.0);
                (b.specular[i], b.exponent[i], b.alpha[i], b.emission[i]) = (0.0, 1.0, UNLIT, 0.0);
                for k in 0..3 {
                    (b.n[k][i], b.color[k][i]) = (0.0, c[k]);
                }
            } else {
                let run = Run { id, x: place[0], y: place[1], len: 1, w, pixel };
                resolver.push(&mut self.brushes.mixed, &run);
            }
        }
        if self.brushes.mixed.len == BATCH {
            self.flush_mixed();
        }
    }

    fn flush_mixed(&mut self) {
        let b = &mut *self.brushes.mixed;
        b.unit();
        self.shader.shade(b);
        for i in 0..b.len {
            if b.alpha[i] == UNLIT {
                for k in 0..3 {
                    b.out[k][i] = b.color[k][i];
                }
            }
        }
        for i in (0..b.len).step_by(4) {
            if let (Some(notes), true) = (&mut self.notes, self.shader.has_shadows()) {
                let samples = std::array::from_fn(|k| b.probes.probed(i + k));
                notes.mixed.push((b.pixel[i], samples));
            }
            let at = 3 * b.pixel[i] as usize;
            for k in 0..3 {
                let o = &b.out[k][i..i + 4];
                let c: f32 = o.iter().map(|c| c.clamp(0.0, 1.0)).sum();
                self.frame.rgb[at + k] = to_byte(0.25 * c);
            }
        }
        b.len = 0;
    }

    /// Blends a see-through instance, drawn into `layer` within `r`, and clears `layer` again.
    pub fn layer(
        &mut self,
        scene: &Scene,
        view: &CameraView,
        stage: &Stage,
        planes: &mut [Plane],
        layer: &mut [Plane],
        r: Rect,
    ) {
        let resolver = Resolver { scene, view, stage };
        let solid = stage.draws.last().is_some_and(|d| d.alpha >= SOLID_ALPHA);
        let (first, count) = if planes.len() > 1 { (1, 4) } else { (0, 1) };
        for y in r.y0 as usize..=r.y1 as usize {
            for x in r.x0 as usize..=r.x1 as usize {
                let at = y * planes[0].stride + x;
                let seen = |k: usize| layer[k].ids[at] != NONE && layer[k].w[at] > planes[k].w[at];
                let cover = (first..first + count).filter(|&k| seen(k)).count();
                if cover > 0 && self.channels.color {
                    let k = (first..first + count).find(|&k| seen(k)).unwrap();
                    let s = if first == 0 { [8, 8] } else { SAMPLES[k - 1] };
                    self.queue(&resolver, &layer[k], at, [x, y], s, Self::blend);
                    let b = &mut *self.brushes.plain;
                    b.alpha[b.len - 1] *= cover as f32 / count as f32;
                }
                if solid && seen(0) && self.channels.normals {
                    self.queue(&resolver, &layer[0], at, [x, y], [8, 8], Self::blend);
                    let b = &mut *self.brushes.plain;
                    b.pixel[b.len - 1] |= NORMAL_ONLY;
                }
                for (plane, l) in planes.iter_mut().zip(layer.iter_mut()) {
                    if solid && l.ids[at] != NONE && l.w[at] > plane.w[at] {
                        (plane.ids[at], plane.w[at]) = (l.ids[at], l.w[at]);
                    }
                    (l.ids[at], l.w[at]) = (NONE, 0.0);
                }
            }
        }
        self.blend();
    }

    /// Adds one sample to the batch of single pixels.
    fn queue(
        &mut self,
        resolver: &Resolver,
        plane: &Plane,
        at: usize,
        [x, y]: [usize; 2],
        s: [i32; 2],
        flush: impl FnOnce(&mut Self),
    ) {
        if self.brushes.plain.len == BATCH {
            flush(self);
        }
        let run = Run {
            id: plane.ids[at],
            x: x as f32 + s[0] as f32 / 16.0,
            y: y as f32 + s[1] as f32 / 16.0,
            len: 1,
            w: &plane.w[at..at + GROUP],
            pixel: (y * plane.width + x) as u32,
        };
        resolver.push(&mut self.brushes.plain, &run);
    }

    fn blend(&mut self) {
        self.brushes.plain.unit();
        self.write_normals(true);
        let b = &mut *self.brushes.plain;
        self.shader.shade(b);
        for i in 0..b.len {
            if b.pixel[i] & NORMAL_ONLY != 0 {
                continue;
            }
            let at = 3 * b.pixel[i] as usize;
            for k in 0..3 {
                let old = self.frame.rgb[at + k] as f32 / 255.0;
                let new = b.out[k][i].clamp(0.0, 1.0);
                self.frame.rgb[at + k] = to_byte(old + b.alpha[i] * (new - old));
            }
        }
        b.len = 0;
    }
}

/// Marks the pixels of a row whose samples do not all show the centre's surface as [`PixelKind::Mixed`].
fn find_mixed(
    (scene, stage): (&Scene, &Stage),
    ids: &[u32],
    ws: &[f32],
    samples: &[Plane],
    row: usize,
    kinds: &mut [PixelKind],
) {
    let n = ids.len();
    let s: [&[u32]; 4] = std::array::from_fn(|k| &samples[k].ids[row..row + n]);
    for (x, kind) in kinds.iter_mut().enumerate().filter(|(_, k)| **k == PixelKind::Single) {
        let id = ids[x];
        let same = s[0][x] == id && s[1][x] == id && s[2][x] == id && s[3][x] == id;
        let mixed = !same
            && (0..4).any(|k| {
                let other = s[k][x];
                if other == id {
                    return false;
                }
                if other == NONE || id == NONE {
                    return true;
                }
                let jump = (samples[k].w[row + x] - ws[x]).abs();
                jump > 0.02 * ws[x] || !stage.continuous(scene, other, id)
            });
        if mixed {
            *kind = PixelKind::Mixed;
        }
    }
}
