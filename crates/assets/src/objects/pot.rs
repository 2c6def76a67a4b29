//! A cooking pot with two handles, one towards +x and one towards −x.

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    Panel, Wall, board_mesh, board_solids, floor, open_free, pinch, region, show, show_tinted,
};
use crate::mesh::TriMesh;
use crate::{AssetInfo, GraspKind, Mjcf, Model, RegionKind, Surface};

/// A cooking pot with two handles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pot {}

const RADIUS: f64 = 0.085;
const HEIGHT: f64 = 0.085;
const WALL: f64 = 0.005;
const FLOOR: f64 = 0.006;
/// A handle: how far its bar is from the wall, half its length, half its thickness, its height.
const OUT: f64 = 0.046;
const HALF: f64 = 0.032;
const BAR: f64 = 0.008;
const Z: f64 = 0.064;
const MASS: f64 = 0.5;

/// Bar and stems of both handles.
fn handles() -> [Panel; 6] {
    let (bar, stem) = (RADIUS + OUT, OUT / 2.0);
    let one = |s: f64| {
        [
            ([s * bar, 0.0, Z], [BAR, HALF, BAR]),
            ([s * (bar - stem), HALF - BAR, Z], [stem, BAR, BAR * 0.8]),
            ([s * (bar - stem), BAR - HALF, Z], [stem, BAR, BAR * 0.8]),
        ]
    };
    let ([a, b, c], [d, e, f]) = (one(1.0), one(-1.0));
    [a, b, c, d, e, f]
}

impl Model for Pot {
    fn noun(&self) -> &str {
        "pot"
    }

    fn info(&self) -> AssetInfo {
        let bar = RADIUS + OUT;
        let grasps = [1.0, -1.0].map(|s| {
            let mut hold = pinch([s * bar, 0.0, Z], 0.0, 0.04);
            hold.kind = GraspKind::Handle;
            hold
        });
        AssetInfo {
            symmetry: 2,
            grasps: grasps.into(),
            regions: vec![region(
                "inside",
                RegionKind::Volume,
                [0.0, 0.0, (HEIGHT + FLOOR) / 2.0],
                [0.7 * RADIUS, 0.7 * RADIUS, (HEIGHT - FLOOR) / 2.0],
            )],
            ..AssetInfo::movable(Bounds::standing(bar + BAR, RADIUS, HEIGHT), MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        floor(RADIUS - WALL, FLOOR, 0.4 * MASS, out);
        let [inner, z] = [[RADIUS - WALL; 2], [FLOOR, HEIGHT]];
        Wall { radius: inner, z, thickness: WALL, count: 16 }.build(0.4 * MASS, out);
        board_solids(&handles(), 0.2 * MASS, out);
        show_tinted(name, 0, "pot_body", [0.72, 0.23, 0.19], out, || {
            let profile = [
                [0.0, 0.0],
                [RADIUS - 0.012, 0.0],
                [RADIUS, 0.012],
                [RADIUS, HEIGHT - 0.003],
                [RADIUS + 0.003, HEIGHT],
                [RADIUS - WALL, HEIGHT],
            ];
            TriMesh::lathe(&profile, 56, 0.5).without_uvs()
        });
        let steel = out.material(
            "pot_steel",
            [0.80, 0.81, 0.82, 1.0],
            "specular=\"0.6\" shininess=\"0.5\"",
        );
        show("pot_inside", steel, out, || {
            let profile = [
                [RADIUS - WALL, HEIGHT],
                [RADIUS - WALL, 0.016],
                [RADIUS - WALL - 0.012, FLOOR],
                [0.0, FLOOR],
            ];
            TriMesh::lathe(&profile, 56, 0.5).without_uvs()
        });
        show("pot_handles", Surface::rgb([0.15, 0.15, 0.16]), out, || {
            board_mesh(&handles(), 0.005)
        });
        out.close();
    }
}

impl Samples for Pot {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
