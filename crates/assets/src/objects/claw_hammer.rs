//! A claw hammer standing on its head: the handle up, the face towards −x, the claw towards +x.

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinches_around, region, show, show_tinted, slab};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Mjcf, Model, Region, RegionKind, Shape, Surface};

/// A claw hammer standing on its head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClawHammer {}

/// The handle: radius, top; where a hand takes it.
const HANDLE: f64 = 0.025;
const TOP: f64 = 0.205;
const HELD: f64 = 0.165;
/// The head: half width, height, its ends.
const HEAD: [f64; 2] = [0.022, 0.03];
const FACE: f64 = -0.05;
const ROOT: f64 = 0.026;
/// A prong of the claw: half width, half thickness, height of its middle, where its straight part ends.
const PRONG: [f64; 2] = [0.005, 0.004];
const PRONG_Z: f64 = 0.016;
const STRAIGHT: f64 = 0.078;
/// Half the slot between the prongs; how long their tips are and by what angle they part.
const SLOT: f64 = 0.0065;
const TIP: f64 = 0.016;
const PARTING: f64 = 0.45;
/// How far beside and below the slot the middle of a nail's neck may be that is in it, as the hammer tilts.
const PLAY: [f64; 2] = [0.004, 0.016];
const HANDLE_MASS: f64 = 0.12;
const HEAD_MASS: f64 = 0.2;
const PRONG_MASS: f64 = 0.012;

/// Middle and half size of the prong and of its tip on one side.
fn prong(side: f64) -> [(Pose, [f64; 3]); 2] {
    let [wide, thick] = PRONG;
    let y = side * (SLOT + wide);
    let straight = Pose::at(0.5 * (ROOT + STRAIGHT), y, PRONG_Z);
    let turn = DQuat::from_rotation_z(side * PARTING);
    let end = DVec3::new(STRAIGHT - 0.002, y, PRONG_Z);
    let tip = Pose::new(end + turn * DVec3::X * TIP / 2.0, turn);
    [(straight, [0.5 * (STRAIGHT - ROOT), wide, thick]), (tip, [TIP / 2.0, 0.9 * wide, thick])]
}

fn prongs() -> impl Iterator<Item = (Pose, [f64; 3])> {
    [1.0, -1.0].into_iter().flat_map(prong)
}

impl Model for ClawHammer {
    fn noun(&self) -> &str {
        "claw hammer"
    }

    fn info(&self) -> AssetInfo {
        let end = STRAIGHT + TIP;
        let claw = Region {
            access: Access::Hook,
            ..region(
                "claw",
                RegionKind::Volume,
                [0.5 * (ROOT + STRAIGHT), 0.0, PRONG_Z],
                [0.5 * (STRAIGHT - ROOT), SLOT + PLAY[0], PLAY[1]],
            )
        };
        AssetInfo {
            grasps: pinches_around(HELD, 2.0 * HANDLE),
            regions: vec![claw],
            ..AssetInfo::movable(
                Bounds {
                    centre: [0.5 * (FACE + end), 0.0, TOP / 2.0],
                    half: [0.5 * (end - FACE), HANDLE, TOP / 2.0],
                },
                HANDLE_MASS + HEAD_MASS + 4.0 * PRONG_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        let [wide, tall] = HEAD;
        let half = (TOP - tall) / 2.0;
        out.geom(
            Geom::solid(Shape::Cylinder(HANDLE, half)).pos(0.0, 0.0, tall + half).mass(HANDLE_MASS),
        );
        let (x, long) = (0.5 * (FACE + ROOT), 0.5 * (ROOT - FACE));
        out.geom(
            Geom::solid(Shape::Box([long, wide, tall / 2.0]))
                .pos(x, 0.0, tall / 2.0)
                .mass(HEAD_MASS),
        );
        for (at, half) in prongs() {
            out.geom(Geom::solid(Shape::Box(half)).at(at).mass(PRONG_MASS));
        }
        show_tinted(name, 0, "claw_hammer_grip", [0.75, 0.22, 0.16], out, || {
            let profile = [
                [0.0, tall],
                [0.6 * HANDLE, tall],
                [0.7 * HANDLE, tall + 0.03],
                [HANDLE, tall + 0.06],
                [HANDLE, TOP - 0.006],
                [HANDLE - 0.006, TOP],
                [0.0, TOP],
            ];
            TriMesh::lathe(&profile, 40, 0.6).without_uvs()
        });
        let steel = out.material(
            "claw_hammer_steel",
            [0.46, 0.48, 0.51, 1.0],
            "specular=\"0.7\" shininess=\"0.6\"",
        );
        show("claw_hammer_collar", Surface::rgb([0.13, 0.13, 0.14]), out, || {
            TriMesh::cylinder(HANDLE + 0.0006, 0.006, 0.001, 40).without_uvs().moved(
                0.0,
                0.0,
                TOP - 0.03,
            )
        });
        show("claw_hammer_head", steel, out, || {
            let mut m =
                slab([x + 0.006, 0.0, tall / 2.0], [long - 0.006, wide - 0.003, tall / 2.0], 0.004);
            m.merge(
                &TriMesh::cylinder(0.5 * tall, 0.007, 0.002, 36)
                    .without_uvs()
                    .along(DVec3::X)
                    .moved(FACE + 0.007, 0.0, tall / 2.0),
            );
            for (at, half) in prongs() {
                m.merge(&slab([0.0; 3], half, 0.0015).transformed(&at));
            }
            m
        });
        out.close();
    }
}

impl Samples for ClawHammer {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
