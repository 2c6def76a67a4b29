//! A bag of cloth: front and back sewn together at sides and bottom, open above, a handle on each.

use std::sync::Arc;

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::region;
use super::cotton::{CELL, RADIUS, cotton, held_at, printed, yes};
use crate::matter::{Cut, Fabric, Matter, Picture};
use crate::{Access, AssetInfo, Mjcf, Model, Region, RegionKind};

/// A small shopping bag lying on one of its faces; its handles point along +y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToteBag {
    /// Fingers that close over it gather it between them, whatever contact alone would do.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    #[schemars(default = "yes")]
    pub gathers: bool,
}

/// Cells across and along, of which the bag itself without its handles.
const CELLS: [usize; 2] = [14, 20];
const DEEP: usize = 12;
/// Cells across a handle outside and inside, and how wide its strap is.
const HANDLE: [usize; 2] = [10, 6];
const STRAP: usize = 2;
/// How far apart front and back lie.
const APART: f64 = 2.5 * RADIUS;
const HALF: [f64; 2] = [7.0 * CELL, 10.0 * CELL];
const CANVAS: [f32; 3] = [0.87, 0.80, 0.64];

/// Where the bag ends and its handles begin.
fn brim() -> f64 {
    DEEP as f64 * CELL - HALF[1]
}

impl ToteBag {
    /// A bag whose handles fingers gather.
    pub const PLAIN: Self = Self { gathers: true };

    fn fabric(&self) -> Fabric {
        let [outer, inner] = HANDLE.map(|n| n as f64 * CELL / 2.0);
        let strap = HALF[1] - STRAP as f64 * CELL;
        let face = Cut::of_cells(CELLS, CELL, |[x, y]| {
            y < brim() || x.abs() < outer && (x.abs() > inner || y > strap)
        });
        let [side, end] = HALF;
        let sewn =
            |c: &[f64; 3]| c[1] < brim() + 1e-9 && (c[0].abs() > side - 1e-9 || c[1] < 1e-9 - end);
        Fabric { gathers: self.gathers, ..cotton(doubled(face, APART, sewn), CANVAS, print()) }
    }
}

/// Lay a piece upon its like and sew their corners together where `sewn` says so.
fn doubled(mut cut: Cut, apart: f64, sewn: impl Fn(&[f64; 3]) -> bool) -> Cut {
    let below = cut.corners.clone();
    let above: Vec<u32> = below
        .iter()
        .enumerate()
        .map(|(i, corner)| {
            if sewn(corner) {
                cut.corners[i][2] += 0.5 * apart;
                return i as u32;
            }
            cut.corners.push([corner[0], corner[1], corner[2] + apart]);
            cut.uvs.push(cut.uvs[i]);
            cut.corners.len() as u32 - 1
        })
        .collect();
    let lifted = |v: u32| above[v as usize];
    // Turned over, so that the outside of both faces is outside.
    let triangles: Vec<_> =
        cut.triangles.iter().map(|[a, b, c]| [lifted(*b), lifted(*a), lifted(*c)]).collect();
    let diagonals: Vec<_> = cut.diagonals.iter().map(|d| d.map(lifted)).collect();
    cut.triangles.extend(triangles);
    cut.diagonals.extend(diagonals);
    cut
}

/// Hems, darker straps, and a leaf.
fn print() -> Picture {
    let long = 2.0 * HALF[1];
    printed(CELLS, |u, v, _| {
        let (x, y) = (u * long - HALF[0], v * long - HALF[1]);
        let middle = brim() / 2.0 - HALF[1] / 2.0;
        // A leaf is where two discs overlap.
        let leaf = [0.03, -0.03].iter().all(|off| libm::hypot(x - off, y - middle) < 0.05);
        let vein = x.abs() < 0.0016;
        if y > brim() || (y - brim()).abs() < 0.008 {
            [0.62, 0.42, 0.35]
        } else if leaf && !vein {
            [0.35, 0.62, 0.38]
        } else {
            [1.0; 3]
        }
    })
}

impl Model for ToteBag {
    fn noun(&self) -> &str {
        "bag"
    }

    fn info(&self) -> AssetInfo {
        let fabric = self.fabric();
        let [x, y] = HALF;
        let strap = STRAP as f64 * CELL;
        let inner = HANDLE[1] as f64 * CELL / 2.0;
        let tall = (y - strap - brim()) / 2.0;
        let opening = Region {
            access: Access::Through,
            ..region(
                "handle",
                RegionKind::Volume,
                [0.0, brim() + tall, APART / 2.0],
                [inner, tall, APART / 2.0],
            )
        };
        AssetInfo {
            symmetry: 1,
            grasps: vec![held_at([0.0, y - strap / 2.0])],
            regions: vec![opening],
            mass: fabric.mass(),
            matter: Some(Arc::new(Matter::Fabric(fabric))),
            ..AssetInfo::movable(Bounds::standing(x, y, APART + 2.0 * RADIUS), 0.0)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        out.close();
    }
}

impl Samples for ToteBag {
    fn samples() -> Vec<Self> {
        vec![Self::PLAIN]
    }
}
