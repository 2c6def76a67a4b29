//! A T-shirt: one layer of cloth with short sleeves and a neckline.
//!
//! One layer folds and unfolds as the two of a real shirt do while they lie on each other, at half the cost.

use std::sync::Arc;

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::cotton::{CELL, RADIUS, cotton, held_at, printed, yes};
use crate::matter::{Cut, Fabric, Laid, Matter, Picture};
use crate::{AssetInfo, Mjcf, Model};

/// A child's T-shirt; its collar points along +y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shirt {
    /// How it lies at the start.
    #[serde(default, skip_serializing_if = "Laid::is_flat")]
    pub laid: Laid,
    /// Fingers that close over it gather it between them, whatever contact alone would do.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    #[schemars(default = "yes")]
    pub gathers: bool,
}

/// Cells of the whole, of half the body's width, of the sleeves' width, and of half the neckline and its depth.
const CELLS: [usize; 2] = [28, 22];
const BODY: f64 = 8.0 * CELL;
const SLEEVE: f64 = 7.0 * CELL;
const NECK: [f64; 2] = [3.0 * CELL, 2.0 * CELL];
const HALF: [f64; 2] = [14.0 * CELL, 11.0 * CELL];
const WHITE: [f32; 3] = [0.92, 0.92, 0.90];

impl Shirt {
    /// Half the width of its body, and half its length.
    pub const BODY: [f64; 2] = [BODY, HALF[1]];
    /// The middle of the right sleeve's end, in the frame of the piece as cut; the left one's x is negative.
    pub const CUFF: [f64; 2] = [HALF[0], HALF[1] - SLEEVE / 2.0];

    /// A shirt that lies spread out.
    pub const FLAT: Self = Self { laid: Laid::Flat, gathers: true };

    fn fabric(&self) -> Fabric {
        let [_, top] = HALF;
        let cut = Cut::of_cells(CELLS, CELL, |[x, y]| {
            let neck = x.abs() < NECK[0] && y > top - NECK[1];
            (x.abs() < BODY || y > top - SLEEVE) && !neck
        });
        Fabric { laid: self.laid, gathers: self.gathers, ..cotton(cut, WHITE, print()) }
    }
}

/// Darker seams and ends of the sleeves, two stripes across the chest.
fn print() -> Picture {
    let long = 2.0 * HALF[0];
    printed(CELLS, |u, v, _| {
        let (x, y) = (u * long - HALF[0], v * long - HALF[1]);
        let [_, top] = HALF;
        let sleeve = x.abs() > BODY;
        let cuff = x.abs() > HALF[0] - 0.009 || y < 0.009 - top;
        let seam = (x.abs() - BODY).abs() < 0.002 && y > top - SLEEVE;
        let collar = x.abs() < NECK[0] + 0.009 && y > top - NECK[1] - 0.009;
        let stripe = !sleeve && ((0.012..0.03).contains(&y) || (-0.03..-0.012).contains(&y));
        if cuff || collar || seam {
            [0.5; 3]
        } else if stripe {
            [0.35, 0.45, 0.75]
        } else {
            [1.0; 3]
        }
    })
}

impl Model for Shirt {
    fn noun(&self) -> &str {
        "shirt"
    }

    fn info(&self) -> AssetInfo {
        let fabric = self.fabric();
        let ([body, _], [cuff, sleeve], [x, y]) = (Self::BODY, Self::CUFF, HALF);
        let inside = 0.01;
        let hem = [body - inside, inside - y];
        let sides = |[x, y]: [f64; 2]| [held_at([x, y]), held_at([-x, y])];
        AssetInfo {
            grasps: [sides([cuff - inside, sleeve]), sides(hem)].concat(),
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

impl Samples for Shirt {
    fn samples() -> Vec<Self> {
        vec![Self::FLAT, Self { laid: Laid::Folded { at: 0.0 }, ..Self::FLAT }]
    }
}
