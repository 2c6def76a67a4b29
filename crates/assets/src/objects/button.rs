//! A large push button on a pedestal; its cap springs back when it is let go.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{exclude, show, show_tinted, slab, tool};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Mjcf, Model, Part, PartMotion, Shape, Starts, Surface,
};

/// A large push button on a pedestal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushButton {}

/// Half width and height of the pedestal; radius of the cap, and how far it stands out.
const BASE: [f64; 2] = [0.055, 0.05];
const CAP: f64 = 0.034;
const OUT: f64 = 0.034;
/// Travel, and how far down counts as pressed.
const TRAVEL: f64 = 0.028;
const PRESSED: f64 = 0.02;
const CAP_MASS: f64 = 0.05;

impl Model for PushButton {
    fn noun(&self) -> &str {
        "button"
    }

    fn info(&self) -> AssetInfo {
        let [half, height] = BASE;
        let press = Grasp {
            kind: GraspKind::Press,
            tool: tool([0.0, 0.0, OUT], DVec3::NEG_Z, DVec3::Y),
            opening: 0.0,
            part: Some("cap".into()),
        };
        AssetInfo {
            symmetry: 4,
            grasps: vec![press],
            parts: vec![Part {
                name: "cap".into(),
                rest: Pose::at(0.0, 0.0, height),
                motion: PartMotion::Slide { axis: [0.0, 0.0, -1.0] },
                range: [0.0, TRAVEL],
                open: [PRESSED, TRAVEL],
                closed: [0.0, 0.006],
                // It springs back: nothing begins pressed.
                starts: Some(Starts { open: [0.0; 2], closed: [0.0; 2] }),
            }],
            ..AssetInfo::fixture(Bounds::standing(half, half, height + OUT))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [half, height] = BASE;
        out.open(name, &Pose::IDENTITY);
        out.geom(Geom::solid(Shape::Box([half, half, height / 2.0])).pos(0.0, 0.0, height / 2.0));
        show("push_button_base", Surface::rgb([0.24, 0.26, 0.29]), out, || {
            slab([0.0, 0.0, height / 2.0], [half, half, height / 2.0], 0.006)
        });
        show("push_button_collar", Surface::rgb([0.78, 0.79, 0.80]), out, || {
            let (r, z) = (CAP + 0.002, height);
            let ring = [[r, z], [r + 0.009, z], [r + 0.009, z + 0.004], [r, z + 0.004], [r, z]];
            TriMesh::lathe(&ring, 40, 0.5).without_uvs()
        });
        // Seen only while it is pressed.
        let glow = out.material(
            "push_button_glow",
            [0.35, 1.0, 0.45, 1.0],
            "emission=\"0.9\" specular=\"0\" shininess=\"0\"",
        );
        let lamp = out.mesh("push_button_lamp", || {
            let ring = |z: f64| [[CAP + 0.0035, z], [CAP + 0.0095, z]];
            let up: Vec<[f64; 2]> = ring(height + 0.0046).into_iter().rev().collect();
            TriMesh::lathe(&up, 40, 0.5).without_uvs()
        });
        out.geom(Geom::visual(lamp, glow).named(format!("{name}/lit_cap")));

        let cap = format!("{name}/cap");
        out.open(&cap, &Pose::at(0.0, 0.0, height));
        // A spring that carries the cap and gives way to a finger.
        out.raw(&format!(
            "<joint name=\"{cap}_joint\" type=\"slide\" axis=\"0 0 -1\" range=\"0 {TRAVEL}\" \
             limited=\"true\" stiffness=\"180\" springref=\"-0.012\" damping=\"6\" armature=\"0.05\"/>"
        ));
        let z = OUT / 2.0;
        out.geom(Geom::solid(Shape::Cylinder(CAP, z)).pos(0.0, 0.0, z).mass(CAP_MASS));
        show_tinted(name, 0, "push_button_cap", [0.80, 0.16, 0.13], out, || {
            let low = TRAVEL - height;
            let profile = [[CAP, low], [CAP, OUT - 0.006], [CAP - 0.006, OUT - 0.001], [0.0, OUT]];
            TriMesh::lathe(&profile, 40, 0.6).without_uvs()
        });
        out.close();
        exclude(name, &cap, out);
        out.close();
    }
}

impl Samples for PushButton {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
