//! A small drink can, standing.

use longarm_types::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch_height, round_standing, show, upright};
use super::print::{bytes, ink, mix, smooth};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model};

/// A drink can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Can;

impl Model for Can {
    fn noun(&self) -> &str {
        "can"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for Can {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

const RADIUS: f64 = 0.0265;
const HEIGHT: f64 = 0.09;
const MASS: f64 = 0.06;
/// The printed part of the wall.
const PRINT: [f64; 2] = [0.006, 0.080];

fn info() -> AssetInfo {
    round_standing([RADIUS, HEIGHT], MASS, (pinch_height(HEIGHT), 2.0 * RADIUS), HEIGHT - 0.001)
}

/// Raspberry ground, a cream wave, the word twice around.
fn print(u: f64, v: f64) -> [u8; 3] {
    // The word faces −x, where the robot stands.
    let half = (2.0 * u + 0.5).fract();
    let wave = 0.72 + 0.07 * libm::sin(std::f64::consts::TAU * 2.0 * u);
    let mut c = mix([0.74, 0.22, 0.25], [0.94, 0.91, 0.85], smooth(0.05, 0.035, (v - wave).abs()));
    c = mix(
        c,
        [0.96, 0.94, 0.89],
        ink("COLA", 1.7, 0.5 + (half - 0.5) * 1.25, 0.5 + (v - 0.38) * 1.9),
    );
    bytes(c)
}

fn build(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    upright(RADIUS, HEIGHT, MASS, out);
    let tin = out.material("tin", [0.78, 0.79, 0.80, 1.0], "specular=\"0.8\" shininess=\"0.6\"");
    show("can_tin", tin, out, || {
        let profile = [
            [0.0, 0.002],
            [RADIUS - 0.006, 0.0],
            [RADIUS - 0.004, 0.0],
            [RADIUS, PRINT[0]],
            [RADIUS - 0.0002, PRINT[0]],
            [RADIUS - 0.0002, PRINT[1]],
            [RADIUS, PRINT[1]],
            [RADIUS - 0.0035, HEIGHT - 0.003],
            [RADIUS - 0.003, HEIGHT - 0.001],
            [RADIUS - 0.004, HEIGHT],
            [RADIUS - 0.0055, HEIGHT - 0.003],
            [0.0, HEIGHT - 0.003],
        ];
        let mut m = TriMesh::lathe(&profile, 40, 0.5).without_uvs();
        let tab = TriMesh::torus(0.005, 0.0012, 20, 8).without_uvs().scaled([1.4, 1.0, 1.0]);
        m.merge(&tab.moved(0.003, 0.0, HEIGHT - 0.002));
        m
    });
    out.texture("can_print", 256, 128, print);
    let paper = out.material(
        "can_print",
        [1.0; 4],
        "texture=\"can_print\" specular=\"0.5\" shininess=\"0.5\"",
    );
    show("can_print", paper, out, || {
        TriMesh::lathe(&[[RADIUS, PRINT[0]], [RADIUS, PRINT[1]]], 40, 0.5)
    });
    show("can_mouth", crate::Surface::rgb([0.25, 0.26, 0.28]), out, || {
        TriMesh::cylinder(0.006, 0.0005, 0.0, 16).without_uvs().scaled([1.0, 1.3, 1.0]).transformed(
            &longarm_types::Pose::new(
                DVec3::new(-0.012, 0.0, HEIGHT - 0.003),
                longarm_types::DQuat::IDENTITY,
            ),
        )
    });
    out.close();
}
