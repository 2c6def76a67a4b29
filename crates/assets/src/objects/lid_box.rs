//! A wooden box that stands fixed; its lid slides off towards −y in grooves.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    Panel, board_mesh, board_solids, exclude, pinch, region, show, show_tinted, slab,
};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, GraspKind, Joint, Mjcf, Model, Part, PartMotion, RegionKind, Shape, Starts,
    Surface,
};

/// A wooden box with a sliding lid, standing fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LidBox {
    /// Full outer width and depth, and height without the lid.
    pub size: [f64; 3],
}

const WALL: f64 = 0.008;
/// Thickness of the lid, and half the width of the rails it slides between.
const LID: f64 = 0.008;
const RAIL: f64 = 0.003;
/// The knob: half width and height.
const KNOB: [f64; 2] = [0.014, 0.036];
const LID_MASS: f64 = 0.15;
/// Part of its depth by which the lid slides, and from which the box is open.
const TRAVEL: f64 = 0.92;
const OPEN: f64 = 0.78;

impl LidBox {
    fn walls(&self) -> [Panel; 7] {
        let [x, y, z] = self.size;
        let (hx, hy, h, w) = (x / 2.0, y / 2.0, z / 2.0, WALL / 2.0);
        let rail = |s: f64| ([s * (hx - RAIL), 0.0, z + LID / 2.0], [RAIL, hy, LID / 2.0]);
        [
            ([0.0, 0.0, w], [hx, hy, w]),
            ([w - hx, 0.0, h], [w, hy, h]),
            ([hx - w, 0.0, h], [w, hy, h]),
            ([0.0, w - hy, h], [hx - WALL, w, h]),
            ([0.0, hy - w, h], [hx - WALL, w, h]),
            rail(1.0),
            rail(-1.0),
        ]
    }

    /// The lid in its own frame, which begins at the box's rim.
    fn lid(&self) -> Panel {
        let [x, y, _] = self.size;
        ([0.0, 0.0, LID / 2.0], [x / 2.0 - 2.0 * RAIL - 0.001, y / 2.0, LID / 2.0])
    }
}

impl Model for LidBox {
    fn noun(&self) -> &str {
        "box"
    }

    fn info(&self) -> AssetInfo {
        let [x, y, z] = self.size;
        let grasps = [0.0, FRAC_PI_2].map(|angle| {
            let mut hold = pinch([0.0, 0.0, LID + KNOB[1] - 0.016], angle, 2.0 * KNOB[0] + 0.022);
            (hold.kind, hold.part) = (GraspKind::Handle, Some("lid".into()));
            hold
        });
        AssetInfo {
            grasps: grasps.into(),
            parts: vec![Part {
                name: "lid".into(),
                rest: Pose::at(0.0, 0.0, z),
                motion: PartMotion::Slide { axis: [0.0, -1.0, 0.0] },
                range: [0.0, TRAVEL * y],
                open: [OPEN * y, TRAVEL * y],
                closed: [0.0, 0.01],
                starts: Some(Starts { open: [OPEN * y; 2], closed: [0.0; 2] }),
            }],
            regions: vec![
                region("inside", RegionKind::Volume, [0.0, 0.0, (z + WALL) / 2.0], {
                    [x / 2.0 - WALL, y / 2.0 - WALL, (z - WALL) / 2.0]
                }),
                // Where fingers have room beside what lies there, clear of the open lid.
                region("middle", RegionKind::Volume, [0.0, 0.1 * y, (z + WALL) / 2.0], {
                    [0.3 * x, 0.25 * y, (z - WALL) / 2.0]
                }),
            ],
            ..AssetInfo::fixture(Bounds::standing(x / 2.0, y / 2.0, z + LID + KNOB[1]))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y, z] = self.size;
        out.open(name, &Pose::IDENTITY);
        board_solids(&self.walls(), 0.0, out);
        show_tinted(name, 0, &format!("lid_box_{x}_{y}_{z}"), [0.62, 0.43, 0.27], out, || {
            board_mesh(&self.walls(), 0.001)
        });
        show(&format!("lid_box_bands_{x}_{y}_{z}"), Surface::rgb([0.30, 0.31, 0.33]), out, || {
            let band = |s: f64| slab([0.0, s * (y / 2.0), 0.55 * z], [0.02, 0.0015, 0.014], 0.0008);
            TriMesh::merged([band(1.0), band(-1.0)])
        });
        let lid = format!("{name}/lid");
        out.open(&lid, &Pose::at(0.0, 0.0, z));
        out.joint(&Joint {
            name: format!("{lid}_joint"),
            hinge: false,
            axis: [0.0, -1.0, 0.0],
            pos: [0.0; 3],
            range: [0.0, TRAVEL * y],
            damping: 2.0,
            armature: 0.0,
            frictionloss: 0.6,
        });
        board_solids(&[self.lid()], 0.9 * LID_MASS, out);
        let [half, tall] = KNOB;
        let knob = Geom::solid(Shape::Box([half, half, tall / 2.0]));
        out.geom(knob.pos(0.0, 0.0, LID + tall / 2.0).mass(0.1 * LID_MASS));
        show_tinted(name, 1, &format!("lid_{x}_{y}"), [0.74, 0.55, 0.36], out, || {
            board_mesh(&[self.lid()], 0.0015)
        });
        show("lid_knob", Surface::rgb([0.30, 0.31, 0.33]), out, || {
            let turned = [[0.75 * half, 0.0], [half, 0.75 * tall], [0.9 * half, tall], [0.0, tall]];
            TriMesh::lathe(&turned, 28, 0.5).without_uvs().moved(0.0, 0.0, LID)
        });
        out.close();
        exclude(name, &lid, out);
        out.close();
    }
}

impl Samples for LidBox {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.16, 0.18, 0.075] }]
    }
}
