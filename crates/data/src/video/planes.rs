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
        let luma = |p: &[u8]| {
            let sum = 16829 * u32::from(p[0]) + 33039 * u32::from(p[1]) + 6416 * u32::from(p[2]);
            ((sum + (16 << 16) + (1 << 15)) >> 16) as u8
        };
        let rows = rgb.chunks_exact(width * 3);
        for (row, y) in rows.clone().zip(self.y.chunks_exact_mut(self.width)) {
            for (p, y) in row.chunks_exact(3).zip(y.iter_mut()) {
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
            let top = &rgb[2 * j * width * 3..][..width * 3];
            let bottom = &rgb[(2 * j + 1).min(height - 1) * width * 3..][..width * 3];
            let mut convert = |i: usize, left: usize, right: usize| {
                let sum = |c: usize| {
                    i32::from(top[left + c])
                        + i32::from(top[right + c])
                        + i32::from(bottom[left + c])
                        + i32::from(bottom[right + c])
                };
                let (r, g, b) = (sum(0), sum(1), sum(2));
                const HALF: i32 = (128 << 18) + (1 << 17);
                cb[i] = ((-9714 * r - 19070 * g + 28784 * b + HALF) >> 18) as u8;
                cr[i] = ((28784 * r - 24103 * g - 4681 * b + HALF) >> 18) as u8;
            };
            for i in 0..width / 2 {
                convert(i, i * 6, i * 6 + 3);
            }
            if self.width > width {
                convert(half - 1, (width - 1) * 3, (width - 1) * 3);
            }
        }
    }
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
