//! A microwave oven; its door faces −y and is hinged on its left (−x) edge.

use std::f64::consts::FRAC_PI_4;

use longarm_types::{Bounds, DVec3, Pose};

use super::super::common::{
    Panel, board_mesh, board_solids, exclude, region, show, slab, tool, under_roof,
};
use super::CategoryModel;
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Part, PartMotion, RegionKind, Shape, Starts,
    Surface,
};

pub(super) struct Microwave;

const HALF_X: f64 = 0.1725;
const Y: [f64; 2] = [-0.088, 0.111];
const HEIGHT: f64 = 0.1885;
/// Door: thickness, its free edge, and the bar to pull it by: round, so that it turns in the fingers
/// of a hand that cannot follow the door all the way.
const DOOR: f64 = 0.020;
const DOOR_END: f64 = 0.108;
const BAR: [f64; 3] = [0.088, -0.146, 0.096];
const BAR_HALF: [f64; 3] = [0.006, 0.006, 0.055];
const DOOR_MASS: f64 = 0.5;
const RANGE: [f64; 2] = [0.0, 2.094];

fn case() -> [Panel; 5] {
    let (cy, hy) = ((Y[0] + Y[1]) / 2.0, (Y[1] - Y[0]) / 2.0);
    let z = HEIGHT / 2.0;
    let wall = (HALF_X - 0.126) / 2.0;
    [
        ([0.0, cy, 0.0075], [HALF_X, hy, 0.0075]),
        ([0.0, cy, HEIGHT - 0.005], [HALF_X, hy, 0.005]),
        ([wall - HALF_X, cy, z], [wall, hy, z]),
        ([HALF_X - wall, cy, z], [wall, hy, z]),
        ([0.0, Y[1] - 0.006, z], [HALF_X, 0.006, z]),
    ]
}

/// The hinge in the asset's frame; the door's own frame begins there.
const HINGE: [f64; 3] = [-HALF_X, Y[0], 0.0];

fn door() -> Panel {
    let half = (DOOR_END + HALF_X) / 2.0;
    ([half, -DOOR / 2.0 - 0.001, HEIGHT / 2.0], [half, DOOR / 2.0, HEIGHT / 2.0 - 0.002])
}

fn bar() -> [Panel; 3] {
    let at = [BAR[0] - HINGE[0], BAR[1] - HINGE[1], BAR[2]];
    let stem = [0.004, (-DOOR - at[1]) / 2.0, 0.004];
    let y = (at[1] - DOOR) / 2.0;
    let dz = BAR_HALF[2] - 0.006;
    [(at, BAR_HALF), ([at[0], y, at[2] + dz], stem), ([at[0], y, at[2] - dz], stem)]
}

impl CategoryModel for Microwave {
    fn info(&self) -> AssetInfo {
        let front = BAR[1] - BAR_HALF[1];
        let mut info = AssetInfo::fixture(Bounds {
            centre: [0.0, (front + Y[1]) / 2.0, HEIGHT / 2.0],
            half: [HALF_X, (Y[1] - front) / 2.0, HEIGHT / 2.0],
        });
        info.parts = vec![Part {
            name: "door".into(),
            rest: Pose::at(HINGE[0], HINGE[1], HINGE[2]),
            motion: PartMotion::Hinge { axis: [0.0, 0.0, -1.0], pivot: HINGE },
            range: RANGE,
            open: [1.3, RANGE[1]],
            closed: [0.0, 0.005],
            starts: Some(Starts { open: [1.3, RANGE[1]], closed: [0.0, 0.005] }),
        }];
        let at = bar()[0].0;
        // From above first: held along its length the bar turns in the fingers as the door swings.
        let high = BAR_HALF[2] - 0.012;
        for (slope, dz) in [
            (2.0 * FRAC_PI_4, high),
            (1.5 * FRAC_PI_4, 0.025),
            (FRAC_PI_4, 0.025),
            (0.5 * FRAC_PI_4, 0.0),
            (0.0, 0.0),
        ] {
            let approach = DVec3::new(0.0, libm::cos(slope), -libm::sin(slope));
            info.grasps.push(Grasp {
                kind: GraspKind::Handle,
                tool: tool([at[0], at[1], at[2] + dz], approach, DVec3::X),
                opening: 0.045,
                part: Some("door".into()),
            });
        }
        info.regions = vec![
            region("top_side", RegionKind::Surface, [0.0, 0.01, HEIGHT], [0.12, 0.0835, 0.005]),
            region("heating_region", RegionKind::Volume, [0.0, 0.01, 0.096], [0.12, 0.0835, 0.08]),
        ];
        under_roof(&mut info);
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        board_solids(&case(), 0.0, out);
        let paint = out.material(
            "libero_microwave",
            [0.86, 0.87, 0.88, 1.0],
            "specular=\"0.5\" shininess=\"0.5\"",
        );
        show("libero_microwave_case", paint.clone(), out, || board_mesh(&case(), 0.003));
        show("libero_microwave_inside", Surface::rgb([0.93, 0.93, 0.91]), out, || {
            TriMesh::cylinder(0.075, 0.0015, 0.001, 40).without_uvs().moved(0.0, 0.01, 0.0165)
        });
        let black = out.material(
            "libero_microwave_glass",
            [0.08, 0.08, 0.09, 1.0],
            "specular=\"0.9\" shininess=\"0.8\"",
        );
        show("libero_microwave_panel", black.clone(), out, || {
            let (cx, hx) = ((DOOR_END + 0.004 + HALF_X) / 2.0, (HALF_X - DOOR_END - 0.008) / 2.0);
            slab([cx, Y[0] - 0.001, HEIGHT / 2.0], [hx, 0.002, HEIGHT / 2.0 - 0.006], 0.001)
        });
        show("libero_microwave_keys", Surface::rgb([0.70, 0.72, 0.74]), out, || {
            let mut m = TriMesh::default();
            for k in 0..12 {
                let (col, row) = (f64::from(k % 3) - 1.0, f64::from(k / 3));
                let at = [0.140 + 0.016 * col, Y[0] - 0.0035, 0.085 - 0.018 * row];
                m.merge(&slab(at, [0.006, 0.001, 0.006], 0.0008));
            }
            m
        });
        show("libero_microwave_clock", Surface::rgb([0.25, 0.78, 0.60]), out, || {
            slab([0.140, Y[0] - 0.0035, 0.145], [0.020, 0.0006, 0.008], 0.0004)
        });

        let leaf = format!("{name}/door");
        out.open(&leaf, &Pose::at(HINGE[0], HINGE[1], HINGE[2]));
        out.joint(&Joint {
            name: format!("{leaf}_joint"),
            hinge: true,
            axis: [0.0, 0.0, -1.0],
            pos: [0.0; 3],
            range: RANGE,
            damping: 0.5,
            armature: 0.0,
            frictionloss: 0.0,
        });
        board_solids(&[door()], 0.9 * DOOR_MASS, out);
        let [([x, y, z], [r, _, h]), stems @ ..] = bar();
        let grip = Geom::solid(Shape::Cylinder(r, h)).pos(x, y, z).mass(0.05 * DOOR_MASS);
        out.geom(grip.friction([0.95, 0.005, 0.0001]));
        board_solids(&stems, 0.05 * DOOR_MASS, out);
        let (at, half) = door();
        show("libero_microwave_door", paint, out, || slab(at, half, 0.003));
        show("libero_microwave_window", black, out, || {
            let at = [at[0] - 0.014, at[1], at[2]];
            slab(at, [half[0] - 0.034, half[1] + 0.0006, half[2] - 0.022], 0.001)
        });
        let steel = out.material(
            "libero_steel",
            [0.45, 0.47, 0.50, 1.0],
            "specular=\"0.8\" shininess=\"0.6\"",
        );
        show("libero_microwave_bar", steel, out, || {
            let [bar, stems @ ..] = bar();
            let ([x, y, z], [r, _, h]) = bar;
            let mut m = TriMesh::cylinder(r, h, 0.002, 24).without_uvs().moved(x, y, z);
            m.merge(&board_mesh(&stems, 0.001));
            m
        });
        out.close();
        exclude(name, &leaf, out);
        out.close();
    }
}
