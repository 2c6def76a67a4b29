//! A funnel turned upside down: open below, its spout on top to take it by.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Wall, open_free, pinch, region, roomy, show, show_tinted};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Mjcf, Model, Region, RegionKind, Shape, Surface};

/// A funnel-shaped cup put over objects to hide them, with a knob on top to take it by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunnelCup;

impl Model for FunnelCup {
    fn noun(&self) -> &str {
        "funnel"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for FunnelCup {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

/// Inner radius at the table and under the roof: a 4 cm block fits with room to spare.
const LOW: f64 = 0.055;
const HIGH: f64 = 0.020;
/// Height of the hollow.
const HOLLOW: f64 = 0.072;
const WALL: f64 = 0.0035;
const ROOF: f64 = 0.005;
/// Half width of the spout to the touch: square, so that pads lie flat on it.
const SPOUT: f64 = 0.011;
const SPOUT_HEIGHT: f64 = 0.036;
const HEIGHT: f64 = HOLLOW + ROOF + SPOUT_HEIGHT;
const MASS: f64 = 0.09;

fn info() -> AssetInfo {
    let r = LOW + WALL + 0.002;
    let grasp = |a: f64| pinch([0.0, 0.0, HEIGHT - 0.016], a, roomy(2.0 * SPOUT));
    let (height, half) = (HOLLOW / 2.0, 0.8 * LOW);
    let under = region("under", RegionKind::Volume, [0.0, 0.0, height], [half, half, height]);
    AssetInfo {
        symmetry: 4,
        grasps: vec![grasp(0.0), grasp(FRAC_PI_2)],
        regions: vec![Region { access: Access::Below, ..under }],
        remarks: vec!["opaque, open below, with a square spout to take it by".into()],
        disc: true,
        ..AssetInfo::movable(Bounds::standing(r, r, HEIGHT), MASS)
    }
}

fn build(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    // The leaning boxes' lower edges reach a little below their ring; four small feet stand first.
    let lift = 0.5 * WALL * libm::sin(libm::atan2(LOW - HIGH, HOLLOW)) + 0.0016;
    Wall { radius: [LOW, HIGH], z: [lift, HOLLOW], thickness: WALL, count: 16 }
        .build(0.5 * MASS, out);
    for (x, y) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
        let at = LOW + WALL / 2.0;
        out.geom(
            Geom::solid(Shape::Box([0.002, 0.002, 0.002]))
                .pos(x * at, y * at, 0.002)
                .mass(0.01 * MASS),
        );
    }
    let top = HOLLOW + ROOF;
    out.geom(
        Geom::solid(Shape::Cylinder(HIGH + WALL, ROOF / 2.0))
            .pos(0.0, 0.0, HOLLOW + ROOF / 2.0)
            .mass(0.2 * MASS),
    );
    let spout = [SPOUT, SPOUT, SPOUT_HEIGHT / 2.0];
    out.geom(
        Geom::solid(Shape::Box(spout)).pos(0.0, 0.0, top + SPOUT_HEIGHT / 2.0).mass(0.26 * MASS),
    );
    show_tinted(name, 0, "funnel_cup", [0.84, 0.47, 0.36], out, || {
        let out_low = LOW + WALL;
        let out_high = HIGH + WALL;
        let profile = [
            [LOW, 0.0],
            [out_low + 0.0015, 0.0],
            [out_low + 0.002, 0.001],
            [out_low + 0.002, 0.004],
            [out_low, 0.006],
            [out_high, HOLLOW],
            [0.017, top],
            [0.0135, top + 0.004],
            [0.0115, HEIGHT - 0.001],
            [0.0105, HEIGHT],
            [0.009, HEIGHT],
            [0.009, HEIGHT - 0.006],
            [0.0, HEIGHT - 0.006],
        ];
        let mut m = TriMesh::lathe(&profile, 48, 0.6).without_uvs();
        let inside = [[0.0, HOLLOW], [HIGH, HOLLOW], [LOW, 0.0]];
        m.merge(&TriMesh::lathe(&inside, 48, 0.6).without_uvs());
        m
    });
    show("funnel_hole", Surface::rgb([0.16, 0.15, 0.15]), out, || {
        TriMesh::cylinder(0.0088, 0.0004, 0.0, 20).without_uvs().moved(0.0, 0.0, HEIGHT - 0.0055)
    });
    out.close();
}
