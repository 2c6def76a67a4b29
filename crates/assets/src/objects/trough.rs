//! A trough: an open box that stands fast, for sand or water.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Panel, board_mesh, board_solids, region, show_tinted};
use crate::{AssetInfo, Mjcf, Model, RegionKind};

/// A trough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trough {
    /// Length of its inside along x and y, and its height.
    #[schemars(inner(range(min = 0.03, max = 0.4)))]
    pub size: [f64; 3],
}

const WALL: f64 = 0.005;
const FLOOR: f64 = 0.005;

impl Trough {
    /// The floor, which reaches under the walls, and the walls, of which two reach past the others.
    fn boards(&self) -> [Panel; 5] {
        let [x, y, h] = self.size;
        let (hx, hy, w) = (x / 2.0, y / 2.0, WALL / 2.0);
        let side = |s: f64| ([s * (hx + w), 0.0, h / 2.0], [w, hy + WALL, h / 2.0]);
        let end = |s: f64| ([0.0, s * (hy + w), h / 2.0], [hx + WALL, w, h / 2.0]);
        let floor = ([0.0, 0.0, FLOOR / 2.0], [hx + WALL, hy + WALL, FLOOR / 2.0]);
        [floor, side(1.0), side(-1.0), end(1.0), end(-1.0)]
    }
}

impl Model for Trough {
    fn noun(&self) -> &str {
        "trough"
    }

    fn info(&self) -> AssetInfo {
        let [x, y, h] = self.size;
        AssetInfo {
            symmetry: if (x - y).abs() < 1e-9 { 4 } else { 2 },
            regions: vec![region(
                "inside",
                RegionKind::Volume,
                [0.0, 0.0, (h + FLOOR) / 2.0],
                [x / 2.0, y / 2.0, (h - FLOOR) / 2.0],
            )],
            ..AssetInfo::fixture(Bounds::standing(x / 2.0 + WALL, y / 2.0 + WALL, h))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y, h] = self.size;
        out.open(name, &Pose::IDENTITY);
        board_solids(&self.boards(), 0.0, out);
        show_tinted(name, 0, &format!("trough_{x}_{y}_{h}"), [0.45, 0.50, 0.56], out, || {
            board_mesh(&self.boards(), 0.0015)
        });
        out.close();
    }
}

impl Samples for Trough {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.18, 0.12, 0.05] }, Self { size: [0.12, 0.12, 0.06] }]
    }
}
