//! A block of wood, standing fast, with a nail half driven in.

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{exclude, show, show_tinted, slab};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Joint, Mjcf, Model, Part, PartMotion, Shape, Starts};

/// A block with a nail that can be drawn out upwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NailBlock {}

/// Half width and height of the block.
const BLOCK: [f64; 2] = [0.05, 0.06];
/// The nail: radius of its shank, of its head, half thickness of its head.
const SHANK: f64 = 0.0032;
const HEAD: [f64; 2] = [0.0125, 0.0025];
/// How far its shank stands out below the head, and how deep it is in the wood.
const NECK: f64 = 0.036;
const DEEP: f64 = 0.045;
/// How far below the head a claw goes; there the nail has its origin.
const UNDER: f64 = 0.012;
/// How far it comes up at most.
const TRAVEL: f64 = 0.09;
/// What holds it, newtons.
const STUCK: f64 = 4.0;
const MASS: f64 = 0.02;

impl Model for NailBlock {
    fn noun(&self) -> &str {
        "block with a nail"
    }

    fn info(&self) -> AssetInfo {
        let [half, tall] = BLOCK;
        AssetInfo {
            parts: vec![Part {
                name: "nail".into(),
                rest: Pose::at(0.0, 0.0, tall + NECK - UNDER),
                motion: PartMotion::Slide { axis: [0.0, 0.0, 1.0] },
                range: [0.0, TRAVEL],
                open: [DEEP, TRAVEL],
                closed: [0.0, 0.004],
                starts: Some(Starts { open: [DEEP; 2], closed: [0.0; 2] }),
            }],
            ..AssetInfo::fixture(Bounds::standing(half, half, tall + NECK + 2.0 * HEAD[1]))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [half, tall] = BLOCK;
        out.open(name, &Pose::IDENTITY);
        out.geom(Geom::solid(Shape::Box([half, half, tall / 2.0])).pos(0.0, 0.0, tall / 2.0));
        show_tinted(name, 0, "nail_block_wood", [0.70, 0.53, 0.33], out, || {
            slab([0.0, 0.0, tall / 2.0], [half, half, tall / 2.0], 0.003)
        });
        let nail = format!("{name}/nail");
        out.open(&nail, &Pose::at(0.0, 0.0, tall + NECK - UNDER));
        out.joint(&Joint {
            name: format!("{nail}_joint"),
            hinge: false,
            axis: [0.0, 0.0, 1.0],
            pos: [0.0; 3],
            range: [0.0, TRAVEL],
            damping: 8.0,
            armature: 0.0,
            // Wood grips it all the way.
            frictionloss: STUCK,
        });
        let long = (NECK + DEEP) / 2.0;
        let middle = UNDER - long;
        let head = UNDER + HEAD[1];
        out.geom(Geom::solid(Shape::Cylinder(SHANK, long)).pos(0.0, 0.0, middle).mass(MASS / 2.0));
        out.geom(
            Geom::solid(Shape::Cylinder(HEAD[0], HEAD[1])).pos(0.0, 0.0, head).mass(MASS / 2.0),
        );
        let steel = out.material(
            "nail_block_steel",
            [0.56, 0.58, 0.61, 1.0],
            "specular=\"0.7\" shininess=\"0.6\"",
        );
        show("nail_block_nail", steel, out, || {
            let tip = UNDER - 2.0 * long;
            let profile = [
                [0.0, tip],
                [SHANK, tip + 0.01],
                [SHANK, UNDER],
                [HEAD[0], UNDER],
                [HEAD[0], UNDER + 2.0 * HEAD[1]],
                [0.0, UNDER + 2.0 * HEAD[1]],
            ];
            TriMesh::lathe(&profile, 32, 0.6).without_uvs()
        });
        out.close();
        exclude(name, &nail, out);
        out.close();
    }
}

impl Samples for NailBlock {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
