//! Samples of many pixels, filtered between mip levels as software OpenGL does.

use std::array::from_fn;

use super::{APART, Level, Texture, blend, channel, weigh};
use crate::math::{Vec3, round};

/// What a texture's movement is multiplied with so that levels change at its powers of two.
const MESA_SCALE: f32 = 3.5 / (2.0 * std::f32::consts::SQRT_2);

impl Texture {
    /// Mip levels, as software OpenGL finds them, where the texture moves by a number of texels to the next pixel,
    /// and the share of the level after.
    #[inline(always)]
    pub(crate) fn levels<const N: usize>(&self, moves: &[f32; N]) -> ([u32; N], [f32; N]) {
        // Mesa's short cut: two levels are blended only around the middle between them.
        let last = self.levels.len() as i32 - 1;
        let (mut levels, mut parts) = ([0; N], [0.0; N]);
        for i in 0..N {
            // A mantissa from 0.5 to 1 and a power of two; the number is not negative.
            let bits = (moves[i] * MESA_SCALE).to_bits();
            let mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f00_0000);
            let power = (bits >> 23) as i32 - 126;
            let level = if power > 1 { power - 1 } else { 0 };
            let level = if level < last { level } else { last };
            let part = 4.0 * mantissa - 3.0;
            let blends = (power > 0) & (level < last) & (part > 0.0);
            levels[i] = level as u32;
            parts[i] = if blends { part } else { 0.0 };
        }
        (levels, parts)
    }

    /// Multiply the first colours with samples of a flat texture at fractions of its width and height, between its
    /// levels.
    #[inline(always)]
    pub(crate) fn flat_onto<const N: usize>(
        &self,
        [u, v]: [&[f32; N]; 2],
        moves: &[f32; N],
        count: usize,
        colors: &mut [[f32; N]; 3],
    ) {
        let (levels, parts) = self.levels(moves);
        if one(&levels, count) {
            self.mix(levels[0], &parts, count, colors, |level| level.flat_many([u, v], count));
            return;
        }
        for i in 0..count.min(N) {
            let c = self.between(levels[i], parts[i], |level| level.flat([u[i], v[i]]));
            (0..3).for_each(|k| colors[k][i] *= c[k]);
        }
    }

    /// The same with a cube texture along directions, given one over twice their longest sides.
    #[inline(always)]
    pub(crate) fn cube_onto<const N: usize>(
        &self,
        d: &[[f32; N]; 3],
        half: &[f32; N],
        moves: &[f32; N],
        count: usize,
        colors: &mut [[f32; N]; 3],
    ) {
        let (levels, parts) = self.levels(moves);
        if one(&levels, count)
            && let Some((face, [s, t])) = one_side(d, count)
        {
            self.mix(levels[0], &parts, count, colors, |level| {
                level.cube_many(face, [&s, &t], half, count)
            });
            return;
        }
        for i in 0..count.min(N) {
            let along = [d[0][i], d[1][i], d[2][i]];
            let c = self.between(levels[i], parts[i], |level| level.cube(along, half[i]));
            (0..3).for_each(|k| colors[k][i] *= c[k]);
        }
    }

    /// Multiply the first colours with samples of one level, and of the next where there is a share of it.
    #[inline(always)]
    fn mix<const N: usize>(
        &self,
        level: u32,
        parts: &[f32; N],
        count: usize,
        colors: &mut [[f32; N]; 3],
        at_level: impl Fn(&Level) -> [[f32; N]; 3],
    ) {
        let mut samples = at_level(&self.levels[level as usize]);
        if parts[..count.min(N)].iter().any(|part| *part > 0.0) {
            let far = at_level(&self.levels[level as usize + 1]);
            for k in 0..3 {
                for i in 0..N {
                    samples[k][i] += parts[i] * (far[k][i] - samples[k][i]);
                }
            }
        }
        for k in 0..3 {
            for i in 0..N {
                colors[k][i] *= samples[k][i];
            }
        }
    }

    /// Sample between mip levels.
    #[inline(always)]
    fn between(&self, level: u32, part: f32, at_level: impl Fn(&Level) -> Vec3) -> Vec3 {
        let level = level as usize;
        let near = at_level(&self.levels[level]);
        if part <= 0.0 {
            return near;
        }
        let far = at_level(&self.levels[level + 1]);
        let mix = |k: usize| near[k] + part * (far[k] - near[k]);
        [mix(0), mix(1), mix(2)]
    }
}

impl Level {
    /// The first samples of a flat texture.
    #[inline(always)]
    fn flat_many<const N: usize>(&self, [u, v]: [&[f32; N]; 2], count: usize) -> [[f32; N]; 3] {
        let (wide, high) = (self.width as f32 * 256.0, self.height as f32 * 256.0);
        let (mut x, mut y, mut sums) = ([0i32; N], [0i32; N], [0u64; N]);
        for i in 0..N {
            (x[i], y[i]) = (round(u[i] * wide + 128.0), round(v[i] * high + 128.0));
        }
        let stride = self.width + 2;
        for i in 0..count.min(N) {
            let (x, y) = (x[i] as u32, y[i] as u32);
            let first = (y >> 8) as usize * stride + (x >> 8) as usize;
            let t = &self.texels[first..first + stride + 2];
            sums[i] = weigh([t[0], t[1], t[stride], t[stride + 1]], x & 255, y & 255);
        }
        from_fn(|k| from_fn(|i| channel(sums[i], APART * k as u32)))
    }

    /// Bilinear sample of a flat texture, at fractions of its width and height.
    #[inline(always)]
    pub(crate) fn flat(&self, at: [f32; 2]) -> Vec3 {
        // Fixed point with eight bits of fraction, half a texel on.
        let place = |c: f32, n: usize| round(c * (n as f32 * 256.0) + 128.0) as u32;
        let (x, y) = (place(at[0], self.width), place(at[1], self.height));
        let stride = self.width + 2;
        let first = (y >> 8) as usize * stride + (x >> 8) as usize;
        let t = &self.texels[first..first + stride + 2];
        blend([t[0], t[1], t[stride], t[stride + 1]], x & 255, y & 255)
    }

    /// Where a part of a direction falls on a face, in fixed point.
    #[inline(always)]
    fn place(&self, c: f32, half: f32) -> i32 {
        let most = (self.width - 1) as f32;
        let p = (0.5 + half * c) * self.width as f32 - 0.5;
        let p = if p > 0.0 { p } else { 0.0 };
        round(256.0 * if p < most { p } else { most })
    }

    /// The first samples of one face of a cube texture.
    #[inline(always)]
    fn cube_many<const N: usize>(
        &self,
        face: usize,
        [s, t]: [&[f32; N]; 2],
        half: &[f32; N],
        count: usize,
    ) -> [[f32; N]; 3] {
        let (mut x, mut y, mut sums) = ([0i32; N], [0i32; N], [0u64; N]);
        for i in 0..N {
            (x[i], y[i]) = (self.place(s[i], half[i]), self.place(t[i], half[i]));
        }
        let last = self.width - 1;
        let texels = &self.texels[face * self.width * self.width..][..self.width * self.width];
        for i in 0..count.min(N) {
            let (x, y, fx, fy) = (x[i] as u32 >> 8, y[i] as u32 >> 8, x[i] as u32, y[i] as u32);
            let (x, y) = (x as usize, y as usize);
            let (right, down) = (usize::from(x < last), usize::from(y < last) * self.width);
            let first = y * self.width + x;
            let t = &texels[first..first + down + right + 1];
            sums[i] = weigh([t[0], t[right], t[down], t[down + right]], fx & 255, fy & 255);
        }
        from_fn(|k| from_fn(|i| channel(sums[i], APART * k as u32)))
    }

    /// Bilinear sample of a cube texture along a direction, given one over twice its longest side.
    #[inline(always)]
    pub(crate) fn cube(&self, [x, y, z]: Vec3, half: f32) -> Vec3 {
        let (face, s, t) = side([x, y, z]);
        let last = self.width - 1;
        let place = |c: f32| {
            let fixed = self.place(c, half) as u32;
            ((fixed >> 8) as usize, fixed & 255)
        };
        let ((x, fx), (y, fy)) = (place(s), place(t));
        let (right, down) = (usize::from(x < last), usize::from(y < last) * self.width);
        let first = (face * self.width + y) * self.width + x;
        let t = &self.texels[first..first + down + right + 1];
        blend([t[0], t[right], t[down], t[down + right]], fx, fy)
    }
}

/// Whether the first samples are all of one level.
#[inline(always)]
fn one<const N: usize>(levels: &[u32; N], count: usize) -> bool {
    let mut same = true;
    for i in 0..N {
        same &= (levels[i] == levels[0]) | (i >= count);
    }
    same
}

/// The face of a cube that a direction meets, and where, with the length of its longest side.
#[inline(always)]
fn side([x, y, z]: Vec3) -> (usize, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if ax >= ay && ax >= az {
        if x > 0.0 { (0, -z, -y) } else { (1, z, -y) }
    } else if ay >= az {
        if y > 0.0 { (2, x, z) } else { (3, x, -z) }
    } else if z > 0.0 {
        (4, x, -y)
    } else {
        (5, -x, -y)
    }
}

/// The same of directions of which the first meet one face.
#[inline(always)]
fn one_side<const N: usize>(d: &[[f32; N]; 3], count: usize) -> Option<(usize, [[f32; N]; 2])> {
    let (face, ..) = side([d[0][0], d[1][0], d[2][0]]);
    let axis = face / 2;
    let sign = if face % 2 == 0 { 1.0 } else { -1.0 };
    let (one, two) = (&d[(axis + 1) % 3], &d[(axis + 2) % 3]);
    let mut same = true;
    for i in 0..N {
        // Longer than both others: what is between two faces is left to the slow way.
        let long = sign * d[axis][i];
        same &= ((long > one[i].abs()) & (long > two[i].abs())) | (i >= count);
    }
    let turned = |lane: &[f32; N], by: f32| lane.map(|c| by * c);
    same.then(|| {
        let st = match axis {
            0 => [turned(&d[2], -sign), turned(&d[1], -1.0)],
            1 => [d[0], turned(&d[2], sign)],
            _ => [turned(&d[0], sign), turned(&d[1], -1.0)],
        };
        (face, st)
    })
}
