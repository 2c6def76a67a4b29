//! A board with cavities for three pieces: a square one, an oblong one and a bar, side by side along y.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Panel, board_mesh, board_solids, region, show, show_tinted, slab};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model, RegionKind, Surface};

/// A board with cavities, standing fixed. Pieces are blocks of [`Kit::PIECES`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kit {
    /// Room around a piece in its cavity, on each side.
    pub clearance: f64,
}

impl Kit {
    /// Cavities and full size of the piece that belongs in each.
    pub const PIECES: [(&'static str, [f64; 3]); 3] = [
        ("square", [0.045, 0.045, 0.052]),
        ("oblong", [0.065, 0.034, 0.052]),
        ("bar", [0.08, 0.022, 0.052]),
    ];

    /// A cavity: y of its middle and its half size.
    fn cavity(&self, k: usize) -> (f64, [f64; 2]) {
        let [x, y, _] = Self::PIECES[k].1;
        (PITCH * (k as f64 - 1.0), [x / 2.0 + self.clearance, y / 2.0 + self.clearance])
    }

    /// Floor, strips between cavities and what fills each cavity's ends.
    fn boards(&self) -> Vec<Panel> {
        let [hx, hy] = HALF;
        let (z, half) = ((FLOOR + HEIGHT) / 2.0, (HEIGHT - FLOOR) / 2.0);
        let mut out = vec![([0.0, 0.0, FLOOR / 2.0], [hx, hy, FLOOR / 2.0])];
        let mut from = -hy;
        for k in 0..Self::PIECES.len() {
            let (y, [cx, cy]) = self.cavity(k);
            let strip = |lo: f64, hi: f64| ([0.0, (lo + hi) / 2.0, z], [hx, (hi - lo) / 2.0, half]);
            out.push(strip(from, y - cy));
            for s in [-1.0, 1.0] {
                out.push(([s * (hx + cx) / 2.0, y, z], [(hx - cx) / 2.0, cy, half]));
            }
            from = y + cy;
        }
        out.push(([0.0, (from + hy) / 2.0, z], [hx, (hy - from) / 2.0, half]));
        // Cheeks at both ends, to carry it by.
        for s in [-1.0, 1.0] {
            let (x, half) = (hx - CHEEK, CHEEKS / 2.0);
            out.push(([s * x, 0.0, half], [CHEEK, hy, half]));
        }
        out
    }
}

const HALF: [f64; 2] = [0.065, 0.115];
const PITCH: f64 = 0.074;
const HEIGHT: f64 = 0.014;
const FLOOR: f64 = 0.004;
/// Half the thickness of the cheeks, and their height.
const CHEEK: f64 = 0.003;
const CHEEKS: f64 = 0.034;

impl Model for Kit {
    fn noun(&self) -> &str {
        "kit"
    }

    fn info(&self) -> AssetInfo {
        let [hx, hy] = HALF;
        let regions = Self::PIECES.iter().enumerate().map(|(k, (name, [_, _, tall]))| {
            let (y, [cx, cy]) = self.cavity(k);
            // The middle of a piece that is all the way in, and 3 mm above.
            let top = FLOOR + tall / 2.0 + 0.003;
            let (z, half) = ((FLOOR + top) / 2.0, (top - FLOOR) / 2.0);
            region(name, RegionKind::Volume, [0.0, y, z], [cx, cy, half])
        });
        AssetInfo {
            aligns: true,
            regions: regions.collect(),
            ..AssetInfo::fixture(Bounds::standing(hx, hy, CHEEKS))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&self.boards(), 0.0, out);
        let c = self.clearance;
        show_tinted(name, 0, &format!("kit_{c}"), [0.80, 0.71, 0.56], out, || {
            board_mesh(&self.boards(), 0.0008)
        });
        show(&format!("kit_floor_{c}"), Surface::rgb([0.34, 0.30, 0.26]), out, || {
            TriMesh::merged((0..Self::PIECES.len()).map(|k| {
                let (y, [cx, cy]) = self.cavity(k);
                slab([0.0, y, FLOOR], [cx, cy, 0.0004], 0.0)
            }))
        });
        out.close();
    }
}

impl Samples for Kit {
    fn samples() -> Vec<Self> {
        vec![Self { clearance: 0.0025 }]
    }
}
