//! A mug tree: a stem on a round foot, with hooks that rise outwards.

use std::f64::consts::TAU;

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{heading, region, show, show_tinted};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Mjcf, Model, Region, RegionKind, Shape, Surface};

/// A mug tree with three hooks, standing fixed; its first hook points along +x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MugTree {}

const FOOT: [f64; 2] = [0.07, 0.014];
const STEM: f64 = 0.009;
const HEIGHT: f64 = 0.235;
const HOOKS: u32 = 3;
/// Where hooks leave the stem, how long and thick they are, how steeply they rise.
const AT: f64 = 0.2;
const LENGTH: f64 = 0.105;
const HOOK: f64 = 0.005;
const RISE: f64 = 0.35;
/// Lowest that the middle of what hangs on a hook is.
const HANGS: f64 = 0.09;

/// The frame of a hook: in its middle, x outwards.
fn hook(k: u32) -> Pose {
    let turn = DQuat::from_rotation_z(TAU * f64::from(k) / f64::from(HOOKS));
    let rot = (turn * DQuat::from_rotation_y(-RISE)).normalize();
    Pose::new(DVec3::Z * AT + rot * DVec3::X * LENGTH / 2.0, rot)
}

impl Model for MugTree {
    fn noun(&self) -> &str {
        "mug tree"
    }

    fn info(&self) -> AssetInfo {
        let reach = LENGTH * libm::cos(RISE) + HOOK;
        let top = HEIGHT + STEM;
        let hung = [0.0, 0.0, (HANGS + top) / 2.0];
        let mut regions =
            vec![region("hooks", RegionKind::Volume, hung, [reach, reach, (top - HANGS) / 2.0])];
        regions.extend((0..HOOKS).map(|k| Region {
            pose: hook(k),
            access: Access::Hook,
            ..region(
                &format!("hook_{}", k + 1),
                RegionKind::Volume,
                [0.0; 3],
                [LENGTH / 2.0, HOOK, HOOK],
            )
        }));
        AssetInfo {
            symmetry: HOOKS,
            disc: true,
            regions,
            ..AssetInfo::fixture(Bounds::standing(reach, reach, top))
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        let [foot, thick] = FOOT;
        out.geom(Geom::solid(Shape::Cylinder(foot, thick / 2.0)).pos(0.0, 0.0, thick / 2.0));
        let half = (HEIGHT - thick) / 2.0;
        out.geom(Geom::solid(Shape::Capsule(STEM, half)).pos(0.0, 0.0, thick + half));
        let lie = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        for k in 0..HOOKS {
            let at = hook(k) * Pose::new(DVec3::ZERO, lie);
            out.geom(Geom::solid(Shape::Capsule(HOOK, LENGTH / 2.0)).at(at));
        }
        show_tinted(name, 0, "mug_tree_wood", [0.62, 0.42, 0.25], out, || {
            let profile = [
                [0.0, 0.0],
                [foot, 0.0],
                [foot, thick - 0.003],
                [foot - 0.004, thick],
                [STEM + 0.008, thick + 0.002],
                [STEM, thick + 0.014],
                [STEM, HEIGHT],
                [0.7 * STEM, HEIGHT + 0.7 * STEM],
                [0.0, HEIGHT + STEM],
            ];
            TriMesh::lathe(&profile, 40, 0.7).without_uvs()
        });
        show("mug_tree_hooks", Surface::rgb([0.72, 0.52, 0.33]), out, || {
            TriMesh::merged((0..HOOKS).map(|k| {
                let way = heading(TAU * f64::from(k) / f64::from(HOOKS));
                let from = DVec3::Z * AT;
                let tip = from + (way * libm::cos(RISE) + DVec3::Z * libm::sin(RISE)) * LENGTH;
                let mut m = TriMesh::tube(&[from, tip], HOOK, 16).without_uvs();
                m.merge(&TriMesh::sphere(HOOK, 16).without_uvs().moved(tip.x, tip.y, tip.z));
                m
            }))
        });
        out.close();
    }
}

impl Samples for MugTree {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
