//! A glass beaker: round, open above, tight.

use std::f64::consts::{FRAC_PI_4, PI};

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    FOOT_GAP, Wall, open_free, pinch_height, pinches_around, region, rim_around, show,
};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Mouth, RegionKind, Shape, Surface};

/// A beaker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Beaker {
    /// Outer radius.
    #[schemars(range(min = 0.02, max = 0.1))]
    pub radius: f64,
    /// Height.
    #[schemars(range(min = 0.03, max = 0.2))]
    pub height: f64,
}

/// Thickness of its wall and of its floor.
const WALL: f64 = 0.0025;
const FLOOR: f64 = 0.004;
/// Mass per area of glass, kg/m².
const GLASS: f64 = 5.0;
/// Widest that a gripper closes around.
const WIDEST: f64 = 0.068;
/// Tilt at which nearly all has left it, radians.
const EMPTIED: f64 = 1.95;

impl Beaker {
    fn mass(&self) -> f64 {
        GLASS * PI * self.radius * (self.radius + 2.0 * self.height)
    }
}

impl Model for Beaker {
    fn noun(&self) -> &str {
        "beaker"
    }

    fn info(&self) -> AssetInfo {
        let (r, h) = (self.radius, self.height);
        let grasps = match 2.0 * r <= WIDEST {
            true => pinches_around(pinch_height(h), 2.0 * r),
            false => rim_around(r - WALL / 2.0, h - 0.012, 0.03),
        };
        let inner = r - WALL;
        let (middle, half) = ((FLOOR + h) / 2.0, (h - FLOOR) / 2.0);
        AssetInfo {
            symmetry: 0,
            disc: true,
            grasps,
            regions: vec![region(
                "inside",
                RegionKind::Volume,
                [0.0, 0.0, middle],
                [inner * libm::cos(FRAC_PI_4), inner * libm::cos(FRAC_PI_4), half],
            )],
            spout: Some(Mouth { at: [0.0, 0.0, h], spills: EMPTIED, rim: None }),
            ..AssetInfo::movable(Bounds::standing(r, r, h), self.mass())
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (r, h) = (self.radius, self.height);
        open_free(name, out);
        let side = r * libm::cos(FRAC_PI_4);
        let foot = Geom::solid(Shape::Box([side, side, FLOOR / 4.0]));
        out.geom(foot.pos(0.0, 0.0, FLOOR / 4.0).mass(0.1 * self.mass()));
        // Round, so that nothing runs out between it and the wall.
        let half = (FLOOR - FOOT_GAP) / 2.0;
        let floor = Geom::solid(Shape::Cylinder(r - WALL / 2.0, half));
        out.geom(floor.pos(0.0, 0.0, FOOT_GAP + half).mass(0.2 * self.mass()));
        let inner = r - WALL;
        let wall = Wall { radius: [inner; 2], z: [FOOT_GAP, h], thickness: WALL, count: 12 };
        wall.build(0.7 * self.mass(), out);
        let glass = Surface::Rgba([0.80, 0.88, 0.92, 0.28]);
        show(&format!("beaker_{r}_{h}"), glass, out, || {
            let profile = [
                [0.0, 0.0],
                [r - 0.002, 0.0],
                [r, 0.002],
                [r, h - 0.002],
                [r + 0.0008, h - 0.0008],
                [r, h],
                [inner, h - 0.001],
                [inner, FLOOR],
                [0.0, FLOOR],
            ];
            TriMesh::lathe(&profile, 48, 0.6).without_uvs()
        });
        let rim = Surface::Rgba([0.90, 0.95, 0.97, 0.75]);
        show(&format!("beaker_rim_{r}_{h}"), rim, out, || {
            let profile = [
                [inner - 0.0002, h - 0.003],
                [r + 0.0010, h - 0.003],
                [r + 0.0010, h + 0.0002],
                [inner - 0.0002, h + 0.0002],
                [inner - 0.0002, h - 0.003],
            ];
            TriMesh::lathe(&profile, 48, 0.6).without_uvs()
        });
        out.close();
    }
}

impl Samples for Beaker {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.032, height: 0.1 }, Self { radius: 0.055, height: 0.07 }]
    }
}
