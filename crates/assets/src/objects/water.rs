//! Water, or another liquid as thin as it, in what stands around it.

use std::sync::Arc;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use crate::matter::{Bulk, BulkKind, Matter, column};
use crate::{AssetInfo, Mjcf, Model};

/// Liquid that begins as a round column; what it is placed in must be as wide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Water {
    /// Radius of the column.
    #[schemars(range(min = 0.01, max = 0.2))]
    pub radius: f64,
    /// Depth of the column.
    #[schemars(range(min = 0.005, max = 0.2))]
    pub depth: f64,
    /// Distance of particles at rest; finer costs more.
    #[serde(default = "spacing")]
    #[schemars(default = "spacing", range(min = 0.003, max = 0.01))]
    pub spacing: f64,
}

fn spacing() -> f64 {
    0.005
}

impl Water {
    /// Return a column of water of the usual spacing.
    pub fn column(radius: f64, depth: f64) -> Self {
        Self { radius, depth, spacing: spacing() }
    }

    fn bulk(&self) -> Bulk {
        Bulk {
            kind: BulkKind::Liquid { viscosity: 0.02 },
            density: 1000.0,
            spacing: self.spacing,
            places: Arc::new(column(self.radius, self.depth, self.spacing)),
            rgb: [0.16, 0.42, 0.78],
            gloss: 0.5,
        }
    }
}

impl Model for Water {
    fn noun(&self) -> &str {
        "water"
    }

    fn info(&self) -> AssetInfo {
        let bulk = self.bulk();
        AssetInfo {
            symmetry: 0,
            disc: true,
            mass: bulk.mass(),
            matter: Some(Arc::new(Matter::Bulk(bulk))),
            ..AssetInfo::movable(Bounds::standing(self.radius, self.radius, self.depth), 0.0)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &longarm_types::Pose::IDENTITY);
        out.close();
    }
}

impl Samples for Water {
    fn samples() -> Vec<Self> {
        vec![Self::column(0.028, 0.05)]
    }
}
