//! Dry sand in what stands around it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::clay::{empty, lying};
use crate::matter::{Bulk, BulkKind, filled};
use crate::{AssetInfo, Mjcf, Model};

/// Sand that begins as a level bed; what it is placed in must be as large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sand {
    /// Length along x and y, and depth.
    #[schemars(inner(range(min = 0.01, max = 0.3)))]
    pub size: [f64; 3],
    /// Distance of its points; finer costs more.
    #[serde(default = "spacing")]
    #[schemars(default = "spacing", range(min = 0.002, max = 0.01))]
    pub spacing: f64,
}

fn spacing() -> f64 {
    0.005
}

impl Sand {
    /// Return a bed of sand of the usual spacing.
    pub fn bed(size: [f64; 3]) -> Self {
        Self { size, spacing: spacing() }
    }

    fn bulk(&self) -> Bulk {
        Bulk {
            kind: BulkKind::Sand { young: 1e5, friction: 32_f64.to_radians() },
            density: 1600.0,
            spacing: self.spacing,
            places: Arc::new(filled(self.size, self.spacing, |_| true)),
            rgb: [0.83, 0.69, 0.44],
            gloss: 0.0,
        }
    }
}

impl Model for Sand {
    fn noun(&self) -> &str {
        "sand"
    }

    fn info(&self) -> AssetInfo {
        lying(self.bulk(), self.size, 2)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        empty(name, out);
    }
}

impl Samples for Sand {
    fn samples() -> Vec<Self> {
        vec![Self::bed([0.1, 0.1, 0.02])]
    }
}
