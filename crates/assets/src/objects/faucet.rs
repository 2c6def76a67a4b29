//! A tap on a plate; its lever turns about the vertical and begins towards −x, its spout faces −y. It is a self-closing
//! one: a spring turns the lever back.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{exclude, show, show_tinted, slab, tool};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Mjcf, Model, Part, PartMotion, Shape, Starts, Surface,
};

/// A tap with a lever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Faucet {}

/// Half size of the plate and its height; radius and height of the column.
const PLATE: [f64; 3] = [0.05, 0.05, 0.012];
const COLUMN: f64 = 0.018;
const HEIGHT: f64 = 0.13;
/// The lever: length, half width, half thickness, height above the column.
const LEVER: f64 = 0.12;
const WIDE: f64 = 0.009;
const THICK: f64 = 0.007;
const SPOUT: f64 = 0.10;
const RANGE: [f64; 2] = [0.0, 1.57];
/// Share of the range from which it is on.
const ON: f64 = 0.9;
const LEVER_MASS: f64 = 0.12;

impl Model for Faucet {
    fn noun(&self) -> &str {
        "faucet"
    }

    fn info(&self) -> AssetInfo {
        let push = Grasp {
            kind: GraspKind::Press,
            tool: tool([0.02 - LEVER, 0.0, 0.012], DVec3::NEG_Z, DVec3::Y),
            opening: 0.0,
            part: Some("lever".into()),
        };
        AssetInfo {
            grasps: vec![push],
            parts: vec![Part {
                name: "lever".into(),
                rest: Pose::at(0.0, 0.0, HEIGHT),
                motion: PartMotion::Hinge { axis: [0.0, 0.0, 1.0], pivot: [0.0, 0.0, HEIGHT] },
                range: RANGE,
                open: [ON * RANGE[1], RANGE[1]],
                closed: [0.0, 0.1],
                // It springs back: it never begins turned on.
                starts: Some(Starts { open: [0.0; 2], closed: [0.0; 2] }),
            }],
            ..AssetInfo::fixture(Bounds {
                centre: [-LEVER / 2.0 + 0.025, -SPOUT / 2.0 + 0.025, (HEIGHT + 0.03) / 2.0],
                half: [LEVER / 2.0 + 0.025, SPOUT / 2.0 + 0.025, (HEIGHT + 0.03) / 2.0],
            })
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        let [px, py, pz] = PLATE;
        out.geom(Geom::solid(Shape::Box([px, py, pz / 2.0])).pos(0.0, 0.0, pz / 2.0));
        let half = (HEIGHT - 0.002) / 2.0;
        out.geom(Geom::solid(Shape::Cylinder(COLUMN, half)).pos(0.0, 0.0, half));
        let spout = Geom::solid(Shape::Box([0.011, SPOUT / 2.0, 0.011]));
        out.geom(spout.pos(0.0, -SPOUT / 2.0, HEIGHT - 0.035));
        let chrome = out.material(
            "faucet_chrome",
            [0.74, 0.76, 0.79, 1.0],
            "specular=\"0.9\" shininess=\"0.8\"",
        );
        show("faucet_body", chrome, out, || {
            let column = [
                [0.0, 0.0],
                [0.032, pz],
                [0.032, pz + 0.004],
                [COLUMN, pz + 0.012],
                [COLUMN, HEIGHT - 0.002],
                [0.0, HEIGHT - 0.002],
            ];
            let mut m = TriMesh::lathe(&column, 36, 0.5).without_uvs();
            let z = HEIGHT - 0.035;
            let way: Vec<DVec3> = [
                [0.0, 0.0, z],
                [0.0, -SPOUT + 0.022, z + 0.004],
                [0.0, -SPOUT + 0.006, z],
                [0.0, -SPOUT, z - 0.014],
                [0.0, -SPOUT, z - 0.026],
            ]
            .map(DVec3::from)
            .into();
            m.merge(&TriMesh::tube(&way, 0.0105, 20).without_uvs());
            m
        });
        show_tinted(name, 0, "faucet_plate", [0.88, 0.88, 0.86], out, || {
            slab([0.0, 0.0, pz / 2.0], [px, py, pz / 2.0], 0.004)
        });

        let lever = format!("{name}/lever");
        out.open(&lever, &Pose::at(0.0, 0.0, HEIGHT));
        // Five newtons at the end of the lever hold it open; let go, it is back within a second.
        let [from, to] = RANGE;
        out.raw(&format!(
            "<joint name=\"{lever}_joint\" type=\"hinge\" axis=\"0 0 1\" range=\"{from} {to}\" limited=\"true\" \
             stiffness=\"0.25\" springref=\"-0.5\" damping=\"0.15\"/>"
        ));
        let (middle, half) = (-LEVER / 2.0, LEVER / 2.0);
        let bar = Geom::solid(Shape::Box([half, WIDE, THICK])).pos(middle, 0.0, 0.012);
        out.geom(bar.mass(0.8 * LEVER_MASS));
        let cap = Geom::solid(Shape::Cylinder(COLUMN, 0.010)).pos(0.0, 0.0, 0.010);
        out.geom(cap.mass(0.2 * LEVER_MASS));
        show("faucet_lever", Surface::rgb([0.60, 0.62, 0.66]), out, || {
            let mut m = slab([middle, 0.0, 0.012], [half, WIDE, THICK], 0.005);
            let cap = TriMesh::cylinder(COLUMN, 0.011, 0.004, 36).without_uvs();
            m.merge(&cap.moved(0.0, 0.0, 0.011));
            m
        });
        // A blue dot that says cold.
        show("faucet_dot", Surface::rgb([0.16, 0.36, 0.78]), out, || {
            TriMesh::cylinder(0.006, 0.0006, 0.0, 20).without_uvs().moved(0.0, 0.0, 0.0222)
        });
        out.close();
        exclude(name, &lever, out);
        out.close();
    }
}

impl Samples for Faucet {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
