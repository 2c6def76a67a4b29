//! A round waste-paper bin, fixed on the table.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Wall, floor, region, show_tinted};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model, RegionKind};

/// A round waste-paper bin, fixed on the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrashBin;

impl Model for TrashBin {
    fn noun(&self) -> &str {
        "trash bin"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for TrashBin {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

const LOW: f64 = 0.082;
const HIGH: f64 = 0.098;
const HEIGHT: f64 = 0.17;
const WALL: f64 = 0.004;
const FLOOR: f64 = 0.006;
/// What is in the bin has its middle this far below the rim: lying across the rim is not in it.
const BELOW_RIM: f64 = 0.02;

fn info() -> AssetInfo {
    let r = HIGH + WALL + 0.002;
    AssetInfo {
        symmetry: 0,
        regions: vec![region(
            "inside",
            RegionKind::Volume,
            [0.0, 0.0, (FLOOR + HEIGHT - BELOW_RIM) / 2.0],
            [HIGH - 0.004, HIGH - 0.004, (HEIGHT - BELOW_RIM - FLOOR) / 2.0],
        )],
        ..AssetInfo::fixture(Bounds::standing(r, r, HEIGHT))
    }
}

fn build(name: &str, out: &mut Mjcf) {
    out.open(name, &Pose::IDENTITY);
    floor(LOW + 0.004, FLOOR, 0.0, out);
    Wall { radius: [LOW, HIGH], z: [0.0, HEIGHT], thickness: WALL, count: 18 }.build(0.0, out);
    show_tinted(name, 0, "trash_bin", [0.43, 0.49, 0.55], out, || {
        let at = |z: f64| LOW + (HIGH - LOW) * z / HEIGHT;
        let mut profile = vec![[0.0, 0.0], [LOW + WALL - 0.002, 0.0], [LOW + WALL, 0.002]];
        // Ribs around the wall, as pressed sheet has.
        for z in [0.03, 0.055, 0.08, 0.105, 0.13] {
            let r = at(z) + WALL;
            profile.extend([[r, z - 0.004], [r + 0.0016, z], [r, z + 0.004]]);
        }
        let r = HIGH + WALL;
        profile.extend([
            [r, HEIGHT - 0.008],
            [r + 0.0018, HEIGHT - 0.006],
            [r + 0.002, HEIGHT - 0.002],
            [r, HEIGHT],
            [HIGH - 0.001, HEIGHT],
            [HIGH - 0.002, HEIGHT - 0.002],
            [at(FLOOR), FLOOR],
            [0.0, FLOOR],
        ]);
        TriMesh::lathe(&profile, 48, 0.5).without_uvs()
    });
    out.close();
}
