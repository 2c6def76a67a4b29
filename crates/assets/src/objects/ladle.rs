//! What scoops: a ladle for liquid and a shovel for sand, held by a bar that leads up and back over what they dip into.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    FOOT_GAP, Panel, Wall, board_mesh, board_solids, open_free, pinch, region, show, show_tinted,
};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Mjcf, Model, Mouth, RegionKind, Shape, Surface};

/// A round cup with a long handle towards −x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ladle {
    /// Inner radius of the cup.
    #[schemars(range(min = 0.02, max = 0.06))]
    pub radius: f64,
    /// Height of the cup.
    #[schemars(range(min = 0.02, max = 0.12))]
    pub height: f64,
}

/// A shovel with a flat floor, its lip towards +x, its handle towards −x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shovel {
    /// Length from back to lip, width within, height of its walls.
    #[schemars(inner(range(min = 0.02, max = 0.12)))]
    pub size: [f64; 3],
}

/// Thickness of walls and floors.
const WALL: f64 = 0.003;
/// How far the bar is above the rim, how long it is, half its thickness and half its height.
const RISE: f64 = 0.04;
const BAR: f64 = 0.075;
const THICK: f64 = 0.007;
const TALL: f64 = 0.009;
const HANDLE_MASS: f64 = 0.02;
/// Where fingers hold the bar, from its near end.
const HELD: f64 = 0.042;
/// Mass per area of the rest, kg/m².
const SHEET: f64 = 6.0;
/// Tilts at which nearly all has left them, radians.
const CUP_EMPTIED: f64 = 1.95;
const SHOVEL_EMPTIED: f64 = 1.05;

/// The handle behind a wall at `back` whose upper edge is at `rim`: a stem and the bar.
fn handle(back: f64, low: f64, rim: f64) -> [Panel; 2] {
    let top = rim + RISE + 2.0 * TALL;
    let stem = 0.005;
    [
        ([back - stem, 0.0, (low + top) / 2.0], [stem, THICK, (top - low) / 2.0]),
        ([back - BAR / 2.0, 0.0, top - TALL], [BAR / 2.0, THICK, TALL]),
    ]
}

fn holds(back: f64, rim: f64) -> Vec<Grasp> {
    let at = [back - HELD, 0.0, rim + RISE + TALL];
    vec![Grasp { kind: GraspKind::Handle, ..pinch(at, FRAC_PI_2, 0.03) }]
}

fn bounds(front: f64, back: f64, side: f64, rim: f64) -> Bounds {
    let top = rim + RISE + 2.0 * TALL;
    let end = back - BAR;
    Bounds {
        centre: [(front + end) / 2.0, 0.0, top / 2.0],
        half: [(front - end) / 2.0, side, top / 2.0],
    }
}

impl Ladle {
    fn mass(&self) -> f64 {
        SHEET * std::f64::consts::PI * self.radius * (self.radius + 2.0 * self.height)
    }

    fn back(&self) -> f64 {
        -self.radius - WALL / 2.0
    }
}

impl Model for Ladle {
    fn noun(&self) -> &str {
        "ladle"
    }

    fn info(&self) -> AssetInfo {
        let (r, h) = (self.radius, self.height);
        let (middle, half) = ((WALL + h) / 2.0, (h - WALL) / 2.0);
        AssetInfo {
            grasps: holds(self.back(), h),
            regions: vec![region("inside", RegionKind::Volume, [0.0, 0.0, middle], [r, r, half])],
            spout: Some(Mouth { at: [0.0, 0.0, h], spills: CUP_EMPTIED, rim: Some(r) }),
            ..AssetInfo::movable(
                bounds(r + WALL, self.back(), r + WALL, h),
                self.mass() + HANDLE_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (r, h) = (self.radius, self.height);
        open_free(name, out);
        let side = r * 0.7;
        let foot = Geom::solid(Shape::Box([side, side, FOOT_GAP]));
        out.geom(foot.pos(0.0, 0.0, FOOT_GAP).mass(0.1 * self.mass()));
        let half = (WALL - FOOT_GAP) / 2.0;
        let floor = Geom::solid(Shape::Cylinder(r + WALL / 2.0, half));
        out.geom(floor.pos(0.0, 0.0, FOOT_GAP + half).mass(0.2 * self.mass()));
        let wall = Wall { radius: [r; 2], z: [FOOT_GAP, h], thickness: WALL, count: 12 };
        wall.build(0.7 * self.mass(), out);
        let bars = handle(self.back(), 0.4 * h, h);
        board_solids(&bars, HANDLE_MASS, out);
        let steel = out.material(
            "ladle_steel",
            [0.78, 0.80, 0.82, 1.0],
            "specular=\"0.6\" shininess=\"0.5\"",
        );
        show(&format!("ladle_cup_{r}_{h}"), steel, out, || {
            let profile = [
                [0.0, 0.0],
                [r + WALL - 0.002, 0.0],
                [r + WALL, 0.002],
                [r + WALL, h],
                [r, h],
                [r, WALL],
                [0.0, WALL],
            ];
            TriMesh::lathe(&profile, 48, 0.6).without_uvs()
        });
        show_tinted(name, 0, &format!("ladle_bar_{r}_{h}"), [0.16, 0.34, 0.62], out, || {
            board_mesh(&bars, 0.002)
        });
        out.close();
    }
}

impl Shovel {
    fn boards(&self) -> [Panel; 4] {
        let [x, y, h] = self.size;
        let (hx, hy, w) = (x / 2.0, y / 2.0, WALL / 2.0);
        let side = |s: f64| ([0.0, s * (hy + w), h / 2.0], [hx, w, h / 2.0]);
        [
            ([0.0, 0.0, w], [hx, hy + WALL, w]),
            side(1.0),
            side(-1.0),
            ([w - hx, 0.0, h / 2.0], [w, hy + WALL, h / 2.0]),
        ]
    }

    fn mass(&self) -> f64 {
        let [x, y, h] = self.size;
        SHEET * (x * y + 2.0 * x * h + y * h)
    }
}

impl Model for Shovel {
    fn noun(&self) -> &str {
        "shovel"
    }

    fn info(&self) -> AssetInfo {
        let [x, y, h] = self.size;
        let (back, middle) = (-x / 2.0, (h + WALL) / 2.0);
        AssetInfo {
            grasps: holds(back, h),
            regions: vec![region(
                "inside",
                RegionKind::Volume,
                [WALL / 2.0, 0.0, middle],
                [(x - WALL) / 2.0, y / 2.0, (h - WALL) / 2.0],
            )],
            spout: Some(Mouth {
                at: [x / 2.0, 0.0, WALL],
                spills: SHOVEL_EMPTIED,
                rim: Some(y / 2.0),
            }),
            ..AssetInfo::movable(
                bounds(x / 2.0, back, y / 2.0 + WALL, h),
                self.mass() + HANDLE_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y, h] = self.size;
        open_free(name, out);
        board_solids(&self.boards(), self.mass(), out);
        let bars = handle(-x / 2.0, 0.0, h);
        board_solids(&bars, HANDLE_MASS, out);
        show(&format!("shovel_{x}_{y}_{h}"), Surface::rgb([0.62, 0.65, 0.68]), out, || {
            board_mesh(&self.boards(), 0.001)
        });
        show_tinted(name, 0, &format!("shovel_bar_{x}_{y}_{h}"), [0.74, 0.20, 0.16], out, || {
            board_mesh(&bars, 0.002)
        });
        out.close();
    }
}

impl Samples for Ladle {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.032, height: 0.035 }, Self { radius: 0.034, height: 0.07 }]
    }
}

impl Samples for Shovel {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.07, 0.06, 0.03] }]
    }
}
