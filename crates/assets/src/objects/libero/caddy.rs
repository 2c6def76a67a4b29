//! A desk caddy: two deep wings (`left`, `right`) and, between them, a `back` and a low `front`
//! compartment; its front faces −x.

use longarm_types::{Bounds, Pose};

use super::super::common::{Panel, board_solids, region, show};
use super::{CategoryModel, beech};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, RegionKind};

pub(super) struct Caddy;

const X: [f64; 2] = [-0.0786, 0.0792];
const Y: [f64; 2] = [-0.2196, 0.2204];
const HEIGHT: f64 = 0.1694;
const FLOOR: f64 = 0.005;

/// Name, middle and half size of each compartment.
const ROOMS: [(&str, [f64; 3], [f64; 3]); 4] = [
    ("right_contain_region", [0.0063, -0.1434, 0.0656], [0.062, 0.0622, 0.0605]),
    ("left_contain_region", [0.0063, 0.1455, 0.0656], [0.062, 0.0622, 0.0605]),
    ("back_contain_region", [0.0336, -0.0006, 0.0856], [0.0278, 0.0622, 0.0605]),
    ("front_contain_region", [-0.031, -0.0006, 0.0405], [0.0278, 0.0622, 0.036]),
];

/// Walls between the given faces.
fn wall(x: [f64; 2], y: [f64; 2], z: [f64; 2]) -> Panel {
    let mid = |[a, b]: [f64; 2]| (a + b) / 2.0;
    let half = |[a, b]: [f64; 2]| (b - a) / 2.0;
    ([mid(x), mid(y), mid(z)], [half(x), half(y), half(z)])
}

fn panels() -> [Panel; 11] {
    // Inner faces leave a few millimetres around the regions.
    let gap = 0.004;
    let face = |i: usize, axis: usize, s: f64| ROOMS[i].1[axis] + s * (ROOMS[i].2[axis] + gap);
    let low = face(0, 0, -1.0);
    let wings = 0.115;
    let (right, left) = (face(0, 1, 1.0), face(1, 1, -1.0));
    let (inner_r, inner_l) = (face(2, 1, -1.0), face(2, 1, 1.0));
    let step = [face(3, 0, 1.0) - 0.002, face(2, 0, -1.0) + 0.002];
    [
        wall(X, Y, [0.0, FLOOR]),
        // Back, highest in the middle.
        wall([X[1] - 0.008, X[1]], Y, [FLOOR, wings]),
        wall([X[1] - 0.008, X[1]], [right, left], [wings, HEIGHT]),
        // Fronts of the wings and of the middle.
        wall([low - 0.008, low], [Y[0], right], [FLOOR, 0.070]),
        wall([low - 0.008, low], [left, Y[1]], [FLOOR, 0.070]),
        wall([X[0], face(3, 0, -1.0)], [inner_r, inner_l], [FLOOR, 0.050]),
        // Ends.
        wall([low, X[1]], [Y[0], Y[0] + 0.009], [FLOOR, wings]),
        wall([low, X[1]], [Y[1] - 0.009, Y[1]], [FLOOR, wings]),
        // Between wings and middle.
        wall([X[0], X[1]], [right, inner_r], [FLOOR, 0.125]),
        wall([X[0], X[1]], [inner_l, left], [FLOOR, 0.125]),
        // Between front and back.
        wall([step[0], step[1]], [inner_r, inner_l], [FLOOR, 0.100]),
    ]
}

impl CategoryModel for Caddy {
    fn info(&self) -> AssetInfo {
        let mut info = AssetInfo::fixture(Bounds {
            centre: [(X[0] + X[1]) / 2.0, (Y[0] + Y[1]) / 2.0, HEIGHT / 2.0],
            half: [(X[1] - X[0]) / 2.0, (Y[1] - Y[0]) / 2.0, HEIGHT / 2.0],
        });
        info.regions = ROOMS.map(|(name, c, h)| region(name, RegionKind::Volume, c, h)).into();
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&panels(), 0.0, out);
        let wood = beech(out);
        show("libero_caddy", wood, out, || {
            TriMesh::merged(
                panels()
                    .iter()
                    .map(|(c, h)| TriMesh::rounded_box(*h, 0.0015, 2).moved(c[0], c[1], c[2])),
            )
        });
        out.close();
    }
}
