//! A ballpoint pen lying along its x axis, its cap towards +x.

use longarm_types::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, show, show_tinted, slab};
use super::stick::{self, RADIUS};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model, Surface};

/// A ballpoint pen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pen {
    /// Full length.
    pub length: f64,
}

impl Model for Pen {
    fn noun(&self) -> &str {
        "pen"
    }

    fn info(&self) -> AssetInfo {
        stick::info(self.length)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        stick::solid(self.length, out);
        let (length, half) = (self.length, self.length / 2.0);
        let lie = |m: TriMesh| m.without_uvs().along(DVec3::X).moved(0.0, 0.0, RADIUS);
        show_tinted(name, 0, &format!("pen_{length}"), [0.16, 0.30, 0.62], out, || {
            let r = RADIUS - 0.0006;
            // The barrel narrows towards the tip; the cap is a little wider.
            let barrel = [[r, 0.012 - half], [r, 0.0], [0.0, 0.0]];
            let cap = [[0.0, 0.0], [RADIUS, 0.0], [RADIUS, half - 0.002], [0.0, half]];
            TriMesh::merged([barrel.as_slice(), &cap].map(|p| lie(TriMesh::lathe(p, 24, 0.5))))
        });
        show(&format!("pen_steel_{length}"), Surface::rgb([0.80, 0.81, 0.83]), out, || {
            let tip = [[0.0, -half], [0.0012, 0.002 - half], [0.0052, 0.013 - half]];
            let ring = [[RADIUS + 0.0004, -0.002], [RADIUS + 0.0004, 0.002]];
            let mut m = lie(TriMesh::lathe(&tip, 20, 0.5));
            m.merge(&lie(TriMesh::lathe(&ring, 24, 0.5)));
            let clip = half - 0.024;
            m.merge(&slab([clip, 0.0, 2.0 * RADIUS + 0.0012], [0.02, 0.0016, 0.0006], 0.0004));
            m
        });
        out.close();
    }
}

impl Samples for Pen {
    fn samples() -> Vec<Self> {
        vec![Self { length: 0.14 }]
    }
}
