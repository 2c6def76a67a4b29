//! A rack that keeps one book upright between two boards.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Panel, board_mesh, board_solids, region, show_tinted};
use crate::{AssetInfo, Mjcf, Model, RegionKind};

/// A rack with one slot along y, standing fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BookRack {
    /// Thickness and width of the book it is for.
    pub book: [f64; 2],
}

/// Room around the book, on each side.
const ROOM: f64 = 0.007;
const BOARD: f64 = 0.01;
const FLOOR: f64 = 0.01;
const HEIGHT: f64 = 0.062;

impl BookRack {
    fn slot(&self) -> [f64; 2] {
        self.book.map(|s| s / 2.0 + ROOM)
    }

    /// Floor, and a board on either side of the slot.
    fn boards(&self) -> [Panel; 3] {
        let [x, y] = self.slot();
        let (z, up) = ((FLOOR + HEIGHT) / 2.0, (HEIGHT - FLOOR) / 2.0);
        let side = |s: f64| ([s * (x + BOARD / 2.0), 0.0, z], [BOARD / 2.0, y, up]);
        let floor = ([0.0, 0.0, FLOOR / 2.0], [x + BOARD, y, FLOOR / 2.0]);
        [floor, side(1.0), side(-1.0)]
    }
}

impl Model for BookRack {
    fn noun(&self) -> &str {
        "rack"
    }

    fn info(&self) -> AssetInfo {
        let [x, y] = self.slot();
        let half = (HEIGHT - FLOOR) / 2.0;
        AssetInfo {
            aligns: true,
            symmetry: 2,
            regions: vec![region(
                "slot",
                RegionKind::Volume,
                [0.0, 0.0, FLOOR + half],
                [x, y, half],
            )],
            ..AssetInfo::fixture(Bounds::standing(x + BOARD, y, HEIGHT))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y] = self.book;
        out.open(name, &Pose::IDENTITY);
        board_solids(&self.boards(), 0.0, out);
        show_tinted(name, 0, &format!("book_rack_{x}_{y}"), [0.74, 0.56, 0.36], out, || {
            board_mesh(&self.boards(), 0.002)
        });
        out.close();
    }
}

impl Samples for BookRack {
    fn samples() -> Vec<Self> {
        vec![Self { book: [0.03, 0.14] }]
    }
}
