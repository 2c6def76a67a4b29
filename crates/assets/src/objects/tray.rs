//! A serving tray with a low rim.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, region, rim, show, show_tinted, slab, suction};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, RegionKind, Shape, Surface};

/// A serving tray with a low rim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tray {
    /// Full width and depth.
    pub size: [f64; 2],
}

impl Model for Tray {
    fn noun(&self) -> &str {
        "tray"
    }

    fn info(&self) -> AssetInfo {
        info(self.size)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.size, name, out);
    }
}

impl Samples for Tray {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.2, 0.28] }]
    }
}

const FLOOR: f64 = 0.006;
const HEIGHT: f64 = 0.028;
const WALL: f64 = 0.006;
const MASS: f64 = 0.16;

fn info([x, y]: [f64; 2]) -> AssetInfo {
    let (hx, hy, z) = (x / 2.0, y / 2.0, HEIGHT - 0.008);
    let mut grasps = Vec::new();
    for s in [1.0, -1.0] {
        grasps.push(rim([0.0, s * (hy - WALL / 2.0), z], FRAC_PI_2, 0.035));
        grasps.push(rim([s * (hx - WALL / 2.0), 0.0, z], 0.0, 0.035));
    }
    // The shorter lever first.
    grasps.sort_by(|a, b| a.tool.pos.length().total_cmp(&b.tool.pos.length()));
    grasps.push(suction([0.0, 0.0, FLOOR]));
    AssetInfo {
        symmetry: 2,
        grasps,
        regions: vec![region(
            "surface",
            RegionKind::Surface,
            [0.0, 0.0, FLOOR],
            [hx - WALL, hy - WALL, 0.004],
        )],
        ..AssetInfo::movable(Bounds::standing(hx, hy, HEIGHT), MASS)
    }
}

/// The rim's four sides.
fn sides([x, y]: [f64; 2]) -> [([f64; 3], [f64; 3]); 4] {
    let (hx, hy, w) = (x / 2.0, y / 2.0, WALL / 2.0);
    let (cz, hz) = ((HEIGHT + FLOOR) / 2.0, (HEIGHT - FLOOR) / 2.0);
    [
        ([0.0, hy - w, cz], [hx, w, hz]),
        ([0.0, w - hy, cz], [hx, w, hz]),
        ([hx - w, 0.0, cz], [w, hy - WALL, hz]),
        ([w - hx, 0.0, cz], [w, hy - WALL, hz]),
    ]
}

fn build(size: [f64; 2], name: &str, out: &mut Mjcf) {
    let [x, y] = size;
    open_free(name, out);
    out.geom(
        Geom::solid(Shape::Box([x / 2.0, y / 2.0, FLOOR / 2.0]))
            .pos(0.0, 0.0, FLOOR / 2.0)
            .mass(0.6 * MASS),
    );
    for ([px, py, pz], half) in sides(size) {
        out.geom(Geom::solid(Shape::Box(half)).pos(px, py, pz).mass(0.1 * MASS));
    }
    show_tinted(name, 0, &format!("tray_{x}_{y}"), [0.36, 0.50, 0.52], out, || {
        let mut m = slab([0.0, 0.0, FLOOR / 2.0], [x / 2.0, y / 2.0, FLOOR / 2.0], 0.002);
        m.merge(&TriMesh::merged(sides(size).map(|(c, [a, b, h])| {
            // Down into the floor, so that no seam shows.
            slab([c[0], c[1], c[2] - 0.002], [a, b, h + 0.002], 0.0025)
        })));
        m
    });
    // A lighter mat, so that the inside reads as a tray.
    show(&format!("tray_mat_{x}_{y}"), Surface::rgb([0.78, 0.76, 0.69]), out, || {
        slab([0.0, 0.0, FLOOR], [x / 2.0 - 0.02, y / 2.0 - 0.02, 0.0006], 0.0)
    });
    out.close();
}
