//! A cupboard that stands on the table; its one or two doors face −y. A single door is hinged on its left
//! (−x) edge, of two doors each on its own side.

use std::f64::consts::FRAC_PI_4;

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    Panel, board_mesh, board_solids, exclude, region, show, show_tinted, slab, tool, under_roof,
};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, RegionKind, Shape,
    Starts,
};

/// A cupboard with one or two doors, standing fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cupboard {
    /// Two doors rather than one.
    pub double: bool,
}

/// Half depth, height and thickness of its boards.
const DEPTH: f64 = 0.085;
const HEIGHT: f64 = 0.22;
const BOARD: f64 = 0.007;
/// Width of a door and half its thickness.
const LEAF: f64 = 0.23;
const THICK: f64 = 0.008;
/// The bar of a door: how far from its free edge and in front of it, radius and half length.
const BAR_IN: f64 = 0.045;
const BAR_OUT: f64 = 0.042;
const BAR: f64 = 0.006;
const BAR_HALF: f64 = 0.055;
const BAR_Z: f64 = 0.12;
const DOOR_MASS: f64 = 0.4;
const RANGE: [f64; 2] = [0.0, 2.0];
/// Joint value from which a door is open: 70°.
const OPEN: f64 = 1.22;

/// A door: its name, x of its hinge, and the way from there to its free edge.
struct Door {
    name: &'static str,
    hinge: f64,
    way: f64,
}

impl Cupboard {
    fn half_width(&self) -> f64 {
        if self.double { LEAF + 0.001 } else { LEAF / 2.0 }
    }

    fn doors(&self) -> Vec<Door> {
        let w = self.half_width();
        match self.double {
            false => vec![Door { name: "door", hinge: -w, way: 1.0 }],
            true => vec![
                Door { name: "left_door", hinge: -w, way: 1.0 },
                Door { name: "right_door", hinge: w, way: -1.0 },
            ],
        }
    }

    fn case(&self) -> [Panel; 6] {
        let (w, h, b) = (self.half_width(), HEIGHT / 2.0, BOARD / 2.0);
        [
            ([0.0, 0.0, b], [w, DEPTH, b]),
            ([0.0, 0.0, HEIGHT - b], [w, DEPTH, b]),
            ([b - w, 0.0, h], [b, DEPTH, h]),
            ([w - b, 0.0, h], [b, DEPTH, h]),
            ([0.0, DEPTH - b, h], [w, b, h]),
            ([0.0, 0.01, h], [w - BOARD, DEPTH - 0.012, b]),
        ]
    }
}

impl Door {
    /// The hinge in the cupboard's frame; the door's own frame begins there.
    fn hinge(&self) -> [f64; 3] {
        [self.hinge, -DEPTH, 0.0]
    }

    fn leaf(&self) -> Panel {
        let half = LEAF / 2.0;
        (
            [self.way * half, -THICK - 0.001, HEIGHT / 2.0],
            [half - 0.001, THICK, HEIGHT / 2.0 - 0.003],
        )
    }

    /// Where its bar is, and the stems that carry it.
    fn bar(&self) -> ([f64; 3], [Panel; 2]) {
        let x = self.way * (LEAF - BAR_IN);
        let front = -2.0 * THICK - 0.001;
        let half = (BAR_OUT - 2.0 * THICK) / 2.0;
        let stem = |dz: f64| ([x, front - half, BAR_Z + dz], [0.004, half, 0.004]);
        ([x, -BAR_OUT - 0.001, BAR_Z], [stem(BAR_HALF - 0.008), stem(0.008 - BAR_HALF)])
    }

    fn part(&self) -> Part {
        Part {
            name: self.name.into(),
            rest: Pose::new(self.hinge().into(), Default::default()),
            motion: PartMotion::Hinge { axis: [0.0, 0.0, -self.way], pivot: self.hinge() },
            range: RANGE,
            open: [OPEN, RANGE[1]],
            closed: [0.0, 0.02],
            starts: Some(Starts { open: [OPEN + 0.1, OPEN + 0.4], closed: [0.0, 0.005] }),
        }
    }

    /// From above first: held along its length the bar turns in the fingers as the door swings.
    fn grasps(&self) -> impl Iterator<Item = Grasp> {
        let ([x, y, z], _) = self.bar();
        let part = self.name;
        [
            (2.0 * FRAC_PI_4, BAR_HALF - 0.012),
            (1.5 * FRAC_PI_4, 0.025),
            (FRAC_PI_4, 0.025),
            (0.5 * FRAC_PI_4, 0.0),
            (0.0, 0.0),
        ]
        .into_iter()
        .map(move |(slope, dz)| {
            let approach = DVec3::new(0.0, libm::cos(slope), -libm::sin(slope));
            Grasp {
                kind: GraspKind::Handle,
                tool: tool([x, y, z + dz], approach, DVec3::X),
                opening: 0.045,
                part: Some(part.into()),
            }
        })
    }

    /// `index` counts the doors from 0.
    fn build(&self, name: &str, index: usize, out: &mut Mjcf) {
        let door = format!("{name}/{}", self.name);
        let [x, y, z] = self.hinge();
        out.open(&door, &Pose::at(x, y, z));
        out.joint(&Joint {
            name: format!("{door}_joint"),
            hinge: true,
            axis: [0.0, 0.0, -self.way],
            pos: [0.0; 3],
            range: RANGE,
            damping: 0.4,
            armature: 0.0,
            frictionloss: 0.0,
        });
        board_solids(&[self.leaf()], 0.9 * DOOR_MASS, out);
        let ([x, y, z], stems) = self.bar();
        let grip = Geom::solid(Shape::Cylinder(BAR, BAR_HALF)).pos(x, y, z);
        out.geom(grip.mass(0.05 * DOOR_MASS).friction([0.95, 0.005, 0.0001]));
        board_solids(&stems, 0.05 * DOOR_MASS, out);
        let side = self.name;
        show_tinted(name, 1 + index, &format!("cupboard_{side}"), [0.42, 0.53, 0.60], out, || {
            let (at, half) = self.leaf();
            let mut m = slab(at, half, 0.002);
            // A raised frame, as panelled doors have.
            let y = at[1] - THICK;
            for s in [-1.0, 1.0] {
                m.merge(&slab(
                    [at[0], y, at[2] + s * (half[2] - 0.012)],
                    [half[0], 0.003, 0.012],
                    0.001,
                ));
                m.merge(&slab(
                    [at[0] + s * (half[0] - 0.012), y, at[2]],
                    [0.012, 0.003, half[2]],
                    0.001,
                ));
            }
            m
        });
        let steel = out.material(
            "cupboard_steel",
            [0.62, 0.64, 0.67, 1.0],
            "specular=\"0.8\" shininess=\"0.6\"",
        );
        show(&format!("cupboard_bar_{side}"), steel, out, || {
            let mut m = TriMesh::cylinder(BAR, BAR_HALF, 0.002, 24).without_uvs().moved(x, y, z);
            m.merge(&board_mesh(&stems, 0.001));
            m
        });
        out.close();
        exclude(name, &door, out);
    }
}

impl Model for Cupboard {
    fn noun(&self) -> &str {
        "cupboard"
    }

    fn info(&self) -> AssetInfo {
        let w = self.half_width();
        let front = -DEPTH - BAR_OUT - 0.001 - BAR;
        let mut info = AssetInfo::fixture(Bounds {
            centre: [0.0, (front + DEPTH) / 2.0, HEIGHT / 2.0],
            half: [w, (DEPTH - front) / 2.0, HEIGHT / 2.0],
        });
        let doors = self.doors();
        info.parts = doors.iter().map(Door::part).collect();
        info.grasps = doors.iter().flat_map(Door::grasps).collect();
        let (low, shelf) = (BOARD, HEIGHT / 2.0 + BOARD / 2.0);
        let half = [w - 0.02, DEPTH - 0.02, 0.04];
        info.regions = vec![
            region("bottom", RegionKind::Volume, [0.0, 0.0, low + 0.04], half),
            region("shelf", RegionKind::Volume, [0.0, 0.0, shelf + 0.04], half),
        ];
        under_roof(&mut info);
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&self.case(), 0.0, out);
        let kind = if self.double { "double" } else { "single" };
        show_tinted(name, 0, &format!("cupboard_case_{kind}"), [0.78, 0.69, 0.55], out, || {
            board_mesh(&self.case(), 0.0015)
        });
        for (index, door) in self.doors().iter().enumerate() {
            door.build(name, index, out);
        }
        out.close();
    }
}

impl Samples for Cupboard {
    fn samples() -> Vec<Self> {
        vec![Self { double: false }, Self { double: true }]
    }
}
