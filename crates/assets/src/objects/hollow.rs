//! A block that is hollow and open below: put over a smaller one it hides it from every side.

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::block;
use super::common::{open_free, suction};
use crate::{AssetInfo, Geom, Mjcf, Model, Shape};

/// A block that is hollow and open below, to hide a smaller one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hollow {
    /// Full width, depth and height.
    pub size: [f64; 3],
}

impl Model for Hollow {
    fn noun(&self) -> &str {
        "block"
    }

    fn info(&self) -> AssetInfo {
        info(self.size)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.size, name, out);
    }
}

impl Samples for Hollow {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.06; 3] }, Self { size: [0.06, 0.16, 0.06] }]
    }
}

/// Thickness of its walls and of its top.
const WALL: f64 = 0.005;

fn mass([x, y, z]: [f64; 3]) -> f64 {
    // Twice the density of a solid block, so that it is not blown about.
    1560.0 * WALL * (x * y + 2.0 * z * (x + y))
}

fn info(size: [f64; 3]) -> AssetInfo {
    let [x, y, z] = size;
    AssetInfo {
        aligns: true,
        symmetry: if (x - y).abs() < 1e-9 { 4 } else { 2 },
        grasps: vec![suction([0.0, 0.0, z])],
        ..AssetInfo::movable(Bounds::standing(x / 2.0, y / 2.0, z), mass(size))
    }
}

fn build(size: [f64; 3], name: &str, out: &mut Mjcf) {
    let [hx, hy, hz] = size.map(|s| s / 2.0);
    let w = WALL / 2.0;
    open_free(name, out);
    let each = mass(size) / 5.0;
    let mut solid = |half: [f64; 3], at: [f64; 3]| {
        out.geom(Geom::solid(Shape::Box(half)).pos(at[0], at[1], at[2]).mass(each));
    };
    solid([hx, hy, w], [0.0, 0.0, 2.0 * hz - w]);
    for s in [-1.0, 1.0] {
        solid([w, hy, hz - w], [s * (hx - w), 0.0, hz - w]);
        solid([hx - WALL, w, hz - w], [0.0, s * (hy - w), hz - w]);
    }
    block::show(size, name, out);
    out.close();
}
