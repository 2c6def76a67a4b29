//! A post carrying a ring whose hole looks along x.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{floor, region, show, show_tinted};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Mjcf, Model, Region, RegionKind, Shape, Surface};

/// A post carrying a ring to thread through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HolePost {
    /// Height of the hole's centre.
    pub height: f64,
    /// Inner radius of the hole.
    pub hole: f64,
}

impl Model for HolePost {
    fn noun(&self) -> &str {
        "post"
    }

    fn info(&self) -> AssetInfo {
        info(self.height, self.hole)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.height, self.hole, name, out);
    }
}

impl Samples for HolePost {
    fn samples() -> Vec<Self> {
        vec![Self { height: 0.1, hole: 0.025 }, Self { height: 0.08, hole: 0.03 }]
    }
}

const BASE: f64 = 0.034;
const BASE_HEIGHT: f64 = 0.008;
const POST: f64 = 0.007;
/// Radius of the ring's bar.
const BAR: f64 = 0.006;
const COUNT: u32 = 16;

fn info(height: f64, hole: f64) -> AssetInfo {
    let outer = hole + 2.0 * BAR;
    // A rope is measured along its underside, which lies a little below what passes through.
    let open = 1.2 * hole;
    let through = region("hole", RegionKind::Volume, [0.0, 0.0, height], [0.012, open, open]);
    AssetInfo {
        symmetry: 2,
        regions: vec![Region { access: Access::Through, ..through }],
        remarks: vec![format!(
            "ring of {:.0} mm inner diameter, its centre {:.0} mm above the table; the hole looks \
             along the heading",
            2000.0 * hole,
            1000.0 * height
        )],
        disc: true,
        ..AssetInfo::fixture(Bounds::standing(BASE, BASE.max(outer), height + outer))
    }
}

fn build(height: f64, hole: f64, name: &str, out: &mut Mjcf) {
    let post_half = (height - hole - BAR - BASE_HEIGHT) / 2.0;
    out.open(name, &Pose::IDENTITY);
    floor(BASE, BASE_HEIGHT, 0.0, out);
    out.geom(Geom::solid(Shape::Cylinder(POST, post_half.max(0.001))).pos(
        0.0,
        0.0,
        BASE_HEIGHT + post_half,
    ));
    // Capsules as the sides of a polygon whose sides touch the hole's circle.
    let major = hole + BAR;
    for k in 0..COUNT {
        let a = TAU * f64::from(k) / f64::from(COUNT);
        let turn = DQuat::from_rotation_x(a);
        let at = DVec3::new(0.0, 0.0, height) + turn * DVec3::new(0.0, major, 0.0);
        let half = major * libm::tan(PI / f64::from(COUNT));
        out.geom(Geom::solid(Shape::Capsule(BAR, half)).at(Pose::new(at, turn)));
    }
    show("post_base", Surface::rgb([0.34, 0.37, 0.41]), out, || {
        TriMesh::cylinder(BASE, BASE_HEIGHT / 2.0, 0.003, 40).without_uvs().moved(
            0.0,
            0.0,
            BASE_HEIGHT / 2.0,
        )
    });
    show(&format!("post_stem_{height}_{hole}"), Surface::rgb([0.74, 0.58, 0.41]), out, || {
        TriMesh::cylinder(POST, post_half.max(0.001), 0.0, 24).without_uvs().moved(
            0.0,
            0.0,
            BASE_HEIGHT + post_half,
        )
    });
    show_tinted(name, 0, &format!("post_ring_{hole}_{height}"), [0.82, 0.42, 0.33], out, || {
        TriMesh::torus(major, BAR, 48, 16).without_uvs().transformed(&Pose::new(
            DVec3::new(0.0, 0.0, height),
            DQuat::from_rotation_y(FRAC_PI_2),
        ))
    });
    out.close();
}
