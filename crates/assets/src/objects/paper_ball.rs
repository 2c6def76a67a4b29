//! A ball of crumpled paper.

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{ball, open_free, pinches_around, show};
use super::print::{noise, rough, smooth};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model, Surface};

/// A ball of crumpled paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaperBall;

impl Model for PaperBall {
    fn noun(&self) -> &str {
        "paper ball"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for PaperBall {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

const RADIUS: f64 = 0.029;
const MASS: f64 = 0.02;

fn info() -> AssetInfo {
    AssetInfo {
        symmetry: 1,
        grasps: pinches_around(RADIUS, 2.0 * RADIUS),
        disc: true,
        ..AssetInfo::movable(Bounds::standing(RADIUS, RADIUS, 2.0 * RADIUS), MASS)
    }
}

fn build(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    ball(RADIUS, MASS, out);
    show("paper_ball", Surface::rgb([0.92, 0.91, 0.87]), out, || {
        // Crumpled: a ball cut by planes at random, so that flat facets of uneven size meet in
        // sharp ridges, with dents between them.
        let cuts: Vec<DVec3> = (0..34)
            .map(|k| {
                let k = f64::from(k);
                let d = DVec3::new(noise(k, 3.0), noise(k, 7.0), noise(k, 13.0)) - 0.5;
                d.normalize_or(DVec3::Z) * (0.80 + 0.14 * noise(k, 17.0))
            })
            .collect();
        TriMesh::sphere(1.0, 40)
            .without_uvs()
            .warped(|p| {
                let cut = cuts.iter().fold(1.0f64, |m, c| {
                    let along = p.dot(*c) / c.length();
                    if along > 0.3 { m.min(c.length() / along) } else { m }
                });
                let dent = rough(2.6 * p.x + 5.0 + 1.9 * p.z, 2.6 * p.y + 9.0 - 1.4 * p.z);
                p * (RADIUS * (cut + 0.04 - 0.20 * smooth(0.52, 0.60, dent)))
            })
            .creased(0.35)
            .moved(0.0, 0.0, RADIUS)
    });
    out.close();
}
