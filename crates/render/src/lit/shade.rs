//! The colour of a triangle at a pixel's centre.

use crate::math::{Vec3, cross64, dot64, wide};
use crate::raster::NONE;
use crate::resolve::Resolver;

/// A linear function of the pixel: value at an origin, and steps right and down.
type Plane = [f32; 3];

/// Colour and texture coordinates, times `w`, of a triangle as functions of the pixel.
#[derive(Clone, Copy, Debug)]
struct Surface {
    origin: [f32; 2],
    w: Plane,
    color: [Plane; 3],
    uv: [Plane; 3],
    texture: u32,
}

/// In place of a number: a triangle that is seen and not known yet.
const SEEN: u32 = NONE - 1;

/// What is known of the triangles that are seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surfaces {
    /// Where each triangle is in `known`.
    at: Vec<u32>,
    known: Vec<Surface>,
}

#[inline(always)]
fn value(p: &Plane, dx: f32, dy: f32) -> f32 {
    p[0] + dx * p[1] + dy * p[2]
}

impl Surfaces {
    /// Forget all, for a stage with this number of triangles.
    pub fn reset(&mut self, pieces: usize) {
        self.at.clear();
        self.at.resize(pieces, NONE);
        self.known.clear();
    }

    /// Note that a triangle is seen.
    #[inline(always)]
    pub fn see(&mut self, id: u32) {
        self.at[id as usize] = SEEN;
    }

    /// Make ready to paint the triangles from number `first` on that were noted.
    pub fn prepare(&mut self, resolver: &Resolver, first: usize) {
        let seen = self.at[first..].iter().enumerate().filter(|(_, at)| **at == SEEN);
        resolver.light(seen.map(|(id, _)| (first + id) as u32));
        for (id, at) in self.at[first..].iter_mut().enumerate().filter(|(_, at)| **at == SEEN) {
            *at = self.known.len() as u32;
            self.known.push(surface(resolver, (first + id) as u32));
        }
    }

    /// Return the colour of a triangle at the centre of a pixel; where its plane is not before the camera
    /// there, at a sample of it, which is given with its depth.
    #[inline(always)]
    pub fn color(
        &mut self,
        resolver: &Resolver,
        id: u32,
        [x, y]: [f32; 2],
        least: f32,
        sample: impl FnOnce() -> ([f32; 2], f32),
    ) -> Vec3 {
        let s = self.surface(resolver, id);
        let (mut dx, mut dy) = (x - s.origin[0], y - s.origin[1]);
        let mut w = value(&s.w, dx, dy);
        if w.is_nan() || w <= least {
            let (at, there) = sample();
            (dx, dy, w) = (at[0] - s.origin[0], at[1] - s.origin[1], there);
        }
        let z = 1.0 / w;
        s.color(resolver, dx, dy, z)
    }

    #[inline(always)]
    fn surface(&mut self, resolver: &Resolver, id: u32) -> &Surface {
        let slot = &mut self.at[id as usize];
        if *slot == NONE {
            *slot = self.known.len() as u32;
            self.known.push(surface(resolver, id));
        }
        &self.known[*slot as usize]
    }

    /// Paint pixels side by side in which one triangle is seen; false where its plane is not before the camera.
    #[inline(never)]
    pub fn span(
        &mut self,
        resolver: &Resolver,
        id: u32,
        [x, y]: [f32; 2],
        least: f32,
        rgb: &mut [u8],
    ) -> bool {
        let s = self.surface(resolver, id);
        let (dx, dy) = (x - s.origin[0], y - s.origin[1]);
        let last = dx + (rgb.len() / 3 - 1) as f32;
        if !(value(&s.w, dx, dy) > least && value(&s.w, last, dy) > least) {
            return false;
        }
        for (i, pixel) in rgb.chunks_exact_mut(3).enumerate() {
            let dx = dx + i as f32;
            let c = s.color(resolver, dx, dy, 1.0 / value(&s.w, dx, dy));
            (pixel[0], pixel[1], pixel[2]) = (to_byte(c[0]), to_byte(c[1]), to_byte(c[2]));
        }
        true
    }
}

/// 0–255 from 0–1, rounded.
#[inline(always)]
pub(super) fn to_byte(c: f32) -> u8 {
    (c * 255.0 + 8_388_608.0).to_bits() as u8
}

impl Surface {
    #[inline(always)]
    fn color(&self, resolver: &Resolver, dx: f32, dy: f32, z: f32) -> Vec3 {
        let s = self;
        let mut color = [0.0; 3];
        for k in 0..3 {
            color[k] = value(&s.color[k], dx, dy) * z;
        }
        if s.texture != NONE {
            let at = |k: usize| value(&s.uv[k], dx, dy) * z;
            let uv = [at(0), at(1), at(2)];
            let moved = |axis: usize| -> Vec3 {
                let along = |k: usize| (s.uv[k][axis] - uv[k] * s.w[axis]) * z;
                [along(0), along(1), along(2)]
            };
            let texture = &resolver.scene.textures[s.texture as usize];
            let t = texture.filtered(uv, moved(1), moved(2));
            for k in 0..3 {
                color[k] *= t[k];
            }
        }
        for c in &mut color {
            *c = if *c > 0.0 { *c } else { 0.0 };
            *c = if *c < 1.0 { *c } else { 1.0 };
        }
        color
    }
}

#[inline(never)]
fn surface(resolver: &Resolver, id: u32) -> Surface {
    let piece = &resolver.stage.pieces[id as usize];
    let draw = &resolver.stage.draws[piece.draw as usize];
    let view = resolver.view;
    // Near the triangle, so that differences are small, and the same wherever it is first seen.
    let first = resolver.stage.vertices[piece.vertex(0)].s;
    let origin = [
        first[0].clamp(0, (view.width as i32) << view.bits) >> view.bits,
        first[1].clamp(0, (view.height as i32) << view.bits) >> view.bits,
    ]
    .map(|c| c as f32 + 0.5);
    let [x, y] = origin.map(f64::from);
    // The share of each vertex times `w` is linear.
    let v = |k: usize| wide(resolver.stage.vertices[piece.vertex(k)].p);
    let (a, b, c) = (v(0), v(1), v(2));
    let normals = [cross64(b, c), cross64(c, a), cross64(a, b)];
    let scale = 1.0 / dot64(a, normals[0]);
    let share = |n: &[f64; 3]| {
        let (right, down) = (n[0] * scale * view.ifx, n[1] * scale * view.ify);
        [n[2] * scale + right * (x - view.cx) + down * (y - view.cy), right, down]
    };
    let [a, b, c] = [share(&normals[0]), share(&normals[1]), share(&normals[2])];
    let mix = |p: f32, q: f32, r: f32| -> Plane {
        let (p, q, r) = (f64::from(p), f64::from(q), f64::from(r));
        let at = |k: usize| (p * a[k] + q * b[k] + r * c[k]) as f32;
        [at(0), at(1), at(2)]
    };
    let [p, q, r] = resolver.colors(piece);
    let channel = |k: usize| mix(p[k], q[k], r[k]);
    let color = [channel(0), channel(1), channel(2)];
    let mut uv = [[0.0; 3]; 3];
    if let Some(texture) = draw.texture() {
        let [p, q, r] = resolver.corners(texture as usize, draw, piece);
        let axis = |k: usize| mix(p[k], q[k], r[k]);
        uv = [axis(0), axis(1), axis(2)];
    }
    let texture = draw.texture().unwrap_or(NONE);
    Surface { origin, w: mix(1.0, 1.0, 1.0), color, uv, texture }
}
