//! Three drawers opening towards −y.

use std::f64::consts::FRAC_PI_4;

use longarm_types::{Bounds, DVec3, Pose};

use super::super::common::{Panel, board_mesh, board_solids, exclude, region, show, slab, tool};
use super::{CategoryModel, walnut};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Grasp, GraspKind, Joint, Mjcf, Part, PartMotion, Region, RegionKind, Starts, Surface,
};

/// A cabinet by its finish and the height of the plinth it stands on.
pub(super) struct Cabinet {
    id: &'static str,
    wooden: bool,
    plinth: f64,
}

pub(super) const WOODEN: Cabinet =
    Cabinet { id: "libero_wooden_cabinet", wooden: true, plinth: 0.0 };
pub(super) const WHITE: Cabinet =
    Cabinet { id: "libero_white_cabinet", wooden: false, plinth: 0.0 };
/// RoboMemArena's: a hand comes under the lowest drawer's pull.
pub(super) const TALL_BOTTOM: Cabinet =
    Cabinet { id: "libero_wooden_cabinet_tall_bottom", wooden: true, plinth: 0.05 };

/// Corners of the body.
const LOW: [f64; 3] = [-0.1247, -0.0792, 0.0];
const HIGH: [f64; 3] = [0.1318, 0.1117, 0.2226];
const MIDDLE: f64 = (LOW[0] + HIGH[0]) / 2.0;
const PANEL: f64 = 0.010;
/// How far the plinth stands back from the sides.
const PLINTH_INSET: f64 = 0.004;

/// Middle and half size of the space in a drawer, the middle's height by drawer.
const SPACE: [f64; 2] = [0.0033, 0.0113];
const SPACE_HALF: [f64; 3] = [0.1022, 0.0756, 0.0299];
const DRAWERS: [(&str, f64); 3] = [("top", 0.1856), ("middle", 0.1169), ("bottom", 0.047)];
const PITCH: f64 = 0.0690;
const FLOOR: f64 = 0.004;
const WALL: f64 = 0.005;
const SIDES: f64 = 0.042;
const FRONT: f64 = 0.012;
const DRAWER_MASS: f64 = 0.4;

/// The pull: an upright bar, so that fingers close along x however steeply the hand comes.
const BAR_Y: f64 = -0.1051;
const BAR_HALF: [f64; 3] = [0.005, 0.005, 0.022];

impl Cabinet {
    /// Everything of a drawer is given in its own frame, whose origin lies under its floor.
    fn rest(&self, index: usize) -> f64 {
        self.plinth + DRAWERS[index].1 - SPACE_HALF[2] - FLOOR
    }

    fn height(&self) -> f64 {
        self.plinth + HIGH[2]
    }

    /// The boards that do not move.
    fn boards(&self) -> Vec<Panel> {
        let raised = |([x, y, z], half): Panel| ([x, y, z + self.plinth], half);
        let mut out: Vec<Panel> = carcass().into_iter().map(raised).collect();
        if self.plinth > 0.0 {
            let (cy, hy) = ((LOW[1] + HIGH[1]) / 2.0, (HIGH[1] - LOW[1]) / 2.0);
            let half =
                [(HIGH[0] - LOW[0]) / 2.0 - PLINTH_INSET, hy - PLINTH_INSET, self.plinth / 2.0];
            out.push(([MIDDLE, cy, self.plinth / 2.0], half));
        }
        out
    }
}

/// Height of the pull in the drawer's frame.
const PULL: f64 = FLOOR + SPACE_HALF[2];

fn drawer() -> [Panel; 5] {
    let [cx, cy] = SPACE;
    let [hx, hy, _] = SPACE_HALF;
    // The front is inset: it goes a centimetre deeper when the drawer is pushed to its stop.
    let front = LOW[1];
    let back = cy + hy + WALL;
    let (my, ly) = ((front + back) / 2.0, (back - front) / 2.0);
    let z = SIDES / 2.0;
    [
        ([cx, my, FLOOR / 2.0], [hx + WALL, ly, FLOOR / 2.0]),
        ([cx + hx + WALL / 2.0, my, z], [WALL / 2.0, ly, z]),
        ([cx - hx - WALL / 2.0, my, z], [WALL / 2.0, ly, z]),
        ([cx, back - WALL / 2.0, z], [hx, WALL / 2.0, z]),
        (
            [MIDDLE, front + FRONT / 2.0, PULL],
            [(HIGH[0] - LOW[0]) / 2.0 - PANEL - 0.001, FRONT / 2.0, PITCH / 2.0 - 0.0015],
        ),
    ]
}

fn pull() -> [Panel; 3] {
    let (from, to) = (LOW[1], BAR_Y);
    let stem = [0.004, (from - to) / 2.0, 0.004];
    let y = (from + to) / 2.0;
    let dz = BAR_HALF[2] - 0.005;
    [
        ([MIDDLE, BAR_Y, PULL], BAR_HALF),
        ([MIDDLE, y, PULL + dz], stem),
        ([MIDDLE, y, PULL - dz], stem),
    ]
}

fn carcass() -> [Panel; 5] {
    let p = PANEL / 2.0;
    let (cy, hy) = ((LOW[1] + HIGH[1]) / 2.0, (HIGH[1] - LOW[1]) / 2.0);
    let (cz, hz) = (HIGH[2] / 2.0, HIGH[2] / 2.0);
    let hx = (HIGH[0] - LOW[0]) / 2.0;
    [
        ([LOW[0] + p, cy, cz], [p, hy, hz]),
        ([HIGH[0] - p, cy, cz], [p, hy, hz]),
        ([MIDDLE, HIGH[1] - p, cz], [hx - PANEL, p, hz]),
        ([MIDDLE, cy, 0.006], [hx - PANEL, hy, 0.006]),
        // Thin, so that the top drawer is as high inside as the others.
        ([MIDDLE, cy, HIGH[2] - 0.003], [hx, hy, 0.003]),
    ]
}

fn grasps(index: usize) -> Vec<Grasp> {
    // Slanting first: it reaches every drawer. From above only the top drawer is free.
    let mut slopes = vec![FRAC_PI_4, 0.5 * FRAC_PI_4, 0.0];
    if index == 0 {
        slopes.extend([1.5 * FRAC_PI_4, 2.0 * FRAC_PI_4]);
    }
    let at = [MIDDLE, BAR_Y, PULL];
    slopes
        .into_iter()
        .map(|a| Grasp {
            kind: GraspKind::Handle,
            tool: tool(at, DVec3::new(0.0, libm::cos(a), -libm::sin(a)), DVec3::X),
            opening: 0.045,
            part: Some(DRAWERS[index].0.into()),
        })
        .collect()
}

impl CategoryModel for Cabinet {
    fn info(&self) -> AssetInfo {
        let front = BAR_Y - BAR_HALF[1];
        let (cy, hy) = ((front + HIGH[1]) / 2.0, (HIGH[1] - front) / 2.0);
        let mut info = AssetInfo::fixture(Bounds {
            centre: [MIDDLE, cy, self.height() / 2.0],
            half: [(HIGH[0] - LOW[0]) / 2.0, hy, self.height() / 2.0],
        });
        for (i, (name, z)) in DRAWERS.into_iter().enumerate() {
            info.grasps.extend(grasps(i));
            info.parts.push(Part {
                name: name.into(),
                rest: Pose::at(0.0, 0.0, self.rest(i)),
                motion: PartMotion::Slide { axis: [0.0, -1.0, 0.0] },
                range: [-0.01, 0.16],
                open: [0.14, 0.16],
                closed: [-0.01, 0.0],
                starts: Some(Starts { open: [0.14, 0.16], closed: [-0.005, 0.0] }),
            });
            info.regions.push(Region {
                part: Some(name.into()),
                ..region(
                    &format!("{name}_region"),
                    RegionKind::Volume,
                    [SPACE[0], SPACE[1], self.plinth + z - self.rest(i)],
                    SPACE_HALF,
                )
            });
        }
        info.regions.push(region(
            "top_side",
            RegionKind::Surface,
            [0.0035, 0.0157, self.height()],
            [0.1253, 0.0944, 0.0015],
        ));
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let id = self.id;
        out.open(name, &Pose::IDENTITY);
        board_solids(&self.boards(), 0.0, out);
        let body = if self.wooden { walnut(out) } else { Surface::rgb([0.93, 0.93, 0.92]) };
        let bars = if self.wooden {
            out.material(
                "libero_brass",
                [0.62, 0.50, 0.28, 1.0],
                "specular=\"0.8\" shininess=\"0.6\"",
            )
        } else {
            out.material(
                "libero_steel",
                [0.45, 0.47, 0.50, 1.0],
                "specular=\"0.8\" shininess=\"0.6\"",
            )
        };
        // Textured boards keep their coordinates.
        let boards = |panels: &[Panel], radius: f64| {
            TriMesh::merged(
                panels
                    .iter()
                    .map(|(c, h)| TriMesh::rounded_box(*h, radius, 2).moved(c[0], c[1], c[2])),
            )
        };
        show(&format!("{id}_body"), body.clone(), out, || boards(&self.boards(), 0.002));
        for (i, (part, _)) in DRAWERS.into_iter().enumerate() {
            let drawer_name = format!("{name}/{part}");
            out.open(&drawer_name, &Pose::at(0.0, 0.0, self.rest(i)));
            out.joint(&Joint {
                name: format!("{drawer_name}_joint"),
                hinge: false,
                axis: [0.0, -1.0, 0.0],
                pos: [0.0; 3],
                range: [-0.01, 0.16],
                damping: 50.0,
                armature: 0.0,
                frictionloss: 0.0,
            });
            let panels = drawer();
            board_solids(&panels, 0.9 * DRAWER_MASS, out);
            board_solids(&pull(), 0.1 * DRAWER_MASS, out);
            let inside = if self.wooden { [0.72, 0.55, 0.37] } else { [0.85, 0.85, 0.84] };
            show(&format!("{id}_box"), Surface::rgb(inside), out, || {
                board_mesh(&panels[..4], 0.001)
            });
            show(&format!("{id}_front"), body.clone(), out, || boards(&panels[4..], 0.003));
            show("libero_cabinet_pull", bars.clone(), out, || {
                let [bar, stems @ ..] = pull();
                let mut m = slab(bar.0, bar.1, 0.003);
                m.merge(&board_mesh(&stems, 0.001));
                m
            });
            out.close();
            // Drawers run in their bays without rubbing.
            exclude(name, &drawer_name, out);
            for (other, _) in &DRAWERS[i + 1..] {
                exclude(&drawer_name, &format!("{name}/{other}"), out);
            }
        }
        out.close();
    }
}
