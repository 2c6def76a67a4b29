//! Images on surfaces.

mod filtered;

use crate::math::{Vec3, round};

#[derive(Clone, Debug)]
pub(crate) struct Level {
    width: usize,
    height: usize,
    /// All faces of this level one after the other, [packed](pack). A flat texture has its last
    /// column and row repeated before the first, and the first after the last.
    texels: Vec<u64>,
}

/// An RGB image with mip levels, either flat (repeating) or a cube of six faces.
#[derive(Clone, Debug)]
pub struct Texture {
    levels: Vec<Level>,
    cube: bool,
}

impl Texture {
    /// A flat texture from 8-bit RGB, top row first.
    pub fn flat(width: usize, height: usize, rgb: &[u8]) -> Self {
        Self::build(width, height, 1, rgb, halve)
    }

    /// A cube texture from six square faces stacked one below the other, in the order of
    /// OpenGL and MuJoCo: +x, −x, +y, −y, +z, −z of the direction looked up.
    pub fn cube(size: usize, rgb: &[u8]) -> Self {
        Self::build(size, size, 6, rgb, halve)
    }

    /// The same textures, of one face or six, with mip levels as software OpenGL makes them: each
    /// texel from the four nearest to its middle.
    pub fn resampled(width: usize, height: usize, faces: usize, rgb: &[u8]) -> Self {
        Self::build(width, height, faces, rgb, resample)
    }

    fn build(
        width: usize,
        height: usize,
        faces: usize,
        rgb: &[u8],
        halve: fn(&Level, usize) -> Level,
    ) -> Self {
        assert!(width > 0 && height > 0, "a texture needs at least one texel");
        assert_eq!(rgb.len(), 3 * width * height * faces, "a texture needs 3 bytes per texel");
        let texels = rgb.chunks_exact(3).map(|c| pack([c[0], c[1], c[2]].map(u64::from)));
        let mut levels = vec![Level { width, height, texels: texels.collect() }];
        while let Some(last) = levels.last()
            && (last.width > 1 || last.height > 1)
        {
            levels.push(halve(last, faces));
        }
        if faces == 1 {
            levels.iter_mut().for_each(frame);
        }
        Self { levels, cube: faces == 6 }
    }

    /// Whether this is a cube texture.
    pub fn is_cube(&self) -> bool {
        self.cube
    }

    /// Width and height of a face in texels.
    pub fn size(&self) -> (usize, usize) {
        (self.levels[0].width, self.levels[0].height)
    }

    /// Mip level for a footprint whose longer and shorter sides, squared and in texels, are
    /// given. Half-way between the two, as isotropic mips blur a floor seen at a low angle.
    pub(crate) fn level(&self, long2: f32, short2: f32) -> usize {
        let (long, short) = (log2(long2.max(1.0)), log2(short2.max(1.0)));
        let lod = (0.5 * long - 1.0).max(0.25 * (long + short));
        ((lod + 0.5) as usize).min(self.levels.len() - 1)
    }

    /// Bilinear samples with repetition; `v` runs downwards.
    #[inline]
    pub(crate) fn sample<const N: usize>(
        &self,
        u: &[f32; N],
        v: &[f32; N],
        level: usize,
        out: &mut [[f32; N]; 3],
    ) {
        let l = &self.levels[level];
        let (mut xs, mut ys) = ([0u32; N], [0u32; N]);
        // Fixed point with eight bits of fraction, half a texel on.
        let (wide, high) = (l.width as f32 * 256.0, l.height as f32 * 256.0);
        for i in 0..N {
            xs[i] = round(fraction(u[i]) * wide + 128.0) as u32;
            ys[i] = round(fraction(v[i]) * high + 128.0) as u32;
        }
        let stride = l.width + 2;
        for i in 0..N {
            let at = (ys[i] >> 8) as usize * stride + (xs[i] >> 8) as usize;
            let (a, b) = (&l.texels[at..at + 2], &l.texels[at + stride..at + stride + 2]);
            let c = blend([a[0], a[1], b[0], b[1]], xs[i] & 255, ys[i] & 255);
            for k in 0..3 {
                out[k][i] = c[k];
            }
        }
    }

    /// Texels for a step of one along each axis: of `u` and `v` of a flat texture, of a direction of a cube
    /// whose longest side is one.
    pub(crate) fn texels(&self) -> Vec3 {
        let (w, h) = (self.levels[0].width as f32, self.levels[0].height as f32);
        if self.cube { [0.5 * w; 3] } else { [w, h, 0.0] }
    }

    /// Bilinear sample of a cube texture along `d`.
    pub(crate) fn sample_cube(&self, d: Vec3, level: usize) -> Vec3 {
        let [x, y, z] = d;
        let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
        let (face, s, t, m) = if ax >= ay && ax >= az {
            if x > 0.0 { (0, -z, -y, ax) } else { (1, z, -y, ax) }
        } else if ay >= az {
            if y > 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
        } else if z > 0.0 {
            (4, x, -y, az)
        } else {
            (5, -x, -y, az)
        };
        let l = &self.levels[level];
        let m = m.max(1e-12);
        let clamp = |c: f32| {
            let p = ((0.5 + 0.5 * c / m) * l.width as f32 - 0.5).clamp(0.0, (l.width - 1) as f32);
            let fixed = round(p * 256.0) as usize;
            (fixed >> 8, ((fixed >> 8) + 1).min(l.width - 1), fixed as u32 & 255)
        };
        let (x0, x1, fx) = clamp(s);
        let (y0, y1, fy) = clamp(t);
        let face = &l.texels[face * l.width * l.height..];
        let at = |x: usize, y: usize| face[y * l.width + x];
        blend([at(x0, y0), at(x1, y0), at(x0, y1), at(x1, y1)], fx, fy)
    }
}

/// Base-2 logarithm to about 0.09, from the bits of the number.
fn log2(x: f32) -> f32 {
    x.to_bits() as f32 * (1.0 / (1 << 23) as f32) - 127.0
}

/// The part after the decimal point, 0 to 1 inclusive.
#[inline(always)]
pub(crate) fn fraction(c: f32) -> f32 {
    let d = c - round(c) as f32;
    if d < 0.0 { d + 1.0 } else { d }
}

/// Repeats the rim of a level on the opposite side, so that sampling need not wrap around.
fn frame(l: &mut Level) {
    let (w, h) = (l.width, l.height);
    let at = |x: usize, y: usize| l.texels[(y + h - 1) % h * w + (x + w - 1) % w];
    l.texels = (0..(w + 2) * (h + 2)).map(|i| at(i % (w + 2), i / (w + 2))).collect();
}

/// Bits between the channels of a texel: 8 for the colour, 12 for the weight.
const APART: u32 = 21;

/// Three channels in one number, far enough apart to be weighted and summed at once.
fn pack(c: [u64; 3]) -> u64 {
    c[0] | c[1] << APART | c[2] << (2 * APART)
}

/// Mixes four texels; `fx` and `fy` are the weights of the right and lower ones in 256ths.
#[inline(always)]
fn blend(t: [u64; 4], fx: u32, fy: u32) -> Vec3 {
    let sum = weigh(t, fx, fy);
    [channel(sum, 0), channel(sum, APART), channel(sum, 2 * APART)]
}

/// The same, still in one number.
#[inline(always)]
fn weigh(t: [u64; 4], fx: u32, fy: u32) -> u64 {
    let (fx, fy) = ((fx + 2) >> 2, (fy + 2) >> 2);
    let (gx, gy) = (64 - fx, 64 - fy);
    t[0] * (gx * gy) as u64
        + t[1] * (fx * gy) as u64
        + t[2] * (gx * fy) as u64
        + t[3] * (fx * fy) as u64
}

/// One of the three channels that are weighed.
#[inline(always)]
fn channel(sum: u64, shift: u32) -> f32 {
    (sum >> shift & 0x1f_ffff) as i32 as f32 * (1.0 / (255.0 * 4096.0))
}

fn resample(from: &Level, faces: usize) -> Level {
    let (width, height) = ((from.width / 2).max(1), (from.height / 2).max(1));
    let place = |i: usize, n: usize, from: usize| {
        let at = ((i as f32 + 0.5) * from as f32 / n as f32 - 0.5).max(0.0);
        let first = (at as usize).min(from - 1);
        (first, (first + 1).min(from - 1), at - first as f32)
    };
    let mut texels = Vec::with_capacity(width * height * faces);
    for face in 0..faces {
        let source = &from.texels[face * from.width * from.height..];
        for y in 0..height {
            let (y0, y1, fy) = place(y, height, from.height);
            for x in 0..width {
                let (x0, x1, fx) = place(x, width, from.width);
                let channel = |k: u32| {
                    let at = |x: usize, y: usize| {
                        (source[y * from.width + x] >> (APART * k) & 0xff) as f32
                    };
                    let top = at(x0, y0) + fx * (at(x1, y0) - at(x0, y0));
                    let low = at(x0, y1) + fx * (at(x1, y1) - at(x0, y1));
                    (top + fy * (low - top) + 0.5) as u64
                };
                texels.push(pack([channel(0), channel(1), channel(2)]));
            }
        }
    }
    Level { width, height, texels }
}

fn halve(from: &Level, faces: usize) -> Level {
    let (width, height) = ((from.width / 2).max(1), (from.height / 2).max(1));
    let mut texels = Vec::with_capacity(width * height * faces);
    for face in 0..faces {
        let source = &from.texels[face * from.width * from.height..];
        for y in 0..height {
            for x in 0..width {
                // The source box of a texel, also where the size is odd.
                let (x0, x1) = (x * from.width / width, (x + 1) * from.width / width);
                let (y0, y1) = (y * from.height / height, (y + 1) * from.height / height);
                let mut sum = [0u64; 3];
                for sy in y0..y1 {
                    for sx in x0..x1 {
                        let t = source[sy * from.width + sx];
                        for k in 0..3 {
                            sum[k] += t >> (APART * k as u32) & 255;
                        }
                    }
                }
                let n = ((x1 - x0) * (y1 - y0)) as u64;
                texels.push(pack(sum.map(|s| (s + n / 2) / n)));
            }
        }
    }
    Level { width, height, texels }
}
