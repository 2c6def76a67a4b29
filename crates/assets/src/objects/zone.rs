//! A coloured square on the table.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::region;
use crate::{AssetInfo, Geom, Mjcf, Model, RegionKind, Shape, Surface};

/// A flat coloured square on the table; nothing collides with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Full width and depth.
    pub size: [f64; 2],
}

impl Model for Zone {
    fn noun(&self) -> &str {
        "zone"
    }

    fn info(&self) -> AssetInfo {
        info(self.size)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.size, name, out);
    }
}

impl Samples for Zone {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.1, 0.1] }, Self { size: [0.15, 0.1] }]
    }
}

const THICKNESS: f64 = 0.0016;
const BORDER: f64 = 0.005;

fn info([x, y]: [f64; 2]) -> AssetInfo {
    AssetInfo {
        flat: true,
        symmetry: if (x - y).abs() < 1e-9 { 4 } else { 2 },
        // Nothing collides with it, so objects on it stand at z = 0.
        regions: vec![region("surface", RegionKind::Surface, [0.0; 3], [x / 2.0, y / 2.0, 0.002])],
        ..AssetInfo::fixture(Bounds::standing(x / 2.0, y / 2.0, THICKNESS))
    }
}

fn build([x, y]: [f64; 2], name: &str, out: &mut Mjcf) {
    let (hx, hy, hz) = (x / 2.0, y / 2.0, THICKNESS / 2.0);
    out.open(name, &Pose::IDENTITY);
    let fill = Surface::rgb([0.55, 0.68, 0.60]);
    out.geom(
        Geom::visual(Shape::Box([hx - 0.001, hy - 0.001, 0.75 * hz]), fill)
            .pos(0.0, 0.0, 0.75 * hz)
            .named(format!("{name}/tint0")),
    );
    let edge = Surface::rgb([0.95, 0.94, 0.91]);
    for s in [-1.0, 1.0] {
        let b = BORDER / 2.0;
        out.geom(Geom::visual(Shape::Box([hx, b, hz]), edge.clone()).pos(0.0, s * (hy - b), hz));
        out.geom(Geom::visual(Shape::Box([b, hy - BORDER, hz]), edge.clone()).pos(
            s * (hx - b),
            0.0,
            hz,
        ));
    }
    out.close();
}
