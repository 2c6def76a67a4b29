//! How large a pixel is on a texture.

use super::{Piece, Resolver};
use crate::math::{Vec3, cross64, dot64, sub64, wide};
use crate::texture::Texture;

impl Resolver<'_> {
    /// Mip level at a pixel, from how far the texture moves to the next pixel right and down.
    pub(super) fn level(
        &self,
        texture: &Texture,
        planes: &[[f64; 3]; 2],
        depth: &[f64; 3],
        t: &[Vec3; 3],
        column: usize,
        y: f32,
    ) -> usize {
        let (tw, th) = texture.size();
        let x = column as f64;
        let w = depth[0] * x + depth[1] * y as f64 + depth[2];
        // The pixel may lie beyond the horizon of the triangle's plane.
        let z = 1.0 / w.max(1.0 / self.view.far);
        let moved = |axis: usize| -> f32 {
            let mut d = [0f64; 3];
            for k in 0..2 {
                let p = &planes[k];
                let share = (p[0] * x + p[1] * y as f64 + p[2]) * z;
                let change = (p[axis] - share * depth[axis]) * z;
                for c in 0..3 {
                    d[c] += change * (t[k + 1][c] - t[0][c]) as f64;
                }
            }
            if texture.is_cube() {
                let m = t[0].iter().fold(1e-6f32, |m, c| m.max(c.abs())) as f64;
                let k = 0.5 * tw as f64 / m;
                (dot64(d, d) * k * k) as f32
            } else {
                let (u, v) = (d[0] * tw as f64, d[1] * th as f64);
                (u * u + v * v) as f32
            }
        };
        let (a, b) = (moved(0), moved(1));
        texture.level(a.max(b), a.min(b))
    }

    /// `w` as a function of the pixel.
    pub(crate) fn depth(&self, piece: &Piece) -> [f64; 3] {
        let v = piece.v.map(|i| wide(self.stage.vertices[i as usize].p));
        let n = cross64(sub64(v[1], v[0]), sub64(v[2], v[0]));
        let k = 1.0 / dot64(n, v[0]);
        let view = self.view;
        let (a, b) = (n[0] * k * view.ifx, n[1] * k * view.ify);
        [a, b, n[2] * k - a * view.cx - b * view.cy]
    }
}
