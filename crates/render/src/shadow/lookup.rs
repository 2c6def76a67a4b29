//! Reading the shadow map for batches of points.

use super::{BLOCK_BITS, Blocks, WINDOW};
use crate::math::{Mat3, Vec3, round};
use crate::raster::Plane;
use crate::shade::{BATCH, Batch, GROUP, Lane, Shader};

/// Texels looked at before the full window.
const TAPS: i32 = 5;

/// Points to look up: place on the map, `w`, and the change of `w` per texel along the surface;
/// and room to work in.
pub(crate) struct Probes {
    u: Lane,
    v: Lane,
    w: Lane,
    du: Lane,
    dv: Lane,
    /// Lowest `w` within reach, or a very large one if the point needs no look-up.
    least: Lane,
    block: [i32; BATCH],
    list: [u8; BATCH],
    few: [Lane; 5],
    limit: Lane,
    found: Lane,
    at: [i32; BATCH],
    hidden: [i32; BATCH],
}

/// What decides whether a caster can matter to a point: the block of the map it falls into, and the
/// lowest `w` at which its surface looks at the map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probed {
    pub block: u32,
    pub least: f32,
}

impl Probed {
    /// Of a point that no shadow can change.
    pub const NEVER: Self = Self { block: 0, least: f32::MAX };
}

impl Probes {
    /// Of point `i`, as last looked up.
    pub fn probed(&self, i: usize) -> Probed {
        Probed { block: self.block[i] as u32, least: self.least[i] }
    }

    pub fn new() -> Self {
        const Z: Lane = [0.0; BATCH + GROUP];
        const I: [i32; BATCH] = [0; BATCH];
        Self {
            u: Z,
            v: Z,
            w: Z,
            du: Z,
            dv: Z,
            least: Z,
            block: I,
            list: [0; BATCH],
            few: [Z; 5],
            limit: Z,
            found: Z,
            at: I,
            hidden: I,
        }
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Probe {
        Probe { u: self.u[i], v: self.v[i], w: self.w[i], du: self.du[i], dv: self.dv[i] }
    }
}

#[derive(Clone, Copy)]
struct Probe {
    u: f32,
    v: f32,
    w: f32,
    du: f32,
    dv: f32,
}

/// Read access to a shadow map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShadowReader<'a> {
    pub(super) blocks: &'a Blocks,
    pub(super) plane: &'a Plane,
    pub(super) axes: Mat3,
    pub(super) offset: Vec3,
    pub(super) fx: f32,
    pub(super) fy: f32,
    pub(super) cx: f32,
    pub(super) cy: f32,
    /// Coefficients of `w` for parallel light.
    pub(super) w: Option<[f32; 4]>,
    /// Half-width of the soft edge in texels.
    pub(super) radius: f32,
    /// Size of a texel in metres, for a spot light at a metre's distance.
    pub(super) texel: f32,
}

impl ShadowReader<'_> {
    /// Where the points of a batch are to be looked up; normals must be unit vectors.
    #[inline(never)]
    pub fn probe(&self, shader: &Shader, b: &mut Batch) {
        let a = &self.axes;
        let o = &self.offset;
        let ([nx, ny, nz], [x, y, w], out) = b.probes();
        let row = |i: usize, p: Vec3| a[i][0] * p[0] + a[i][1] * p[1] + a[i][2] * p[2];
        let (ifx, ify) = (1.0 / self.fx, 1.0 / self.fy);
        // A point is lifted off its surface by about a texel, or it would shade itself. At
        // grazing angles the slope is limited; there the light is weak anyway.
        let lift = 0.9 * self.texel;
        let bias = 0.6 * self.texel;
        let Some(h) = self.w else {
            for i in 0..BATCH {
                let (p, n) = (shader.point(x[i], y[i], w[i]), [nx[i], ny[i], nz[i]]);
                let m = [row(0, n), row(1, n), row(2, n)];
                let q = [row(0, p) + o[0], row(1, p) + o[1], row(2, p) + o[2]];
                let l = lift * q[2];
                let q = [q[0] + l * m[0], q[1] + l * m[1], q[2] + l * m[2]];
                let facing = m[0] * q[0] + m[1] * q[1] + m[2] * q[2];
                let limit = -0.15 * q[2];
                let k = 1.0 / if facing < limit { facing } else { limit };
                let z = 1.0 / q[2];
                out.u[i] = self.fx * q[0] * z + self.cx;
                out.v[i] = self.fy * q[1] * z + self.cy;
                // Behind the lamp there is nothing to look up.
                out.w[i] = if q[2] > 0.0 { z + bias * z } else { f32::MAX };
                out.du[i] = m[0] * k * ifx;
                out.dv[i] = m[1] * k * ify;
            }
            return;
        };
        let bias = bias * -h[2];
        for i in 0..BATCH {
            let (p, n) = (shader.point(x[i], y[i], w[i]), [nx[i], ny[i], nz[i]]);
            let m = [row(0, n), row(1, n), row(2, n)];
            let q = [
                row(0, p) + o[0] + lift * m[0],
                row(1, p) + o[1] + lift * m[1],
                row(2, p) + o[2] + lift * m[2],
            ];
            let k = h[2] / if m[2] < -0.15 { m[2] } else { -0.15 };
            out.u[i] = self.fx * q[0] + self.cx;
            out.v[i] = self.fy * q[1] + self.cy;
            out.w[i] = h[0] * q[0] + h[1] * q[1] + h[2] * q[2] + bias;
            out.du[i] = (h[0] - m[0] * k) * ifx;
            out.dv[i] = (h[1] - m[1] * k) * ify;
        }
    }

    /// Scales `light` by how much of the key light arrives, 0–1, in three sweeps that each leave
    /// fewer points. The first two have no branch that hangs on a load from the map, so that the
    /// processor can have many loads under way.
    #[inline(never)]
    pub fn apply(&self, probes: &mut Probes, len: usize, light: [&mut Lane; 2]) {
        let [key, shine] = light;
        self.reach(probes, key);
        let mut n = 0;
        for i in 0..len {
            probes.list[n & (BATCH - 1)] = i as u8;
            n += (probes.least[i] < self.blocks.bounds[probes.block[i] as usize]) as usize;
        }
        self.taps(probes, n);
        let mut edges = 0;
        for k in 0..n {
            let (i, hidden) = (probes.list[k], probes.hidden[k]);
            // Where all agree, the full window would too, but for details finer than the edge.
            let factor = if hidden == TAPS { 0.0 } else { 1.0 };
            key[i as usize & (BATCH - 1)] *= factor;
            shine[i as usize & (BATCH - 1)] *= factor;
            probes.list[edges] = i;
            edges += ((hidden != 0) & (hidden != TAPS)) as usize;
        }
        for k in 0..edges {
            let i = probes.list[k] as usize & (BATCH - 1);
            let lit = self.window(probes.get(i));
            key[i] *= lit;
            shine[i] *= lit;
        }
    }

    /// Which block each point lies in, and how low its surface gets within reach.
    #[inline(never)]
    fn reach(&self, p: &mut Probes, key: &Lane) {
        let margin = (WINDOW / 2) as f32;
        let top = self.plane.width as f32 - margin;
        let across = self.blocks.across as i32;
        for i in 0..BATCH {
            let (u, v) = (p.u[i], p.v[i]);
            let min = |a: f32, b: f32| if a < b { a } else { b };
            let inside = min(min(u - margin, top - u), min(v - margin, top - v));
            let reached = p.w[i] - self.radius * (p.du[i].abs() + p.dv[i].abs());
            let reached = if inside > 0.0 { reached } else { f32::MAX };
            p.least[i] = if key[i] > 0.0 { reached } else { f32::MAX };
            let (x, y) = (round(u - 0.5) >> BLOCK_BITS, round(v - 0.5) >> BLOCK_BITS);
            p.block[i] = if inside > 0.0 { y * across + x } else { 0 };
        }
    }

    /// How many of the texels around each listed point hide it from the light.
    #[inline(always)]
    fn taps(&self, p: &mut Probes, n: usize) {
        for k in 0..n {
            let i = p.list[k] as usize & (BATCH - 1);
            // The middle of a texel may lie half a texel off; its slope there is allowed for.
            let slack = 0.5 * (p.du[i].abs() + p.dv[i].abs());
            p.few[0][k] = p.u[i] - 0.5;
            p.few[1][k] = p.v[i] - 0.5;
            p.few[2][k] = p.w[i] + slack;
            p.few[3][k] = p.du[i];
            p.few[4][k] = p.dv[i];
        }
        let stride = self.plane.stride as i32;
        let r = 0.7 * self.radius;
        let n = n.next_multiple_of(8).min(BATCH);
        p.hidden[..n].fill(0);
        for (sx, sy) in [(0.0, 0.0), (-r, -r), (r, -r), (-r, r), (r, r)] {
            let [u, v, w, du, dv] = &p.few;
            for k in 0..n {
                p.at[k] = round(v[k] + sy) * stride + round(u[k] + sx);
                p.limit[k] = w[k] + sx * du[k] + sy * dv[k];
            }
            for k in 0..n {
                // Beyond the list there may be leftovers; they are read but not used.
                let at = (p.at[k] as u32 as usize).min(self.plane.w.len() - 1);
                p.found[k] = self.plane.w[at];
            }
            for k in 0..n {
                p.hidden[k] += (p.found[k] > p.limit[k]) as i32;
            }
        }
    }

    /// Share of the light that passes the texels around a point, the near ones counting most.
    #[inline(never)]
    fn window(&self, p: Probe) -> f32 {
        let r = self.radius;
        // Near the last rows the window is moved up; the rows it gains there have no weight.
        let last = self.plane.width as i32 - WINDOW as i32;
        let (x0, y0) = (round(p.u - r), round(p.v - r).min(last));
        let (fx, fy) = (x0 as f32 + 0.5 - p.u, y0 as f32 + 0.5 - p.v);
        let mut slope = [0f32; WINDOW];
        let mut weight = [0f32; WINDOW];
        for i in 0..WINDOW {
            let dx = fx + i as f32;
            slope[i] = p.w + dx * p.du;
            let t = r - dx.abs();
            weight[i] = if t > 0.0 { t } else { 0.0 };
        }
        let mut part = [0f32; WINDOW];
        let mut rows = 0.0;
        let stride = self.plane.stride;
        let first = y0.max(0) as usize * stride + x0.max(0) as usize;
        let texels = &self.plane.w[first..first + (WINDOW - 1) * stride + WINDOW];
        for j in 0..WINDOW {
            let dy = fy + j as f32;
            let t = r - dy.abs();
            let t = if t > 0.0 { t } else { 0.0 };
            let row: &[f32; WINDOW] = texels[j * stride..j * stride + WINDOW].try_into().unwrap();
            let lift = dy * p.dv;
            for i in 0..WINDOW {
                part[i] += if row[i] <= slope[i] + lift { t } else { 0.0 };
            }
            rows += t;
        }
        let (mut lit, mut all) = (0.0, 0.0);
        for i in 0..WINDOW {
            lit += part[i] * weight[i];
            all += weight[i];
        }
        let all = all * rows;
        if all > 0.0 { lit / all } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points count as on the map up to half a window from its edge, whatever the soft edge's width.
    #[test]
    fn windows_stay_on_the_map() {
        let mut plane = Plane::default();
        plane.reset(32, 32, 0.0, false);
        for radius in [1.0, 2.0, 3.5] {
            let reader = ShadowReader {
                blocks: &Blocks::default(),
                plane: &plane,
                axes: Mat3::default(),
                offset: Vec3::default(),
                fx: 1.0,
                fy: 1.0,
                cx: 0.0,
                cy: 0.0,
                w: None,
                radius,
                texel: 0.01,
            };
            for (u, v) in [(4.1, 4.1), (27.9, 4.1), (4.1, 27.9), (27.9, 27.9)] {
                let at = |w: f32| reader.window(Probe { u, v, w, du: 0.0, dv: 0.0 });
                assert_eq!((at(1.0), at(-1.0)), (1.0, 0.0), "{u} {v} within {radius}");
            }
        }
    }
}
