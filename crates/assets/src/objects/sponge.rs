//! A kitchen sponge: foam above, scouring pad below.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch, roomy, show, show_tinted, slab};
use super::print::noise;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Shape, Surface};

/// A kitchen sponge used as a wiper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sponge;

impl Model for Sponge {
    fn noun(&self) -> &str {
        "sponge"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for Sponge {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

/// The foam, standing on the pad, which is wider: fingers that press down bear on it.
const HALF: [f64; 3] = [0.046, 0.034, 0.021];
const FOAM: f64 = 0.024;
const PAD: f64 = 0.013;
/// Where the foam is pinched.
const HOLD: f64 = 0.033;
/// The pad slides, whatever it is drawn over.
const DECIDES: &str = "priority=\"1\"";
const SLIDING: [f64; 3] = [0.3, 0.005, 0.0001];
const MASS: f64 = 0.03;

fn info() -> AssetInfo {
    let [x, y, z] = HALF;
    AssetInfo {
        symmetry: 2,
        grasps: vec![pinch([0.0, 0.0, HOLD], FRAC_PI_2, roomy(2.0 * FOAM))],
        ..AssetInfo::movable(Bounds::standing(x, y, 2.0 * z), MASS)
    }
}

fn build(name: &str, out: &mut Mjcf) {
    let [x, y, z] = HALF;
    open_free(name, out);
    let part = |y: f64, from: f64, to: f64, kg: f64| {
        let shape = Shape::Box([x, y, (to - from) / 2.0]);
        Geom::solid(shape).pos(0.0, 0.0, (from + to) / 2.0).mass(kg)
    };
    out.geom(part(y, 0.0, PAD, 0.5 * MASS).friction(SLIDING).with(DECIDES));
    out.geom(part(FOAM, PAD, 2.0 * z, 0.5 * MASS));
    show("sponge_pad", Surface::rgb([0.25, 0.45, 0.33]), out, || {
        slab([0.0, 0.0, PAD / 2.0], [x, y, PAD / 2.0], 0.003)
    });
    show_tinted(name, 0, "sponge_foam", [0.93, 0.79, 0.36], out, || {
        slab([0.0, 0.0, (PAD + 2.0 * z) / 2.0], [x, FOAM, (2.0 * z - PAD) / 2.0], 0.004)
    });
    // Pores, pressed flat into the top and the long sides.
    show("sponge_pores", Surface::rgb([0.76, 0.60, 0.22]), out, || {
        let mut m = TriMesh::default();
        for i in 0..40 {
            let k = f64::from(i);
            // At whole numbers noise is evenly spread.
            let (a, b) = (noise(k, 11.0), noise(k, 23.0));
            let r = 0.0012 + 0.0018 * noise(k, 5.0);
            let pore = TriMesh::sphere(r, 8).without_uvs();
            m.merge(&if i < 26 {
                let at = [(2.0 * a - 1.0) * (x - 0.007), (2.0 * b - 1.0) * (FOAM - 0.007)];
                pore.scaled([1.0, 1.0, 0.15]).moved(at[0], at[1], 2.0 * z)
            } else {
                let side = if i % 2 == 0 { FOAM } else { -FOAM };
                let height = PAD + 0.005 + b * (2.0 * z - PAD - 0.01);
                pore.scaled([1.0, 0.15, 1.0]).moved((2.0 * a - 1.0) * (x - 0.007), side, height)
            });
        }
        m
    });
    out.close();
}
