//! A low wall at the end of a narrow rail, to push or lean objects against.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Panel, board_mesh, board_solids, region, show, show_tinted};
use crate::{AssetInfo, Mjcf, Model, RegionKind, Surface};

/// A narrow rail with a low wall at its end towards +x, standing fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Backstop {
    /// Length of the rail, width and height of the wall.
    pub size: [f64; 3],
}

/// Height and width of the rail: fingers pass beside it.
const FLOOR: f64 = 0.016;
const RAIL: f64 = 0.04;
const WALL: f64 = 0.016;

impl Backstop {
    fn floor(&self) -> Panel {
        ([-WALL / 2.0, 0.0, FLOOR / 2.0], [self.size[0] / 2.0, RAIL / 2.0, FLOOR / 2.0])
    }

    fn wall(&self) -> Panel {
        let [x, y, z] = self.size.map(|s| s / 2.0);
        ([x, 0.0, z], [WALL / 2.0, y, z])
    }
}

impl Model for Backstop {
    fn noun(&self) -> &str {
        "wall"
    }

    fn info(&self) -> AssetInfo {
        let [x, y, z] = self.size;
        let ([cx, ..], [half, ..]) = self.floor();
        AssetInfo {
            regions: vec![
                region("floor", RegionKind::Surface, [cx, 0.0, FLOOR], [half, RAIL / 2.0, 0.002]),
                region("face", RegionKind::Volume, self.wall().0, self.wall().1),
            ],
            ..AssetInfo::fixture(Bounds::standing((x + WALL) / 2.0, y / 2.0, z))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y, z] = self.size;
        out.open(name, &Pose::IDENTITY);
        board_solids(&[self.floor(), self.wall()], 0.0, out);
        show_tinted(name, 0, &format!("backstop_{x}_{y}_{z}"), [0.62, 0.64, 0.67], out, || {
            board_mesh(&[self.wall()], 0.003)
        });
        show(&format!("backstop_floor_{x}_{y}_{z}"), Surface::rgb([0.42, 0.43, 0.46]), out, || {
            board_mesh(&[self.floor()], 0.002)
        });
        out.close();
    }
}

impl Samples for Backstop {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.2, 0.2, 0.09] }]
    }
}
