//! An open box with a slanted label in front that can be read from the robot and from above.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{region, show_tinted, side_prism, slab};
use super::print::{bytes, ink, mix};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, RegionKind, Shape};

/// An open box to drop objects into, standing fixed on the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bin {
    /// Full outer size.
    pub size: [f64; 3],
    /// Word printed on its front.
    pub label: String,
}

impl Model for Bin {
    fn noun(&self) -> &str {
        "bin"
    }

    fn info(&self) -> AssetInfo {
        info(self.size, &self.label)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.size, &self.label, name, out);
    }
}

impl Samples for Bin {
    fn samples() -> Vec<Self> {
        vec![
            Self { size: [0.2, 0.16, 0.09], label: "PAPER".into() },
            Self { size: [0.2, 0.16, 0.09], label: "food & peel".into() },
            Self { size: [0.15, 0.12, 0.08], label: "PAPER".into() },
        ]
    }
}

const WALL: f64 = 0.004;
/// Depth and drop of the slanted label.
const LEDGE: f64 = 0.026;
const DROP: f64 = 0.026;

/// The front wall stands back to make room for the label.
fn front(size: [f64; 3]) -> f64 {
    -size[0] / 2.0 + LEDGE
}

fn info(size: [f64; 3], label: &str) -> AssetInfo {
    let [x, y, z] = size;
    let (back, front) = (x / 2.0 - WALL, front(size) + WALL);
    AssetInfo {
        regions: vec![region(
            "inside",
            RegionKind::Volume,
            [(back + front) / 2.0, 0.0, (z + WALL) / 2.0],
            [(back - front) / 2.0, y / 2.0 - WALL, (z - WALL) / 2.0],
        )],
        remarks: vec![format!("labelled {label}")],
        ..AssetInfo::fixture(Bounds::standing(x / 2.0, y / 2.0, z))
    }
}

/// Centre and half size of floor and walls.
fn panels(size: [f64; 3]) -> [([f64; 3], [f64; 3]); 5] {
    let [x, y, z] = size;
    let (back, front) = (x / 2.0, front(size));
    let (cx, hx, h) = ((back + front) / 2.0, (back - front) / 2.0, WALL / 2.0);
    [
        ([cx, 0.0, h], [hx, y / 2.0, h]),
        ([front + h, 0.0, z / 2.0], [h, y / 2.0, z / 2.0]),
        ([back - h, 0.0, z / 2.0], [h, y / 2.0, z / 2.0]),
        ([cx, h - y / 2.0, z / 2.0], [hx, h, z / 2.0]),
        ([cx, y / 2.0 - h, z / 2.0], [hx, h, z / 2.0]),
    ]
}

fn build(size: [f64; 3], label: &str, name: &str, out: &mut Mjcf) {
    let [x, y, z] = size;
    out.open(name, &Pose::IDENTITY);
    for ([px, py, pz], half) in panels(size) {
        out.geom(Geom::solid(Shape::Box(half)).pos(px, py, pz));
    }
    // The label's plane: from the rim down and out.
    let slant = libm::atan2(DROP, LEDGE);
    let rot = DQuat::from_rotation_y(-slant);
    let middle = DVec3::new(-x / 2.0 + LEDGE / 2.0, 0.0, z - DROP / 2.0);
    let width = 0.86 * y;
    let length = libm::hypot(LEDGE, DROP);
    let below = middle + rot * DVec3::new(0.0, 0.0, -0.002);
    out.geom(Geom::solid(Shape::Box([length / 2.0, width / 2.0, 0.002])).at(Pose::new(below, rot)));

    show_tinted(name, 0, &format!("bin_{x}_{y}_{z}"), [0.45, 0.53, 0.60], out, || {
        let mut m = TriMesh::default();
        for (centre, half) in panels(size) {
            m.merge(&slab(centre, half, 0.0015));
        }
        let (f, o) = (front(size) + 0.001, -x / 2.0);
        let wedge = [[o, z - DROP], [o, z - DROP - 0.004], [f, z - DROP - LEDGE], [f, z]];
        m.merge(&side_prism(&wedge, width, 0.001));
        // A thicker rim, as moulded boxes have.
        let (cx, hx) = ((x / 2.0 + front(size)) / 2.0, (x / 2.0 - front(size)) / 2.0);
        for s in [-1.0, 1.0] {
            m.merge(&slab([cx, s * (y / 2.0 - 0.0035), z - 0.004], [hx, 0.0035, 0.004], 0.0015));
        }
        m.merge(&slab([x / 2.0 - 0.0035, 0.0, z - 0.004], [0.0035, y / 2.0, 0.004], 0.0015));
        m
    });

    let tag = [0.47 * width, 0.47 * length];
    let aspect = tag[0] / tag[1];
    // Labels are words people choose; the name of a file is not.
    let word: String =
        label.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let texture = format!("label_{word}_{y}");
    out.texture(&texture, 256, 64, |u, v| {
        let edge = u.min(1.0 - u).min((v.min(1.0 - v)) / aspect);
        let paper = if edge < 0.012 { [0.30, 0.33, 0.37] } else { [0.95, 0.94, 0.90] };
        bytes(mix(paper, [0.16, 0.18, 0.22], ink(label, aspect, u, v)))
    });
    let paper = out.material(
        &texture,
        [1.0; 4],
        &format!("texture=\"{texture}\" specular=\"0.1\" shininess=\"0.1\""),
    );
    let mesh = out.mesh(&format!("bin_label_{y}"), || {
        // Turned so that it reads from −x.
        TriMesh::rounded_box([tag[0], tag[1], 0.0008], 0.0, 1)
            .transformed(&Pose::new(DVec3::ZERO, DQuat::from_rotation_z(-FRAC_PI_2)))
    });
    let above = middle + rot * DVec3::new(0.0, 0.0, 0.0006);
    out.geom(Geom::visual(mesh, paper).at(Pose::new(above, rot)));
    out.close();
}
