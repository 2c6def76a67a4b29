//! Pictures as policies were trained on them: turned, resized with padding, channels first.

use longarm_types::{CameraImage, Flip};

use super::{
    conventions::ImageLayout,
    msgpack::Pack,
    numpy::{Dtype, Keys},
};

/// How pictures are made ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prepare {
    /// Rows and columns to resize to, with black bars where the shapes differ; `None` keeps the
    /// camera's own.
    pub size: Option<[usize; 2]>,
    /// Order of the axes.
    pub layout: ImageLayout,
}

/// Bits after the point in the weights of a resize: what Pillow uses, so that we round as it does.
const BITS: u32 = 32 - 8 - 2;
/// Added before the bits after the point are dropped.
const HALF: i32 = 1 << (BITS - 1);

/// Weights of the source pixels for every pixel along one axis.
#[derive(Debug)]
struct Axis {
    from: usize,
    to: usize,
    /// First source pixel and how many, per target pixel.
    spans: Vec<(usize, usize)>,
    taps: usize,
    weights: Vec<i32>,
    /// The same as windows of four pixels, their first byte and weights, when no pixel needs more:
    /// the common case, and much the faster.
    quads: Vec<(usize, [i32; 4])>,
}

impl Axis {
    /// A triangle as wide as a target pixel, Pillow's antialiased bilinear filter.
    fn new(from: usize, to: usize) -> Self {
        let scale = from as f64 / to as f64;
        let support = scale.max(1.0);
        let taps = support.ceil() as usize * 2 + 1;
        let mut weights = vec![0i32; to * taps];
        let mut exact = vec![0.0f64; taps];
        let spans: Vec<(usize, usize)> = (0..to)
            .map(|x| {
                let centre = (x as f64 + 0.5) * scale;
                // Truncation towards zero, as in C.
                let lo = (centre - support + 0.5).max(0.0) as usize;
                let hi = ((centre + support + 0.5) as usize).min(from);
                let n = hi - lo;
                let mut sum = 0.0;
                for (k, w) in exact[..n].iter_mut().enumerate() {
                    let d = ((k + lo) as f64 - centre + 0.5) * (1.0 / support);
                    *w = (1.0 - d.abs()).max(0.0);
                    sum += *w;
                }
                for (w, e) in weights[x * taps..].iter_mut().zip(&exact[..n]) {
                    let share = if sum == 0.0 { *e } else { e / sum };
                    *w = (0.5 + share * f64::from(1u32 << BITS)) as i32;
                }
                (lo, n)
            })
            .collect();
        let mut quads = Vec::new();
        if from >= 4 && spans.iter().all(|&(_, n)| n <= 4) {
            quads.extend(spans.iter().enumerate().map(|(x, &(lo, n))| {
                let start = lo.min(from - 4);
                let mut four = [0; 4];
                four[lo - start..][..n].copy_from_slice(&weights[x * taps..][..n]);
                (start * 3, four)
            }));
        }
        Self { from, to, spans, taps, weights, quads }
    }

    fn weights(&self, x: usize) -> (usize, &[i32]) {
        let (lo, n) = self.spans[x];
        (lo, &self.weights[x * self.taps..x * self.taps + n])
    }
}

fn round(sum: i32) -> u8 {
    (sum >> BITS).clamp(0, 255) as u8
}

/// Resizes like openpi's `image_tools.resize_with_pad` (Pillow, bilinear, zero padding), to the
/// last bit. Keeps its tables and buffers between calls.
#[derive(Debug, Default)]
pub struct Resizer {
    axes: Vec<Axis>,
    turned: Vec<u8>,
    wide: Vec<u8>,
    sums: Vec<i32>,
}

impl Resizer {
    fn axis(&mut self, from: usize, to: usize) -> usize {
        let known = self.axes.iter().position(|a| (a.from, a.to) == (from, to));
        known.unwrap_or_else(|| {
            self.axes.push(Axis::new(from, to));
            self.axes.len() - 1
        })
    }

    /// Resizes RGB `source` of `rows`×`columns` into the middle of `out`, which is black and of
    /// `to` rows and columns.
    pub fn resize_with_pad(
        &mut self,
        source: &[u8],
        [rows, columns]: [usize; 2],
        out: &mut [u8],
        [to_rows, to_columns]: [usize; 2],
    ) {
        let ratio = (columns as f64 / to_columns as f64).max(rows as f64 / to_rows as f64);
        let high = ((rows as f64 / ratio) as usize).clamp(1, to_rows);
        let wide = ((columns as f64 / ratio) as usize).clamp(1, to_columns);
        let (top, left) = ((to_rows - high) / 2, (to_columns - wide) / 2);

        let mut middle = std::mem::take(&mut self.wide);
        let across: &[u8] = if wide == columns {
            source
        } else {
            let axis = self.axis(columns, wide);
            middle.resize(rows * wide * 3, 0);
            narrow(&self.axes[axis], source, columns, &mut middle);
            &middle
        };
        let place = |y: usize| ((top + y) * to_columns + left) * 3;
        if high == rows {
            for (y, line) in across.chunks_exact(wide * 3).enumerate() {
                out[place(y)..][..wide * 3].copy_from_slice(line);
            }
        } else {
            let axis = self.axis(rows, high);
            for y in 0..high {
                let line = &mut out[place(y)..][..wide * 3];
                shorten(&self.axes[axis], across, y, &mut self.sums, line);
            }
        }
        self.wide = middle;
    }
}

/// Resizes every row.
fn narrow(axis: &Axis, source: &[u8], columns: usize, out: &mut [u8]) {
    for (from, to) in source.chunks_exact(columns * 3).zip(out.chunks_exact_mut(axis.to * 3)) {
        let to = to.as_chunks_mut::<3>().0;
        if axis.quads.is_empty() {
            for (x, pixel) in to.iter_mut().enumerate() {
                let (lo, weights) = axis.weights(x);
                let mut sum = [HALF; 3];
                for (source, w) in from[lo * 3..].as_chunks::<3>().0.iter().zip(weights) {
                    for c in 0..3 {
                        sum[c] += i32::from(source[c]) * w;
                    }
                }
                *pixel = sum.map(round);
            }
        } else {
            for (pixel, (at, w)) in to.iter_mut().zip(&axis.quads) {
                // A window of known length: one check of bounds and no inner loop.
                let Some(s) = from[*at..].first_chunk::<12>() else { continue };
                let s = s.map(i32::from);
                *pixel = std::array::from_fn(|c| {
                    round(HALF + s[c] * w[0] + s[3 + c] * w[1] + s[6 + c] * w[2] + s[9 + c] * w[3])
                });
            }
        }
    }
}

/// One row from the rows above and below it, added up row by row.
fn shorten(axis: &Axis, source: &[u8], y: usize, sums: &mut Vec<i32>, out: &mut [u8]) {
    let (lo, weights) = axis.weights(y);
    sums.clear();
    sums.resize(out.len(), HALF);
    for (row, w) in source[lo * out.len()..].chunks_exact(out.len()).zip(weights) {
        for (sum, s) in sums.iter_mut().zip(row) {
            *sum += i32::from(*s) * w;
        }
    }
    for (value, sum) in out.iter_mut().zip(&*sums) {
        *value = round(*sum);
    }
}

/// Writes a picture as an array, straight into the message wherever no step needs its own copy.
/// `None` is a camera that the user mapped to nothing: black.
pub fn write(
    pack: &mut Pack,
    keys: Keys,
    camera: Option<&CameraImage>,
    how: &Prepare,
    flip: Flip,
    work: &mut Resizer,
) -> Result<(), String> {
    let Some(camera) = camera else {
        let [rows, columns] = how.size.unwrap_or([224, 224]);
        keys.begin(pack, rows * columns * 3);
        pack.zeroed(rows * columns * 3);
        end(pack, keys, how.layout, rows, columns);
        return Ok(());
    };
    let own = [camera.height, camera.width];
    if camera.rgb.is_empty() || camera.rgb.len() != own[0] * own[1] * 3 {
        return Err(format!("camera {} has no colour picture", camera.name));
    }
    let [rows, columns] = how.size.unwrap_or(own);
    keys.begin(pack, rows * columns * 3);
    let resized = own != [rows, columns];
    let planar = how.layout == ImageLayout::Chw;
    let mut turned = std::mem::take(&mut work.turned);
    let mut source: &[u8] = &camera.rgb;
    if flip != Flip::None && (resized || planar) {
        turned.resize(source.len(), 0);
        flip.write(source, own[1], &mut turned);
        source = &turned;
    }
    if !resized && !planar {
        match flip {
            Flip::None => pack.raw(source),
            flip => flip.write(source, columns, pack.zeroed(source.len())),
        }
    } else if !planar {
        work.resize_with_pad(source, own, pack.zeroed(rows * columns * 3), [rows, columns]);
    } else {
        let mut whole = Vec::new();
        if resized {
            whole.resize(rows * columns * 3, 0);
            work.resize_with_pad(source, own, &mut whole, [rows, columns]);
            source = &whole;
        }
        let out = pack.zeroed(rows * columns * 3);
        for (c, plane) in out.chunks_exact_mut(rows * columns).enumerate() {
            for (to, pixel) in plane.iter_mut().zip(source.as_chunks::<3>().0) {
                *to = pixel[c];
            }
        }
    }
    work.turned = turned;
    end(pack, keys, how.layout, rows, columns);
    Ok(())
}

fn end(pack: &mut Pack, keys: Keys, layout: ImageLayout, rows: usize, columns: usize) {
    let shape = match layout {
        ImageLayout::Hwc => [rows, columns, 3],
        ImageLayout::Chw => [3, rows, columns],
    };
    keys.end(pack, Dtype::U8, &shape);
}
