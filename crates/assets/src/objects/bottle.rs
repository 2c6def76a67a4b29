//! A small plastic water bottle, standing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, round_standing, show, show_tinted, upright};
use super::print::{bytes, ink, mix, smooth};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Shape};

/// A small plastic bottle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bottle;

impl Model for Bottle {
    fn noun(&self) -> &str {
        "bottle"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for Bottle {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

const RADIUS: f64 = 0.027;
const BODY: f64 = 0.086;
const NECK: f64 = 0.013;
const HEIGHT: f64 = 0.136;
const MASS: f64 = 0.09;
const LABEL: [f64; 2] = [0.034, 0.068];

fn info() -> AssetInfo {
    round_standing([RADIUS, HEIGHT], MASS, (HEIGHT - 0.018, 2.0 * NECK), HEIGHT)
}

/// Blue band, white waves and the word, twice around.
fn print(u: f64, v: f64) -> [u8; 3] {
    // The word faces −x, where the robot stands.
    let half = (2.0 * u + 0.5).fract();
    let wave = 0.80 + 0.06 * libm::sin(std::f64::consts::TAU * 4.0 * u);
    let mut c = mix([0.20, 0.40, 0.60], [0.85, 0.92, 0.95], smooth(wave, wave + 0.03, v));
    c = mix(c, [0.95, 0.96, 0.96], ink("WATER", 2.6, half, 0.5 + (v - 0.40) * 1.5));
    bytes(c)
}

fn build(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    upright(RADIUS, BODY, 0.85 * MASS, out);
    let half = (HEIGHT - BODY) / 2.0;
    out.geom(Geom::solid(Shape::Cylinder(NECK, half)).pos(0.0, 0.0, BODY + half).mass(0.15 * MASS));
    let pet =
        out.material("bottle_pet", [0.70, 0.84, 0.90, 1.0], "specular=\"0.9\" shininess=\"0.8\"");
    show("bottle_body", pet, out, || {
        let mut profile = vec![[0.0, 0.003], [RADIUS - 0.009, 0.0], [RADIUS - 0.003, 0.0]];
        profile.extend([[RADIUS, 0.004], [RADIUS, 0.014], [RADIUS - 0.0015, 0.017]]);
        profile.extend([[RADIUS, 0.020], [RADIUS, LABEL[0] - 0.002], [RADIUS - 0.001, LABEL[0]]]);
        profile.extend([
            [RADIUS - 0.001, LABEL[1]],
            [RADIUS, LABEL[1] + 0.002],
            [RADIUS, BODY - 0.008],
        ]);
        for i in 1..=8 {
            // The shoulder, a smooth step from body to neck.
            let s = f64::from(i) / 8.0;
            let r = RADIUS + (NECK - 0.002 - RADIUS) * s * s * (3.0 - 2.0 * s);
            profile.push([r, BODY - 0.008 + 0.034 * s]);
        }
        profile.extend([[NECK - 0.002, HEIGHT - 0.01], [0.0, HEIGHT - 0.01]]);
        TriMesh::lathe(&profile, 40, 0.7).without_uvs()
    });
    show_tinted(name, 0, "bottle_cap", [0.22, 0.42, 0.64], out, || {
        // Ribs: every second edge of the cap stands out.
        const RIBS: usize = 48;
        let outline: Vec<[f64; 2]> = (0..RIBS)
            .map(|i| {
                let a = std::f64::consts::TAU * i as f64 / RIBS as f64;
                let r = if i % 2 == 0 { NECK } else { NECK - 0.0008 };
                [r * libm::cos(a), r * libm::sin(a)]
            })
            .collect();
        TriMesh::extrude(&outline, 0.018, 0.0012).without_uvs().moved(0.0, 0.0, HEIGHT - 0.018)
    });
    out.texture("bottle_print", 256, 64, print);
    let paper = out.material(
        "bottle_print",
        [1.0; 4],
        "texture=\"bottle_print\" specular=\"0.3\" shininess=\"0.3\"",
    );
    show("bottle_print", paper, out, || {
        TriMesh::lathe(&[[RADIUS - 0.0003, LABEL[0]], [RADIUS - 0.0003, LABEL[1]]], 40, 0.5)
    });
    out.close();
}
