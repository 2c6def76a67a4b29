//! A round bowl with an elliptic wall.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Wall, floor, open_free, region, rim_around, show_tinted};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model, RegionKind};

/// A round bowl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bowl {
    /// Outer radius at the rim.
    pub radius: f64,
}

impl Model for Bowl {
    fn noun(&self) -> &str {
        "bowl"
    }

    fn info(&self) -> AssetInfo {
        info(self.radius)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.radius, false, name, out);
    }
}

impl Samples for Bowl {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.06 }, Self { radius: 0.08 }]
    }
}

/// The same bowl standing fixed on the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedBowl {
    /// Outer radius at the rim.
    pub radius: f64,
}

impl Model for FixedBowl {
    fn noun(&self) -> &str {
        "bowl"
    }

    fn info(&self) -> AssetInfo {
        fixed_info(self.radius)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.radius, true, name, out);
    }
}

impl Samples for FixedBowl {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.06 }]
    }
}

const MASS: f64 = 0.12;
const FLOOR: f64 = 0.006;
const WALL: f64 = 0.004;
/// Height of the upright band below the rim: pads lie flat on it.
const BAND: f64 = 0.016;

/// Radius at the rim, of the foot, and height.
pub(super) struct Form {
    pub radius: f64,
    pub foot: f64,
    pub height: f64,
}

impl Form {
    fn new(radius: f64) -> Self {
        Self { radius, foot: 0.48 * radius, height: (0.66 * radius).clamp(0.036, 0.07) }
    }

    /// Inner surface, `a` from 0 at the floor to a quarter turn where the upright band begins.
    fn inner(&self, a: f64) -> [f64; 2] {
        let r = self.radius - WALL - self.foot;
        [self.foot + r * libm::sin(a), FLOOR + (self.height - BAND - FLOOR) * (1.0 - libm::cos(a))]
    }

    pub(super) fn info(&self, mass: f64) -> AssetInfo {
        let half = 0.7 * self.radius;
        AssetInfo {
            symmetry: 0,
            rests_at: Some(FLOOR),
            grasps: rim_around(self.radius - WALL / 2.0, self.height - 0.008, 0.032),
            regions: vec![region(
                "inside",
                RegionKind::Volume,
                [0.0, 0.0, (FLOOR + self.height) / 2.0],
                [half, half, (self.height - FLOOR) / 2.0],
            )],
            ..AssetInfo::movable(Bounds::standing(self.radius, self.radius, self.height), mass)
        }
    }

    pub(super) fn solids(&self, mass: f64, out: &mut Mjcf) {
        floor(self.foot + 0.003, FLOOR, 0.4 * mass, out);
        let brim = [self.radius - WALL, self.height];
        let band = [brim[0], self.height - BAND - 0.002];
        let cuts = [self.inner(0.0), self.inner(0.6 * FRAC_PI_2), band, brim];
        for s in cuts.windows(2) {
            let (radius, z) = ([s[0][0], s[1][0]], [s[0][1], s[1][1]]);
            Wall { radius, z, thickness: WALL, count: 16 }.build(0.2 * mass, out);
        }
    }

    pub(super) fn mesh(&self) -> TriMesh {
        const STEPS: usize = 14;
        let foot = self.foot;
        let arc = |i: usize| FRAC_PI_2 * i as f64 / STEPS as f64;
        let mut profile = vec![[0.0, 0.002], [foot - 0.006, 0.002], [foot - 0.004, 0.0]];
        profile.push([foot + 0.002, 0.0]);
        for i in 0..STEPS {
            // The wall's thickness is added along the normal: down below, sideways at the rim.
            let [r, z] = self.inner(arc(i));
            let (sin, cos) = (libm::sin(arc(i)), libm::cos(arc(i)));
            profile.push([r + WALL * sin, (z - WALL * cos).max(0.0015)]);
        }
        // A rounded rim.
        let mid = self.radius - WALL / 2.0;
        for k in 0..=6 {
            let a = f64::from(k) * FRAC_PI_2 / 3.0;
            let (r, z) = (mid + WALL / 2.0 * libm::cos(a), WALL / 2.0 * libm::sin(a));
            profile.push([r, self.height - WALL / 2.0 + z]);
        }
        profile.extend((0..STEPS).rev().map(|i| self.inner(arc(i))));
        profile.push([0.0, FLOOR]);
        TriMesh::lathe(&profile, 48, 0.8).without_uvs()
    }
}

fn info(radius: f64) -> AssetInfo {
    Form::new(radius).info(MASS)
}

/// The same bowl standing fixed.
fn fixed_info(radius: f64) -> AssetInfo {
    AssetInfo { fixed: true, grasps: Vec::new(), mass: 0.0, ..info(radius) }
}

fn build(radius: f64, fixed: bool, name: &str, out: &mut Mjcf) {
    let form = Form::new(radius);
    if fixed {
        out.open(name, &longarm_types::Pose::IDENTITY);
    } else {
        open_free(name, out);
    }
    form.solids(if fixed { 0.0 } else { MASS }, out);
    show_tinted(name, 0, &format!("bowl_{radius}"), [0.85, 0.87, 0.90], out, || form.mesh());
    out.close();
}
