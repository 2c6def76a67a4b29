//! Light computed at vertices, as OpenGL does it.

use super::{Draw, Piece, Place, Resolver};
use crate::math::{Vec3, normalize};
use crate::vertex_light::{Surface, ViewLights};

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
        let mesh = self.scene.meshes[draw.mesh as usize].level(draw.level);
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

    /// Colours of a triangle's corners.
    pub fn colors(&self, piece: &Piece) -> [Vec3; 3] {
        let draw = &self.stage.draws[piece.draw as usize];
        match &self.stage.lights {
            Some(lights) => piece.v.map(|i| self.color_at(lights, i, draw)),
            None => [draw.color; 3],
        }
    }
}
