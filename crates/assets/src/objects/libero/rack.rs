//! A wine rack: bottles lie along y, one of them in the groove of its top.

use longarm_types::{Bounds, DQuat, DVec3, Pose};

use super::super::common::{Panel, board_solids, region, show, side_prism};
use super::{CategoryModel, walnut};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Mjcf, Region, RegionKind, Shape, Surface};

pub(super) struct WineRack;

const HALF_X: f64 = 0.135;
const Y: [f64; 2] = [-0.1315, 0.1341];
const HEIGHT: f64 = 0.3304;
/// Top of the cradle, where LIBERO's site is.
const TOP: f64 = 0.2175;
const SIDE: f64 = 0.014;
/// Half the groove: a bottle sinks into it by a third of its radius.
const GROOVE: f64 = 0.0155;
/// Side panels: height at the front (−y), and where they begin to rise towards the back.
const FRONT: f64 = 0.236;
const RISE: f64 = 0.045;

fn boards() -> [Panel; 2] {
    let (cy, hy) = ((Y[0] + Y[1]) / 2.0, (Y[1] - Y[0]) / 2.0);
    let inner = HALF_X - SIDE;
    let half = [(inner - GROOVE) / 2.0, hy - 0.006, 0.0065];
    let x = (inner + GROOVE) / 2.0;
    let z = TOP - 0.0065;
    [([x, cy, z], half), ([-x, cy, z], half)]
}

/// Rails with round notches for three bottles: y and height of their upper edge.
const RAILS: [[f64; 2]; 5] =
    [[-0.105, 0.085], [0.108, 0.085], [-0.105, 0.160], [0.108, 0.160], [0.119, 0.322]];
const RAIL_HALF: [f64; 2] = [0.007, 0.021];

fn rail() -> TriMesh {
    let inner = HALF_X - SIDE;
    let deep = 2.0 * RAIL_HALF[1];
    let mut outline = vec![[-inner, -deep], [inner, -deep], [inner, 0.0]];
    for x in [0.08, 0.0, -0.08] {
        // From right to left along the notch.
        outline.extend((0..=10).map(|i| {
            let a = -std::f64::consts::PI * f64::from(i) / 10.0;
            [x + 0.026 * libm::cos(a), 0.026 * libm::sin(a)]
        }));
    }
    outline.push([-inner, 0.0]);
    side_prism(&outline, 2.0 * RAIL_HALF[0], 0.0015)
}

impl CategoryModel for WineRack {
    fn info(&self) -> AssetInfo {
        let (cy, hy) = ((Y[0] + Y[1]) / 2.0, (Y[1] - Y[0]) / 2.0);
        let mut info = AssetInfo::fixture(Bounds {
            centre: [0.0, cy, HEIGHT / 2.0],
            half: [HALF_X, hy, HEIGHT / 2.0],
        });
        // Published steep and narrow, against a slat; ours is the level top the bottle lies on.
        let top =
            region("top_region", RegionKind::Surface, [0.0, 0.0, TOP], [0.1009, 0.10, 0.0025]);
        info.regions = vec![Region { access: Access::Groove, ..top }];
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&boards(), 0.0, out);
        let (cy, hy) = ((Y[0] + Y[1]) / 2.0, (Y[1] - Y[0]) / 2.0);
        for s in [-1.0, 1.0] {
            let x = s * (HALF_X - SIDE / 2.0);
            let solid = |half: [f64; 3], y: f64, z: f64| Geom::solid(Shape::Box(half)).pos(x, y, z);
            out.geom(solid([SIDE / 2.0, hy, FRONT / 2.0], cy, FRONT / 2.0));
            let back = [SIDE / 2.0, (Y[1] - RISE) / 2.0, (HEIGHT - FRONT) / 2.0];
            out.geom(solid(back, (Y[1] + RISE) / 2.0, (HEIGHT + FRONT) / 2.0));
        }
        for [y, z] in RAILS {
            let half = [HALF_X - SIDE, RAIL_HALF[0], RAIL_HALF[1]];
            out.geom(Geom::solid(Shape::Box(half)).pos(0.0, y, z - RAIL_HALF[1]));
        }
        show("libero_rack_rails", Surface::rgb([0.58, 0.40, 0.26]), out, || {
            TriMesh::merged(RAILS.map(|[y, z]| rail().moved(0.0, y, z)))
        });
        let wood = walnut(out);
        show("libero_rack", wood, out, || {
            let mut m = TriMesh::merged(
                boards()
                    .iter()
                    .map(|(c, h)| TriMesh::rounded_box(*h, 0.002, 2).moved(c[0], c[1], c[2])),
            );
            // Side panels with a curved shoulder.
            let mut outline = vec![[Y[0], 0.0], [Y[1], 0.0], [Y[1], HEIGHT - 0.008]];
            outline.push([Y[1] - 0.008, HEIGHT]);
            outline.push([RISE + 0.012, HEIGHT]);
            outline.push([RISE, HEIGHT - 0.012]);
            outline.extend([[RISE, FRONT + 0.012], [RISE - 0.012, FRONT]]);
            outline.extend([[Y[0] + 0.008, FRONT], [Y[0], FRONT - 0.008]]);
            // From the y–z plane to x.
            let rot = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2)
                * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
            for x in [-HALF_X, HALF_X - SIDE] {
                m.merge(
                    &TriMesh::extrude(&outline, SIDE, 0.002)
                        .transformed(&Pose::new(DVec3::new(x, 0.0, 0.0), rot)),
                );
            }
            m
        });
        out.close();
    }
}
