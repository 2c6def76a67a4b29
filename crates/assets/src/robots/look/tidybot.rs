//! TidyBot++: an aluminium frame on four casters, batteries and a computer inside, a deck on top.

use longarm_types::Pose;

use super::parts::{barrel, block, draw};
use super::{Footprint, GripperLook, Paint, brick};
use crate::{Mjcf, Shape};

/// Half the size of the frame, and the height of the deck.
const HALF: [f64; 2] = [0.24, 0.27];
const TOP: f64 = 0.37;
/// Radius of the wheels.
const WHEEL: f64 = 0.06;

/// Draws a link.
fn link(name: &str, out: &mut Mjcf) {
    if name != "base_link" {
        return;
    }
    let [hx, hy] = HALF;
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    draw(out, "tidybot_frame", Paint::Aluminium, || {
        let mut parts = Vec::new();
        for (sx, sy) in corners {
            let at = [sx * (hx - 0.02), sy * (hy - 0.02), 0.255];
            parts.push(block([0.02, 0.02, 0.105], at, 0.004));
        }
        for z in [0.16, 0.345] {
            for s in [-1.0, 1.0] {
                parts.push(block([hx, 0.02, 0.02], [0.0, s * (hy - 0.02), z], 0.004));
                parts.push(block([0.02, hy, 0.02], [s * (hx - 0.02), 0.0, z], 0.004));
            }
        }
        parts
    });
    draw(out, "tidybot_deck", Paint::Black, || {
        vec![
            block([hx - 0.004, hy - 0.004, 0.004], [0.0, 0.0, TOP - 0.004], 0.002),
            block([hx - 0.03, hy - 0.03, 0.004], [0.0, 0.0, 0.178], 0.002),
        ]
    });
    draw(out, "tidybot_inside", Paint::Graphite, || {
        vec![
            block([0.09, 0.11, 0.06], [-0.08, 0.08, 0.24], 0.008),
            block([0.06, 0.07, 0.05], [0.12, -0.1, 0.232], 0.006),
        ]
    });
    draw(out, "tidybot_casters", Paint::Slate, || {
        let fork = |(sx, sy): (f64, f64)| {
            block([0.035, 0.028, 0.03], [sx * (hx - 0.06), sy * (hy - 0.07), 0.125], 0.006)
        };
        corners.into_iter().map(fork).collect()
    });
    draw(out, "tidybot_wheels", Paint::Rubber, || {
        let wheel = |(sx, sy): (f64, f64)| {
            let (x, y) = (sx * (hx - 0.05), sy * (hy - 0.07));
            barrel([x, y - 0.018, WHEEL], [x, y + 0.018, WHEEL], WHEEL, 0.008)
        };
        corners.into_iter().map(wheel).collect()
    });
}

/// Where a link is solid: clear of the floor, which its joints keep it above.
fn solids(name: &str) -> Vec<(Shape, Pose)> {
    let [hx, hy] = HALF;
    match name {
        "base_link" => vec![brick([hx, hy, (TOP - 0.02) / 2.0], [0.0, 0.0, TOP / 2.0 + 0.01])],
        _ => Vec::new(),
    }
}

/// The look of the base.
pub(in crate::robots) const LOOK: GripperLook = GripperLook {
    link,
    solids,
    finger: |_, _| {},
    finger_solids: Vec::new,
    footprint: Footprint { half: HALF, shift: 0.0 },
};
