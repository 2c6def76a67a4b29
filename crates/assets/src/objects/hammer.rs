//! A carpenter's hammer lying flat: its handle along x, its head at +x along y.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch, show, show_tinted, side_prism, slab};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Shape, Surface};

/// A carpenter's hammer lying flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hammer {}

const HALF: f64 = 0.14;
/// Half size of the handle's section.
const GRIP: [f64; 2] = [0.0125, 0.014];
/// The head: x of its middle, half thickness, half length, height of its middle.
const HEAD_X: f64 = 0.123;
const HEAD: [f64; 2] = [0.0145, 0.05];
const HANDLE_MASS: f64 = 0.09;
const HEAD_MASS: f64 = 0.16;

impl Model for Hammer {
    fn noun(&self) -> &str {
        "hammer"
    }

    fn info(&self) -> AssetInfo {
        let grasps = [0.03, -0.03, -0.08, 0.07]
            .map(|x| pinch([x, 0.0, GRIP[1]], FRAC_PI_2, 2.0 * GRIP[0] + 0.03));
        AssetInfo {
            grasps: grasps.into(),
            ..AssetInfo::movable(
                Bounds::standing(HALF, HEAD[1], 2.0 * HEAD[0]),
                HANDLE_MASS + HEAD_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        let end = HEAD_X - HEAD[0];
        let (x, half) = ((end - HALF) / 2.0, (end + HALF) / 2.0);
        let handle = Shape::Box([half, GRIP[0], GRIP[1]]);
        out.geom(Geom::solid(handle).pos(x, 0.0, GRIP[1]).mass(HANDLE_MASS));
        let head = Shape::Box([HEAD[0], HEAD[1], HEAD[0]]);
        out.geom(Geom::solid(head).pos(HEAD_X, 0.0, HEAD[0]).mass(HEAD_MASS));
        show_tinted(name, 0, "hammer_handle", [0.72, 0.50, 0.28], out, || {
            slab([x + 0.004, 0.0, GRIP[1]], [half, GRIP[0] - 0.001, GRIP[1] - 0.001], 0.006)
        });
        show("hammer_grip", Surface::rgb([0.13, 0.13, 0.14]), out, || {
            slab([-HALF + 0.05, 0.0, GRIP[1]], [0.05, GRIP[0], GRIP[1]], 0.007)
        });
        let steel = out.material(
            "hammer_steel",
            [0.46, 0.48, 0.51, 1.0],
            "specular=\"0.7\" shininess=\"0.6\"",
        );
        show("hammer_head", steel, out, || {
            let at = |m: TriMesh, y: f64| m.without_uvs().along(DVec3::Y).moved(HEAD_X, y, HEAD[0]);
            let mut m =
                slab([HEAD_X, 0.0, HEAD[0]], [HEAD[0] - 0.001, 0.018, HEAD[0] - 0.001], 0.004);
            m.merge(&at(TriMesh::cylinder(0.0105, 0.012, 0.002, 28), -0.028));
            m.merge(&at(TriMesh::cylinder(HEAD[0], 0.007, 0.002, 32), 0.007 - HEAD[1]));
            // The peen: a wedge.
            let z = HEAD[0];
            let wedge = [
                [0.016, z - 0.011],
                [HEAD[1], z - 0.002],
                [HEAD[1], z + 0.002],
                [0.016, z + 0.011],
            ];
            let turn = longarm_types::DQuat::from_rotation_z(FRAC_PI_2);
            let wedge = side_prism(&wedge, 0.024, 0.001);
            m.merge(&wedge.transformed(&longarm_types::Pose::new(DVec3::X * HEAD_X, turn)));
            m
        });
        out.close();
    }
}

impl Samples for Hammer {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
