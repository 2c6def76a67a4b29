//! A cup with two handles that stands in the well of a saucer and turns there; handles along ±y.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Panel, Wall, board_solids, exclude, floor, show, show_tinted, tool};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, Shape, Starts, Surface,
};

/// A cup with two handles in the well of a saucer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandledCup {}

/// The saucer: radius and height. The cup stands in it at `WELL`.
const SAUCER: [f64; 2] = [0.085, 0.016];
const WELL: f64 = 0.008;
/// The cup: radius, height, wall, floor.
const RADIUS: f64 = 0.048;
const HEIGHT: f64 = 0.105;
const WALL: f64 = 0.005;
/// A handle: how far it reaches from the axis, half its thickness, heights of its two arms.
const REACH: f64 = 0.105;
const BAR: f64 = 0.008;
const ARMS: [f64; 2] = [0.030, 0.082];
/// Where fingers push it.
const PUSH: f64 = 0.088;
/// How far it turns: a quarter turn and a little; within π/4 of the quarter it counts.
const RANGE: [f64; 2] = [0.0, 1.75];
const TURNED: f64 = std::f64::consts::FRAC_PI_4;
const MASS: f64 = 0.3;

/// Boards of a handle on one side: two arms and the grip between them.
fn handle(s: f64) -> [Panel; 3] {
    let (mid, half) = ((RADIUS + REACH) / 2.0, (REACH - RADIUS) / 2.0);
    let arm = |z: f64| ([0.0, s * mid, z], [BAR, half, BAR]);
    let z = f64::midpoint(ARMS[0], ARMS[1]);
    [
        arm(ARMS[0]),
        arm(ARMS[1]),
        ([0.0, s * (REACH - BAR), z], [BAR, BAR, (ARMS[1] - ARMS[0]) / 2.0]),
    ]
}

impl Model for HandledCup {
    fn noun(&self) -> &str {
        "cup"
    }

    fn info(&self) -> AssetInfo {
        let push = |s: f64| Grasp {
            kind: GraspKind::Press,
            tool: tool([0.0, s * PUSH, ARMS[1]], DVec3::NEG_Z, DVec3::X),
            opening: 0.0,
            part: Some("cup".into()),
        };
        AssetInfo {
            grasps: vec![push(1.0), push(-1.0)],
            parts: vec![Part {
                name: "cup".into(),
                rest: Pose::at(0.0, 0.0, WELL),
                motion: PartMotion::Hinge { axis: [0.0, 0.0, 1.0], pivot: [0.0, 0.0, WELL] },
                range: RANGE,
                open: [TURNED, RANGE[1]],
                closed: [0.0, 0.1],
                starts: Some(Starts { open: [TURNED, RANGE[1]], closed: [0.0, 0.0] }),
            }],
            ..AssetInfo::fixture(Bounds::standing(SAUCER[0], REACH, WELL + HEIGHT))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [wide, tall] = SAUCER;
        out.open(name, &Pose::IDENTITY);
        out.geom(Geom::solid(Shape::Cylinder(wide, WELL / 2.0)).pos(0.0, 0.0, WELL / 2.0));
        show("handled_cup_saucer", Surface::rgb([0.93, 0.92, 0.89]), out, || {
            let profile = [
                [0.0, 0.0],
                [0.05, 0.0],
                [wide, tall - 0.004],
                [wide, tall],
                [RADIUS + 0.006, WELL],
                [0.0, WELL],
            ];
            TriMesh::lathe(&profile, 56, 0.5).without_uvs()
        });
        let cup = format!("{name}/cup");
        out.open(&cup, &Pose::at(0.0, 0.0, WELL));
        out.joint(&Joint {
            name: format!("{cup}_joint"),
            hinge: true,
            axis: [0.0, 0.0, 1.0],
            pos: [0.0; 3],
            range: RANGE,
            damping: 0.05,
            armature: 0.0,
            frictionloss: 0.08,
        });
        floor(RADIUS - WALL, 0.006, 0.3 * MASS, out);
        let [inner, z] = [[RADIUS - WALL; 2], [0.006, HEIGHT]];
        Wall { radius: inner, z, thickness: WALL, count: 12 }.build(0.5 * MASS, out);
        let bars: Vec<Panel> = [1.0, -1.0].into_iter().flat_map(handle).collect();
        board_solids(&bars, 0.2 * MASS, out);
        show_tinted(name, 0, "handled_cup_body", [0.20, 0.45, 0.70], out, || {
            let profile = [
                [0.0, 0.0],
                [RADIUS - 0.010, 0.0],
                [RADIUS, 0.012],
                [RADIUS, HEIGHT - 0.002],
                [RADIUS - 0.002, HEIGHT],
                [RADIUS - WALL, HEIGHT - 0.001],
            ];
            TriMesh::lathe(&profile, 56, 0.5).without_uvs()
        });
        show("handled_cup_inside", Surface::rgb([0.95, 0.94, 0.91]), out, || {
            let profile = [[RADIUS - WALL, HEIGHT - 0.001], [RADIUS - WALL, 0.012], [0.0, 0.006]];
            TriMesh::lathe(&profile, 56, 0.5).without_uvs()
        });
        show_tinted(name, 1, "handled_cup_handles", [0.20, 0.45, 0.70], out, || {
            let bow = |s: f64| {
                let [low, high] = ARMS;
                let way = [
                    [RADIUS - 0.003, low],
                    [REACH - 0.025, low],
                    [REACH - BAR, low + 0.016],
                    [REACH - BAR, high - 0.016],
                    [REACH - 0.025, high],
                    [RADIUS - 0.003, high],
                ];
                let way: Vec<DVec3> = way.iter().map(|[y, z]| DVec3::new(0.0, s * y, *z)).collect();
                TriMesh::tube(&way, BAR, 20).without_uvs()
            };
            TriMesh::merged([bow(1.0), bow(-1.0)])
        });
        // One side is marked, so that a turn is seen.
        show("handled_cup_mark", Surface::rgb([0.95, 0.80, 0.25]), out, || {
            TriMesh::sphere(0.012, 20)
                .without_uvs()
                .scaled([0.3, 1.0, 1.0])
                .moved(-RADIUS, 0.0, 0.06)
        });
        out.close();
        exclude(name, &cup, out);
        out.close();
    }
}

impl Samples for HandledCup {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
