//! Filling triangles.
//!
//! Coverage is decided in integers, so that two triangles which share an edge never both cover a
//! pixel, nor both miss it. Depth is kept as `w` (see [`Lens`](crate::camera::Lens)); the larger
//! wins, and of equals the first drawn.

/// No triangle.
pub(crate) const NONE: u32 = u32::MAX;

/// Pixels worked on at once. Rows are padded by this much, so that the last group may spill.
const LANES: usize = 8;

/// Bounding boxes wider than this are filled by spans instead of by testing every pixel.
const NARROW: i32 = 16;

/// A depth image with the number of the triangle seen at each pixel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plane {
    pub width: usize,
    pub height: usize,
    pub stride: usize,
    pub w: Vec<f32>,
    /// Empty for depth alone.
    pub ids: Vec<u32>,
}

impl Plane {
    /// Sets the size and clears.
    pub fn reset(&mut self, width: usize, height: usize, w: f32, with_ids: bool) {
        (self.width, self.height) = (width, height);
        self.stride = width.next_multiple_of(LANES) + LANES;
        let n = self.stride * height;
        self.w.clear();
        self.w.resize(n, w);
        self.ids.clear();
        self.ids.resize(if with_ids { n } else { 0 }, NONE);
    }
}

/// A triangle on the image, wound so that the inside is positive, with `w` as a linear function
/// of the pixel coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenTriangle {
    /// Corners in fixed point.
    pub corners: [[i32; 2]; 3],
    /// `w = w[0] x + w[1] y + w[2]` in pixels.
    pub w: [f64; 3],
    /// Range of `w` over the triangle; keeps a triangle seen edge-on from shooting out.
    pub range: [f32; 2],
}

/// First and last pixel whose sample lies between `lo` and `hi`; `offset` is the sample's place
/// in the pixel.
#[inline(always)]
fn covered(lo: i32, hi: i32, offset: i32, bits: u32, size: usize) -> (i32, i32) {
    let one = 1 << bits;
    (((lo - offset + one - 1) >> bits).max(0), ((hi - offset) >> bits).min(size as i32 - 1))
}

/// Pixel rectangle, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
}

impl Rect {
    pub const EMPTY: Self = Self { x0: i32::MAX, y0: i32::MAX, x1: -1, y1: -1 };

    pub fn is_empty(&self) -> bool {
        self.x0 > self.x1 || self.y0 > self.y1
    }

    /// Whether it is one pixel.
    #[inline(always)]
    pub fn is_one(&self) -> bool {
        self.x0 == self.x1 && self.y0 == self.y1
    }

    #[inline(always)]
    pub fn include(&mut self, o: Rect) {
        self.x0 = self.x0.min(o.x0);
        self.y0 = self.y0.min(o.y0);
        self.x1 = self.x1.max(o.x1);
        self.y1 = self.y1.max(o.y1);
    }
}

/// Whether a triangle leaves the sample of the one pixel that it may reach uncovered.
#[inline(always)]
pub(crate) fn misses(c: &[[i32; 2]; 3], r: Rect, sample: [i32; 2], bits: u32) -> bool {
    let (x, y) = ((r.x0 << bits) + sample[0], (r.y0 << bits) + sample[1]);
    let outside = |k: usize| {
        let (p, q) = (c[k], c[(k + 1) % 3]);
        let (a, b) = (p[1] - q[1], q[0] - p[0]);
        let inclusive = a > 0 || (a == 0 && b > 0);
        let value = a as i64 * (x - p[0]) as i64 + b as i64 * (y - p[1]) as i64;
        value - i64::from(!inclusive) < 0
    };
    outside(0) || outside(1) || outside(2)
}

/// The pixels whose samples may be covered.
#[inline(always)]
pub(crate) fn bounds(
    c: &[[i32; 2]; 3],
    sample: [i32; 2],
    bits: u32,
    width: usize,
    height: usize,
) -> Rect {
    let (x0, x1) = covered(
        c[0][0].min(c[1][0]).min(c[2][0]),
        c[0][0].max(c[1][0]).max(c[2][0]),
        sample[0],
        bits,
        width,
    );
    let (y0, y1) = covered(
        c[0][1].min(c[1][1]).min(c[2][1]),
        c[0][1].max(c[1][1]).max(c[2][1]),
        sample[1],
        bits,
        height,
    );
    Rect { x0, y0, x1, y1 }
}

/// Draws a triangle whose bounds are not empty. `sample` is where in a pixel coverage is decided,
/// in fixed point.
#[inline(always)]
pub(crate) fn fill<const IDS: bool>(
    plane: &mut Plane,
    t: &ScreenTriangle,
    r: Rect,
    sample: [i32; 2],
    bits: u32,
    id: u32,
) {
    let (mut e, mut a, mut b) = ([0i32; 3], [0i32; 3], [0i32; 3]);
    let x = (r.x0 << bits) + sample[0];
    let y = (r.y0 << bits) + sample[1];
    for k in 0..3 {
        let (p, q) = (t.corners[k], t.corners[(k + 1) % 3]);
        (a[k], b[k]) = (p[1] - q[1], q[0] - p[0]);
        let inclusive = a[k] > 0 || (a[k] == 0 && b[k] > 0);
        let value = a[k] as i64 * (x - p[0]) as i64 + b[k] as i64 * (y - p[1]) as i64;
        // A whole pixel changes the value by a multiple of 2^bits, so that the sign survives the
        // shift and all further work fits 32 bits.
        e[k] = ((value - !inclusive as i64) >> bits) as i32;
    }
    let one = 1.0 / (1u32 << bits) as f64;
    let start = t.w[0] * (x as f64 * one) + t.w[1] * (y as f64 * one) + t.w[2];
    let job =
        Job { e, a, b, w: start as f32, wx: t.w[0] as f32, wy: t.w[1] as f32, range: t.range };
    if r.x1 - r.x0 < LANES as i32 / 2 {
        fill_narrow::<IDS, { LANES / 2 }>(plane, &job, r, id);
    } else if r.x1 - r.x0 < NARROW {
        fill_narrow::<IDS, LANES>(plane, &job, r, id);
    } else {
        fill_wide::<IDS>(plane, &job, r, id);
    }
}

/// Edge functions and `w` at the first pixel of a rectangle, and their steps.
struct Job {
    e: [i32; 3],
    a: [i32; 3],
    b: [i32; 3],
    w: f32,
    wx: f32,
    wy: f32,
    range: [f32; 2],
}

impl Job {
    #[inline(always)]
    fn depth(&self, row: f32, x: i32) -> f32 {
        self.clamp(row + x as f32 * self.wx)
    }

    #[inline(always)]
    fn clamp(&self, w: f32) -> f32 {
        // Written so that a NaN, from a triangle seen exactly edge-on, ends up in range.
        let w = if w > self.range[0] { w } else { self.range[0] };
        if w < self.range[1] { w } else { self.range[1] }
    }
}

/// Keeps the nearer of what is there and what is new, where `inside` is not negative. Free of
/// branches, so that it vectorizes.
#[inline(always)]
fn merge<const IDS: bool, const N: usize>(
    plane: &mut Plane,
    at: usize,
    near: &[f32; N],
    inside: &[i32; N],
    id: u32,
) {
    let ws: &mut [f32; N] = (&mut plane.w[at..at + N]).try_into().unwrap();
    let mut pass = [0u32; N];
    for i in 0..N {
        let near = if inside[i] >= 0 { near[i] } else { f32::MIN };
        pass[i] = ((near > ws[i]) as u32).wrapping_neg();
        ws[i] = if near > ws[i] { near } else { ws[i] };
    }
    if IDS {
        let ids: &mut [u32; N] = (&mut plane.ids[at..at + N]).try_into().unwrap();
        for i in 0..N {
            ids[i] ^= (ids[i] ^ id) & pass[i];
        }
    }
}

#[inline(always)]
fn fill_narrow<const IDS: bool, const N: usize>(plane: &mut Plane, j: &Job, r: Rect, id: u32) {
    let mut start = 0;
    while start <= r.x1 - r.x0 {
        let lane = |k: usize| -> [i32; N] {
            std::array::from_fn(|i| j.e[k].wrapping_add((start + i as i32).wrapping_mul(j.a[k])))
        };
        let (mut e0, mut e1, mut e2) = (lane(0), lane(1), lane(2));
        let mut at = r.y0 as usize * plane.stride + (r.x0 + start) as usize;
        for y in 0..=r.y1 - r.y0 {
            let row = j.w + y as f32 * j.wy;
            let mut inside = [0i32; N];
            let mut near = [0f32; N];
            for i in 0..N {
                near[i] = j.depth(row, start + i as i32);
                inside[i] = e0[i] | e1[i] | e2[i];
            }
            merge::<IDS, N>(plane, at, &near, &inside, id);
            for i in 0..N {
                e0[i] = e0[i].wrapping_add(j.b[0]);
                e1[i] = e1[i].wrapping_add(j.b[1]);
                e2[i] = e2[i].wrapping_add(j.b[2]);
            }
            at += plane.stride;
        }
        start += N as i32;
    }
}

#[inline(never)]
fn fill_wide<const IDS: bool>(plane: &mut Plane, j: &Job, r: Rect, id: u32) {
    let mut e = j.e;
    for y in 0..=r.y1 - r.y0 {
        let (mut from, mut to) = (0, r.x1 - r.x0);
        for k in 0..3 {
            let a = j.a[k];
            if a > 0 {
                if e[k] < 0 {
                    // The first x with e + a x ≥ 0.
                    from = from.max((a - 1 - e[k]) / a);
                }
            } else if e[k] < 0 {
                to = -1;
            } else if a < 0 {
                to = to.min(e[k] / -a);
            }
            e[k] = e[k].wrapping_add(j.b[k]);
        }
        if from > to {
            continue;
        }
        let at = (r.y0 + y) as usize * plane.stride + r.x0 as usize;
        let row = j.w + y as f32 * j.wy;
        let whole = (to - from + 1) as usize / LANES * LANES;
        let span = at + from as usize..at + from as usize + whole;
        let ids = if IDS { &mut plane.ids[span.clone()] } else { &mut [][..] };
        span_of_groups::<IDS>(j, row, from, &mut plane.w[span], ids, id);
        from += whole as i32;
        if from <= to {
            let mut near = [0f32; LANES];
            let mut inside = [0i32; LANES];
            for i in 0..LANES {
                near[i] = j.depth(row, from + i as i32);
                inside[i] = to - from - i as i32;
            }
            merge::<IDS, LANES>(plane, at + from as usize, &near, &inside, id);
        }
    }
}

/// The part of a span that fills whole groups: all pixels are inside.
#[inline(always)]
fn span_of_groups<const IDS: bool>(
    j: &Job,
    row: f32,
    from: i32,
    ws: &mut [f32],
    ids: &mut [u32],
    id: u32,
) {
    let mut x: [f32; LANES] = std::array::from_fn(|i| (from + i as i32) as f32);
    let mut ids = ids.chunks_exact_mut(LANES);
    for ws in ws.chunks_exact_mut(LANES) {
        let ws: &mut [f32; LANES] = ws.try_into().unwrap();
        let mut pass = [0u32; LANES];
        for i in 0..LANES {
            let near = j.clamp(row + x[i] * j.wx);
            pass[i] = ((near > ws[i]) as u32).wrapping_neg();
            ws[i] = if near > ws[i] { near } else { ws[i] };
            x[i] += LANES as f32;
        }
        if IDS && let Some(ids) = ids.next() {
            let ids: &mut [u32; LANES] = ids.try_into().unwrap();
            for i in 0..LANES {
                ids[i] ^= (ids[i] ^ id) & pass[i];
            }
        }
    }
}
