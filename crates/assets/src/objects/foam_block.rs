//! A block of foam that gives way to fingers and takes its shape again: a flex of MuJoCo whose corners carry
//! all of it.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{pinch, roomy};
use super::print::noise;
use crate::matter::{Foam, Matter};
use crate::{AssetInfo, Mjcf, Model};

/// A block of soft foam, such as a bath sponge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoamBlock {
    /// Length along x, y and z.
    #[schemars(inner(range(min = 0.03, max = 0.3)))]
    pub size: [f64; 3],
}

/// Distance of the points of its surface: about this.
const CELL: f64 = 0.022;
/// How far its surface is from those points.
const RADIUS: f64 = 0.002;
/// Young's modulus, Pa, and Poisson's ratio of foam.
const YOUNG: f64 = 2e4;
const POISSON: f64 = 0.2;
/// Kilograms per cubic metre: a damp sponge.
const DENSITY: f64 = 140.0;
/// The widest that grippers take.
const WIDEST: f64 = 0.065;

impl FoamBlock {
    /// A sponge that a gripper can take.
    pub const SPONGE: Self = Self { size: [0.09, 0.06, 0.045] };

    fn foam(&self) -> Foam {
        let half = self.size.map(|s| s / 2.0);
        let points = self.size.map(|s| ((s / CELL).round() as usize + 1).clamp(3, 9));
        Foam { half, points, radius: RADIUS }
    }

    fn mass(&self) -> f64 {
        DENSITY * self.size.iter().product::<f64>()
    }
}

impl Model for FoamBlock {
    fn noun(&self) -> &str {
        "sponge"
    }

    fn info(&self) -> AssetInfo {
        let [x, y, z] = self.size;
        let hold = [0.0, 0.0, 0.55 * z];
        let mut grasps = Vec::new();
        if y <= WIDEST {
            grasps.push(pinch(hold, FRAC_PI_2, roomy(y)));
        }
        if x <= WIDEST {
            grasps.push(pinch(hold, 0.0, roomy(x)));
        }
        AssetInfo {
            symmetry: 2,
            grasps,
            matter: Some(Arc::new(Matter::Foam(self.foam()))),
            ..AssetInfo::movable(Bounds::standing(x / 2.0, y / 2.0, z), self.mass())
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let Foam { half, points, radius } = self.foam();
        out.texture("foam", 128, 128, pores);
        out.material(
            "foam",
            [0.95, 0.80, 0.36, 1.0],
            "texture=\"foam\" specular=\"0.05\" shininess=\"0.05\"",
        );
        let [nx, ny, nz] = points;
        let [sx, sy, sz] = [0, 1, 2].map(|k| 2.0 * (half[k] - radius) / (points[k] - 1) as f64);
        out.open(name, &Pose::IDENTITY);
        out.raw(&format!(
            "<flexcomp name=\"{name}\" type=\"grid\" dim=\"3\" dof=\"trilinear\" count=\"{nx} {ny} {nz}\" \
             spacing=\"{sx} {sy} {sz}\" pos=\"0 0 {}\" radius=\"{radius}\" mass=\"{}\" material=\"foam\" flatskin=\"true\">\
             <elasticity young=\"{YOUNG}\" poisson=\"{POISSON}\" damping=\"0.01\"/>\
             <contact condim=\"4\" selfcollide=\"none\" solref=\"0.01 1\" friction=\"0.8 0.005 0.0001\"/>\
             </flexcomp>",
            half[2],
            self.mass(),
        ));
        out.close();
    }
}

/// Foam with pores of many sizes; `u` and `v` go over 6 cm.
fn pores(u: f64, v: f64) -> [u8; 3] {
    const PORES: u32 = 70;
    let mut shade = 1.0 - 0.06 * noise(160.0 * u, 160.0 * v);
    for i in 0..PORES {
        let k = f64::from(i);
        // At whole numbers noise is evenly spread.
        let (x, y, r) = (noise(k, 11.0), noise(k, 23.0), 0.015 + 0.05 * noise(k, 5.0).powi(3));
        let wrap = |d: f64| (d - d.round()).abs();
        let out = libm::hypot(wrap(u - x), wrap(v - y)) / r;
        if out < 1.0 {
            shade = f64::min(shade, 0.5 + 0.4 * out * out);
        }
    }
    [(255.0 * shade) as u8; 3]
}

impl Samples for FoamBlock {
    fn samples() -> Vec<Self> {
        vec![Self::SPONGE, Self { size: [0.055, 0.055, 0.055] }]
    }
}
