//! Apple and banana.

use std::f64::consts::{FRAC_PI_2, PI};

use longarm_types::{Bounds, DMat3, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    PAD_CLEARANCE, ROLLING, ball, open_free, pinch, pinches_around, roomy, show, show_tinted,
};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Shape, Surface};

/// An apple.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Apple;

impl Model for Apple {
    fn noun(&self) -> &str {
        "apple"
    }

    fn info(&self) -> AssetInfo {
        apple_info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build_apple(name, out);
    }
}

impl Samples for Apple {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

/// A banana.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Banana;

impl Model for Banana {
    fn noun(&self) -> &str {
        "banana"
    }

    fn info(&self) -> AssetInfo {
        banana_info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        build_banana(name, out);
    }
}

impl Samples for Banana {
    fn samples() -> Vec<Self> {
        vec![Self]
    }
}

const APPLE: f64 = 0.032;
const APPLE_MASS: f64 = 0.12;

fn apple_info() -> AssetInfo {
    AssetInfo {
        symmetry: 0,
        grasps: pinches_around(APPLE, 2.0 * APPLE),
        disc: true,
        ..AssetInfo::movable(Bounds::standing(APPLE, APPLE, 2.0 * APPLE + 0.01), APPLE_MASS)
    }
}

fn build_apple(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    ball(APPLE, APPLE_MASS, out);
    show_tinted(name, 0, "apple", [0.76, 0.25, 0.22], out, || {
        const STEPS: usize = 22;
        let profile: Vec<[f64; 2]> = (0..=STEPS)
            .map(|i| {
                let t = PI * i as f64 / STEPS as f64;
                let s = libm::sin(t);
                // Wider above the middle, hollowed at stalk and blossom.
                let r = APPLE * s * (1.0 + 0.06 * -libm::cos(t));
                let dip = 0.24 * libm::exp(-7.0 * s * s) * libm::cos(t);
                let z = APPLE * (1.0 - libm::cos(t) + dip);
                [if i == 0 || i == STEPS { 0.0 } else { r / 1.03 }, z]
            })
            .collect();
        TriMesh::lathe(&profile, 36, PI).without_uvs()
    });
    show("apple_stalk", Surface::rgb([0.38, 0.27, 0.17]), out, || {
        let z = 1.78 * APPLE;
        let path = [
            DVec3::new(0.0, 0.0, z),
            DVec3::new(0.001, 0.0, z + 0.008),
            DVec3::new(0.004, 0.001, z + 0.015),
        ];
        TriMesh::tube(&path, 0.0014, 10).without_uvs()
    });
    show("apple_leaf", Surface::rgb([0.37, 0.53, 0.27]), out, || {
        let outline: Vec<[f64; 2]> = (0..16)
            .map(|i| {
                let t = 2.0 * PI * f64::from(i) / 16.0;
                [0.011 * libm::cos(t), 0.0048 * libm::sin(t) * (1.0 - 0.35 * libm::cos(t))]
            })
            .collect();
        let rot = DQuat::from_rotation_z(0.8) * DQuat::from_rotation_y(-0.35);
        TriMesh::extrude(&outline, 0.001, 0.0002)
            .without_uvs()
            .transformed(&Pose::new(DVec3::new(0.010, 0.008, 1.78 * APPLE + 0.0095), rot))
    });
    out.close();
}

const BANANA: f64 = 0.0165;
const BANANA_MASS: f64 = 0.11;
/// Radius and half angle of the arc of its middle line.
const BEND: f64 = 0.095;
const SPAN: f64 = 0.78;

/// A point of the middle line; the bend's centre lies on −y.
fn middle(angle: f64, z: f64) -> DVec3 {
    DVec3::new(BEND * libm::sin(angle), BEND * (libm::cos(angle) - libm::cos(0.5 * SPAN)), z)
}

/// Middle line and thickness at its ends, every capsule lying on the table.
fn capsules() -> [(f64, f64, f64); 4] {
    let r = BANANA;
    [
        (-0.92 * SPAN, -0.45 * SPAN, 0.8 * r),
        (-0.5 * SPAN, 0.0, r),
        (0.0, 0.5 * SPAN, r),
        (0.45 * SPAN, 0.92 * SPAN, 0.8 * r),
    ]
}

fn banana_info() -> AssetInfo {
    let top = middle(0.0, 0.0).y + BANANA;
    let low = middle(1.18 * SPAN, 0.0).y - 0.3 * BANANA;
    let x = BEND * libm::sin(1.18 * SPAN) + 0.006;
    AssetInfo {
        grasps: vec![pinch(
            [0.0, middle(0.0, 0.0).y, PAD_CLEARANCE.max(BANANA)],
            FRAC_PI_2,
            roomy(2.0 * BANANA),
        )],
        ..AssetInfo::movable(
            Bounds {
                centre: [0.0, (top + low) / 2.0, BANANA],
                half: [x, (top - low) / 2.0, BANANA],
            },
            BANANA_MASS,
        )
    }
}

fn build_banana(name: &str, out: &mut Mjcf) {
    open_free(name, out);
    for (from, to, r) in capsules() {
        let (a, b) = (middle(from, r), middle(to, r));
        let z = (b - a).normalize();
        let x = DVec3::Z;
        let rot = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
        out.geom(
            Geom::solid(Shape::Capsule(r, (b - a).length() / 2.0))
                .at(Pose::new((a + b) / 2.0, rot))
                .mass(BANANA_MASS / 4.0)
                .friction(ROLLING)
                .with("condim=\"6\""),
        );
    }
    const STEPS: i32 = 24;
    let at = |i: i32| SPAN * (2.0 * f64::from(i) / f64::from(STEPS) - 1.0);
    let thickness = |a: f64| {
        let s = (a / SPAN).abs();
        BANANA * (1.0 - 0.62 * libm::pow(s, 3.5))
    };
    show_tinted(name, 0, "banana", [0.91, 0.77, 0.31], out, || {
        let path: Vec<DVec3> = (0..=STEPS).map(|i| middle(at(i), BANANA)).collect();
        let radii: Vec<f64> = (0..=STEPS).map(|i| thickness(at(i))).collect();
        // Five flat sides, as bananas have.
        TriMesh::sweep(&path, &radii, 5 * 4).without_uvs()
    });
    show("banana_ends", Surface::rgb([0.36, 0.28, 0.18]), out, || {
        let tip = |a: f64, b: f64, r0: f64, r1: f64| {
            TriMesh::sweep(
                &[middle(a, BANANA), middle((a + b) / 2.0, BANANA), middle(b, BANANA)],
                &[r0, 0.9 * r1, r1],
                14,
            )
            .without_uvs()
        };
        TriMesh::merged([
            tip(SPAN * 1.03, SPAN * 1.16, 0.0052, 0.0042),
            tip(-SPAN * 1.03, -SPAN * 1.07, 0.0056, 0.004),
        ])
    });
    out.close();
}
