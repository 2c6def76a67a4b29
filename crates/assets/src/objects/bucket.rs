//! A bucket whose handle arches over it along x.

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    Panel, Wall, board_solids, floor, open_free, pinch, region, show, show_tinted,
};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, GraspKind, Mjcf, Model, RegionKind, Shape, Surface};

/// A bucket with an arched handle that stands up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bucket {}

/// Radius below and above, height of the rim.
const RADIUS: [f64; 2] = [0.052, 0.066];
const HEIGHT: f64 = 0.10;
const WALL: f64 = 0.004;
const FLOOR: f64 = 0.005;
/// The handle: height of its grip, radius of the grip and half its length.
const TOP: f64 = 0.175;
const GRIP: f64 = 0.012;
const GRIP_HALF: f64 = 0.05;
const MASS: f64 = 0.22;

/// The sides of the handle, from the rim up to the grip.
fn sides() -> [Panel; 2] {
    let (x, z) = (RADIUS[1] + 0.003, (HEIGHT - 0.02 + TOP) / 2.0);
    [1.0, -1.0].map(|s| ([s * x, 0.0, z], [0.003, 0.006, (TOP - HEIGHT + 0.02) / 2.0]))
}

impl Model for Bucket {
    fn noun(&self) -> &str {
        "bucket"
    }

    fn info(&self) -> AssetInfo {
        let mut hold = pinch([0.0, 0.0, TOP], std::f64::consts::FRAC_PI_2, 0.05);
        hold.kind = GraspKind::Handle;
        AssetInfo {
            symmetry: 2,
            grasps: vec![hold],
            regions: vec![region(
                "inside",
                RegionKind::Volume,
                [0.0, 0.0, (HEIGHT + FLOOR) / 2.0],
                [0.7 * RADIUS[0], 0.7 * RADIUS[0], (HEIGHT - FLOOR) / 2.0],
            )],
            ..AssetInfo::movable(
                Bounds::standing(RADIUS[1] + 0.006, RADIUS[1] + WALL, TOP + GRIP),
                MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        floor(RADIUS[0], FLOOR, 0.4 * MASS, out);
        Wall { radius: RADIUS, z: [FLOOR, HEIGHT], thickness: WALL, count: 12 }
            .build(0.4 * MASS, out);
        board_solids(&sides(), 0.06 * MASS, out);
        let reach = RADIUS[1] + 0.006;
        let bar = Geom::solid(Shape::Box([reach, 0.006, 0.004])).pos(0.0, 0.0, TOP);
        out.geom(bar.mass(0.04 * MASS));
        let grip = Geom::solid(Shape::Box([GRIP_HALF, GRIP * 0.9, GRIP * 0.9]));
        out.geom(grip.pos(0.0, 0.0, TOP).mass(0.1 * MASS));
        show_tinted(name, 0, "bucket", [0.24, 0.52, 0.70], out, || {
            let [low, high] = RADIUS.map(|r| r + WALL);
            let profile = [
                [0.0, 0.0],
                [low, 0.0],
                [high, HEIGHT - 0.008],
                [high + 0.004, HEIGHT - 0.006],
                [high + 0.004, HEIGHT],
                [RADIUS[1], HEIGHT],
                [RADIUS[0], FLOOR],
                [0.0, FLOOR],
            ];
            TriMesh::lathe(&profile, 48, 0.5).without_uvs()
        });
        show("bucket_bail", Surface::rgb([0.70, 0.71, 0.73]), out, || {
            let x = RADIUS[1] + 0.005;
            let arch: Vec<DVec3> = [
                (-x, HEIGHT - 0.016),
                (-x, TOP - 0.02),
                (-x + 0.006, TOP - 0.004),
                (-x + 0.016, TOP),
                (x - 0.016, TOP),
                (x - 0.006, TOP - 0.004),
                (x, TOP - 0.02),
                (x, HEIGHT - 0.016),
            ]
            .map(|(x, z)| DVec3::new(x, 0.0, z))
            .into();
            TriMesh::tube(&arch, 0.0032, 10).without_uvs()
        });
        show("bucket_grip", Surface::rgb([0.93, 0.92, 0.89]), out, || {
            let grip = TriMesh::cylinder(GRIP, GRIP_HALF, 0.003, 28);
            grip.without_uvs().along(DVec3::X).moved(0.0, 0.0, TOP)
        });
        out.close();
    }
}

impl Samples for Bucket {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
