//! A towel or handkerchief: a rectangle of cloth with a woven border.

use std::sync::Arc;

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::cotton::{CELL, RADIUS, cotton, held_at, printed, yes};
use crate::matter::{Cut, Fabric, Laid, Matter, Picture};
use crate::{AssetInfo, Mjcf, Model};

/// A rectangle of cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Towel {
    /// Length along x and y, metres.
    #[schemars(inner(range(min = 0.08, max = 0.6)))]
    pub size: [f64; 2],
    /// How it lies at the start.
    #[serde(default, skip_serializing_if = "Laid::is_flat")]
    pub laid: Laid,
    /// Fingers that close over it gather it between them, whatever contact alone would do.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    #[schemars(default = "yes")]
    pub gathers: bool,
}

/// Most cells along a side: a larger towel is coarser.
const MOST_CELLS: f64 = 40.0;
const BLUE: [f32; 3] = [0.35, 0.55, 0.80];

impl Towel {
    /// A handkerchief of this edge.
    pub fn square(edge: f64) -> Self {
        Self { size: [edge, edge], laid: Laid::Flat, gathers: true }
    }

    /// Numbers of cells along x and y, and their edge: they are square.
    fn grid(&self) -> ([usize; 2], f64) {
        let most = self.size[0].max(self.size[1]);
        let edge = most / (most / CELL).round().clamp(4.0, MOST_CELLS);
        (self.size.map(|s| (s / edge).round().clamp(2.0, MOST_CELLS) as usize), edge)
    }

    fn fabric(&self) -> Fabric {
        let (cells, edge) = self.grid();
        let cut = Cut::of_cells(cells, edge, |_| true);
        Fabric { laid: self.laid, gathers: self.gathers, ..cotton(cut, BLUE, weave(cells)) }
    }
}

/// A light ground with darker stripes along all sides.
fn weave(cells: [usize; 2]) -> Picture {
    printed(cells, |u, v, [wide, high]| {
        let side = u.min(v).min(wide - u).min(high - v);
        let stripe = (0.05..0.075).contains(&side) || (0.095..0.105).contains(&side);
        [if stripe { 0.45 } else { 1.0 }; 3]
    })
}

impl Model for Towel {
    fn noun(&self) -> &str {
        if self.size[0].max(self.size[1]) > 0.35 { "towel" } else { "handkerchief" }
    }

    fn info(&self) -> AssetInfo {
        let fabric = self.fabric();
        let (cells, edge) = self.grid();
        let [x, y] = cells.map(|n| n as f64 * edge / 2.0);
        let corner = |sx: f64, sy: f64| held_at([sx * (x - 0.01), sy * (y - 0.01)]);
        AssetInfo {
            symmetry: if x == y { 4 } else { 2 },
            grasps: vec![
                corner(1.0, 1.0),
                corner(1.0, -1.0),
                corner(-1.0, 1.0),
                corner(-1.0, -1.0),
            ],
            mass: fabric.mass(),
            matter: Some(Arc::new(Matter::Fabric(fabric))),
            ..AssetInfo::movable(Bounds::standing(x, y, 2.0 * RADIUS), 0.0)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        out.close();
    }
}

impl Samples for Towel {
    fn samples() -> Vec<Self> {
        vec![Self::square(0.28), Self { size: [0.4, 0.25], ..Self::square(0.4) }]
    }
}
