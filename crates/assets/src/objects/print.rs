//! Paint for textures: letters drawn with strokes, noise, colour mixing.

/// Strokes of a glyph on a grid of 4 × 6: points are two digits (x, y), strokes end at `|`.
fn strokes(c: char) -> &'static str {
    match c.to_ascii_uppercase() {
        'A' => "00 26 40|12 32",
        'B' => "00 06 36 45 44 33 03|33 42 41 30 00",
        'C' => "41 30 10 01 05 16 36 45",
        'D' => "00 06 26 44 42 20 00",
        'E' => "40 00 06 46|03 33",
        'F' => "00 06 46|03 33",
        'G' => "45 36 16 05 01 10 30 41 43 23",
        'H' => "00 06|40 46|03 43",
        'I' => "10 30|20 26|16 36",
        'J' => "01 10 20 31 36",
        'K' => "00 06|46 03 40",
        'L' => "06 00 40",
        'M' => "00 06 23 46 40",
        'N' => "00 06 40 46",
        'O' | '0' => "10 30 41 45 36 16 05 01 10",
        'P' => "00 06 36 45 44 33 03",
        'Q' => "10 30 41 45 36 16 05 01 10|22 40",
        'R' => "00 06 36 45 44 33 03|23 40",
        'S' => "01 10 30 41 42 33 13 04 05 16 36 45",
        'T' => "20 26|06 46",
        'U' => "06 01 10 30 41 46",
        'V' => "06 20 46",
        'W' => "06 10 24 30 46",
        'X' => "00 46|06 40",
        'Y' => "06 23 46|23 20",
        'Z' => "06 46 00 40",
        '1' => "14 26 20|10 30",
        '2' => "05 16 36 45 44 00 40",
        '3' => "05 16 36 45 44 33 13|33 42 41 30 10 01",
        '4' => "30 36 02 42",
        '5' => "46 06 03 33 42 41 30 10 01",
        '6' => "36 16 05 01 10 30 41 42 33 03",
        '7' => "06 46 10",
        '8' => "13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33",
        '9' => "10 30 41 45 36 16 05 04 13 43",
        '+' => "21 25|03 43",
        '-' => "03 43",
        _ => "",
    }
}

fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let t = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy).max(1e-12);
    let t = t.clamp(0.0, 1.0);
    libm::hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)
}

fn glyph_distance(c: char, p: [f64; 2]) -> f64 {
    let point = |s: &str| -> Option<[f64; 2]> {
        let mut d = s.chars().filter_map(|c| c.to_digit(10)).map(f64::from);
        Some([d.next()?, d.next()?])
    };
    let mut best = f64::MAX;
    for stroke in strokes(c).split('|') {
        let points: Vec<_> = stroke.split(' ').filter_map(point).collect();
        for w in points.windows(2) {
            best = best.min(distance(p, w[0], w[1]));
        }
    }
    best
}

/// How much ink (0–1) a word fitted into a box of width/height ratio `aspect` leaves at (u, v).
pub(super) fn ink(text: &str, aspect: f64, u: f64, v: f64) -> f64 {
    const ADVANCE: f64 = 5.6;
    const MARGIN: f64 = 1.5;
    let letters = text.chars().count();
    if letters == 0 {
        return 0.0;
    }
    let width = (letters - 1) as f64 * ADVANCE + 4.0;
    // Height of the box in grid units, so that the word fits both ways.
    let box_height = (6.0 + 2.0 * MARGIN).max((width + 2.0 * MARGIN) / aspect);
    let x = (u - 0.5) * box_height * aspect + width / 2.0;
    let y = (0.5 - v) * box_height + 3.0;
    let near = ((x - 2.0) / ADVANCE).round().clamp(0.0, (letters - 1) as f64) as usize;
    let d = text
        .chars()
        .nth(near)
        .map_or(f64::MAX, |c| glyph_distance(c, [x - near as f64 * ADVANCE, y]));
    smooth(0.75, 0.45, d)
}

/// 0 at `from`, 1 at `to`, smooth between.
pub(super) fn smooth(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A colour between two.
pub(super) fn mix(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// A colour as bytes.
pub(super) fn bytes(c: [f64; 3]) -> [u8; 3] {
    c.map(|x| (x.clamp(0.0, 1.0) * 255.0).round() as u8)
}

fn lattice(x: i64, y: i64) -> f64 {
    // A multiplicative hash of the lattice point; any fixed mixing does.
    let mut h = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    h ^= h >> 29;
    h = h.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h ^= h >> 32;
    (h & 0xFFFF) as f64 / 65535.0
}

/// Smooth noise in 0..1 with features of size 1.
pub(super) fn noise(x: f64, y: f64) -> f64 {
    let (ix, iy) = (x.floor(), y.floor());
    let (fx, fy) = (smooth(0.0, 1.0, x - ix), smooth(0.0, 1.0, y - iy));
    let (ix, iy) = (ix as i64, iy as i64);
    let low = lattice(ix, iy) * (1.0 - fx) + lattice(ix + 1, iy) * fx;
    let high = lattice(ix, iy + 1) * (1.0 - fx) + lattice(ix + 1, iy + 1) * fx;
    low * (1.0 - fy) + high * fy
}

/// Noise with finer detail added.
pub(super) fn rough(x: f64, y: f64) -> f64 {
    0.55 * noise(x, y) + 0.3 * noise(2.1 * x + 7.0, 2.1 * y) + 0.15 * noise(4.3 * x, 4.3 * y + 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_leaves_ink_and_none_spills() {
        for c in ('A'..='Z').chain('0'..='9').chain(['+', '-']) {
            let text = c.to_string();
            let sum: f64 = (0..400)
                .map(|i| {
                    ink(
                        &text,
                        1.0,
                        (f64::from(i % 20) + 0.5) / 20.0,
                        (f64::from(i / 20) + 0.5) / 20.0,
                    )
                })
                .sum();
            assert!(sum > 8.0, "{c} is blank");
            for t in 0..20 {
                let t = f64::from(t) / 20.0;
                let edge =
                    ink(&text, 1.0, t, 0.0) + ink(&text, 1.0, 0.0, t) + ink(&text, 1.0, 1.0, t);
                assert!(edge < 1e-9, "{c} spills");
            }
        }
    }

    #[test]
    fn noise_stays_in_range() {
        for i in 0..500 {
            let x = f64::from(i) * 0.37 - 40.0;
            let n = rough(x, 0.6 * x + 3.0);
            assert!((0.0..=1.0).contains(&n));
        }
    }
}
