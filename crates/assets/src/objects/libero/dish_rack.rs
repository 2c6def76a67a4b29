//! A small rack of bent wire in which plates stand on edge.

use std::f64::consts::PI;

use longarm_types::{Bounds, DVec3};

use super::super::common::{open_free, rim, show};
use super::CategoryModel;
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, GraspKind, Mjcf, Shape};

pub(super) struct Rack;

const HALF: [f64; 2] = [0.085, 0.055];
const HEIGHT: f64 = 0.085;
const MASS: f64 = 0.2;
/// Half thickness of the wires, and of the solid frame they stand for.
const WIRE: f64 = 0.0022;
const RAIL: f64 = 0.004;
/// Hoops across.
const HOOPS: u32 = 7;

impl CategoryModel for Rack {
    fn info(&self) -> AssetInfo {
        let mut grasp = rim([HALF[0] - RAIL, 0.0, HEIGHT - 0.012], 0.0, 0.03);
        grasp.kind = GraspKind::Handle;
        AssetInfo {
            symmetry: 2,
            grasps: vec![grasp],
            ..AssetInfo::movable(Bounds::standing(HALF[0], HALF[1], HEIGHT), MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [hx, hy] = HALF;
        open_free(name, out);
        let solid = |half: [f64; 3], at: [f64; 3], share: f64| {
            Geom::solid(Shape::Box(half)).pos(at[0], at[1], at[2]).mass(share * MASS)
        };
        for s in [-1.0, 1.0] {
            out.geom(solid([hx, RAIL, RAIL], [0.0, s * (hy - RAIL), RAIL], 0.3));
            // Only the hoops at both ends are felt.
            let h = (HEIGHT - 2.0 * RAIL) / 2.0;
            out.geom(solid([RAIL, hy, h], [s * (hx - RAIL), 0.0, 2.0 * RAIL + h], 0.2));
        }
        let steel = out.material(
            "libero_wire",
            [0.80, 0.81, 0.83, 1.0],
            "specular=\"0.9\" shininess=\"0.8\"",
        );
        show("libero_rack_wires", steel, out, || {
            let (x, y) = (hx - RAIL, hy - RAIL);
            let wire = |path: &[DVec3]| TriMesh::tube(path, WIRE, 8).without_uvs();
            let mut m = TriMesh::default();
            for s in [-1.0, 1.0] {
                let z = RAIL;
                m.merge(&wire(&[DVec3::new(-x, s * y, z), DVec3::new(x, s * y, z)]));
            }
            for k in 0..HOOPS {
                let at = x * (2.0 * f64::from(k) / f64::from(HOOPS - 1) - 1.0);
                let hoop: Vec<DVec3> = (0..=12)
                    .map(|i| {
                        let a = PI * f64::from(i) / 12.0;
                        let up = (HEIGHT - WIRE - RAIL) * libm::sin(a);
                        DVec3::new(at, y * libm::cos(a), RAIL + up)
                    })
                    .collect();
                m.merge(&wire(&hoop));
            }
            m
        });
        out.close();
    }
}
