//! A dinner plate with an upright lip that fingers can hold.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Wall, floor, open_free, region, rim_around, show, show_tinted};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model, RegionKind, Surface};

/// A round dinner plate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plate {
    /// Outer radius.
    pub radius: f64,
}

impl Model for Plate {
    fn noun(&self) -> &str {
        "plate"
    }

    fn info(&self) -> AssetInfo {
        info(self.radius)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.radius, name, out);
    }
}

impl Samples for Plate {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.08 }, Self { radius: 0.11 }]
    }
}

const MASS: f64 = 0.13;
const FLOOR: f64 = 0.005;
const HEIGHT: f64 = 0.027;
const WALL: f64 = 0.0036;
/// How far the well stands back from the lip's inner face: the fillet between them.
const FILLET: f64 = 0.006;

fn info(radius: f64) -> AssetInfo {
    // A square well inside the round well.
    let half = 0.75 * (radius - FILLET - WALL);
    let mut grasps = rim_around(radius - WALL / 2.0, HEIGHT - 0.008, 0.032);
    grasps.push(super::common::suction([0.0, 0.0, FLOOR]));
    AssetInfo {
        symmetry: 0,
        grasps,
        regions: vec![region(
            "surface",
            RegionKind::Surface,
            [0.0, 0.0, FLOOR],
            [half, half, 0.004],
        )],
        ..AssetInfo::movable(Bounds::standing(radius, radius, HEIGHT), MASS)
    }
}

fn build(radius: f64, name: &str, out: &mut Mjcf) {
    let well = radius - WALL - FILLET;
    open_free(name, out);
    floor(well, FLOOR, 0.6 * MASS, out);
    // The foot of the lip slants in to the well; the lip itself is upright, so that pads lie flat.
    let inner = radius - WALL;
    for (radius, z) in [([well, inner], [0.0035, 0.009]), ([inner; 2], [0.007, HEIGHT])] {
        Wall { radius, z, thickness: WALL, count: 16 }.build(0.2 * MASS, out);
    }
    show_tinted(name, 0, &format!("plate_{radius}"), [0.93, 0.92, 0.89], out, || {
        let mut profile = vec![
            [0.0, 0.0015],
            [0.62 * well, 0.0015],
            [0.64 * well, 0.0],
            [0.70 * well, 0.0],
            [0.72 * well, 0.0015],
            [well - 0.002, 0.0015],
            [well + 0.004, 0.003],
            [radius - 0.0015, 0.006],
            [radius - 0.0006, 0.010],
        ];
        let mid = radius - WALL / 2.0;
        for k in 0..=6 {
            let a = f64::from(k) * FRAC_PI_2 / 3.0;
            let (r, z) = (mid + WALL / 2.0 * libm::cos(a), WALL / 2.0 * libm::sin(a));
            profile.push([r, HEIGHT - WALL / 2.0 + z]);
        }
        profile.extend([
            [radius - WALL - 0.0006, 0.012],
            [radius - WALL - 0.0018, 0.009],
            [well + 0.001, FLOOR + 0.001],
            [well - 0.003, FLOOR],
            [0.0, FLOOR],
        ]);
        TriMesh::lathe(&profile, 64, 0.75).without_uvs()
    });
    // A printed ring makes it read as a plate also from above.
    show(&format!("plate_ring_{radius}"), Surface::rgb([0.36, 0.47, 0.60]), out, || {
        let r = 0.86 * well;
        let z = FLOOR;
        let profile =
            [[r, z - 0.001], [r, z + 0.0004], [r - 0.0028, z + 0.0004], [r - 0.0028, z - 0.001]];
        TriMesh::lathe(&profile, 64, 0.7).without_uvs()
    });
    out.close();
}
