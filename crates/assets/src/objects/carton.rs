//! A small milk carton with a gable top.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch, roomy, show, side_prism, slab};
use super::print::{bytes, ink, mix, smooth};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Shape, Surface};

/// A small drink carton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Carton;

impl Model for Carton {
    fn noun(&self) -> &str {
        "carton"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for Carton {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

const HALF: f64 = 0.025;
const BODY: f64 = 0.072;
const RIDGE: f64 = 0.090;
const HEIGHT: f64 = 0.100;
const MASS: f64 = 0.12;

fn info() -> AssetInfo {
    let z = BODY - 0.012;
    AssetInfo {
        symmetry: 2,
        grasps: vec![
            pinch([0.0, 0.0, z], FRAC_PI_2, roomy(2.0 * HALF)),
            pinch([0.0, 0.0, z], 0.0, roomy(2.0 * HALF)),
        ],
        ..AssetInfo::movable(Bounds::standing(HALF, HALF, HEIGHT), MASS)
    }
}

/// White above, a green meadow below, the word between.
fn print(u: f64, v: f64) -> [u8; 3] {
    let hill = 0.68 + 0.06 * libm::sin(std::f64::consts::TAU * u + 0.6);
    let mut c = mix([0.95, 0.95, 0.92], [0.36, 0.60, 0.42], smooth(hill, hill + 0.02, v));
    c = mix(c, [0.24, 0.42, 0.62], smooth(0.10, 0.09, v));
    c = mix(c, [0.20, 0.36, 0.56], ink("MILK", 1.9, u, 0.5 + (v - 0.38) * 1.9));
    bytes(c)
}

fn build(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    out.geom(
        Geom::solid(Shape::Box([HALF, HALF, BODY / 2.0]))
            .pos(0.0, 0.0, BODY / 2.0)
            .mass(0.85 * MASS),
    );
    // The gable: a lower block under the roof and the sealed ridge.
    let roof = (RIDGE - BODY) / 2.0;
    out.geom(
        Geom::solid(Shape::Box([HALF / 2.0, HALF, roof]))
            .pos(0.0, 0.0, BODY + roof)
            .mass(0.1 * MASS),
    );
    let seal = (HEIGHT - RIDGE) / 2.0;
    out.geom(
        Geom::solid(Shape::Box([0.0025, HALF, seal])).pos(0.0, 0.0, RIDGE + seal).mass(0.05 * MASS),
    );
    out.texture("carton_print", 128, 192, print);
    let paper = out.material(
        "carton_print",
        [1.0; 4],
        "texture=\"carton_print\" specular=\"0.2\" shininess=\"0.2\"",
    );
    show("carton_body", paper, out, || {
        TriMesh::rounded_box([HALF, HALF, BODY / 2.0], 0.0015, 2).moved(0.0, 0.0, BODY / 2.0)
    });
    show("carton_roof", Surface::rgb([0.90, 0.91, 0.89]), out, || {
        let h = HALF - 0.0008;
        let outline = [
            [-h, BODY - 0.002],
            [h, BODY - 0.002],
            [h, BODY],
            [0.0018, RIDGE],
            [-0.0018, RIDGE],
            [-h, BODY],
        ];
        side_prism(&outline, 2.0 * HALF - 0.001, 0.001)
    });
    show("carton_seal", Surface::rgb([0.24, 0.42, 0.62]), out, || {
        slab(
            [0.0, 0.0, (RIDGE + HEIGHT) / 2.0 - 0.001],
            [0.0018, HALF - 0.0005, seal + 0.001],
            0.0008,
        )
    });
    show("carton_cap", Surface::rgb([0.24, 0.42, 0.62]), out, || {
        // A screw cap on the slope of the roof.
        let lean = libm::atan2(RIDGE - BODY, HALF);
        TriMesh::cylinder(0.007, 0.004, 0.001, 24).without_uvs().transformed(
            &longarm_types::Pose::new(
                longarm_types::DVec3::new(-HALF / 2.0, 0.0, (BODY + RIDGE) / 2.0 + 0.002),
                longarm_types::DQuat::from_rotation_y(-lean),
            ),
        )
    });
    out.close();
}
