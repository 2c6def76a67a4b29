//! An upright cylinder, tall enough for a hand to close around its upper half.

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinches_around, show_tinted, upright};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model};

/// An upright cylinder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius.
    pub radius: f64,
    /// Height.
    pub height: f64,
}

/// A light wood.
const DENSITY: f64 = 450.0;
/// How far below its top it is held.
const BELOW: f64 = 0.035;

impl Cylinder {
    fn mass(&self) -> f64 {
        DENSITY * std::f64::consts::PI * self.radius * self.radius * self.height
    }
}

impl Model for Cylinder {
    fn noun(&self) -> &str {
        "cylinder"
    }

    fn info(&self) -> AssetInfo {
        let (r, h) = (self.radius, self.height);
        AssetInfo {
            symmetry: 0,
            disc: true,
            grasps: pinches_around((h - BELOW).max(h / 2.0), 2.0 * r),
            ..AssetInfo::movable(Bounds::standing(r, r, h), self.mass())
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (r, h) = (self.radius, self.height);
        open_free(name, out);
        upright(r, h, self.mass(), out);
        show_tinted(name, 0, &format!("cylinder_{r}_{h}"), [0.30, 0.55, 0.72], out, || {
            TriMesh::cylinder(r, h / 2.0, 0.002, 40).without_uvs().moved(0.0, 0.0, h / 2.0)
        });
        out.close();
    }
}

impl Samples for Cylinder {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.028, height: 0.15 }]
    }
}
