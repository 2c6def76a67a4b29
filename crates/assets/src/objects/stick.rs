//! A round stick lying along its x axis.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{PAD_CLEARANCE, open_free, pinch, show, show_tinted, tool};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Lies, Mjcf, Model, Shape, Surface};

/// A round stick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stick {
    /// Full length.
    pub length: f64,
}

impl Model for Stick {
    fn noun(&self) -> &str {
        "stick"
    }

    fn info(&self) -> AssetInfo {
        info(self.length)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.length, name, out);
    }
}

impl Samples for Stick {
    fn samples() -> Vec<Self> {
        vec![Self { length: 0.1 }, Self { length: 0.14 }]
    }
}

pub(super) const RADIUS: f64 = 0.006;
const MASS: f64 = 0.03;
/// Opening that leaves room for the neighbour.
const OPENING: f64 = 0.035;

/// Distance of an end grasp from the middle.
fn end(length: f64) -> f64 {
    length / 2.0 - 0.018
}

/// What a stick of this length can do.
pub(super) fn info(length: f64) -> AssetInfo {
    let e = end(length);
    let mut grasps: Vec<Grasp> =
        [0.0, e, -e].map(|x| pinch([x, 0.0, PAD_CLEARANCE], FRAC_PI_2, OPENING)).into();
    // Leaning along the stick: once it is held upright the gripper points less sideways.
    for s in [1.0, -1.0] {
        let lean = 0.6;
        grasps.push(Grasp {
            kind: GraspKind::Pinch,
            tool: tool(
                [s * e, 0.0, PAD_CLEARANCE],
                DVec3::new(-s * libm::sin(lean), 0.0, -libm::cos(lean)),
                DVec3::Y,
            ),
            opening: OPENING,
            part: None,
        });
    }
    AssetInfo {
        symmetry: 2,
        lies: Lies::Lengthwise,
        grasps,
        ..AssetInfo::movable(Bounds::standing(length / 2.0, RADIUS, 2.0 * RADIUS), MASS)
    }
}

/// What is felt of it: square, so that it neither rolls away nor turns between the pads.
pub(super) fn solid(length: f64, out: &mut Mjcf) {
    let half = [length / 2.0, RADIUS, RADIUS];
    out.geom(Geom::solid(Shape::Box(half)).pos(0.0, 0.0, RADIUS).mass(MASS));
}

fn build(length: f64, name: &str, out: &mut Mjcf) {
    open_free(name, out);
    solid(length, out);
    let lie = |m: TriMesh, x: f64| m.without_uvs().along(DVec3::X).moved(x, 0.0, RADIUS);
    show_tinted(name, 0, &format!("stick_{length}"), [0.72, 0.50, 0.31], out, || {
        lie(TriMesh::cylinder(RADIUS, length / 2.0, 0.0015, 20), 0.0)
    });
    show(&format!("stick_bands_{length}"), Surface::rgb([0.93, 0.89, 0.80]), out, || {
        let band = TriMesh::cylinder(RADIUS + 0.0003, 0.003, 0.0, 20);
        TriMesh::merged([1.0, -1.0].map(|s| lie(band.clone(), s * (length / 2.0 - 0.012))))
    });
    out.close();
}
