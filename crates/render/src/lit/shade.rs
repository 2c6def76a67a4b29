//! The colour of a triangle at a pixel's centre.

use std::array::from_fn;

use crate::math::{Vec3, cross64, dot64, wide};
use crate::raster::NONE;
use crate::resolve::Resolver;
use crate::texture::{Texture, fraction};
use crate::vertex_light::{Lane, Lanes};

/// A linear function of the pixel: value at an origin, and steps right and down.
type Plane = [f32; 3];

/// Colour and texture coordinates, times `w`, of a triangle as functions of the pixel.
#[derive(Clone, Copy, Debug)]
struct Surface {
    origin: [f32; 2],
    w: Plane,
    color: [Plane; 3],
    uv: [Plane; 3],
    /// How far each moves to the next pixel, in texels at the finest level: for the step right a value and its
    /// change downwards, for the step down a value, whose change to the right is the same with another sign.
    /// Times the square of `w`; of a cube also times the longest side of the direction.
    moves: [[f32; 3]; 3],
    texture: u32,
}

/// Pixels painted at once.
const LANES: usize = 8;

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
        let s = *s;
        match resolver.scene.textures.get(s.texture as usize) {
            None => s.paint(dx, dy, rgb, |_, _, _, color| color),
            Some(t) if t.is_cube() => {
                s.paint(dx, dy, rgb, |dx, z, n, c| s.cube(t, (dx, dy), z, n, c))
            }
            Some(t) => s.paint(dx, dy, rgb, |dx, z, n, c| s.flat(t, (dx, dy), z, n, c)),
        }
        true
    }
}

/// 0–255 from 0–1, rounded.
#[inline(always)]
pub(super) fn to_byte(c: f32) -> u8 {
    (c * 255.0 + 8_388_608.0).to_bits() as u8
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

impl Surface {
    /// Paint pixels side by side, given how a texture changes their colours.
    #[inline(always)]
    fn paint(
        &self,
        dx: f32,
        dy: f32,
        rgb: &mut [u8],
        on: impl Fn(Lane<LANES>, Lane<LANES>, usize, Lanes<LANES>) -> Lanes<LANES>,
    ) {
        for (i, pixels) in rgb.chunks_mut(3 * LANES).enumerate() {
            let dx: Lane<LANES> = from_fn(|k| dx + (i * LANES + k) as f32);
            let z: Lane<LANES> = from_fn(|k| 1.0 / value(&self.w, dx[k], dy));
            let c = on(dx, z, pixels.len() / 3, self.light(dx, dy, z));
            let c = within(c);
            let bytes: [[u8; LANES]; 3] = from_fn(|k| from_fn(|i| to_byte(c[k][i])));
            for (k, pixel) in pixels.chunks_exact_mut(3).enumerate() {
                (pixel[0], pixel[1], pixel[2]) = (bytes[0][k], bytes[1][k], bytes[2][k]);
            }
        }
    }

    #[inline(always)]
    fn color(&self, resolver: &Resolver, dx: f32, dy: f32, z: f32) -> Vec3 {
        let light = self.light([dx], dy, [z]);
        within(match resolver.scene.textures.get(self.texture as usize) {
            None => light,
            Some(t) if t.is_cube() => self.cube(t, ([dx], dy), [z], 1, light),
            Some(t) => self.flat(t, ([dx], dy), [z], 1, light),
        })
        .map(|[c]| c)
    }

    /// The colours without a texture.
    #[inline(always)]
    fn light<const N: usize>(&self, dx: Lane<N>, dy: f32, z: Lane<N>) -> Lanes<N> {
        from_fn(|k| self.over(&self.color[k], dx, dy, z))
    }

    #[inline(always)]
    fn over<const N: usize>(&self, plane: &Plane, dx: Lane<N>, dy: f32, z: Lane<N>) -> Lane<N> {
        from_fn(|i| value(plane, dx[i], dy) * z[i])
    }

    #[inline(always)]
    fn moved<const N: usize>(&self, k: usize, dx: Lane<N>, dy: f32) -> Lane<N> {
        let [right, down, change] = self.moves[k];
        let right = (right + dy * change).abs();
        from_fn(|i| larger(right, (down - dx[i] * change).abs()))
    }

    /// The colours of the first pixels on a flat texture.
    #[inline(always)]
    fn flat<const N: usize>(
        &self,
        texture: &Texture,
        (dx, dy): (Lane<N>, f32),
        z: Lane<N>,
        count: usize,
        mut light: Lanes<N>,
    ) -> Lanes<N> {
        let at = |k: usize| self.over(&self.uv[k], dx, dy, z).map(fraction);
        let (u, v) = (at(0), at(1));
        let (a, b) = (self.moved(0, dx, dy), self.moved(1, dx, dy));
        let moves: Lane<N> = from_fn(|i| larger(a[i], b[i]) * (z[i] * z[i]));
        texture.flat_onto([&u, &v], &moves, count, &mut light);
        light
    }

    /// The same on a cube texture.
    #[inline(always)]
    fn cube<const N: usize>(
        &self,
        texture: &Texture,
        (dx, dy): (Lane<N>, f32),
        z: Lane<N>,
        count: usize,
        mut light: Lanes<N>,
    ) -> Lanes<N> {
        let d: Lanes<N> = from_fn(|k| self.over(&self.uv[k], dx, dy, z));
        let moved: Lanes<N> = from_fn(|k| self.moved(k, dx, dy));
        let half: Lane<N> = from_fn(|i| {
            let longest = larger(larger(d[0][i].abs(), d[1][i].abs()), larger(d[2][i].abs(), 1e-6));
            0.5 / longest
        });
        let moves: Lane<N> = from_fn(|i| {
            let most = larger(larger(moved[0][i], moved[1][i]), moved[2][i]);
            most * (z[i] * z[i]) * (2.0 * half[i])
        });
        texture.cube_onto(&d, &half, &moves, count, &mut light);
        light
    }
}

/// Colours kept between 0 and 1.
#[inline(always)]
fn within<const N: usize>(colors: Lanes<N>) -> Lanes<N> {
    let keep = |c: f32| {
        let c = if c > 0.0 { c } else { 0.0 };
        if c < 1.0 { c } else { 1.0 }
    };
    from_fn(|k| from_fn(|i| keep(colors[k][i])))
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
    let w = mix(1.0, 1.0, 1.0);
    let (mut uv, mut moves) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    if let Some(texture) = draw.texture() {
        let [p, q, r] = resolver.corners(texture as usize, draw, piece);
        let axis = |k: usize| mix(p[k], q[k], r[k]);
        uv = [axis(0), axis(1), axis(2)];
        let texels = resolver.scene.textures[texture as usize].texels();
        for k in 0..3 {
            // The derivative of a quotient of linear functions; what cancels in it is left out.
            let turn = |i: usize, j: usize| (uv[k][i] * w[j] - uv[k][j] * w[i]) * texels[k];
            moves[k] = [turn(1, 0), turn(2, 0), turn(1, 2)];
        }
    }
    let texture = draw.texture().unwrap_or(NONE);
    Surface { origin, w, color, uv, moves, texture }
}
