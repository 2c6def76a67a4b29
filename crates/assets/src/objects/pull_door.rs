//! A door in a frame that stands on the table and faces −y, hinged on its left (−x) edge. A bar to pull it by runs
//! across it, far enough from the leaf for fingers to go behind it.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Panel, board_mesh, board_solids, exclude, show, show_tinted, slab, tool};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, Shape, Starts,
};

/// A door with a bar to pull it by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PullDoor {}

/// Half width, height and half thickness of the leaf; half thickness of the frame.
const HALF: f64 = 0.14;
const HEIGHT: f64 = 0.30;
const THICK: f64 = 0.009;
const FRAME: f64 = 0.014;
/// Height of the leaf's lower edge.
const SILL: f64 = 0.012;
/// The bar: its ends, height, radius, and how far its axis is from the leaf.
const BAR_X: [f64; 2] = [-0.012, 0.134];
const BAR_Z: f64 = 0.19;
const BAR: f64 = 0.009;
const BAR_OUT: f64 = 0.058;
const DOOR_MASS: f64 = 0.5;
const RANGE: [f64; 2] = [0.0, 1.9];
/// Joint value from which it is open, as for Adroit's door.
const OPEN: f64 = 1.35;

fn frame() -> [Panel; 4] {
    let (x, z) = (HALF + FRAME, (HEIGHT + SILL) / 2.0);
    let top = HEIGHT + SILL + FRAME + 0.002;
    [
        ([-x, 0.0, z], [FRAME, FRAME, z]),
        ([x + 0.002, 0.0, z], [FRAME, FRAME, z]),
        ([0.001, 0.0, top], [x + FRAME, FRAME, FRAME]),
        ([0.001, 0.02, 0.004], [x + FRAME, 0.05, 0.004]),
    ]
}

/// The leaf in the door's own frame, whose origin is the hinge at the table's height.
fn leaf() -> Panel {
    ([HALF, -THICK, SILL + HEIGHT / 2.0], [HALF - 0.001, THICK, HEIGHT / 2.0])
}

/// The bar's ends and its stem in the door's own frame.
fn bar() -> ([[f64; 3]; 2], Panel) {
    let y = -2.0 * THICK - BAR_OUT;
    let ends = BAR_X.map(|x| [HALF + x, y, BAR_Z]);
    let stem = [HALF + BAR_X[1] - BAR, y / 2.0 - THICK, BAR_Z];
    (ends, (stem, [BAR, BAR_OUT / 2.0, BAR]))
}

impl Model for PullDoor {
    fn noun(&self) -> &str {
        "door"
    }

    fn info(&self) -> AssetInfo {
        let ([a, b], _) = bar();
        let hold = |x: f64| Grasp {
            kind: GraspKind::Hook,
            tool: tool([x, a[1], a[2]], DVec3::NEG_Z, DVec3::Y),
            opening: 0.04,
            part: Some("leaf".into()),
        };
        let middle = (a[0] + b[0]) / 2.0 - BAR;
        let front = -FRAME - 2.0 * THICK - BAR_OUT - BAR;
        let top = HEIGHT + SILL + 2.0 * FRAME + 0.002;
        AssetInfo {
            grasps: vec![hold(middle), hold(middle - 0.012)],
            parts: vec![Part {
                name: "leaf".into(),
                rest: Pose::at(-HALF, -FRAME, 0.0),
                motion: PartMotion::Hinge { axis: [0.0, 0.0, -1.0], pivot: [-HALF, -FRAME, 0.0] },
                range: RANGE,
                open: [OPEN, RANGE[1]],
                closed: [0.0, 0.05],
                starts: Some(Starts { open: [OPEN + 0.1, OPEN + 0.4], closed: [0.0, 0.005] }),
            }],
            ..AssetInfo::fixture(Bounds {
                centre: [0.001, (front + 0.07) / 2.0, top / 2.0],
                half: [HALF + 2.0 * FRAME + 0.001, (0.07 - front) / 2.0, top / 2.0],
            })
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&frame(), 0.0, out);
        show_tinted(name, 0, "pull_door_frame", [0.90, 0.88, 0.84], out, || {
            board_mesh(&frame(), 0.002)
        });
        let door = format!("{name}/leaf");
        out.open(&door, &Pose::at(-HALF, -FRAME, 0.0));
        out.joint(&Joint {
            name: format!("{door}_joint"),
            hinge: true,
            axis: [0.0, 0.0, -1.0],
            pos: [0.0; 3],
            range: RANGE,
            damping: 0.5,
            armature: 0.0,
            frictionloss: 0.05,
        });
        board_solids(&[leaf()], 0.85 * DOOR_MASS, out);
        let ([a, b], stem) = bar();
        let (half, middle) = ((b[0] - a[0]) / 2.0, (a[0] + b[0]) / 2.0);
        let solid = Geom::solid(Shape::Box([half, BAR * 0.9, BAR * 0.9])).pos(middle, a[1], a[2]);
        out.geom(solid.mass(0.1 * DOOR_MASS));
        board_solids(&[stem], 0.05 * DOOR_MASS, out);
        show_tinted(name, 1, "pull_door_leaf", [0.45, 0.33, 0.24], out, || {
            let (at, half) = leaf();
            let mut m = slab(at, half, 0.002);
            // Two raised panels.
            for z in [-0.5, 0.5] {
                let centre = [at[0], at[1] - THICK, at[2] + z * half[2]];
                m.merge(&slab(centre, [half[0] - 0.03, 0.003, half[2] / 2.0 - 0.02], 0.002));
            }
            m
        });
        let steel = out.material(
            "pull_door_steel",
            [0.66, 0.68, 0.71, 1.0],
            "specular=\"0.8\" shininess=\"0.6\"",
        );
        show("pull_door_bar", steel, out, || {
            let grip = TriMesh::cylinder(BAR, half, 0.003, 28).without_uvs().along(DVec3::X);
            let mut m = grip.moved(middle, a[1], a[2]);
            m.merge(&board_mesh(&[stem], 0.002));
            m
        });
        out.close();
        exclude(name, &door, out);
        out.close();
    }
}

impl Samples for PullDoor {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
