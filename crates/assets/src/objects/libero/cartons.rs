//! Gable-topped cartons.

use std::f64::consts::{FRAC_PI_2, TAU};

use longarm_types::{Bounds, DQuat, DVec3, Pose};

use super::super::common::{open_free, pinch, roomy, show, side_prism, slab};
use super::super::print::{mix, smooth};
use super::{CategoryModel, disc, printed, word};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Mouth, Shape, Surface};

type Paint = fn(f64, f64) -> [f64; 3];

/// A gable-topped carton.
pub(super) struct Carton {
    id: &'static str,
    half: [f64; 2],
    height: f64,
    mass: f64,
    trim: [f32; 3],
    roof: [f32; 3],
    picture: Paint,
}

pub(super) const MILK: Carton = Carton {
    id: "libero_milk",
    half: [0.027, 0.0274],
    height: 0.1428,
    mass: 0.0695,
    trim: [0.20, 0.38, 0.66],
    roof: [0.94, 0.95, 0.95],
    picture: milk,
};

pub(super) const ORANGE_JUICE: Carton = Carton {
    id: "libero_orange_juice",
    half: [0.0268, 0.0273],
    height: 0.1444,
    mass: 0.0686,
    trim: [0.28, 0.52, 0.26],
    roof: [0.95, 0.62, 0.16],
    picture: juice,
};

fn milk(u: f64, v: f64) -> [f64; 3] {
    let a = 0.5;
    let hill = 0.70 + 0.04 * libm::sin(TAU * u + 0.6);
    let mut c = mix([0.95, 0.96, 0.96], [0.28, 0.48, 0.76], smooth(hill, hill + 0.02, v));
    c = mix(c, [0.20, 0.38, 0.66], smooth(0.10, 0.09, v));
    // Patches of a cow's hide.
    for (at, r) in [([0.25, 0.56], 0.055), ([0.72, 0.62], 0.07), ([0.48, 0.66], 0.035)] {
        c = mix(c, [0.16, 0.16, 0.18], disc(at, r, a, u, v));
    }
    mix(c, [0.16, 0.32, 0.60], word("MILK", [0.04, 0.16, 0.96, 0.48], a, u, v))
}

fn juice(u: f64, v: f64) -> [f64; 3] {
    let a = 0.5;
    let mut c = mix([0.97, 0.72, 0.24], [0.93, 0.52, 0.10], v);
    c = mix(c, [0.28, 0.52, 0.26], smooth(0.08, 0.07, v));
    c = mix(c, [0.98, 0.94, 0.84], disc([0.5, 0.70], 0.19, a, u, v));
    c = mix(c, [0.95, 0.58, 0.12], disc([0.5, 0.70], 0.17, a, u, v));
    let (x, y) = ((u - 0.5) * a, v - 0.70);
    let spoke = libm::fabs(libm::sin(4.0 * libm::atan2(y, x)));
    let inside = disc([0.5, 0.70], 0.15, a, u, v);
    c = mix(c, [0.99, 0.80, 0.40], inside * smooth(0.25, 0.10, spoke));
    c = mix(c, [0.99, 0.97, 0.92], word("ORANGE", [0.03, 0.12, 0.97, 0.32], a, u, v));
    mix(c, [0.99, 0.97, 0.92], word("JUICE", [0.08, 0.30, 0.92, 0.50], a, u, v))
}

impl Carton {
    /// Heights of the wall and of the ridge.
    fn wall(&self) -> f64 {
        0.75 * self.height
    }

    fn ridge(&self) -> f64 {
        0.91 * self.height
    }
}

impl CategoryModel for Carton {
    fn info(&self) -> AssetInfo {
        let [x, y] = self.half;
        let z = self.wall() - 0.004;
        AssetInfo {
            symmetry: 2,
            grasps: vec![
                pinch([0.0, 0.0, z], FRAC_PI_2, roomy(2.0 * y)),
                pinch([0.0, 0.0, z], 0.0, roomy(2.0 * x)),
            ],
            spout: Some(Mouth::of_half_full([0.0, 0.0, self.height], x, self.height)),
            ..AssetInfo::movable(Bounds::standing(x, y, self.height), self.mass)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y] = self.half;
        let (wall, ridge, top) = (self.wall(), self.ridge(), self.height);
        open_free(name, out);
        for (hx, low, high, share) in
            [(x, 0.0, wall, 0.85), (x / 2.0, wall, ridge, 0.1), (0.0025, ridge, top, 0.05)]
        {
            out.geom(
                Geom::solid(Shape::Box([hx, y, (high - low) / 2.0]))
                    .pos(0.0, 0.0, (low + high) / 2.0)
                    .mass(share * self.mass),
            );
        }
        let paper = printed(self.id, [128, 256], out, self.picture);
        show(&format!("{}_body", self.id), paper, out, || {
            TriMesh::rounded_box([x, y, wall / 2.0], 0.0015, 2).moved(0.0, 0.0, wall / 2.0)
        });
        show(&format!("{}_roof", self.id), Surface::rgb(self.roof), out, || {
            let h = x - 0.0008;
            let outline = [
                [-h, wall - 0.002],
                [h, wall - 0.002],
                [h, wall],
                [0.0018, ridge],
                [-0.0018, ridge],
                [-h, wall],
            ];
            side_prism(&outline, 2.0 * y - 0.001, 0.001)
        });
        show(&format!("{}_trim", self.id), Surface::rgb(self.trim), out, || {
            let seal = (top - ridge) / 2.0;
            let mut m = slab([0.0, 0.0, (ridge + top) / 2.0], [0.0018, y - 0.0005, seal], 0.0008);
            let lean = libm::atan2(ridge - wall, x);
            let rot = DQuat::from_rotation_y(-lean);
            let at = DVec3::new(-x / 2.0, 0.0, (wall + ridge) / 2.0 + 0.002);
            m.merge(
                &TriMesh::cylinder(0.008, 0.005, 0.001, 24)
                    .without_uvs()
                    .transformed(&Pose::new(at, rot)),
            );
            m
        });
        out.close();
    }
}
