//! Modelling clay and dough: what stays as it was pressed.

use std::sync::Arc;

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use crate::matter::{Bulk, BulkKind, Matter, column, filled};
use crate::{AssetInfo, Mjcf, Model};

/// A piece of modelling clay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clay {
    /// What it is shaped to at the start.
    pub shape: ClayShape,
    /// Distance of its points; finer costs more.
    #[serde(default = "spacing")]
    #[schemars(default = "spacing", range(min = 0.002, max = 0.01))]
    pub spacing: f64,
}

/// How clay is shaped at the start. Sizes are those along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClayShape {
    /// A block.
    Block {
        /// Its size.
        #[schemars(inner(range(min = 0.01, max = 0.2)))]
        size: [f64; 3],
    },
    /// A letter T lying flat, its foot towards −y.
    T {
        /// Its size.
        #[schemars(inner(range(min = 0.01, max = 0.2)))]
        size: [f64; 3],
        /// Width of its strokes.
        #[schemars(range(min = 0.01, max = 0.1))]
        stroke: f64,
    },
}

/// A lump of dough, flat below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dough {
    /// Radius where it lies.
    #[schemars(range(min = 0.015, max = 0.1))]
    pub radius: f64,
    /// Height.
    #[schemars(range(min = 0.01, max = 0.1))]
    pub height: f64,
}

fn spacing() -> f64 {
    0.003
}

/// Kilograms per cubic metre.
const CLAY: f64 = 1500.0;
const DOUGH: f64 = 1150.0;

impl Clay {
    /// Return a letter T of clay at the usual spacing.
    pub fn letter_t(size: [f64; 3], stroke: f64) -> Self {
        Self { shape: ClayShape::T { size, stroke }, spacing: spacing() }
    }

    fn bulk(&self) -> Bulk {
        let places = match self.shape {
            ClayShape::Block { size } => filled(size, self.spacing, |_| true),
            ClayShape::T { size, stroke } => filled(size, self.spacing, |[x, y, _]| {
                2.0 * x.abs() < stroke || y > size[1] / 2.0 - stroke
            }),
        };
        Bulk {
            kind: BulkKind::Clay { young: 1e5, yields: 3e3 },
            density: CLAY,
            spacing: self.spacing,
            places: Arc::new(places),
            rgb: [0.72, 0.33, 0.22],
            gloss: 0.15,
        }
    }

    fn size(&self) -> [f64; 3] {
        let (ClayShape::Block { size } | ClayShape::T { size, .. }) = self.shape;
        size
    }
}

impl Dough {
    fn bulk(&self) -> Bulk {
        let Self { radius, height } = *self;
        // A cap: rounder towards its top.
        let mut places = column(radius, height, spacing());
        places.retain(|[x, y, z]| {
            let [out, up] = [libm::hypot(*x, *y) / radius, z / height];
            out * out + up * up * up < 1.0
        });
        Bulk {
            kind: BulkKind::Clay { young: 6e4, yields: 1.2e3 },
            density: DOUGH,
            spacing: spacing(),
            places: Arc::new(places),
            rgb: [0.90, 0.80, 0.62],
            gloss: 0.08,
        }
    }
}

/// What is made of particles and lies within a box.
pub(super) fn lying(bulk: Bulk, [x, y, z]: [f64; 3], symmetry: u32) -> AssetInfo {
    AssetInfo {
        symmetry,
        mass: bulk.mass(),
        matter: Some(Arc::new(Matter::Bulk(bulk))),
        ..AssetInfo::movable(Bounds::standing(x / 2.0, y / 2.0, z), 0.0)
    }
}

/// Soft matter moves outside of the model.
pub(super) fn empty(name: &str, out: &mut Mjcf) {
    out.open(name, &Pose::IDENTITY);
    out.close();
}

impl Model for Clay {
    fn noun(&self) -> &str {
        match self.shape {
            ClayShape::Block { .. } => "clay",
            ClayShape::T { .. } => "clay T",
        }
    }

    fn info(&self) -> AssetInfo {
        let symmetry = if matches!(self.shape, ClayShape::Block { .. }) { 2 } else { 1 };
        lying(self.bulk(), self.size(), symmetry)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        empty(name, out);
    }
}

impl Model for Dough {
    fn noun(&self) -> &str {
        "dough"
    }

    fn info(&self) -> AssetInfo {
        let [r, h] = [self.radius, self.height];
        AssetInfo { disc: true, ..lying(self.bulk(), [2.0 * r, 2.0 * r, h], 0) }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        empty(name, out);
    }
}

impl Samples for Clay {
    fn samples() -> Vec<Self> {
        let block = ClayShape::Block { size: [0.05, 0.04, 0.03] };
        vec![Self { shape: block, spacing: spacing() }, Self::letter_t([0.072, 0.096, 0.02], 0.026)]
    }
}

impl Samples for Dough {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.04, height: 0.03 }]
    }
}
