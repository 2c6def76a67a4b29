//! A thick felt pen lying along its x axis, its cap towards +x.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{ROLLING, open_free, pinch, pinch_height, roomy, show, show_tinted};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Lies, Mjcf, Model, Shape, Surface};

/// A thick felt pen, round and with rounded ends: it rolls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeltPen {
    /// Full length.
    pub length: f64,
    /// Diameter.
    pub thickness: f64,
}

/// Mass of a cubic metre: a plastic tube with ink in it.
const DENSITY: f64 = 700.0;

impl FeltPen {
    fn mass(&self) -> f64 {
        let r = self.thickness / 2.0;
        DENSITY * std::f64::consts::PI * r * r * (self.length - 2.0 / 3.0 * r)
    }
}

impl Model for FeltPen {
    fn noun(&self) -> &str {
        "pen"
    }

    fn info(&self) -> AssetInfo {
        let (half, r) = (self.length / 2.0, self.thickness / 2.0);
        let hold = pinch([0.0, 0.0, pinch_height(2.0 * r)], FRAC_PI_2, roomy(2.0 * r));
        AssetInfo {
            symmetry: 1,
            lies: Lies::Lengthwise,
            grasps: vec![hold],
            ..AssetInfo::movable(Bounds::standing(half, r, 2.0 * r), self.mass())
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (length, thickness) = (self.length, self.thickness);
        let (half, r) = (length / 2.0, thickness / 2.0);
        open_free(name, out);
        let along = Pose::new(DVec3::new(0.0, 0.0, r), DQuat::from_rotation_y(FRAC_PI_2));
        let solid = Geom::solid(Shape::Capsule(r, half - r)).at(along).mass(self.mass());
        out.geom(solid.friction(ROLLING).with("condim=\"6\""));
        let lie = |m: TriMesh| m.without_uvs().along(DVec3::X).moved(0.0, 0.0, r);
        // Quarter circles towards either end.
        let round = |end: f64, side: f64| {
            (0..=6).map(move |k| {
                let a = FRAC_PI_2 * f64::from(k) / 6.0;
                [r * libm::cos(a), end + side * r * libm::sin(a)]
            })
        };
        let seam = half - 0.38 * length;
        let named = format!("{length}_{thickness}");
        show(&format!("felt_pen_{named}"), Surface::rgb([0.90, 0.90, 0.88]), out, || {
            let mut p: Vec<[f64; 2]> = round(r - half, -1.0).collect();
            p.reverse();
            p.extend([[r, seam], [0.0, seam]]);
            lie(TriMesh::lathe(&p, 28, 0.5))
        });
        show_tinted(name, 0, &format!("felt_pen_cap_{named}"), [0.82, 0.20, 0.16], out, || {
            let mut p = vec![[0.0, seam], [r + 0.0003, seam]];
            p.extend(round(half - r, 1.0).map(|[a, z]| [a + 0.0003 * a / r, z]));
            lie(TriMesh::lathe(&p, 28, 0.5))
        });
        out.close();
    }
}

impl Samples for FeltPen {
    fn samples() -> Vec<Self> {
        vec![Self { length: 0.14, thickness: 0.024 }]
    }
}
