//! Printed boxes.

use std::f64::consts::FRAC_PI_2;

use longarm_types::Bounds;

use super::super::common::{open_free, pinch, pinch_height, roomy, show};
use super::super::print::{mix, smooth};
use super::{CategoryModel, disc, printed, word};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Shape};

type Paint = fn(f64, f64, f64) -> [f64; 3];

pub(super) struct Package {
    id: &'static str,
    size: [f64; 3],
    mass: f64,
    /// Picture of the broad side by u, v and its width by its height.
    front: Paint,
    /// Colour of the narrow sides.
    side: [f64; 3],
}

pub(super) const BUTTER: Package = Package {
    id: "libero_butter",
    size: [0.0775, 0.0398, 0.018],
    mass: 0.02,
    front: butter,
    side: [0.93, 0.80, 0.36],
};

pub(super) const CHOCOLATE_PUDDING: Package = Package {
    id: "libero_chocolate_pudding",
    size: [0.0835, 0.0495, 0.0299],
    mass: 0.0226,
    front: pudding,
    side: [0.33, 0.19, 0.13],
};

pub(super) const COOKIES: Package = Package {
    id: "libero_cookies",
    size: [0.0621, 0.0836, 0.0201],
    mass: 0.0201,
    front: cookies,
    side: [0.20, 0.36, 0.60],
};

pub(super) const CREAM_CHEESE: Package = Package {
    id: "libero_cream_cheese",
    size: [0.0829, 0.0427, 0.0194],
    mass: 0.02,
    front: cheese,
    side: [0.83, 0.86, 0.90],
};

/// Stands on its narrow end: lying, it would be wider than the hand opens.
pub(super) const MACARONI_AND_CHEESE: Package = Package {
    id: "libero_macaroni_and_cheese",
    size: [0.0865, 0.0281, 0.1164],
    mass: 0.0519,
    front: macaroni,
    side: [0.20, 0.38, 0.68],
};

pub(super) const POPCORN: Package = Package {
    id: "libero_popcorn",
    size: [0.0632, 0.0425, 0.02],
    mass: 0.02,
    front: popcorn,
    side: [0.78, 0.23, 0.20],
};

fn butter(u: f64, v: f64, a: f64) -> [f64; 3] {
    let mut c = mix([0.95, 0.84, 0.45], [0.98, 0.93, 0.72], smooth(0.30, 0.27, (v - 0.5).abs()));
    c = mix(c, [0.16, 0.33, 0.58], smooth(0.44, 0.46, (v - 0.5).abs()));
    mix(c, [0.16, 0.33, 0.58], word("BUTTER", [0.08, 0.18, 0.92, 0.82], a, u, v))
}

fn pudding(u: f64, v: f64, a: f64) -> [f64; 3] {
    let mut c = mix([0.36, 0.20, 0.13], [0.28, 0.15, 0.10], v);
    // A dish of pudding with a dab of cream.
    c = mix(c, [0.93, 0.90, 0.84], disc([0.80, 0.62], 0.28, a, u, v));
    c = mix(c, [0.45, 0.25, 0.15], disc([0.80, 0.60], 0.23, a, u, v));
    c = mix(c, [0.98, 0.95, 0.90], disc([0.80, 0.52], 0.08, a, u, v));
    c = mix(c, [0.86, 0.30, 0.24], smooth(0.13, 0.11, v));
    c = mix(c, [0.96, 0.88, 0.70], word("PUDDING", [0.04, 0.20, 0.64, 0.62], a, u, v));
    mix(c, [0.85, 0.66, 0.42], word("CHOCOLATE", [0.04, 0.62, 0.62, 0.92], a, u, v))
}

fn cookies(u: f64, v: f64, a: f64) -> [f64; 3] {
    let mut c = mix([0.24, 0.42, 0.68], [0.15, 0.28, 0.50], v);
    for at in [[0.35, 0.60], [0.62, 0.76], [0.72, 0.54]] {
        c = mix(c, [0.80, 0.58, 0.34], disc(at, 0.15, a, u, v));
        for chip in [[-0.06, -0.03], [0.05, 0.04], [0.03, -0.06], [-0.04, 0.06]] {
            let at = [at[0] + chip[0], at[1] + chip[1]];
            c = mix(c, [0.30, 0.18, 0.11], disc(at, 0.022, a, u, v));
        }
    }
    mix(c, [0.98, 0.95, 0.86], word("COOKIES", [0.05, 0.08, 0.95, 0.36], a, u, v))
}

fn cheese(u: f64, v: f64, a: f64) -> [f64; 3] {
    let mut c = mix([0.95, 0.96, 0.97], [0.76, 0.84, 0.93], smooth(0.55, 0.95, v));
    c = mix(c, [0.22, 0.42, 0.72], smooth(0.17, 0.15, v));
    c = mix(c, [0.15, 0.30, 0.58], word("CREAM", [0.05, 0.18, 0.95, 0.58], a, u, v));
    mix(c, [0.15, 0.30, 0.58], word("CHEESE", [0.05, 0.56, 0.95, 0.94], a, u, v))
}

fn macaroni(u: f64, v: f64, a: f64) -> [f64; 3] {
    let mut c = mix([0.22, 0.42, 0.74], [0.16, 0.31, 0.58], v);
    c = mix(c, [0.96, 0.95, 0.92], disc([0.5, 0.70], 0.24, a, u, v));
    for k in 0..9 {
        // Bent tubes heaped on the plate.
        let (x, y) = (f64::from(k % 3) - 1.0, f64::from(k / 3) - 1.0);
        let at = [0.5 + 0.14 * x + 0.02 * y, 0.70 + 0.10 * y];
        let ring = disc(at, 0.055, a, u, v) - disc([at[0], at[1] + 0.02], 0.022, a, u, v);
        c = mix(c, [0.95, 0.65, 0.18], ring.max(0.0));
    }
    c = mix(c, [0.98, 0.83, 0.30], word("MAC", [0.08, 0.04, 0.92, 0.26], a, u, v));
    mix(c, [0.98, 0.83, 0.30], word("CHEESE", [0.08, 0.24, 0.92, 0.44], a, u, v))
}

fn popcorn(u: f64, v: f64, a: f64) -> [f64; 3] {
    let stripes = smooth(-0.15, 0.15, libm::sin(u * 44.0));
    let mut c = mix([0.82, 0.24, 0.21], [0.96, 0.94, 0.90], stripes);
    c = mix(c, [0.97, 0.90, 0.62], smooth(0.24, 0.22, (v - 0.5).abs()));
    mix(c, [0.74, 0.16, 0.15], word("POPCORN", [0.04, 0.28, 0.96, 0.72], a, u, v))
}

impl Package {
    fn half(&self) -> [f64; 3] {
        self.size.map(|s| s / 2.0)
    }
}

impl CategoryModel for Package {
    fn info(&self) -> AssetInfo {
        let [x, y, z] = self.size;
        let mut sides = [(x, 0.0), (y, FRAC_PI_2)];
        if y < x {
            sides.swap(0, 1);
        }
        let at = [0.0, 0.0, pinch_height(z)];
        // Across the narrow side first; the other only if the hand opens so far.
        let grasps = sides
            .into_iter()
            .filter(|(width, _)| *width < 0.065)
            .map(|(width, angle)| pinch(at, angle, roomy(width)))
            .collect();
        AssetInfo {
            symmetry: 2,
            grasps,
            ..AssetInfo::movable(Bounds::standing(x / 2.0, y / 2.0, z), self.mass)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let half = self.half();
        let [hx, hy, hz] = half;
        open_free(name, out);
        out.geom(Geom::solid(Shape::Box(half)).pos(0.0, 0.0, hz).mass(self.mass));
        // Picture on the two broad sides, a title on the long narrow ones.
        let lying = hz < hy;
        let broad = if lying { hx / hy } else { hx / hz };
        let tall = (256.0 / broad).clamp(64.0, 320.0) as u32;
        let front = printed(self.id, [256, tall], out, |u, v| (self.front)(u, v, broad));
        let side = crate::Surface::rgb(self.side.map(|c| c as f32));
        show(&format!("{}_body", self.id), side, out, || {
            TriMesh::rounded_box(half, 0.0012, 2).without_uvs().moved(0.0, 0.0, hz)
        });
        show(&format!("{}_front", self.id), front, out, || {
            let inset = 0.0009;
            let thick = 0.0004;
            let sheet = |h: [f64; 3], at: [f64; 3]| {
                TriMesh::rounded_box(h, 0.0, 1).moved(at[0], at[1], at[2])
            };
            if lying {
                let h = [hx - inset, hy - inset, thick / 2.0];
                sheet(h, [0.0, 0.0, self.size[2] + thick / 4.0])
            } else {
                let h = [hx - inset, thick / 2.0, hz - inset];
                let mut m = sheet(h, [0.0, hy + thick / 4.0, hz]);
                m.merge(&sheet(h, [0.0, -hy - thick / 4.0, hz]));
                m
            }
        });
        out.close();
    }
}
