//! An upright board on a foot, with a hole that looks along y.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    Panel, board_mesh, board_solids, open_free, pinch, pinch_height, region, roomy, show,
    show_tinted,
};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Mjcf, Model, Region, RegionKind, Surface};

/// An upright board with a hole, to be held up by its upper edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PegBoard {
    /// Half the width of the hole.
    pub hole: f64,
}

/// Half width and thickness, height of the board; height of the hole's middle.
const HALF: [f64; 2] = [0.06, 0.008];
const HEIGHT: f64 = 0.15;
const AT: f64 = 0.065;
/// Half depth and height of the foot.
const FOOT: [f64; 2] = [0.04, 0.01];
const MASS: f64 = 0.18;

impl PegBoard {
    /// Foot, and the board around its hole.
    fn boards(&self) -> [Panel; 5] {
        let ([x, y], hole) = (HALF, self.hole);
        let [deep, foot] = FOOT;
        let (low, high) = (AT - hole, AT + hole);
        let row = |from: f64, to: f64| ([0.0, 0.0, (from + to) / 2.0], [x, y, (to - from) / 2.0]);
        let beside = |s: f64| ([s * (x + hole) / 2.0, 0.0, AT], [(x - hole) / 2.0, y, hole]);
        [
            ([0.0, 0.0, foot / 2.0], [x, deep, foot / 2.0]),
            row(foot, low),
            row(high, HEIGHT),
            beside(1.0),
            beside(-1.0),
        ]
    }
}

impl Model for PegBoard {
    fn noun(&self) -> &str {
        "board"
    }

    fn info(&self) -> AssetInfo {
        let ([x, y], hole) = (HALF, self.hole);
        let through = region("hole", RegionKind::Volume, [0.0, 0.0, AT], [hole, y, hole]);
        let grasps = [0.0, 0.02, -0.02]
            .map(|dx| pinch([dx, 0.0, pinch_height(HEIGHT)], FRAC_PI_2, roomy(2.0 * y)));
        AssetInfo {
            symmetry: 2,
            grasps: grasps.into(),
            regions: vec![Region { access: Access::Through, ..through }],
            ..AssetInfo::movable(Bounds::standing(x, FOOT[0], HEIGHT), MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (hole, thick) = (self.hole, HALF[1]);
        open_free(name, out);
        board_solids(&self.boards(), MASS, out);
        show_tinted(name, 0, &format!("peg_board_{hole}"), [0.26, 0.48, 0.62], out, || {
            board_mesh(&self.boards(), 0.0015)
        });
        // A round bush covers the corners of the hole.
        show(&format!("peg_board_bush_{hole}"), Surface::rgb([0.86, 0.87, 0.88]), out, || {
            let (r, z) = (1.5 * hole, thick + 0.001);
            let ring = [[hole, -z], [r, -z], [r, z], [hole, z], [hole, -z]];
            TriMesh::lathe(&ring, 40, 0.5).without_uvs().along(DVec3::Y).moved(0.0, 0.0, AT)
        });
        out.close();
    }
}

impl Samples for PegBoard {
    fn samples() -> Vec<Self> {
        vec![Self { hole: 0.016 }]
    }
}
