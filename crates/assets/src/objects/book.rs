//! A book with a printed cover: standing on its lower edge, or lying on its back.

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    PAD_CLEARANCE, open_free, pinch, pinch_height, roomy, show, show_tinted, slab, tool,
};
use super::libero::{printed, word};
use super::print::mix;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Mjcf, Model, Shape, Surface};

/// A book.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// Thickness, width and height.
    pub size: [f64; 3],
    /// It lies on its back, its head towards +x; otherwise it stands, its spine towards −y.
    pub lying: bool,
}

/// Kilograms per cubic metre.
const DENSITY: f64 = 420.0;

impl Book {
    fn shape(&self) -> BookShape {
        let [x, y, z] = self.size;
        BookShape {
            id: format!("book_{x}_{y}_{z}").into(),
            size: self.size,
            middle: [0.0; 2],
            mass: DENSITY * x * y * z,
            cover: [0.16, 0.29, 0.47],
            ink: [0.95, 0.86, 0.55],
            title: "ATLAS",
        }
    }
}

impl Model for Book {
    fn noun(&self) -> &str {
        "book"
    }

    fn info(&self) -> AssetInfo {
        let [x, y, z] = self.size;
        let shape = self.shape();
        if self.lying {
            // Across, near head and foot.
            let at = |s: f64| {
                pinch([s * (z / 2.0 - 0.025), 0.0, PAD_CLEARANCE.max(x / 2.0)], FRAC_PI_2, roomy(y))
            };
            let bounds = Bounds::standing(z / 2.0, y / 2.0, x);
            return AssetInfo {
                symmetry: 2,
                grasps: vec![at(1.0), at(-1.0)],
                ..AssetInfo::movable(bounds, shape.mass)
            };
        }
        let mut info = shape.info();
        // Level from either side, too.
        info.grasps.extend([1.0, -1.0].map(|s| Grasp {
            kind: GraspKind::Handle,
            tool: tool([0.0, s * (y / 2.0 - 0.02), 0.62 * z], DVec3::NEG_Y * s, DVec3::X),
            opening: roomy(x),
            part: None,
        }));
        AssetInfo { symmetry: 2, ..info }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, _, z] = self.size;
        open_free(name, out);
        match self.lying {
            false => self.shape().build(name, out),
            true => {
                let laid = DQuat::from_rotation_y(FRAC_PI_2);
                let at = Pose::new(DVec3::new(-z / 2.0, 0.0, x / 2.0), laid);
                out.placed(at, |out| self.shape().build(name, out));
            }
        }
        out.close();
    }
}

impl Samples for Book {
    fn samples() -> Vec<Self> {
        let standing = Self { size: [0.03, 0.14, 0.17], lying: false };
        vec![standing, Self { size: [0.026, 0.062, 0.16], lying: true }]
    }
}

/// The shape of a book, standing on its lower edge with the spine towards −y.
pub(super) struct BookShape {
    pub id: Cow<'static, str>,
    /// Thickness, width, height.
    pub size: [f64; 3],
    /// Middle of the box in its frame.
    pub middle: [f64; 2],
    pub mass: f64,
    pub cover: [f32; 3],
    pub ink: [f64; 3],
    pub title: &'static str,
}

const COVER: f64 = 0.0022;

impl BookShape {
    /// What it can do standing.
    pub(super) fn info(&self) -> AssetInfo {
        let [x, y, z] = self.size;
        let [cx, cy] = self.middle;
        let high = pinch_height(z);
        let at = |dy: f64| pinch([cx, cy + dy, high], 0.0, roomy(x));
        AssetInfo {
            grasps: vec![at(0.0), at(0.02), at(-0.02)],
            symmetry: 1,
            ..AssetInfo::movable(
                Bounds { centre: [cx, cy, z / 2.0], half: [x / 2.0, y / 2.0, z / 2.0] },
                self.mass,
            )
        }
    }

    /// Its solid and looks, in the open body.
    pub(super) fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y, z] = self.size.map(|s| s / 2.0);
        let [cx, cy] = self.middle;
        out.geom(Geom::solid(Shape::Box([x, y, z])).pos(cx, cy, z).mass(self.mass));
        show_tinted(name, 0, &format!("{}_cover", self.id), self.cover, out, || {
            let mut m = TriMesh::default();
            for s in [-1.0, 1.0] {
                let at = [cx + s * (x - COVER / 2.0), cy, z];
                m.merge(&slab(at, [COVER / 2.0, y, z], 0.0008));
            }
            m.merge(&slab([cx, cy - y + COVER, z], [x - 0.0005, COVER, z], 0.002));
            m
        });
        show(&format!("{}_pages", self.id), Surface::rgb([0.93, 0.90, 0.82]), out, || {
            let inset = 0.0035;
            slab(
                [cx, cy - inset / 2.0 + 0.0005, z],
                [x - COVER, y - inset / 2.0 - 0.001, z - inset],
                0.0005,
            )
        });
        let ground = self.cover.map(f64::from);
        let side = y / z;
        let front = printed(&self.id, [160, 192], out, |u, v| {
            let edge = (0.5 - (u - 0.5).abs()).min(0.5 - (v - 0.5).abs());
            let frame = if (0.06..0.075).contains(&edge) { 1.0 } else { 0.0 };
            let mut c = mix(ground, self.ink, 0.8 * frame);
            c = mix(c, self.ink, word(self.title, [0.12, 0.16, 0.88, 0.42], side, u, v));
            let rule = (0.3..0.7).contains(&u) && (v - 0.72).abs() < 0.008;
            mix(c, self.ink, if rule { 1.0 } else { 0.0 })
        });
        show(&format!("{}_print", self.id), front, out, || {
            let sheet = TriMesh::rounded_box([0.0002, y - 0.003, z - 0.003], 0.0, 1);
            let mut m = sheet.clone().moved(cx + x, cy, z);
            m.merge(&sheet.moved(cx - x, cy, z));
            m
        });
        let spine = printed(&format!("{}_spine", self.id), [160, 40], out, |u, v| {
            mix(ground, self.ink, word(self.title, [0.1, 0.15, 0.9, 0.85], 4.0, u, v))
        });
        show(&format!("{}_spine", self.id), spine, out, || {
            // The title runs down the spine.
            let sheet = TriMesh::rounded_box([z - 0.006, 0.0002, x - 0.002], 0.0, 1);
            let turn = DQuat::from_rotation_y(FRAC_PI_2);
            sheet.transformed(&Pose::new(DVec3::new(cx, cy - y - 0.0001, z), turn))
        });
    }
}
