//! A box with bevelled edges.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch, pinch_height, roomy, show_tinted, suction};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Lies, Mjcf, Model, Shape};

/// A box with bevelled edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Full width, depth and height.
    pub size: [f64; 3],
}

impl Block {
    /// A cube.
    pub fn cube(size: f64) -> Self {
        Self { size: [size; 3] }
    }
}

impl Model for Block {
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

impl Samples for Block {
    fn samples() -> Vec<Self> {
        vec![Self::cube(0.04), Self::cube(0.06), Self { size: [0.12, 0.03, 0.02] }]
    }
}

/// Beech: a cube of 4 cm weighs 50 g.
const DENSITY: f64 = 780.0;
/// Widest side the fingers go around.
const GRASPABLE: f64 = 0.07;

fn mass([x, y, z]: [f64; 3]) -> f64 {
    (DENSITY * x * y * z).clamp(0.02, 0.3)
}

fn info(size: [f64; 3]) -> AssetInfo {
    let [x, y, z] = size;
    let square = (x - y).abs() < 1e-9;
    let mut grasps = Vec::new();
    // Across the narrower side first.
    let mut sides = [(x, 0.0), (y, FRAC_PI_2)];
    if y < x {
        sides.swap(0, 1);
    }
    for (width, angle) in sides {
        if width <= GRASPABLE {
            grasps.push(pinch([0.0, 0.0, pinch_height(z)], angle, roomy(width)));
        }
    }
    grasps.push(suction([0.0, 0.0, z]));
    AssetInfo {
        aligns: true,
        lies: Lies::AnyFace,
        symmetry: if square { 4 } else { 2 },
        grasps,
        ..AssetInfo::movable(Bounds::standing(x / 2.0, y / 2.0, z), mass(size))
    }
}

fn build(size: [f64; 3], name: &str, out: &mut Mjcf) {
    let half = size.map(|s| s / 2.0);
    open_free(name, out);
    out.geom(Geom::solid(Shape::Box(half)).pos(0.0, 0.0, half[2]).mass(mass(size)));
    show(size, name, out);
    out.close();
}

/// What a block looks like.
pub(super) fn show(size: [f64; 3], name: &str, out: &mut Mjcf) {
    let [x, y, z] = size;
    let half = size.map(|s| s / 2.0);
    show_tinted(name, 0, &format!("block_{x}_{y}_{z}"), [0.80, 0.62, 0.42], out, || {
        let radius = 0.08 * x.min(y).min(z);
        TriMesh::rounded_box(half, radius, 2).without_uvs().moved(0.0, 0.0, half[2])
    });
}
