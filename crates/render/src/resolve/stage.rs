//! What is being drawn: instances with their vertices, filled part by part.

use super::*;
use crate::math::normalize;

#[inline(always)]
fn offset([a, b, c]: [u32; 3], base: u32) -> [u32; 3] {
    [a.wrapping_add(base), b.wrapping_add(base), c.wrapping_add(base)]
}

impl Stage {
    pub fn clear(&mut self) {
        self.truncate(&Lengths::default());
    }

    pub fn lengths(&self) -> Lengths {
        Lengths {
            vertices: self.vertices.len(),
            normals: self.normals.len(),
            draws: self.draws.len(),
            pieces: self.pieces.len(),
        }
    }

    /// Forgets all that came after [`Stage::lengths`] was asked.
    pub fn truncate(&mut self, to: &Lengths) {
        self.vertices.truncate(to.vertices);
        self.normals.truncate(to.normals);
        self.draws.truncate(to.draws);
        self.pieces.truncate(to.pieces);
    }

    /// Starts an instance whose vertices are about to be added, and adds its normals.
    pub fn begin(&mut self, scene: &Scene, i: &Instance) {
        let material = scene.material(i.material);
        let rgba = scene.color(i);
        let repeat = material.tex_repeat;
        let size = if material.tex_uniform { i.scale } else { [1.0; 3] };
        let cube = material.texture.is_some_and(|t| scene.texture(t).is_cube());
        let (r, s) = (&i.rotation, i.scale);
        let m: [Vec3; 3] = from_fn(|k| from_fn(|j| r[k][j] / s[j]));
        self.serial = self.serial.wrapping_add(1).max(1);
        self.draws.push(Draw {
            mesh: i.mesh.0,
            level: 0,
            base: self.vertices.len() as u32,
            color: [rgba[0], rgba[1], rgba[2]],
            alpha: rgba[3],
            emission: material.emission,
            specular: material.specular,
            exponent: (material.shininess * 128.0).max(1.0),
            texture: material.texture.map(|t| t.0),
            uv_scale: if cube { size } else { [repeat[0] * size[0], repeat[1] * size[1], 1.0] },
            segment: i.segment,
            place: Place {
                serial: self.serial,
                turn: m,
                rotation: i.rotation,
                scale: i.scale,
                position: i.position,
                gloss: material.shininess * 128.0,
            },
        });
        if self.lights.is_some() {
            return;
        }
        let mesh = scene.mesh(i.mesh);
        self.normals.extend(mesh.normals.iter().map(|&[x, y, z]| {
            let row = |r: &Vec3| r[0] * x + r[1] * y + r[2] * z;
            [row(&m[0]), row(&m[1]), row(&m[2])]
        }));
    }

    /// Goes on with the instance begun last: vertices from number `first` of its mesh are about to be added.
    pub fn begin_part(&mut self, first: u32) {
        let base = (self.vertices.len() as u32).wrapping_sub(first);
        let Some(last) = self.draws.last().copied() else { return };
        if last.base != base {
            self.draws.push(Draw { base, ..last });
        }
    }

    /// Makes room for the colours of all vertices.
    pub fn end_parts(&mut self) {
        if self.lights.is_some() && self.lit.len() < self.vertices.len() {
            self.lit.resize(self.vertices.len(), Cell::new(([0.0; 3], 0)));
        }
    }

    /// The normal of a vertex, not of unit length.
    #[inline(always)]
    pub(super) fn normal(&self, scene: &Scene, vertex: u32, draw: &Draw) -> Vec3 {
        if self.lights.is_none() {
            return self.normals[vertex as usize];
        }
        let mesh = scene.meshes[draw.mesh as usize].level(draw.level);
        let [x, y, z] = mesh.normals[vertex.wrapping_sub(draw.base) as usize];
        let row = |r: &Vec3| r[0] * x + r[1] * y + r[2] * z;
        let [a, b, c] = &draw.place.turn;
        [row(a), row(b), row(c)]
    }

    /// Registers a triangle of the instance begun last.
    #[inline(always)]
    pub fn piece(draws: &[Draw], triangle: [u32; 3], back: bool) -> Piece {
        let base = draws[draws.len() - 1].base;
        Piece { draw: draws.len() as u32 - 1, v: offset(triangle, base), back }
    }

    /// Whether a triangle is of a segment and faces `up`.
    pub fn faces(&self, scene: &Scene, id: u32, segment: i32, up: Vec3) -> bool {
        let piece = &self.pieces[id as usize];
        let draw = &self.draws[piece.draw as usize];
        let n = normalize(self.normal(scene, piece.v[0], draw));
        draw.segment == segment && n[0] * up[0] + n[1] * up[1] + n[2] * up[2] > 0.9
    }

    /// Whether two triangles look like one smooth surface where they meet.
    pub fn continuous(&self, scene: &Scene, a: u32, b: u32) -> bool {
        let (p, q) = (&self.pieces[a as usize], &self.pieces[b as usize]);
        let (d, e) = (&self.draws[p.draw as usize], &self.draws[q.draw as usize]);
        if d.place.serial != e.place.serial || p.back != q.back {
            return false;
        }
        let (m, n) = (self.normal(scene, p.v[0], d), self.normal(scene, q.v[0], e));
        let dot = |a: Vec3, b: Vec3| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let d = dot(m, n);
        d > 0.0 && d * d > 0.8 * dot(m, m) * dot(n, n)
    }
}
