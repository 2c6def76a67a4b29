//! A toy table on four legs, as wide along y as a tray.

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Panel, board_mesh, board_solids, open_free, show, show_tinted, slab, tool};
use crate::{AssetInfo, Grasp, GraspKind, Mjcf, Model, Surface};

/// A toy table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToyTable {}

/// Half depth and half width of the top, its thickness, the height of it all.
const HALF: [f64; 2] = [0.105, 0.21];
const TOP: f64 = 0.018;
const HEIGHT: f64 = 0.135;
/// Half the thickness of a leg, and how far its middle is from the edges.
const LEG: f64 = 0.011;
const INSET: f64 = 0.016;
/// Where fingers raise it: from the middle to either side, from the edge inwards.
const ASIDE: f64 = 0.092;
const UNDER: f64 = 0.028;
const TOP_MASS: f64 = 0.32;
const LEGS_MASS: f64 = 0.12;

fn top() -> Panel {
    ([0.0, 0.0, HEIGHT - TOP / 2.0], [HALF[0], HALF[1], TOP / 2.0])
}

fn legs() -> [Panel; 4] {
    let half = (HEIGHT - TOP) / 2.0;
    [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        .map(|(x, y)| ([x * (HALF[0] - INSET), y * (HALF[1] - INSET), half], [LEG, LEG, half]))
}

impl Model for ToyTable {
    fn noun(&self) -> &str {
        "table"
    }

    fn info(&self) -> AssetInfo {
        let raise = |s: f64| Grasp {
            kind: GraspKind::Scoop,
            tool: tool([UNDER - HALF[0], s * ASIDE, HEIGHT - TOP], DVec3::NEG_Z, DVec3::X),
            opening: 0.0,
            part: None,
        };
        AssetInfo {
            grasps: vec![raise(1.0), raise(-1.0)],
            ..AssetInfo::movable(Bounds::standing(HALF[0], HALF[1], HEIGHT), TOP_MASS + LEGS_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        board_solids(&[top()], TOP_MASS, out);
        board_solids(&legs(), LEGS_MASS, out);
        show_tinted(name, 0, "toy_table_top", [0.80, 0.30, 0.22], out, || {
            board_mesh(&[top()], 0.006)
        });
        show("toy_table_legs", Surface::rgb([0.85, 0.70, 0.48]), out, || {
            let z = HEIGHT - TOP - 0.008;
            let rail = |x: f64, y: f64, hx: f64, hy: f64| slab([x, y, z], [hx, hy, 0.008], 0.002);
            let [hx, hy] = [HALF[0] - INSET, HALF[1] - INSET];
            let mut m = board_mesh(&legs(), 0.004);
            // Rails under the top's far and narrow sides.
            m.merge(&rail(hx, 0.0, 0.006, hy));
            m.merge(&rail(0.0, hy, hx, 0.006));
            m.merge(&rail(0.0, -hy, hx, 0.006));
            m
        });
        out.close();
    }
}

impl Samples for ToyTable {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
