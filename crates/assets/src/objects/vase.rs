//! An opaque vase with a flared mouth, fixed on the table.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Wall, floor, region, show, show_tinted};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model, RegionKind, Surface};

/// An opaque vase, open at the top, fixed on the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vase {
    /// Height, more than a stick is long when sticks must vanish in it.
    pub height: f64,
}

impl Model for Vase {
    fn noun(&self) -> &str {
        "vase"
    }

    fn info(&self) -> AssetInfo {
        info(self.height)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.height, name, out);
    }
}

impl Samples for Vase {
    fn samples() -> Vec<Self> {
        vec![Self { height: 0.12 }, Self { height: 0.16 }]
    }
}

const INNER: f64 = 0.034;
const MOUTH: f64 = 0.044;
const WALL: f64 = 0.004;
const FLOOR: f64 = 0.006;
/// Height of the flare below the rim.
const FLARE: f64 = 0.022;
const BELLY: f64 = 0.008;

fn info(height: f64) -> AssetInfo {
    let r = MOUTH + WALL;
    AssetInfo {
        symmetry: 0,
        remarks: vec!["opaque; a dark slit membrane in the neck hides what is inside".into()],
        regions: vec![region(
            "inside",
            RegionKind::Volume,
            [0.0, 0.0, (FLOOR + height) / 2.0],
            [INNER, INNER, (height - FLOOR) / 2.0],
        )],
        ..AssetInfo::fixture(Bounds::standing(r, r, height))
    }
}

fn build(height: f64, name: &str, out: &mut Mjcf) {
    let neck = height - FLARE;
    out.open(name, &Pose::IDENTITY);
    floor(INNER + 0.002, FLOOR, 0.0, out);
    let storeys = [([INNER, INNER], [0.0, neck]), ([INNER, MOUTH], [neck, height])];
    for (radius, z) in storeys {
        Wall { radius, z, thickness: WALL, count: 14 }.build(0.0, out);
    }
    show_tinted(name, 0, &format!("vase_{height}"), [0.42, 0.55, 0.60], out, || {
        const STEPS: usize = 20;
        let mut profile = vec![[0.0, 0.0], [INNER - 0.002, 0.0], [INNER + 0.001, 0.003]];
        for i in 0..=STEPS {
            // A belly in the lower half; the wall is thicker there, the inside straight.
            let s = i as f64 / STEPS as f64;
            let bulge = BELLY * libm::pow(libm::sin(std::f64::consts::PI * libm::sqrt(s)), 2.0);
            profile.push([INNER + WALL + bulge, 0.004 + s * (neck - 0.004)]);
        }
        for i in 1..=6 {
            let s = f64::from(i) / 6.0;
            profile.push([INNER + WALL + (MOUTH - INNER) * s * s, neck + (FLARE - 0.001) * s]);
        }
        profile.push([MOUTH + WALL / 2.0, height]);
        profile.push([MOUTH, height - 0.001]);
        for i in (0..6).rev() {
            let s = f64::from(i) / 6.0;
            profile.push([INNER + (MOUTH - INNER) * s * s, neck + (FLARE - 0.001) * s]);
        }
        profile.extend([[INNER, FLOOR], [0.0, FLOOR]]);
        TriMesh::lathe(&profile, 48, 0.6).without_uvs()
    });
    // Two painted bands around the belly.
    show(&format!("vase_bands_{height}"), Surface::rgb([0.90, 0.86, 0.77]), out, || {
        TriMesh::merged([0.30, 0.36].map(|s| {
            let bulge = BELLY * libm::pow(libm::sin(std::f64::consts::PI * libm::sqrt(s)), 2.0);
            let (r, z) = (INNER + WALL + bulge + 0.0004, 0.004 + s * (neck - 0.004));
            TriMesh::lathe(
                &[[r - 0.002, z - 0.002], [r, z - 0.002], [r, z + 0.002], [r - 0.002, z + 0.002]],
                48,
                0.5,
            )
        }))
        .without_uvs()
    });
    // A slit rubber diaphragm in the neck: sticks pass through it and vanish, seen from above too.
    show(&format!("vase_diaphragm_{height}"), Surface::rgb([0.12, 0.13, 0.15]), out, || {
        TriMesh::cylinder(INNER + 0.002, 0.0008, 0.0, 32).without_uvs().moved(
            0.0,
            0.0,
            neck + 0.004,
        )
    });
    out.close();
}
