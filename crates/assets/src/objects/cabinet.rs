//! A cabinet with three drawers; its front faces −x, towards a robot at smaller x.

use std::f64::consts::FRAC_PI_4;

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{board_mesh, board_solids, exclude, region, show, show_tinted, slab, tool};
use crate::{
    AssetInfo, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, Region, RegionKind, Surface,
};

/// A cabinet with three drawers (`top`, `middle`, `bottom`), each a 0.16 m slide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cabinet;

impl Model for Cabinet {
    fn noun(&self) -> &str {
        "cabinet"
    }

    fn info(&self) -> AssetInfo {
        info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(name, out);
    }
}

impl Samples for Cabinet {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

/// Half depth, half width, height of the body.
const HALF_DEPTH: f64 = 0.10;
const HALF_WIDTH: f64 = 0.13;
const HEIGHT: f64 = 0.24;
const PANEL: f64 = 0.012;
const SHELF: f64 = 0.004;
/// Drawers from the top down.
const DRAWERS: [&str; 3] = ["top", "middle", "bottom"];
const BAY: f64 = (HEIGHT - 2.0 * PANEL) / 3.0;
/// How far a drawer slides.
const TRAVEL: f64 = 0.16;

/// Drawer box: it reaches from the front panel's back to `BOX_BACK`.
const BOX_BACK: f64 = 0.072;
const BOX_HALF_WIDTH: f64 = 0.108;
const BOX_HEIGHT: f64 = 0.055;
const BOX_WALL: f64 = 0.006;
const BOX_FLOOR: f64 = 0.005;
const FRONT_THICKNESS: f64 = 0.012;
const FRONT_HALF_WIDTH: f64 = 0.126;
const DRAWER_MASS: f64 = 0.35;

/// The pull: an upright bar held off the front, so that fingers close along y whether the gripper
/// comes level, slanting or from above, and the hand stays clear of the front.
const BAR_HALF: [f64; 3] = [0.005, 0.005, 0.022];
/// From the front panel's face to the middle of the bar.
const BAR_OFF: f64 = 0.036;
const FRONT_FACE: f64 = -HALF_DEPTH - FRONT_THICKNESS;
const BAR_X: f64 = FRONT_FACE - BAR_OFF;

/// Bottom of a drawer above the cabinet's bottom.
fn drawer_z(index: usize) -> f64 {
    PANEL + BAY * (2 - index) as f64 + 0.004
}

/// Height of the pull in the drawer's frame.
const PULL_Z: f64 = BAY / 2.0 - 0.004;

/// Floor, sides, back of a drawer's box and its front panel: centre and half size.
fn drawer_panels() -> [([f64; 3], [f64; 3]); 5] {
    let (front, back) = (-HALF_DEPTH, BOX_BACK);
    let (cx, hx) = ((front + back) / 2.0, (back - front) / 2.0);
    let (hw, hh) = (BOX_WALL / 2.0, BOX_HEIGHT / 2.0);
    [
        ([cx, 0.0, BOX_FLOOR / 2.0], [hx, BOX_HALF_WIDTH, BOX_FLOOR / 2.0]),
        ([cx, BOX_HALF_WIDTH - hw, hh], [hx, hw, hh]),
        ([cx, hw - BOX_HALF_WIDTH, hh], [hx, hw, hh]),
        ([back - hw, 0.0, hh], [hw, BOX_HALF_WIDTH, hh]),
        (
            [front - FRONT_THICKNESS / 2.0, 0.0, PULL_Z],
            [FRONT_THICKNESS / 2.0, FRONT_HALF_WIDTH, BAY / 2.0 - 0.0015],
        ),
    ]
}

/// Bar and stems of the pull.
fn pull_parts() -> [([f64; 3], [f64; 3]); 3] {
    let stem = [BAR_OFF / 2.0, 0.004, 0.004];
    let x = FRONT_FACE - BAR_OFF / 2.0;
    let dz = BAR_HALF[2] - 0.005;
    [([BAR_X, 0.0, PULL_Z], BAR_HALF), ([x, 0.0, PULL_Z + dz], stem), ([x, 0.0, PULL_Z - dz], stem)]
}

/// Panels of the body that do not move.
fn carcass() -> Vec<([f64; 3], [f64; 3])> {
    let p = PANEL / 2.0;
    let mut panels = vec![
        ([0.0, 0.0, p], [HALF_DEPTH, HALF_WIDTH, p]),
        ([0.0, 0.0, HEIGHT - p], [HALF_DEPTH, HALF_WIDTH, p]),
        ([0.0, HALF_WIDTH - p, HEIGHT / 2.0], [HALF_DEPTH, p, HEIGHT / 2.0]),
        ([0.0, p - HALF_WIDTH, HEIGHT / 2.0], [HALF_DEPTH, p, HEIGHT / 2.0]),
        ([HALF_DEPTH - p, 0.0, HEIGHT / 2.0], [p, HALF_WIDTH, HEIGHT / 2.0]),
    ];
    for k in 1..3 {
        let z = PANEL + BAY * f64::from(k) - SHELF / 2.0;
        panels.push(([0.0, 0.0, z], [HALF_DEPTH, HALF_WIDTH - PANEL, SHELF / 2.0]));
    }
    panels
}

fn pull_grasps(index: usize) -> Vec<Grasp> {
    // Slanting first: it reaches every drawer. From above only the top drawer is free.
    let mut slopes = vec![FRAC_PI_4, 0.5 * FRAC_PI_4, 0.0];
    if index == 0 {
        slopes.extend([1.5 * FRAC_PI_4, 2.0 * FRAC_PI_4]);
    }
    slopes
        .into_iter()
        .map(|a| Grasp {
            kind: GraspKind::Handle,
            tool: tool(
                [BAR_X, 0.0, PULL_Z],
                DVec3::new(libm::cos(a), 0.0, -libm::sin(a)),
                DVec3::Y,
            ),
            opening: 0.045,
            part: Some(DRAWERS[index].into()),
        })
        .collect()
}

fn info() -> AssetInfo {
    let low_x = BAR_X - BAR_HALF[0];
    let mut info = AssetInfo::fixture(Bounds {
        centre: [(low_x + HALF_DEPTH) / 2.0, 0.0, HEIGHT / 2.0],
        half: [(HALF_DEPTH - low_x) / 2.0, HALF_WIDTH, HEIGHT / 2.0],
    });
    for (i, name) in DRAWERS.into_iter().enumerate() {
        info.grasps.extend(pull_grasps(i));
        info.parts.push(Part {
            name: name.into(),
            rest: Pose::at(0.0, 0.0, drawer_z(i)),
            motion: PartMotion::Slide { axis: [-1.0, 0.0, 0.0] },
            range: [0.0, TRAVEL],
            open: [0.13, TRAVEL + 0.002],
            closed: [-0.002, 0.01],
            starts: None,
        });
        let (front, back) = (-HALF_DEPTH, BOX_BACK - BOX_WALL);
        info.regions.push(Region {
            part: Some(name.into()),
            ..region(
                &format!("{name}_region"),
                RegionKind::Volume,
                [(front + back) / 2.0, 0.0, (BOX_FLOOR + BOX_HEIGHT) / 2.0],
                [(back - front) / 2.0, BOX_HALF_WIDTH - BOX_WALL, (BOX_HEIGHT - BOX_FLOOR) / 2.0],
            )
        });
    }
    for name in DRAWERS {
        // What a hand from above reaches when the drawer is open.
        info.regions.push(Region {
            part: Some(name.into()),
            ..region(
                &format!("{name}_front"),
                RegionKind::Volume,
                [-HALF_DEPTH + 0.055, 0.0, (BOX_FLOOR + BOX_HEIGHT) / 2.0],
                [0.03, 0.6 * BOX_HALF_WIDTH, (BOX_HEIGHT - BOX_FLOOR) / 2.0],
            )
        });
    }
    info.regions.push(region(
        "top_side",
        RegionKind::Surface,
        [0.0, 0.0, HEIGHT],
        [HALF_DEPTH, HALF_WIDTH, 0.005],
    ));
    info
}

fn build(name: &str, out: &mut Mjcf) {
    out.open(name, &Pose::IDENTITY);
    board_solids(&carcass(), 0.0, out);
    show_tinted(name, 0, "cabinet_body", [0.62, 0.45, 0.31], out, || board_mesh(&carcass(), 0.002));
    for (i, part) in DRAWERS.into_iter().enumerate() {
        let body = format!("{name}/{part}");
        out.open(&body, &Pose::at(0.0, 0.0, drawer_z(i)));
        out.joint(&Joint {
            name: format!("{body}_joint"),
            hinge: false,
            axis: [-1.0, 0.0, 0.0],
            pos: [0.0; 3],
            range: [0.0, TRAVEL],
            damping: 5.0,
            armature: 0.0,
            frictionloss: 0.8,
        });
        let panels = drawer_panels();
        board_solids(&panels, 0.9 * DRAWER_MASS, out);
        board_solids(&pull_parts(), 0.1 * DRAWER_MASS, out);
        show("cabinet_box", Surface::rgb([0.80, 0.70, 0.56]), out, || {
            board_mesh(&panels[..4], 0.001)
        });
        show("cabinet_front", Surface::rgb([0.91, 0.88, 0.81]), out, || {
            board_mesh(&panels[4..], 0.003)
        });
        let steel = out.material(
            "dark_steel",
            [0.23, 0.24, 0.26, 1.0],
            "specular=\"0.6\" shininess=\"0.5\"",
        );
        show("cabinet_pull", steel, out, || {
            let [bar, stems @ ..] = pull_parts();
            let mut m = slab(bar.0, bar.1, 0.003);
            m.merge(&board_mesh(&stems, 0.001));
            m
        });
        out.close();
        // The drawer runs in its bay without rubbing; a body fixed to the world would collide with it.
        exclude(name, &body, out);
        for other in &DRAWERS[i + 1..] {
            exclude(&body, &format!("{name}/{other}"), out);
        }
    }
    out.close();
}
