//! A jumbo marker along x; its cap, at +x, is drawn off along it. And the rest that it lies on.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, TAU};

use super::Samples;
use super::common::{Panel, board_mesh, board_solids, exclude, open_free, pinch, region, show};
use super::common::{show_tinted, slab};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, RegionKind, Shape,
    Starts, Surface,
};

/// A jumbo marker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marker {}

/// A rest for a pen: a block with a groove along x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PenRest {}

/// Half its length, half its width, where the cap begins.
const HALF: f64 = 0.17;
const WIDE: f64 = 0.019;
const CAP_AT: f64 = 0.03;
/// Where hands take it, from the middle to either side.
const HOLD: f64 = 0.108;
/// How far the cap comes off, and from where the pen is open.
const TRAVEL: f64 = 0.16;
const OPEN: f64 = 0.10;
const BODY_MASS: f64 = 0.10;
const CAP_MASS: f64 = 0.05;

/// A hexagonal rod along x.
fn hexagon(from: f64, to: f64, wide: f64, bevel: f64) -> TriMesh {
    let outline: Vec<[f64; 2]> = (0..6)
        .map(|k| {
            let a = TAU * (f64::from(k) + 0.5) / 6.0;
            [
                wide / libm::cos(TAU / 12.0) * libm::cos(a),
                wide / libm::cos(TAU / 12.0) * libm::sin(a),
            ]
        })
        .collect();
    TriMesh::extrude(&outline, to - from, bevel)
        .without_uvs()
        .along(DVec3::X)
        .moved(from, 0.0, WIDE)
}

impl Model for Marker {
    fn noun(&self) -> &str {
        "marker"
    }

    fn info(&self) -> AssetInfo {
        let body = pinch([-HOLD, 0.0, WIDE], FRAC_PI_2, 0.06);
        let cap = Grasp {
            kind: GraspKind::Handle,
            part: Some("cap".into()),
            ..pinch([HOLD - CAP_AT, 0.0, WIDE], FRAC_PI_2, 0.06)
        };
        AssetInfo {
            grasps: vec![body, cap],
            parts: vec![Part {
                name: "cap".into(),
                rest: Pose::at(CAP_AT, 0.0, 0.0),
                motion: PartMotion::Slide { axis: [1.0, 0.0, 0.0] },
                range: [0.0, TRAVEL],
                open: [OPEN, TRAVEL],
                closed: [0.0, 0.006],
                starts: Some(Starts { open: [OPEN; 2], closed: [0.0; 2] }),
            }],
            ..AssetInfo::movable(Bounds::standing(HALF, WIDE, 2.0 * WIDE), BODY_MASS + CAP_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        let (mid, half) = ((CAP_AT - HALF) / 2.0, (CAP_AT + HALF) / 2.0);
        let body = Geom::solid(Shape::Box([half, WIDE, WIDE]));
        out.geom(body.pos(mid, 0.0, WIDE).mass(BODY_MASS));
        show("marker_body", Surface::rgb([0.92, 0.92, 0.90]), out, || {
            hexagon(-HALF, CAP_AT - 0.001, WIDE, 0.003)
        });
        show_tinted(name, 0, "marker_band", [0.16, 0.35, 0.70], out, || {
            let mut m = hexagon(CAP_AT - 0.03, CAP_AT - 0.012, WIDE + 0.0006, 0.0004);
            m.merge(&hexagon(-HALF - 0.0006, 0.02 - HALF, WIDE + 0.0006, 0.003));
            m
        });
        // The tip, hidden by the cap.
        show("marker_tip", Surface::rgb([0.30, 0.30, 0.32]), out, || {
            let profile = [
                [0.0, 0.0],
                [0.012, 0.0],
                [0.010, 0.03],
                [0.004, 0.04],
                [0.003, 0.05],
                [0.0, 0.05],
            ];
            TriMesh::lathe(&profile, 24, 0.5).without_uvs().along(DVec3::X).moved(
                CAP_AT - 0.001,
                0.0,
                WIDE,
            )
        });
        let cap = format!("{name}/cap");
        out.open(&cap, &Pose::at(CAP_AT, 0.0, 0.0));
        out.joint(&Joint {
            name: format!("{cap}_joint"),
            hinge: false,
            axis: [1.0, 0.0, 0.0],
            pos: [0.0; 3],
            range: [0.0, TRAVEL],
            damping: 2.0,
            armature: 0.0,
            // It sits tight.
            frictionloss: 1.0,
        });
        let (mid, half) = ((HALF - CAP_AT) / 2.0, (HALF - CAP_AT) / 2.0);
        let sleeve = Geom::solid(Shape::Box([half, WIDE, WIDE]));
        out.geom(sleeve.pos(mid, 0.0, WIDE).mass(CAP_MASS));
        show_tinted(name, 1, "marker_cap", [0.16, 0.35, 0.70], out, || {
            let mut m = hexagon(0.0, 2.0 * half, WIDE, 0.003);
            m.merge(&slab(
                [half - 0.01, 0.0, 2.0 * WIDE + 0.002],
                [half - 0.03, 0.004, 0.0016],
                0.001,
            ));
            m
        });
        out.close();
        exclude(name, &cap, out);
        out.close();
    }
}

impl Samples for Marker {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}

/// The rest: half length along the groove, half width, height of the groove's floor and of its lips.
const REST: [f64; 2] = [0.026, 0.034];
const GROOVE: f64 = 0.07;
const LIP: f64 = 0.082;

fn boards() -> [Panel; 3] {
    let [x, y] = REST;
    let inner = WIDE + 0.003;
    let (mid, half) = (f64::midpoint(y, inner), (y - inner) / 2.0);
    let lip =
        |s: f64| ([0.0, s * mid, f64::midpoint(GROOVE, LIP)], [x, half, (LIP - GROOVE) / 2.0]);
    [([0.0, 0.0, GROOVE / 2.0], [x, y, GROOVE / 2.0]), lip(1.0), lip(-1.0)]
}

impl Model for PenRest {
    fn noun(&self) -> &str {
        "pen rest"
    }

    fn info(&self) -> AssetInfo {
        let [x, y] = REST;
        AssetInfo {
            rests_at: Some(GROOVE),
            symmetry: 2,
            regions: vec![region(
                "surface",
                RegionKind::Surface,
                [0.0, 0.0, GROOVE],
                [x, WIDE, 0.002],
            )],
            ..AssetInfo::fixture(Bounds::standing(x, y, LIP))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&boards(), 0.0, out);
        show_tinted(name, 0, "pen_rest", [0.55, 0.40, 0.27], out, || board_mesh(&boards(), 0.003));
        out.close();
    }
}

impl Samples for PenRest {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
