//! What pieces of cotton share: what they are made of, how they are printed, where they are taken.

use std::sync::Arc;

use longarm_types::{DQuat, DVec3, Pose};

use super::print::noise;
use crate::matter::{Cut, Fabric, Laid, Picture};
use crate::{Grasp, GraspKind};

/// Distance of corners, metres.
pub(super) const CELL: f64 = 0.0125;
/// Half its thickness, metres.
pub(super) const RADIUS: f64 = 0.002;
/// Pixels along the longer side of a print.
const PIXELS: usize = 256;

/// The default of `gathers`.
pub(super) fn yes() -> bool {
    true
}

/// A piece of cotton, lying flat, which fingers gather.
pub(super) fn cotton(cut: Cut, rgb: [f32; 3], print: Picture) -> Fabric {
    Fabric {
        cut: Arc::new(cut),
        density: 0.255,
        radius: RADIUS,
        bending: 4e-5,
        friction: 0.4,
        laid: Laid::Flat,
        gathers: true,
        rgb,
        weave: Some(Arc::new(print)),
    }
}

/// A print on a grid of cells with fine threads in it. `paint` gives shares of red, green and blue from where a pixel is
/// and from the size of the print, both in shares of its longer side.
pub(super) fn printed(
    cells: [usize; 2],
    paint: impl Fn(f64, f64, [f64; 2]) -> [f64; 3],
) -> Picture {
    let most = cells[0].max(cells[1]);
    let [width, height] = cells.map(|c| (PIXELS * c).div_ceil(most));
    let share = |pixel: usize| pixel as f64 / PIXELS as f64;
    let mut rgb = Vec::with_capacity(3 * width * height);
    for y in 0..height {
        for x in 0..width {
            let thread = if (x / 2 + y / 2) % 2 == 0 { 0.0 } else { 0.06 };
            let grain = 0.04 * noise(x as f64, y as f64);
            let size = [share(width - 1), share(height - 1)];
            let colour = paint(share(x), share(y), size);
            rgb.extend(colour.map(|c| (255.0 * (c - thread - grain).max(0.0)) as u8));
        }
    }
    Picture { width, height, rgb }
}

/// A hold from above at a point of the piece as cut.
pub(super) fn held_at([x, y]: [f64; 2]) -> Grasp {
    Grasp {
        kind: GraspKind::Pinch,
        tool: Pose::new(DVec3::new(x, y, RADIUS), DQuat::from_rotation_x(std::f64::consts::PI)),
        opening: 0.03,
        part: None,
    }
}
