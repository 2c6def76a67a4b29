//! Visibility at the four samples of each pixel, side by side.

use crate::raster::{NONE, Rect, ScreenTriangle};

/// Samples of a pixel.
pub(crate) const COUNT: usize = 4;

/// Rectangles wider than this are filled by spans.
const NARROW: i32 = 8;

/// Depth as `w` (see [`Lens`](crate::camera::Lens)) and the number of the triangle seen at each sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    pub width: usize,
    pub height: usize,
    pub w: Vec<[f32; COUNT]>,
    pub ids: Vec<[u32; COUNT]>,
    /// The farthest of each tile, as it was when last looked at: never nearer than it is.
    pub far: Vec<f32>,
}

/// Pixels along a side of a tile.
const TILE: usize = 8;

/// Where in a pixel the samples lie, in the fixed point of corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub x: [i32; COUNT],
    pub y: [i32; COUNT],
    bits: u32,
}

impl Places {
    /// From sixteenths of a pixel.
    pub fn new(sixteenths: [[i32; 2]; COUNT], bits: u32) -> Self {
        let fixed = |k: usize| sixteenths.map(|s| s[k] << (bits - 4));
        Self { x: fixed(0), y: fixed(1), bits }
    }

    /// First and last pixel that has a sample between `lo` and `hi`.
    #[inline(always)]
    fn reached(&self, places: &[i32; COUNT], lo: i32, hi: i32, size: usize) -> (i32, i32) {
        let least = places[0].min(places[1]).min(places[2].min(places[3]));
        let most = places[0].max(places[1]).max(places[2].max(places[3]));
        let one = 1 << self.bits;
        let first = ((lo - most + one - 1) >> self.bits).max(0);
        (first, ((hi - least) >> self.bits).min(size as i32 - 1))
    }
}

/// Edge functions at the samples of a pixel, shifted so that a whole pixel changes them by whole steps.
struct Edges {
    at: [[i32; COUNT]; 3],
    right: [i32; 3],
    down: [i32; 3],
}

impl Edges {
    #[inline(always)]
    fn new(c: &[[i32; 2]; 3], places: &Places, x0: i32, y0: i32, small: bool) -> Self {
        let (mut at, mut right, mut down) = ([[0; COUNT]; 3], [0; 3], [0; 3]);
        for k in 0..3 {
            let (p, q) = (c[k], c[(k + 1) % 3]);
            let (a, b) = (p[1] - q[1], q[0] - p[0]);
            // A sample on an edge belongs to one of the two triangles.
            let open = i32::from(!(a > 0 || (a == 0 && b > 0)));
            let (x, y) = ((x0 << places.bits) - p[0], (y0 << places.bits) - p[1]);
            (right[k], down[k]) = (a, b);
            if small {
                // Sides and places fit 16 bits, whose products are cheap everywhere.
                let short = |n: i32| i32::from(n as i16);
                let first = a * x + b * y - open;
                at[k] = std::array::from_fn(|s| {
                    let there = short(a) * short(places.x[s]) + short(b) * short(places.y[s]);
                    (first + there) >> places.bits
                });
                continue;
            }
            for s in 0..COUNT {
                let (dx, dy) = (x + places.x[s], y + places.y[s]);
                let value = a as i64 * dx as i64 + b as i64 * dy as i64;
                at[k][s] = ((value - i64::from(open)) >> places.bits) as i32;
            }
        }
        Self { at, right, down }
    }

    /// First and last column, from the first of a row on, in which a sample may be inside, and those in which
    /// all are.
    #[inline(always)]
    fn columns(&self, last: i32) -> [(i32, i32); 2] {
        let mut out = [(0, last); 2];
        for k in 0..3 {
            let (a, e) = (self.right[k], &self.at[k]);
            let most = e[0].max(e[1]).max(e[2].max(e[3]));
            let least = e[0].min(e[1]).min(e[2].min(e[3]));
            for ((from, to), value) in out.iter_mut().zip([most, least]) {
                if a > 0 {
                    if value < 0 {
                        *from = (*from).max((a - 1 - value) / a);
                    }
                } else if value < 0 {
                    *to = -1;
                } else if a < 0 {
                    *to = (*to).min(value / -a);
                }
            }
        }
        out
    }

    /// Negative where a sample is outside.
    #[inline(always)]
    fn inside(&self) -> [i32; COUNT] {
        std::array::from_fn(|s| self.at[0][s] | self.at[1][s] | self.at[2][s])
    }

    #[inline(always)]
    fn step(at: &mut [[i32; COUNT]; 3], by: &[i32; 3], times: i32) {
        for k in 0..3 {
            for s in 0..COUNT {
                at[k][s] = at[k][s].wrapping_add(by[k].wrapping_mul(times));
            }
        }
    }
}

impl Samples {
    /// Sets the size and clears.
    pub fn reset(&mut self, width: usize, height: usize, w: f32) {
        (self.width, self.height) = (width, height);
        self.w.clear();
        self.w.resize(width * height, [w; COUNT]);
        self.ids.clear();
        self.ids.resize(width * height, [NONE; COUNT]);
        self.far.clear();
        self.far.resize(width.div_ceil(TILE) * height.div_ceil(TILE), w);
    }

    /// Look again at the tiles of a rectangle in which something was drawn.
    pub fn look(&mut self, r: Rect) {
        if r.is_empty() {
            return;
        }
        let tiles = self.width.div_ceil(TILE);
        for ty in r.y0 as usize / TILE..=r.y1 as usize / TILE {
            for tx in r.x0 as usize / TILE..=r.x1 as usize / TILE {
                let mut least = [f32::INFINITY; COUNT];
                for y in ty * TILE..((ty + 1) * TILE).min(self.height) {
                    let to = ((tx + 1) * TILE).min(self.width);
                    for w in &self.w[y * self.width + tx * TILE..y * self.width + to] {
                        for s in 0..COUNT {
                            least[s] = if w[s] < least[s] { w[s] } else { least[s] };
                        }
                    }
                }
                self.far[ty * tiles + tx] = least[0].min(least[1]).min(least[2].min(least[3]));
            }
        }
    }

    /// Whether all of some columns and rows, last ones included, is at least as near.
    pub fn nearer(&self, (x0, x1): (usize, usize), (y0, y1): (usize, usize), w: f32) -> bool {
        let tiles = self.width.div_ceil(TILE);
        (y0 / TILE..=y1 / TILE).all(|ty| {
            self.far[ty * tiles + x0 / TILE..=ty * tiles + x1 / TILE].iter().all(|far| *far >= w)
        })
    }

    /// Draw a triangle, wound so that the inside is positive; `plane` is asked for its depth where it covers
    /// a sample. Return the rectangle if any of it is seen.
    #[inline(always)]
    pub fn fill(
        &mut self,
        c: &[[i32; 2]; 3],
        places: &Places,
        (id, nearest): (u32, f32),
        plane: impl FnOnce() -> ScreenTriangle,
    ) -> Option<Rect> {
        let least = |k: usize| c[0][k].min(c[1][k]).min(c[2][k]);
        let most = |k: usize| c[0][k].max(c[1][k]).max(c[2][k]);
        let (lo, hi) = ([least(0), least(1)], [most(0), most(1)]);
        let (x0, x1) = places.reached(&places.x, lo[0], hi[0], self.width);
        let (y0, y1) = places.reached(&places.y, lo[1], hi[1], self.height);
        if x0 > x1 || y0 > y1 {
            return None;
        }
        let r = Rect { x0, y0, x1, y1 };
        // Products of such differences fit 32 bits.
        let small = (hi[0] - lo[0]).max(hi[1] - lo[1]) < 1 << 14;
        let wide = x1 - x0 >= NARROW;
        if wide {
            let (columns, rows) = ((x0 as usize, x1 as usize), (y0 as usize, y1 as usize));
            if self.nearer(columns, rows, nearest) {
                return None;
            }
        }
        let edges = Edges::new(c, places, x0, y0, small);
        if r.is_one() {
            let inside = edges.inside();
            if (inside[0] & inside[1] & inside[2] & inside[3]) < 0 {
                return None;
            }
        }
        let t = plane();
        let one = 1.0 / (1u32 << places.bits) as f64;
        let depth: [f32; COUNT] = std::array::from_fn(|s| {
            let (x, y) =
                (x0 as f64 + places.x[s] as f64 * one, y0 as f64 + places.y[s] as f64 * one);
            (t.w[0] * x + t.w[1] * y + t.w[2]) as f32
        });
        let job = Job { depth, wx: t.w[0] as f32, wy: t.w[1] as f32, range: t.range, id };
        let seen = match wide {
            true => self.fill_wide(&job, edges, r),
            false => self.fill_narrow(&job, edges, r),
        };
        seen.then_some(r)
    }

    #[inline(always)]
    fn fill_narrow(&mut self, job: &Job, mut e: Edges, r: Rect) -> bool {
        let mut seen = 0;
        for y in 0..=r.y1 - r.y0 {
            let at = (r.y0 + y) as usize * self.width + r.x0 as usize;
            let n = (r.x1 - r.x0 + 1) as usize;
            let (ws, ids) = (&mut self.w[at..at + n], &mut self.ids[at..at + n]);
            let mut row = e.at;
            for (x, (ws, ids)) in ws.iter_mut().zip(ids).enumerate() {
                seen |= job.merge(&row, x as f32, y as f32, ws, ids);
                Edges::step(&mut row, &e.right, 1);
            }
            Edges::step(&mut e.at, &e.down, 1);
        }
        seen != 0
    }

    #[inline(never)]
    fn fill_wide(&mut self, job: &Job, mut e: Edges, r: Rect) -> bool {
        let mut seen = 0;
        for y in 0..=r.y1 - r.y0 {
            let [any, all] = e.columns(r.x1 - r.x0);
            if any.0 <= any.1 {
                let at = (r.y0 + y) as usize * self.width + r.x0 as usize;
                let y = y as f32;
                let whole = if all.0 <= all.1 { all } else { (any.1 + 1, any.1) };
                for (from, to) in [(any.0, whole.0 - 1), (whole.1 + 1, any.1)] {
                    let mut row = e.at;
                    Edges::step(&mut row, &e.right, from);
                    for x in from..=to {
                        let at = at + x as usize;
                        let (ws, ids) = (&mut self.w[at], &mut self.ids[at]);
                        seen |= job.merge(&row, x as f32, y, ws, ids);
                        Edges::step(&mut row, &e.right, 1);
                    }
                }
                let span = at + whole.0 as usize..at + (whole.1 + 1) as usize;
                let (ws, ids) = (&mut self.w[span.clone()], &mut self.ids[span]);
                for (x, (ws, ids)) in ws.iter_mut().zip(ids).enumerate() {
                    let x = (whole.0 + x as i32) as f32;
                    seen |= job.merge(&[[0; COUNT]; 3], x, y, ws, ids);
                }
            }
            Edges::step(&mut e.at, &e.down, 1);
        }
        seen != 0
    }
}

/// Depth at the samples of the first pixel, and its steps.
struct Job {
    depth: [f32; COUNT],
    wx: f32,
    wy: f32,
    range: [f32; 2],
    id: u32,
}

impl Job {
    /// Keep the nearer of what is there and what is new; return a mask that is not zero where that is new.
    #[inline(always)]
    fn merge(
        &self,
        e: &[[i32; COUNT]; 3],
        x: f32,
        y: f32,
        ws: &mut [f32; COUNT],
        ids: &mut [u32; COUNT],
    ) -> u32 {
        let step = x * self.wx + y * self.wy;
        let mut pass = [0u32; COUNT];
        for s in 0..COUNT {
            let w = self.depth[s] + step;
            // Written so that a NaN, from a triangle seen exactly edge-on, ends up in range.
            let w = if w > self.range[0] { w } else { self.range[0] };
            let w = if w < self.range[1] { w } else { self.range[1] };
            let near = if e[0][s] | e[1][s] | e[2][s] >= 0 { w } else { f32::MIN };
            pass[s] = ((near > ws[s]) as u32).wrapping_neg();
            ws[s] = if near > ws[s] { near } else { ws[s] };
        }
        for s in 0..COUNT {
            ids[s] ^= (ids[s] ^ self.id) & pass[s];
        }
        pass[0] | pass[1] | pass[2] | pass[3]
    }
}
