//! From RGB to what the encoder takes.

use openh264::formats::YUVSource;

/// A frame as 4:2:0 YCbCr with even sides.
pub(super) struct Planes {
    pub(super) width: usize,
    pub(super) height: usize,
    y: Vec<u8>,
    cb: Vec<u8>,
    cr: Vec<u8>,
}

impl Planes {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let quarter = vec![128; width / 2 * (height / 2)];
        Self { width, height, y: vec![16; width * height], cb: quarter.clone(), cr: quarter }
    }

    /// Converts an RGB frame, repeating its last row and column where it is smaller. In integers:
    /// the same on every machine.
    pub(super) fn fill(&mut self, rgb: &[u8], width: usize, height: usize) {
        let (pixels, _) = rgb.as_chunks::<3>();
        for (row, y) in pixels.chunks_exact(width).zip(self.y.chunks_exact_mut(self.width)) {
            for (p, y) in row.iter().zip(y.iter_mut()) {
                *y = luma(p);
            }
            if self.width > width {
                y[width] = y[width - 1];
            }
        }
        if self.height > height {
            self.y.copy_within((height - 1) * self.width..height * self.width, height * self.width);
        }

        let half = self.width / 2;
        let chroma = self.cb.chunks_exact_mut(half).zip(self.cr.chunks_exact_mut(half));
        for (j, (cb, cr)) in chroma.enumerate() {
            let top = &pixels[2 * j * width..][..width];
            let bottom = &pixels[(2 * j + 1).min(height - 1) * width..][..width];
            let ((tops, _), (bottoms, _)) = (top.as_chunks::<2>(), bottom.as_chunks::<2>());
            let both = tops.iter().zip(bottoms);
            for ((t, b), (cb, cr)) in both.zip(cb.iter_mut().zip(cr.iter_mut())) {
                (*cb, *cr) = colour(&t[0], &t[1], &b[0], &b[1]);
            }
            if self.width > width {
                let (t, b) = (&top[width - 1], &bottom[width - 1]);
                (cb[half - 1], cr[half - 1]) = colour(t, t, b, b);
            }
        }
    }
}

#[inline(always)]
fn luma(p: &[u8; 3]) -> u8 {
    let sum = 16829 * u32::from(p[0]) + 33039 * u32::from(p[1]) + 6416 * u32::from(p[2]);
    ((sum + (16 << 16) + (1 << 15)) >> 16) as u8
}

/// Cb and Cr of four pixels together.
#[inline(always)]
fn colour(a: &[u8; 3], b: &[u8; 3], c: &[u8; 3], d: &[u8; 3]) -> (u8, u8) {
    const HALF: i32 = (128 << 18) + (1 << 17);
    let sum = |k: usize| i32::from(a[k]) + i32::from(b[k]) + i32::from(c[k]) + i32::from(d[k]);
    let (r, g, b) = (sum(0), sum(1), sum(2));
    let cb = (-9714 * r - 19070 * g + 28784 * b + HALF) >> 18;
    let cr = (28784 * r - 24103 * g - 4681 * b + HALF) >> 18;
    (cb as u8, cr as u8)
}

impl YUVSource for Planes {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.y
    }

    fn u(&self) -> &[u8] {
        &self.cb
    }

    fn v(&self) -> &[u8] {
        &self.cr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(colour: [u8; 3], width: usize, height: usize) -> Planes {
        let mut planes = Planes::new(width.next_multiple_of(2), height.next_multiple_of(2));
        planes.fill(&colour.repeat(width * height), width, height);
        planes
    }

    /// The corner values of BT.601 in limited range.
    #[test]
    fn colours_land_where_the_standard_says() {
        for (rgb, expected) in [
            ([0, 0, 0], [16, 128, 128]),
            ([255, 255, 255], [235, 128, 128]),
            ([255, 0, 0], [81, 90, 240]),
            ([0, 255, 0], [145, 54, 34]),
            ([0, 0, 255], [41, 240, 110]),
        ] {
            let p = converted(rgb, 17, 19);
            for (plane, value) in [(&p.y, expected[0]), (&p.cb, expected[1]), (&p.cr, expected[2])]
            {
                assert!(plane.iter().all(|&v| v == value), "{rgb:?}: {plane:?} is not {value}");
            }
        }
    }

    #[test]
    fn odd_sides_repeat_their_last_pixels() {
        let (w, h) = (17, 19);
        let rgb: Vec<u8> = (0..w * h).flat_map(|i| [(i % w * 15) as u8; 3]).collect();
        let mut p = Planes::new(18, 20);
        p.fill(&rgb, w, h);
        assert!(p.y.chunks(18).all(|row| row[17] == row[16] && row[16] > row[15]));
        assert_eq!(p.y[18 * 18..19 * 18], p.y[19 * 18..]);
    }
}
