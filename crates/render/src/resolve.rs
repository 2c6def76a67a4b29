//! From the number of the triangle at a pixel to the surface's properties there.

mod at_vertices;
mod footprint;
mod stage;

use std::array::from_fn;
use std::cell::Cell;

use crate::camera::CameraView;
use crate::geometry::Vertex;
use crate::math::{Vec3, cross64, dot64, wide};
use crate::scene::{Instance, Scene};
use crate::shade::{BATCH, Batch, GROUP, Lane};
use crate::vertex_light::ViewLights;

/// An instance that is being drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    mesh: u32,
    /// Which version of it.
    pub level: u32,
    /// Its first vertex in [`Stage`].
    base: u32,
    color: Vec3,
    pub alpha: f32,
    emission: f32,
    specular: f32,
    exponent: f32,
    texture: Option<u32>,
    uv_scale: Vec3,
    pub segment: i32,
    /// Where it is in the world, for light at its vertices.
    place: Place,
}

impl Draw {
    /// The texture on it.
    pub fn texture(&self) -> Option<u32> {
        self.texture
    }
}

/// Where an instance is in the world.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Its number among all that were ever drawn on the stage.
    serial: u32,
    /// From its normals to the world's.
    turn: [Vec3; 3],
    rotation: [Vec3; 3],
    scale: Vec3,
    position: Vec3,
    /// Exponent of highlights at vertices.
    gloss: f32,
}

/// A triangle that may be seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub draw: u32,
    /// Vertices in [`Stage`].
    v: [u32; 3],
    /// Its back is seen.
    back: bool,
}

impl Piece {
    /// One of its vertices in [`Stage`].
    pub fn vertex(&self, corner: usize) -> usize {
        self.v[corner] as usize
    }
}

/// Everything that survived culling in one frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stage {
    pub vertices: Vec<Vertex>,
    pub normals: Vec<Vec3>,
    /// Colours of vertices under lights, if light is computed there, and which instance's they are: those
    /// that were asked for.
    lit: Vec<Cell<(Vec3, u32)>>,
    serial: u32,
    pub lights: Option<ViewLights>,
    pub draws: Vec<Draw>,
    pub pieces: Vec<Piece>,
}

/// How much a [`Stage`] held at some moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lengths {
    vertices: usize,
    normals: usize,
    draws: usize,
    pub pieces: usize,
}

/// A stretch of a row on which one triangle is seen.
pub(crate) struct Run<'a> {
    pub id: u32,
    /// Image coordinates of the first sample.
    pub x: f32,
    pub y: f32,
    /// Pixels in it.
    pub len: usize,
    /// 1 / depth of each pixel, and of as many after as make whole groups.
    pub w: &'a [f32],
    /// Number of the first pixel.
    pub pixel: u32,
}

impl Run<'_> {
    /// Column of the first pixel, and where in its pixel a sample lies.
    #[inline(always)]
    fn place(&self) -> (usize, f32) {
        let column = self.x as i32;
        (column as usize, self.x - column as f32)
    }
}

/// Linear functions along a row: value in the first column of the picture, and step. Counted from
/// there and not from the run's start, a pixel's colour does not depend on what hides its neighbours.
#[derive(Clone, Copy, Default)]
struct Ramp {
    start: f32,
    step: f32,
}

impl Ramp {
    #[inline(always)]
    fn at(plane: &[f64; 3], x: f32, y: f32) -> Self {
        let start = plane[0] * x as f64 + plane[1] * y as f64 + plane[2];
        Self { start: start as f32, step: plane[0] as f32 }
    }
}

pub(crate) struct Resolver<'a> {
    pub scene: &'a Scene,
    pub view: &'a CameraView,
    pub stage: &'a Stage,
}

impl Resolver<'_> {
    /// Adds a run to a batch that has room for it. Runs are short where triangles are small, so
    /// the work is done in groups of fixed size, which need no loop set-up.
    #[inline(always)]
    pub fn push(&self, b: &mut Batch, run: &Run) {
        let piece = &self.stage.pieces[run.id as usize];
        let draw = &self.stage.draws[piece.draw as usize];
        let from = b.len;
        b.len += run.len;
        debug_assert!(b.len <= BATCH);
        let sign = if piece.back { -1.0 } else { 1.0 };
        let normals = piece.v.map(|i| self.stage.normal(self.scene, i, draw));
        let flat = normals[0] == normals[1] && normals[0] == normals[2];
        let plain = flat && draw.texture.is_none();
        let weights = if plain { None } else { Some(self.weights(piece)) };
        let (column, inside) = run.place();
        let ramps = match &weights {
            Some(p) if !flat => [Ramp::at(&p[0], inside, run.y), Ramp::at(&p[1], inside, run.y)],
            _ => [Ramp::default(); 2],
        };
        for c in (0..run.len).step_by(GROUP) {
            let at = from + c;
            let w: &[f32; GROUP] = run.w[c..c + GROUP].try_into().unwrap();
            let pixels: &mut [u32; GROUP] = (&mut b.pixel[at..at + GROUP]).try_into().unwrap();
            *pixels = from_fn(|i| run.pixel + (c + i) as u32);
            put(&mut b.x, at, from_fn(|i| run.x + (c + i) as f32));
            put(&mut b.y, at, [run.y; GROUP]);
            put(&mut b.w, at, *w);
            put(&mut b.specular, at, [draw.specular; GROUP]);
            put(&mut b.exponent, at, [draw.exponent; GROUP]);
            put(&mut b.emission, at, [draw.emission; GROUP]);
            put(&mut b.alpha, at, [draw.alpha; GROUP]);
            for k in 0..3 {
                put(&mut b.color[k], at, [draw.color[k]; GROUP]);
            }
            if flat {
                for k in 0..3 {
                    put(&mut b.n[k], at, [sign * normals[0][k]; GROUP]);
                }
            } else {
                let at_column = column + c;
                let one: [f32; GROUP] = from_fn(|i| share(ramps[0], at_column + i, w[i]));
                let two: [f32; GROUP] = from_fn(|i| share(ramps[1], at_column + i, w[i]));
                for k in 0..3 {
                    let n = from_fn(|i| {
                        let rest = w[i] - one[i] - two[i];
                        sign * (rest * normals[0][k]
                            + one[i] * normals[1][k]
                            + two[i] * normals[2][k])
                    });
                    put(&mut b.n[k], at, n);
                }
            }
        }
        if let (Some(texture), Some(weights)) = (draw.texture, &weights) {
            self.texture(b, run, texture as usize, draw, piece, weights, from);
        }
    }

    /// Share × `w` of the second and third vertex as functions of the pixel, which are linear.
    #[inline(always)]
    pub(crate) fn weights(&self, piece: &Piece) -> [[f64; 3]; 2] {
        let v = piece.v.map(|i| wide(self.stage.vertices[i as usize].p));
        let n1 = cross64(v[2], v[0]);
        let n2 = cross64(v[0], v[1]);
        let k = 1.0 / dot64(v[1], n1);
        let view = self.view;
        [n1, n2].map(|n| {
            let (a, b) = (n[0] * k * view.ifx, n[1] * k * view.ify);
            [a, b, n[2] * k - a * view.cx - b * view.cy]
        })
    }

    /// Texture coordinates at a triangle's corners.
    pub(crate) fn corners(&self, texture: usize, draw: &Draw, piece: &Piece) -> [Vec3; 3] {
        let texture = &self.scene.textures[texture];
        let mesh = self.scene.meshes[draw.mesh as usize].level(draw.level);
        from_fn(|k| {
            let i = piece.v[k].wrapping_sub(draw.base) as usize;
            let s = draw.uv_scale;
            let p = mesh.positions[i];
            if texture.is_cube() {
                [p[0] * s[0], p[1] * s[1], p[2] * s[2]]
            } else if let Some(uvs) = &mesh.uvs {
                [uvs[i][0] * s[0], uvs[i][1] * s[1], 0.0]
            } else {
                [0.5 * p[0] * s[0] - 0.5, -0.5 * p[1] * s[1] - 0.5, 0.0]
            }
        })
    }

    #[inline(never)]
    fn texture(
        &self,
        b: &mut Batch,
        run: &Run,
        number: usize,
        draw: &Draw,
        piece: &Piece,
        planes: &[[f64; 3]; 2],
        from: usize,
    ) {
        let texture = &self.scene.textures[number];
        let t = self.corners(number, draw, piece);
        let depth = self.depth(piece);
        let (column, inside) = run.place();
        let ramps = planes.map(|p| Ramp::at(&p, inside, run.y));
        // The footprint changes slowly: one mip level for a stretch of pixels.
        const STRETCH: usize = 16;
        let mut w = [1f32; STRETCH];
        let mut done = 0;
        while done < run.len {
            let first = column + done;
            let stretch = first / STRETCH * STRETCH;
            let ws = &run.w[done..run.len.min(stretch + STRETCH - column)];
            let slot = from + done;
            done += ws.len();
            let level = self.level(texture, planes, &depth, &t, stretch + STRETCH / 2, run.y);
            w[..ws.len()].copy_from_slice(ws);
            let mut shares = [[0f32; STRETCH]; 2];
            for i in 0..STRETCH {
                let z = 1.0 / w[i];
                shares[0][i] = share(ramps[0], first + i, w[i]) * z;
                shares[1][i] = share(ramps[1], first + i, w[i]) * z;
            }
            let mut uv = [[0f32; STRETCH]; 3];
            for k in 0..if texture.is_cube() { 3 } else { 2 } {
                let (one, two) = (t[1][k] - t[0][k], t[2][k] - t[0][k]);
                for i in 0..STRETCH {
                    uv[k][i] = t[0][k] + shares[0][i] * one + shares[1][i] * two;
                }
            }
            let mut color = [[0f32; STRETCH]; 3];
            if texture.is_cube() {
                for i in 0..ws.len() {
                    let c = texture.sample_cube([uv[0][i], uv[1][i], uv[2][i]], level);
                    (color[0][i], color[1][i], color[2][i]) = (c[0], c[1], c[2]);
                }
            } else if ws.len() <= 4 {
                let (u, v) = (uv[0].first_chunk::<4>().unwrap(), uv[1].first_chunk().unwrap());
                let mut few = [[0f32; 4]; 3];
                texture.sample(u, v, level, &mut few);
                for k in 0..3 {
                    color[k][..4].copy_from_slice(&few[k]);
                }
            } else {
                texture.sample(&uv[0], &uv[1], level, &mut color);
            }
            for k in 0..3 {
                for (color, t) in b.color[k][slot..].iter_mut().zip(&color[k][..ws.len()]) {
                    *color *= t;
                }
            }
        }
    }
}

/// A vertex's share × `w` in a column, kept in range where rounding put the sample just outside.
#[inline(always)]
fn share(r: Ramp, column: usize, w: f32) -> f32 {
    let s = r.start + column as i32 as f32 * r.step;
    let s = if s > 0.0 { s } else { 0.0 };
    if s < w { s } else { w }
}

#[inline(always)]
fn put(lane: &mut Lane, at: usize, values: [f32; GROUP]) {
    let slot: &mut [f32; GROUP] = (&mut lane[at..at + GROUP]).try_into().unwrap();
    *slot = values;
}
