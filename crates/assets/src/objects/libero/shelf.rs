//! A wooden shelf of two storeys, open towards −y; its lower storey opens onto the table.

use longarm_types::{Bounds, Pose};

use super::super::common::{Panel, board_solids, region, show, under_roof};
use super::{CategoryModel, walnut};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, RegionKind};

pub(super) struct Shelf;

const LOW: [f64; 2] = [-0.1708, -0.0792];
const HIGH: [f64; 2] = [0.1807, 0.1117];
const HEIGHT: f64 = 0.2104;
const PANEL: f64 = 0.012;
/// Under and upper face of the middle board.
const BOARD: [f64; 2] = [0.0560, 0.0680];

fn panels() -> [Panel; 5] {
    let (cx, cy) = ((LOW[0] + HIGH[0]) / 2.0, (LOW[1] + HIGH[1]) / 2.0);
    let (hx, hy) = ((HIGH[0] - LOW[0]) / 2.0, (HIGH[1] - LOW[1]) / 2.0);
    let p = PANEL / 2.0;
    let z = HEIGHT / 2.0;
    [
        ([LOW[0] + p, cy, z], [p, hy, z]),
        ([HIGH[0] - p, cy, z], [p, hy, z]),
        ([cx, cy, HEIGHT - 0.003], [hx, hy, 0.003]),
        ([cx, cy, (BOARD[0] + BOARD[1]) / 2.0], [hx - PANEL, hy, (BOARD[1] - BOARD[0]) / 2.0]),
        ([cx, HIGH[1] - 0.003, z], [hx - PANEL, 0.003, z]),
    ]
}

impl CategoryModel for Shelf {
    fn info(&self) -> AssetInfo {
        let mut info = AssetInfo::fixture(Bounds {
            centre: [(LOW[0] + HIGH[0]) / 2.0, (LOW[1] + HIGH[1]) / 2.0, HEIGHT / 2.0],
            half: [(HIGH[0] - LOW[0]) / 2.0, (HIGH[1] - LOW[1]) / 2.0, HEIGHT / 2.0],
        });
        info.regions = vec![
            region(
                "top_side",
                RegionKind::Surface,
                [0.005, 0.0157, HEIGHT],
                [0.1756, 0.0944, 0.0015],
            ),
            region(
                "top_region",
                RegionKind::Volume,
                [0.0054, 0.0169, 0.1367],
                [0.1509, 0.0856, 0.0674],
            ),
            // The published box reaches 2 cm into the table.
            region(
                "bottom_region",
                RegionKind::Volume,
                [0.0056, 0.0169, 0.0247],
                [0.1558, 0.0856, 0.0247],
            ),
        ];
        under_roof(&mut info);
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&panels(), 0.0, out);
        let wood = walnut(out);
        show("libero_shelf", wood, out, || {
            TriMesh::merged(
                panels()
                    .iter()
                    .map(|(c, h)| TriMesh::rounded_box(*h, 0.002, 2).moved(c[0], c[1], c[2])),
            )
        });
        out.close();
    }
}
