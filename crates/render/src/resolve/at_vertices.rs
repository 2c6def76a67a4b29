//! Light computed at vertices, as OpenGL does it.

use super::{Draw, Piece, Place, Resolver};
use crate::math::Vec3;
use crate::vertex_light::{Surface, ViewLights, unit};

/// Vertices lit at once.
const LANES: usize = 8;

/// Vertices of one instance that wait for light.
#[derive(Clone, Copy)]
struct Waiting {
    draw: u32,
    vertices: [u32; LANES],
    count: usize,
}

impl Resolver<'_> {
    /// Light the corners of triangles, given in order, that are not lit yet: of a fine mesh few are seen.
    pub fn light(&self, pieces: impl Iterator<Item = u32>) {
        let Some(lights) = &self.stage.lights else { return };
        let mut waiting = Waiting { draw: 0, vertices: [0; LANES], count: 0 };
        for id in pieces {
            let piece = &self.stage.pieces[id as usize];
            if piece.draw != waiting.draw {
                self.light_some(lights, &mut waiting);
                waiting.draw = piece.draw;
            }
            let serial = self.stage.draws[piece.draw as usize].place.serial;
            for vertex in piece.v {
                let memo = &self.stage.lit[vertex as usize];
                if memo.get().1 == serial {
                    continue;
                }
                memo.set(([0.0; 3], serial));
                waiting.vertices[waiting.count] = vertex;
                waiting.count += 1;
                if waiting.count == LANES {
                    self.light_some(lights, &mut waiting);
                }
            }
        }
        self.light_some(lights, &mut waiting);
    }

    fn light_some(&self, lights: &ViewLights, waiting: &mut Waiting) {
        if waiting.count == 0 {
            return;
        }
        let draw = &self.stage.draws[waiting.draw as usize];
        // Places that are left over are lit again with the first.
        let first = waiting.vertices[0];
        waiting.vertices[waiting.count..].fill(first);
        let colors = self.colors_at::<LANES>(lights, &waiting.vertices, draw);
        for (i, vertex) in waiting.vertices[..waiting.count].iter().enumerate() {
            let color = [colors[0][i], colors[1][i], colors[2][i]];
            self.stage.lit[*vertex as usize].set((color, draw.place.serial));
        }
        waiting.count = 0;
    }

    /// The colours of vertices of one instance.
    #[inline(always)]
    fn colors_at<const N: usize>(
        &self,
        lights: &ViewLights,
        vertices: &[u32; N],
        draw: &Draw,
    ) -> [[f32; N]; 3] {
        let Draw { color, emission, specular, place, .. } = draw;
        let Place { rotation: r, scale: s, position: at, gloss, turn, .. } = place;
        let mesh = self.scene.meshes[draw.mesh as usize].level(draw.level);
        let (mut p, mut n) = ([[0.0; N]; 3], [[0.0; N]; 3]);
        for (i, vertex) in vertices.iter().enumerate() {
            let index = vertex.wrapping_sub(draw.base) as usize;
            for k in 0..3 {
                p[k][i] = mesh.positions[index][k] * s[k];
                n[k][i] = mesh.normals[index][k];
            }
        }
        let turned = |m: &[Vec3; 3], v: &[[f32; N]; 3]| -> [[f32; N]; 3] {
            m.map(|r| std::array::from_fn(|i| r[0] * v[0][i] + r[1] * v[1][i] + r[2] * v[2][i]))
        };
        let mut place = turned(r, &p);
        for k in 0..3 {
            place[k] = place[k].map(|c| c + at[k]);
        }
        let surface =
            Surface { color: *color, emission: *emission, specular: *specular, exponent: *gloss };
        lights.at(&place, &unit(&turned(turn, &n)), &surface)
    }

    /// The colour of a vertex under the lights, computed when it is first asked for.
    #[inline(always)]
    fn color_at(&self, lights: &ViewLights, vertex: u32, draw: &Draw) -> Vec3 {
        let memo = &self.stage.lit[vertex as usize];
        let (known, whose) = memo.get();
        if whose == draw.place.serial {
            return known;
        }
        let out = self.colors_alone(lights, vertex, draw);
        memo.set((out, draw.place.serial));
        out
    }

    #[inline(never)]
    fn colors_alone(&self, lights: &ViewLights, vertex: u32, draw: &Draw) -> Vec3 {
        self.colors_at::<1>(lights, &[vertex], draw).map(|[c]| c)
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
