//! A circle drawn on the table.

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::show_tinted;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, Model};

/// A circle drawn on the table; nothing collides with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// Radius of the middle of the line.
    pub radius: f64,
}

impl Model for Ring {
    fn noun(&self) -> &str {
        "circle"
    }

    fn info(&self) -> AssetInfo {
        info(self.radius)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.radius, name, out);
    }
}

impl Samples for Ring {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.15 }]
    }
}

const THICKNESS: f64 = 0.0016;
const WIDTH: f64 = 0.006;

fn info(radius: f64) -> AssetInfo {
    let r = radius + WIDTH / 2.0;
    AssetInfo { symmetry: 0, flat: true, ..AssetInfo::fixture(Bounds::standing(r, r, THICKNESS)) }
}

fn build(radius: f64, name: &str, out: &mut Mjcf) {
    out.open(name, &longarm_types::Pose::IDENTITY);
    show_tinted(name, 0, &format!("ring_{radius}"), [0.95, 0.94, 0.91], out, || {
        let (inner, outer) = (radius - WIDTH / 2.0, radius + WIDTH / 2.0);
        // Around the section, as the lathe wants it: from below outwards, up and back in.
        let section =
            [[inner, 0.0], [outer, 0.0], [outer, THICKNESS], [inner, THICKNESS], [inner, 0.0]];
        TriMesh::lathe(&section, 96, 0.5).without_uvs()
    });
    out.close();
}
