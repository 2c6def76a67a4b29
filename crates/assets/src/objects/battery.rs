//! A battery cell, larger than life, standing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch_height, round_standing, show, upright};
use super::print::{bytes, ink, mix};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model};

/// A battery cell, larger than life so that it can be grasped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Battery;

impl Model for Battery {
    fn noun(&self) -> &str {
        "battery"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for Battery {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

const RADIUS: f64 = 0.018;
const BODY: f64 = 0.066;
const HEIGHT: f64 = 0.072;
const MASS: f64 = 0.08;

fn info() -> AssetInfo {
    round_standing([RADIUS, HEIGHT], MASS, (pinch_height(BODY), 2.0 * RADIUS), HEIGHT)
}

/// Black sleeve with a copper top, a plus near it and the maker's word.
fn print(u: f64, v: f64) -> [u8; 3] {
    // The word faces −x, where the robot stands.
    let half = (2.0 * u + 0.5).fract();
    let copper = [0.78, 0.52, 0.31];
    let mut c = if v < 0.34 { copper } else { [0.17, 0.18, 0.20] };
    let ink_plus = ink("+", 1.0, 0.5 + (half - 0.5) * 3.4, 0.5 + (v - 0.17) * 3.4);
    c = mix(c, [0.15, 0.14, 0.14], ink_plus);
    c = mix(c, [0.90, 0.89, 0.86], ink("CELL", 1.9, half, 0.5 + (v - 0.66) * 1.9));
    bytes(c)
}

fn build(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    upright(RADIUS, BODY, MASS, out);
    out.texture("battery_print", 256, 128, print);
    let sleeve = out.material(
        "battery_print",
        [1.0; 4],
        "texture=\"battery_print\" specular=\"0.5\" shininess=\"0.5\"",
    );
    show("battery_print", sleeve, out, || {
        TriMesh::lathe(&[[RADIUS, 0.001], [RADIUS, BODY - 0.001]], 36, 0.5)
    });
    let tin = out.material("tin", [0.78, 0.79, 0.80, 1.0], "specular=\"0.8\" shininess=\"0.6\"");
    show("battery_tin", tin, out, || {
        let profile = [
            [0.0, 0.0],
            [RADIUS - 0.001, 0.0],
            [RADIUS - 0.0002, 0.001],
            [RADIUS - 0.0002, BODY - 0.001],
            [RADIUS - 0.001, BODY],
            [0.0065, BODY],
            [0.006, HEIGHT - 0.001],
            [0.005, HEIGHT],
            [0.0, HEIGHT],
        ];
        TriMesh::lathe(&profile, 36, 0.6).without_uvs()
    });
    out.close();
}
