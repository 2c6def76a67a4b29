//! A rope as a chain of capsules, two hinges per link, with one stiffened end like a lace's.
//!
//! Bodies: `{name}` is the stiff end and carries the free joint, then `{name}/link1`,
//! `{name}/link2` …, and `{name}/tip` last, all of them parts. Each link's frame sits at its beginning, on the
//! underside, with the link along x. Joints are `{link}_joint` (up and down) and
//! `{link}_joint_z` (sideways).

use std::f64::consts::{FRAC_PI_2, TAU};

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Joint, Mjcf, Model, Part, PartMotion, Shape, Surface};

/// A rope of capsule links, `{name}` being one end, stiff for 8 cm, and `{name}/tip` the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rope {
    /// Full length.
    pub length: f64,
}

impl Model for Rope {
    fn noun(&self) -> &str {
        "rope"
    }

    fn info(&self) -> AssetInfo {
        info(self.length)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.length, name, out);
    }
}

impl Samples for Rope {
    fn samples() -> Vec<Self> {
        vec![Self { length: 0.4 }, Self { length: 0.25 }]
    }
}

const RADIUS: f64 = 0.005;
/// Height of the pads' centre: their lower edges must pass the middle of the rope.
const GRASP_Z: f64 = 0.011;
/// Length of the stiff end.
pub const LACE: f64 = 0.08;
/// The other links are about this long.
const LINK: f64 = 0.025;
/// Kilograms per metre.
const DENSITY: f64 = 0.06;
/// Furthest two links bend.
const BEND: f64 = 1.4;

/// Number of links of a rope.
pub fn links(length: f64) -> usize {
    1 + (((length - LACE) / LINK).round() as usize).max(1)
}

/// Length of the links behind the stiff end.
fn link_length(length: f64) -> f64 {
    (length - LACE) / (links(length) - 1) as f64
}

/// Where link `index` begins along a straight rope.
fn begins(length: f64, index: usize) -> f64 {
    if index == 0 { 0.0 } else { LACE + (index - 1) as f64 * link_length(length) }
}

/// Name of the body of link `index` of `count`.
pub fn link_name(name: &str, index: usize, count: usize) -> String {
    if index == 0 {
        name.to_owned()
    } else if index + 1 == count {
        format!("{name}/tip")
    } else {
        format!("{name}/link{index}")
    }
}

fn info(length: f64) -> AssetInfo {
    let count = links(length);
    let parts = (1..count).map(|i| {
        let at = begins(length, i);
        let bend = [-BEND, BEND];
        Part {
            name: link_name("", i, count).trim_start_matches('/').to_owned(),
            rest: Pose::at(at, 0.0, 0.0),
            motion: PartMotion::Hinge { axis: [0.0, 1.0, 0.0], pivot: [at, 0.0, RADIUS] },
            range: bend,
            // A rope is neither open nor closed.
            open: [TAU, TAU],
            closed: bend,
            starts: None,
        }
    });
    AssetInfo {
        grasps: [0.066, 0.05, 0.035, 0.02]
            .map(|x| pinch([x, 0.0, GRASP_Z], FRAC_PI_2, 0.03))
            .into(),
        parts: parts.collect(),
        remarks: vec![
            "stiff for 80 mm at the end to be threaded, which is the listed point; it lies from \
             there along its heading"
                .into(),
        ],
        ..AssetInfo::movable(
            Bounds {
                centre: [length / 2.0, 0.0, RADIUS],
                half: [length / 2.0 + RADIUS, RADIUS, RADIUS],
            },
            DENSITY * length,
        )
    }
}

/// A link of three-strand cord along z, about the origin. It turns by two thirds of a circle over
/// its length, so that the strands of the next link continue it.
fn strand(link: f64) -> TriMesh {
    let turn = 2.0 * TAU / 3.0 / link;
    let path: Vec<DVec3> =
        (0..=10).map(|i| DVec3::Z * (link * (f64::from(i) / 10.0 - 0.5))).collect();
    TriMesh::tube(&path, 1.0, 12)
        .without_uvs()
        .warped(|p| {
            // The tube was made with radius one: its round ends are pulled in along z too.
            let z = p.z.clamp(-link / 2.0, link / 2.0);
            let groove = libm::cos(3.0 * (libm::atan2(p.y, p.x) - turn * z));
            let r = RADIUS * (0.92 + 0.13 * groove);
            DVec3::new(p.x * r, p.y * r, z + (p.z - z) * RADIUS)
        })
        .creased(1.2)
}

fn build(length: f64, name: &str, out: &mut Mjcf) {
    let count = links(length);
    for i in 0..count {
        let body = link_name(name, i, count);
        let link = if i == 0 { LACE } else { link_length(length) };
        let mass = DENSITY * link;
        if i == 0 {
            open_free(&body, out);
        } else {
            let before = begins(length, i) - begins(length, i - 1);
            out.open(&body, &Pose::at(before, 0.0, 0.0));
            for (axis, suffix) in [([0.0, 1.0, 0.0], ""), ([0.0, 0.0, 1.0], "_z")] {
                out.joint(&Joint {
                    name: format!("{body}_joint{suffix}"),
                    hinge: true,
                    axis,
                    pos: [0.0, 0.0, RADIUS],
                    range: [-BEND, BEND],
                    damping: 2e-4,
                    // Light links need a little rotor inertia to stay calm under a gripper.
                    armature: 2e-6,
                    frictionloss: 1e-4,
                });
            }
        }
        let pose =
            Pose::new(DVec3::new(link / 2.0, 0.0, RADIUS), DQuat::from_rotation_y(FRAC_PI_2));
        out.geom(
            Geom::solid(Shape::Capsule(RADIUS, link / 2.0))
                .at(pose)
                .mass(mass)
                .friction([0.8, 0.005, 0.0005])
                .with("condim=\"6\""),
        );
        let mesh = out.mesh(&format!("rope_{link}"), || strand(link));
        let cord = Surface::rgb([0.82, 0.71, 0.51]);
        out.geom(Geom::visual(mesh, cord).at(pose).named(format!("{name}/tint{i}")));
        if i == 0 {
            // A smooth sleeve over the stiff end.
            let half = LACE / 2.0 - 0.003;
            let sleeve = out.mesh("rope_sleeve", || {
                TriMesh::cylinder(RADIUS + 0.0006, half, 0.001, 16).without_uvs().along(DVec3::X)
            });
            let red = Surface::rgb([0.62, 0.26, 0.24]);
            out.geom(Geom::visual(sleeve, red).pos(LACE / 2.0 - 0.003, 0.0, RADIUS));
        } else if i + 1 == count {
            // A whipped end.
            let wrap = out.mesh("rope_wrap", || {
                TriMesh::cylinder(RADIUS + 0.0008, 0.006, 0.001, 16).without_uvs().along(DVec3::X)
            });
            let red = Surface::rgb([0.62, 0.26, 0.24]);
            out.geom(Geom::visual(wrap, red).pos(link - 0.004, 0.0, RADIUS));
        }
    }
    for _ in 0..count {
        out.close();
    }
}
