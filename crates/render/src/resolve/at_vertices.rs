//! The same where light is computed at vertices, as OpenGL does it.

use std::array::from_fn;

use super::{Draw, Piece, Place, Ramp, Resolver, Run, Stage};
use crate::math::{Vec3, normalize};
use crate::paint::SAMPLES;
use crate::shade::Batch;
use crate::texture::Texture;
use crate::vertex_light::{Surface, ViewLights};

impl Stage {
    /// Where in a pixel the samples of anti-aliasing lie, in sixteenths.
    pub fn samples(&self) -> [[i32; 2]; 4] {
        match self.lights {
            None => SAMPLES,
            // OpenGL counts rows upwards.
            Some(_) => SAMPLES.map(|[x, y]| [x, 16 - y]),
        }
    }
}

impl Resolver<'_> {
    /// The colour of a vertex under the lights, computed when it is first asked for: of a fine mesh few
    /// vertices are seen.
    fn color_at(&self, lights: &ViewLights, vertex: u32, draw: &Draw) -> Vec3 {
        let memo = &self.stage.lit[vertex as usize];
        let (known, whose) = memo.get();
        if whose == draw.place.serial {
            return known;
        }
        let Draw { color, emission, specular, place, .. } = draw;
        let Place { rotation: r, scale: s, position: at, gloss, .. } = place;
        let mesh = &self.scene.meshes[draw.mesh as usize].mesh;
        let p = mesh.positions[vertex.wrapping_sub(draw.base) as usize];
        let p = [p[0] * s[0], p[1] * s[1], p[2] * s[2]];
        let row = |k: usize| r[k][0] * p[0] + r[k][1] * p[1] + r[k][2] * p[2] + at[k];
        let n = normalize(self.stage.normal(self.scene, vertex, draw));
        let surface =
            Surface { color: *color, emission: *emission, specular: *specular, exponent: *gloss };
        let out = lights.at([row(0), row(1), row(2)], n, &surface);
        memo.set((out, place.serial));
        out
    }

    /// Colours between those of the vertices.
    #[inline(never)]
    pub(super) fn lit(
        &self,
        b: &mut Batch,
        run: &Run,
        piece: &Piece,
        planes: &[[f64; 3]; 2],
        from: usize,
    ) {
        let Some(lights) = &self.stage.lights else { return };
        let draw = &self.stage.draws[piece.draw as usize];
        let [a, c, d] = piece.v.map(|i| self.color_at(lights, i, draw));
        let (column, inside) = run.place();
        let ramps = planes.map(|p| Ramp::at(&p, inside, run.y));
        for i in 0..run.len {
            let (w, at) = (run.w[i], from + i);
            // Beyond the triangle's rim colours go on as OpenGL's do.
            let [one, two] = ramps.map(|r| (r.start + (column + i) as f32 * r.step) / w);
            for k in 0..3 {
                b.color[k][at] = a[k] + one * (c[k] - a[k]) + two * (d[k] - a[k]);
            }
            (b.emission[at], b.specular[at]) = (1.0, 0.0);
        }
    }

    /// Textures between mip levels, pixel by pixel.
    pub(super) fn filtered(
        &self,
        b: &mut Batch,
        texture: &Texture,
        planes: &[[f64; 3]; 2],
        depth: &[f64; 3],
        t: &[Vec3; 3],
        [x, y]: [f32; 2],
        (slot, ws): (usize, &[f32]),
    ) {
        for (i, w) in ws.iter().enumerate() {
            let x = x + i as f32;
            let z = 1.0 / f64::from(*w);
            let share = |p: &[f64; 3]| ((p[0] * x as f64 + p[1] * y as f64 + p[2]) * z) as f32;
            let (one, two) = (share(&planes[0]), share(&planes[1]));
            let uv: Vec3 =
                from_fn(|k| t[0][k] + one * (t[1][k] - t[0][k]) + two * (t[2][k] - t[0][k]));
            let moved = |axis: usize| -> Vec3 {
                let change = planes.map(|p| {
                    let share = (p[0] * x as f64 + p[1] * y as f64 + p[2]) * z;
                    ((p[axis] - share * depth[axis]) * z) as f32
                });
                from_fn(|k| change[0] * (t[1][k] - t[0][k]) + change[1] * (t[2][k] - t[0][k]))
            };
            let color = texture.filtered(uv, moved(0), moved(1));
            for (lane, c) in b.color.iter_mut().zip(color) {
                lane[slot + i] *= c;
            }
        }
    }

    /// `w` of a triangle's plane somewhere, if that is before the camera.
    pub fn w_at(&self, id: u32, x: f32, y: f32) -> Option<f32> {
        let depth = self.depth(&self.stage.pieces[id as usize]);
        let w = depth[0] * f64::from(x) + depth[1] * f64::from(y) + depth[2];
        (w > 1.0 / self.view.far).then_some(w as f32)
    }
}
