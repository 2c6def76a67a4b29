//! Open containers: the basket, the wooden tray, the bowl drainer.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DQuat, DVec3, Pose};

use super::super::common::{open_free, region, rim, show};
use super::super::print::{mix, smooth};
use super::{CategoryModel, beech, printed};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Mjcf, RegionKind, Shape};

/// A box without a lid whose walls lean outwards.
struct Tub {
    /// Outer half size at the floor and at the rim.
    low: [f64; 2],
    high: [f64; 2],
    height: f64,
    floor: f64,
    wall: f64,
}

impl Tub {
    /// Floor, then the walls towards +x, −x, +y, −y: where they are and their half sizes.
    fn boards(&self) -> Vec<(Pose, [f64; 3])> {
        let [lx, ly] = self.low;
        let mut out = vec![(
            Pose::at(0.0, 0.0, self.floor / 2.0),
            [lx - 0.5 * self.wall, ly - 0.5 * self.wall, self.floor / 2.0],
        )];
        for axis in 0..2 {
            let (low, high) = (self.low[axis], self.high[axis]);
            let lean = libm::atan2(high - low, self.height);
            let long = self.high[1 - axis];
            let tall = libm::hypot(high - low, self.height) / 2.0;
            // Seen along the wall: its outer face runs from low to high.
            let middle = DVec3::new((low + high) / 2.0, 0.0, self.height / 2.0);
            for turn in [0.0, 2.0] {
                let rot = DQuat::from_rotation_z(FRAC_PI_2 * (axis as f64 + turn))
                    * DQuat::from_rotation_y(lean);
                let inwards = DVec3::new(-self.wall / 2.0, 0.0, 0.0);
                let at = DQuat::from_rotation_z(FRAC_PI_2 * (axis as f64 + turn)) * middle
                    + rot * inwards;
                // A leaning board's corners would reach below the floor and above the rim.
                let spare = self.wall * libm::sin(lean) / 2.0 + 0.0004;
                out.push((Pose::new(at, rot), [self.wall / 2.0, long, tall - spare]));
            }
        }
        out
    }

    fn solids(&self, mass: f64, out: &mut Mjcf) {
        let boards = self.boards();
        for (i, (pose, half)) in boards.iter().enumerate() {
            let share = if i == 0 { 0.4 } else { 0.6 / 4.0 };
            out.geom(Geom::solid(Shape::Box(*half)).at(*pose).mass(share * mass));
        }
    }

    /// Upright boards spread towards the rim, so that corners meet.
    fn mesh(&self, radius: f64) -> TriMesh {
        let upright = Self { high: self.low, ..*self };
        let spread = [0, 1].map(|k| self.high[k] / self.low[k] - 1.0);
        let boards = upright.boards();
        let boxes = boards.iter().map(|(p, h)| TriMesh::rounded_box(*h, radius, 2).transformed(p));
        TriMesh::merged(boxes)
            .warped(|p| {
                let t = p.z / self.height;
                DVec3::new(p.x * (1.0 + spread[0] * t), p.y * (1.0 + spread[1] * t), p.z)
            })
            .creased(0.6)
    }

    /// Holds of the rim's middles, one finger inside.
    fn rims(&self, at: [f64; 2]) -> Vec<Grasp> {
        let z = self.height - 0.010;
        let [x, y] = self.high.map(|h| h - self.wall);
        // The long sides first: held there it tilts less.
        [([0.0, y], FRAC_PI_2), ([0.0, -y], FRAC_PI_2), ([x, 0.0], 0.0), ([-x, 0.0], 0.0)]
            .into_iter()
            .map(|([x, y], a)| rim([at[0] + x, at[1] + y, z], a, 0.04))
            .collect()
    }
}

pub(super) struct Basket;

const BASKET: Tub = Tub {
    low: [0.0735, 0.0700],
    high: [0.0835, 0.0775],
    height: 0.1415,
    floor: 0.005,
    wall: 0.006,
};
const BASKET_MASS: f64 = 0.25;

/// Strips woven over and under.
fn weave(u: f64, v: f64) -> [f64; 3] {
    let (n, m) = (12.0, 10.0);
    let (x, y) = (u * n, v * m);
    let over = (x.floor() + y.floor()) % 2.0 < 0.5;
    let along = if over { y.fract() } else { x.fract() };
    let across = if over { x.fract() } else { y.fract() };
    let round = libm::sin(std::f64::consts::PI * along);
    let c = mix([0.50, 0.34, 0.18], [0.80, 0.62, 0.38], smooth(0.05, 0.9, round));
    mix(c, [0.40, 0.27, 0.14], 0.5 * smooth(0.10, 0.02, across.min(1.0 - across)))
}

impl CategoryModel for Basket {
    fn info(&self) -> AssetInfo {
        AssetInfo {
            symmetry: 2,
            grasps: BASKET.rims([0.0; 2]),
            regions: vec![region(
                "contain_region",
                RegionKind::Volume,
                [0.0, 0.0, 0.0718],
                [0.0611, 0.0611, 0.0695],
            )],
            ..AssetInfo::movable(Bounds::standing(0.08475, 0.07865, 0.1415), BASKET_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        BASKET.solids(BASKET_MASS, out);
        let wicker = printed("libero_wicker", [192, 160], out, weave);
        show("libero_basket", wicker, out, || BASKET.mesh(0.002));
        show("libero_basket_rim", crate::Surface::rgb([0.55, 0.38, 0.20]), out, || {
            let [x, y] = BASKET.high.map(|h| h - 0.0025);
            let z = BASKET.height - 0.0042;
            let p = |x: f64, y: f64| DVec3::new(x, y, z);
            let path = [p(x, -y), p(x, y), p(-x, y), p(-x, -y), p(x, -y)];
            TriMesh::merged(path.windows(2).map(|w| TriMesh::tube(w, 0.0040, 10).without_uvs()))
        });
        out.close();
    }
}

pub(super) struct Tray;

const TRAY: Tub = Tub {
    low: [0.1405, 0.0765],
    high: [0.1485, 0.0832],
    height: 0.0814,
    floor: 0.006,
    wall: 0.008,
};
/// Middle of the tray in LIBERO's frame.
const TRAY_AT: [f64; 2] = [0.0073, -0.0045];
const TRAY_MASS: f64 = 0.45;

impl CategoryModel for Tray {
    fn info(&self) -> AssetInfo {
        AssetInfo {
            symmetry: 1,
            grasps: TRAY.rims(TRAY_AT),
            regions: vec![region(
                "contain_region",
                RegionKind::Volume,
                [0.0086, -0.0047, 0.0425],
                [0.1355, 0.0784, 0.0404],
            )],
            ..AssetInfo::movable(
                Bounds {
                    centre: [TRAY_AT[0], TRAY_AT[1], 0.0412],
                    half: [0.14885, 0.08335, 0.0412],
                },
                TRAY_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        let at = DVec3::new(TRAY_AT[0], TRAY_AT[1], 0.0);
        out.shifted(at, |out| TRAY.solids(TRAY_MASS, out));
        let wood = beech(out);
        show("libero_tray", wood, out, || TRAY.mesh(0.003).moved(at.x, at.y, 0.0));
        // Slots to carry it by, at both ends.
        show("libero_tray_slots", crate::Surface::rgb([0.30, 0.20, 0.12]), out, || {
            let boards = TRAY.boards();
            TriMesh::merged(boards[1..3].iter().map(|(p, h)| {
                TriMesh::rounded_box([h[0] + 0.0004, 0.032, 0.009], 0.0004, 1)
                    .without_uvs()
                    .transformed(&(*p * Pose::at(0.0, 0.0, 0.016)))
                    .moved(at.x, at.y, 0.0)
            }))
        });
        out.close();
    }
}

/// A wire rack for drying bowls.
pub(super) struct Drainer;

const DRAINER_AT: [f64; 2] = [0.003, 0.00535];
const DRAINER_HALF: [f64; 2] = [0.1037, 0.1162];
const DRAINER_HEIGHT: f64 = 0.1441;
const DRAINER_MASS: f64 = 0.5;
const WIRE: f64 = 0.0035;

impl CategoryModel for Drainer {
    fn info(&self) -> AssetInfo {
        let side = |name: &str, y: f64| {
            region(name, RegionKind::Volume, [0.0, y, 0.0736], [0.0942, 0.0517, 0.0581])
        };
        let z = DRAINER_HEIGHT - 0.008;
        let mut end = rim([DRAINER_AT[0] + DRAINER_HALF[0] - WIRE, DRAINER_AT[1], z], 0.0, 0.04);
        end.kind = GraspKind::Handle;
        AssetInfo {
            grasps: vec![end],
            regions: vec![side("left_region", 0.0621), side("right_region", -0.0515)],
            ..AssetInfo::movable(
                Bounds {
                    centre: [DRAINER_AT[0], DRAINER_AT[1], DRAINER_HEIGHT / 2.0],
                    half: [DRAINER_HALF[0], DRAINER_HALF[1], DRAINER_HEIGHT / 2.0],
                },
                DRAINER_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let at = DVec3::new(DRAINER_AT[0], DRAINER_AT[1], 0.0);
        let [hx, hy] = DRAINER_HALF;
        let (low, high) = (0.0, DRAINER_HEIGHT);
        open_free(name, out);
        out.shifted(at, |out| {
            let panel = |half: [f64; 3], at: [f64; 3], share: f64| {
                Geom::solid(Shape::Box(half)).pos(at[0], at[1], at[2]).mass(share * DRAINER_MASS)
            };
            out.geom(panel([hx, hy, 0.006], [0.0, 0.0, 0.006], 0.5));
            let h = (high - 0.012) / 2.0;
            for s in [-1.0, 1.0] {
                out.geom(panel([WIRE, hy, h], [s * (hx - WIRE), 0.0, 0.012 + h], 0.1));
                out.geom(panel([hx, WIRE, h], [0.0, s * (hy - WIRE), 0.012 + h], 0.1));
            }
            out.geom(panel([hx - 0.012, WIRE, 0.03], [0.0, 0.0, 0.042], 0.1));
        });
        let steel = out.material(
            "libero_wire",
            [0.80, 0.81, 0.83, 1.0],
            "specular=\"0.9\" shininess=\"0.8\"",
        );
        show("libero_drainer_wires", steel, out, || {
            let (x, y) = (hx - WIRE, hy - WIRE);
            let bar = |a: [f64; 3], b: [f64; 3], r: f64| {
                TriMesh::tube(&[a.into(), b.into()], r, 10).without_uvs()
            };
            let mut m = TriMesh::default();
            for z in [low + 0.035, 0.075, high - WIRE] {
                let r = if z > 0.1 { WIRE } else { 0.0022 };
                for s in [-1.0, 1.0] {
                    m.merge(&bar([s * x, -y, z], [s * x, y, z], r));
                    m.merge(&bar([-x, s * y, z], [x, s * y, z], r));
                }
            }
            for k in 0..9 {
                let t = f64::from(k) / 4.0 - 1.0;
                for s in [-1.0, 1.0] {
                    m.merge(&bar([s * x, t * y, 0.01], [s * x, t * y, high - WIRE], 0.0022));
                    m.merge(&bar([t * x, s * y, 0.01], [t * x, s * y, high - WIRE], 0.0022));
                }
                m.merge(&bar([t * (x - 0.01), 0.0, 0.01], [t * (x - 0.01), 0.0, 0.070], 0.0022));
            }
            m.merge(&bar([-x + 0.01, 0.0, 0.070], [x - 0.01, 0.0, 0.070], 0.0026));
            m.moved(at.x, at.y, 0.0)
        });
        show("libero_drainer_pan", crate::Surface::rgb([0.34, 0.37, 0.41]), out, || {
            TriMesh::rounded_box([hx, hy, 0.006], 0.003, 2).without_uvs().moved(at.x, at.y, 0.006)
        });
        out.close();
    }
}
