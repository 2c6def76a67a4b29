//! A conveyor belt along its x axis.
//!
//! The belt is a plate on an unlimited slide `{name}/belt_joint` driven by the velocity actuator
//! `{name}/belt`, longer than its frame by one [`PITCH`]. Whoever steps the world takes whole
//! pitches off the joint whenever it leaves 0..[`PITCH`]: the slats repeat with that period and a
//! contact has no memory of where the plate is, so neither picture nor physics notice.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{region, show, slab};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Belt, Geom, Mjcf, Model, Part, PartMotion, RegionKind, Shape, Surface};

/// A conveyor belt along its x axis; its surface speed is set per scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conveyor {
    /// Full length and width.
    pub size: [f64; 2],
}

impl Model for Conveyor {
    fn noun(&self) -> &str {
        "conveyor"
    }

    fn info(&self) -> AssetInfo {
        info(self.size)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build(self.size, name, out);
    }
}

impl Samples for Conveyor {
    fn samples() -> Vec<Self> {
        vec![Self { size: [0.5, 0.12] }]
    }
}

/// Period of the belt's slats, and of its joint.
const PITCH: f64 = 0.02;
/// Height of the belt's surface.
const SURFACE: f64 = 0.045;

const THICKNESS: f64 = 0.012;
const RAIL: f64 = 0.012;
const BELT_MASS: f64 = 2.0;
/// Half length of the rounded hood at either end.
const HOOD: f64 = 0.022;
/// Half length of the stretch where objects are put on it.
const UPSTREAM: f64 = 0.045;

/// Half width of the belt between its rails.
fn belt_half([_, width]: [f64; 2]) -> f64 {
    width / 2.0 - RAIL - 0.001
}

fn info(size: [f64; 2]) -> AssetInfo {
    let [length, width] = size;
    AssetInfo {
        symmetry: 1,
        regions: vec![
            region(
                "surface",
                RegionKind::Surface,
                [0.0, 0.0, SURFACE],
                [length / 2.0 - 2.0 * HOOD, belt_half(size), 0.005],
            ),
            // Where objects are put on it.
            region(
                "upstream",
                RegionKind::Surface,
                [UPSTREAM + 2.0 * HOOD - length / 2.0, 0.0, SURFACE],
                [UPSTREAM, belt_half(size), 0.005],
            ),
        ],
        parts: vec![Part {
            name: "belt".into(),
            rest: Pose::IDENTITY,
            motion: PartMotion::Slide { axis: [1.0, 0.0, 0.0] },
            range: [0.0, PITCH],
            // A belt is neither open nor closed.
            open: [1.0, 1.0],
            closed: [0.0, PITCH],
            starts: None,
        }],
        belt: Some(Belt { part: "belt".into(), pitch: PITCH }),
        ..AssetInfo::fixture(Bounds::standing(length / 2.0, width / 2.0, SURFACE + 0.006))
    }
}

fn build(size: [f64; 2], name: &str, out: &mut Mjcf) {
    let [length, width] = size;
    let half = length / 2.0;
    let belt = belt_half(size);
    out.open(name, &Pose::IDENTITY);
    let rail_y = width / 2.0 - RAIL / 2.0;
    let rail = [half, RAIL / 2.0, (SURFACE + 0.006) / 2.0];
    for s in [-1.0, 1.0] {
        out.geom(Geom::solid(Shape::Box(rail)).pos(0.0, s * rail_y, rail[2]));
    }
    show(
        &format!("conveyor_frame_{length}_{width}"),
        Surface::rgb([0.55, 0.60, 0.66]),
        out,
        || {
            let mut m = TriMesh::default();
            for s in [-1.0, 1.0] {
                m.merge(&slab(
                    [0.0, s * rail_y, SURFACE - 0.011],
                    [half, RAIL / 2.0, 0.017],
                    0.003,
                ));
                for x in [-0.8, 0.0, 0.8] {
                    let at = [x * half, s * rail_y, 0.0145];
                    m.merge(&slab(at, [0.014, RAIL / 2.0 - 0.001, 0.0145], 0.002));
                }
            }
            m
        },
    );
    // Rounded hoods over both ends hide where the plate comes and goes.
    show(&format!("conveyor_hood_{length}_{width}"), Surface::rgb([0.30, 0.33, 0.37]), out, || {
        TriMesh::merged([-1.0, 1.0].map(|s| {
            TriMesh::capsule(0.016, belt - 0.016, 20)
                .without_uvs()
                .scaled([HOOD / 0.016, 1.0, 1.0])
                .transformed(&Pose::new(
                    DVec3::new(s * (half - HOOD), 0.0, SURFACE - 0.0155),
                    DQuat::from_rotation_x(FRAC_PI_2),
                ))
        }))
    });

    out.open(&format!("{name}/belt"), &Pose::IDENTITY);
    out.raw(&format!(
        "<joint name=\"{name}/belt_joint\" type=\"slide\" axis=\"1 0 0\" limited=\"false\" damping=\"0\"/>"
    ));
    out.geom(
        Geom::solid(Shape::Box([half + PITCH / 2.0, belt, THICKNESS / 2.0]))
            .pos(-PITCH / 2.0, 0.0, SURFACE - THICKNESS / 2.0)
            .mass(BELT_MASS),
    );
    // What is seen ends under the hoods, wherever the joint is.
    let slats = ((length - 2.0 * HOOD) / PITCH).floor().max(1.0) as usize;
    let start = -(slats as f64) * PITCH / 2.0;
    show(&format!("conveyor_belt_{length}_{width}"), Surface::rgb([0.20, 0.21, 0.23]), out, || {
        let visible = slats as f64 * PITCH / 2.0;
        slab([-PITCH / 2.0, 0.0, SURFACE - 0.004], [visible, belt, 0.0038], 0.0)
    });
    show(
        &format!("conveyor_slats_{length}_{width}"),
        Surface::rgb([0.36, 0.37, 0.39]),
        out,
        || {
            TriMesh::merged((0..slats).map(|i| {
                slab(
                    [start + i as f64 * PITCH, 0.0, SURFACE - 0.004],
                    [0.003, belt - 0.004, 0.0041],
                    0.0,
                )
            }))
        },
    );
    out.close();
    out.close();
    out.section(
        "actuator",
        &format!("<velocity name=\"{name}/belt\" joint=\"{name}/belt_joint\" kv=\"400\"/>"),
    );
    out.section("contact", &format!("<exclude body1=\"{name}\" body2=\"{name}/belt\"/>"));
}
