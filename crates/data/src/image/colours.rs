//! Colours for depth and instance numbers.

use super::{Colour, Image, NOTHING, check_length};
use crate::Result;

/// Shows depth in colours, near bright yellow to far dark violet; what was not hit (0, negative,
/// not finite) is nearly black. `range` in metres fixes the ends of the scale, so that pictures
/// compare; without it they are the nearest and farthest hit.
pub fn depth_to_rgb(
    width: usize,
    height: usize,
    depth: &[f32],
    range: Option<(f32, f32)>,
) -> Result<Image> {
    check_length("depth picture", width, height, 1, depth.len())?;
    let hit = |d: &f32| d.is_finite() && *d > 0.0;
    let (near, far) = range.unwrap_or_else(|| {
        depth.iter().copied().filter(hit).fold((f32::MAX, 0.0), |(a, b), d| (a.min(d), b.max(d)))
    });
    let rgb = depth.iter().flat_map(|d| {
        if !hit(d) {
            return NOTHING;
        }
        // A flat scene has no scale; show it near. NaN in `range` ends here too.
        let t = (d - near) / (far - near);
        scale_colour(if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 })
    });
    Image::new(width, height, rgb.collect())
}

fn scale_colour(t: f32) -> Colour {
    // Brightness falls evenly along the scale, so that it reads in grey as well.
    const STOPS: [Colour; 7] = [
        [253, 231, 76],
        [160, 218, 82],
        [74, 193, 109],
        [33, 145, 140],
        [49, 104, 142],
        [68, 57, 131],
        [62, 12, 78],
    ];
    let position = t * (STOPS.len() - 1) as f32;
    let i = (position as usize).min(STOPS.len() - 2);
    let f = position - i as f32;
    std::array::from_fn(|c| {
        let (a, b) = (f32::from(STOPS[i][c]), f32::from(STOPS[i + 1][c]));
        (a + (b - a) * f + 0.5) as u8
    })
}

/// Shows instance numbers in colours; negative ones (nothing hit) nearly black. A number has the
/// same colour in every picture.
pub fn segmentation_to_rgb(width: usize, height: usize, segment: &[i32]) -> Result<Image> {
    check_length("segmentation picture", width, height, 1, segment.len())?;
    Image::new(width, height, segment.iter().flat_map(|&id| segment_colour(id)).collect())
}

/// The colour of an instance number in [`segmentation_to_rgb`].
pub fn segment_colour(id: i32) -> Colour {
    // Twelve that are told apart at a glance; scenes seldom have more objects. The first is calm,
    // as instance 0 tends to be the room or the table.
    const FIRST: [Colour; 12] = [
        [96, 112, 140],
        [230, 85, 64],
        [64, 140, 214],
        [104, 178, 74],
        [245, 190, 65],
        [146, 104, 190],
        [72, 188, 180],
        [236, 132, 178],
        [156, 108, 72],
        [188, 205, 92],
        [250, 156, 96],
        [176, 196, 222],
    ];
    let Ok(n) = usize::try_from(id) else { return NOTHING };
    if let Some(&colour) = FIRST.get(n) {
        return colour;
    }
    // Steps of the golden angle never come close to a recent hue; brightness alternates too.
    let hue = (n as u32).wrapping_mul(0x9e37_79b9) >> 16;
    let turn = hue * 6;
    let (sector, f) = (turn >> 16, (turn & 0xffff) >> 8);
    let high = [235, 175, 205][n % 3];
    let low = high * 2 / 5;
    let (up, down) = (low + (high - low) * f / 255, high - (high - low) * f / 255);
    let [r, g, b] = match sector {
        0 => [high, up, low],
        1 => [down, high, low],
        2 => [low, high, up],
        3 => [low, down, high],
        4 => [up, low, high],
        _ => [high, low, down],
    };
    [r as u8, g as u8, b as u8]
}
