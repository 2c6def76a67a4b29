//! A round bowl with an elliptic wall.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;

use super::common::{Wall, floor, open_free, region, rim_around, show_tinted};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Mjcf, RegionKind};

const MASS: f64 = 0.12;
const FLOOR: f64 = 0.006;
const WALL: f64 = 0.004;
/// Height of the upright band below the rim: pads lie flat on it.
const BAND: f64 = 0.016;

struct Form {
    radius: f64,
    foot: f64,
    height: f64,
}

impl Form {
    fn new(radius: f64) -> Self {
        Self { radius, foot: 0.48 * radius, height: (0.66 * radius).clamp(0.036, 0.07) }
    }

    /// Inner surface, `a` from 0 at the floor to a quarter turn where the upright band begins.
    fn inner(&self, a: f64) -> [f64; 2] {
        let r = self.radius - WALL - self.foot;
        [self.foot + r * libm::sin(a), FLOOR + (self.height - BAND - FLOOR) * (1.0 - libm::cos(a))]
    }
}

pub(super) fn info(radius: f64) -> AssetInfo {
    let f = Form::new(radius);
    let half = 0.7 * radius;
    AssetInfo {
        symmetry: 0,
        grasps: rim_around(radius - WALL / 2.0, f.height - 0.008, 0.032),
        regions: vec![region(
            "inside",
            RegionKind::Volume,
            [0.0, 0.0, (FLOOR + f.height) / 2.0],
            [half, half, (f.height - FLOOR) / 2.0],
        )],
        ..AssetInfo::movable(Bounds::standing(radius, radius, f.height), MASS)
    }
}

/// The same bowl standing fixed.
pub(super) fn fixed_info(radius: f64) -> AssetInfo {
    AssetInfo { fixed: true, grasps: Vec::new(), mass: 0.0, ..info(radius) }
}

pub(super) fn build(radius: f64, fixed: bool, name: &str, out: &mut Mjcf) {
    let f = Form::new(radius);
    if fixed {
        out.open(name, &longarm_types::Pose::IDENTITY);
    } else {
        open_free(name, out);
    }
    floor(f.foot + 0.003, FLOOR, 0.4 * MASS, out);
    let brim = [radius - WALL, f.height];
    let cuts = [f.inner(0.0), f.inner(0.6 * FRAC_PI_2), [brim[0], f.height - BAND - 0.002], brim];
    for s in cuts.windows(2) {
        let wall =
            Wall { radius: [s[0][0], s[1][0]], z: [s[0][1], s[1][1]], thickness: WALL, count: 16 };
        wall.build(0.2 * MASS, out);
    }
    show_tinted(name, 0, &format!("bowl_{radius}"), [0.85, 0.87, 0.90], out, || {
        const STEPS: usize = 14;
        let arc = |i: usize| FRAC_PI_2 * i as f64 / STEPS as f64;
        let mut profile = vec![[0.0, 0.002], [f.foot - 0.006, 0.002], [f.foot - 0.004, 0.0]];
        profile.push([f.foot + 0.002, 0.0]);
        for i in 0..STEPS {
            // The wall's thickness is added along the normal: down below, sideways at the rim.
            let [r, z] = f.inner(arc(i));
            let (sin, cos) = (libm::sin(arc(i)), libm::cos(arc(i)));
            profile.push([r + WALL * sin, (z - WALL * cos).max(0.0015)]);
        }
        // A rounded rim.
        let mid = radius - WALL / 2.0;
        for k in 0..=6 {
            let a = f64::from(k) * FRAC_PI_2 / 3.0;
            let (r, z) = (mid + WALL / 2.0 * libm::cos(a), WALL / 2.0 * libm::sin(a));
            profile.push([r, f.height - WALL / 2.0 + z]);
        }
        profile.extend((0..STEPS).rev().map(|i| f.inner(arc(i))));
        profile.push([0.0, FLOOR]);
        TriMesh::lathe(&profile, 48, 0.8).without_uvs()
    });
    out.close();
}
