//! A flat electric stove: burner at x = 0.15, knob at the origin, turned about z.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, Pose};

use super::super::common::{exclude, pinch, region, show, slab};
use super::CategoryModel;
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Part, PartMotion, RegionKind, Shape, Starts,
    Surface,
};

pub(super) struct Stove;

const X: [f64; 2] = [-0.052, 0.245];
const HALF_Y: f64 = 0.095;
/// Top of the plate: LIBERO's burner disc.
const TOP: f64 = 0.042;
const HEIGHT: f64 = 0.0739;
const BURNER: f64 = 0.15;
const DIAL: f64 = 0.022;
const DIAL_TOP: f64 = 0.010;
/// The knob's grip, lengthways along x when off.
const GRIP: [f64; 3] = [0.021, 0.006, (HEIGHT - TOP - DIAL_TOP) / 2.0];
const KNOB_MASS: f64 = 0.05;

impl CategoryModel for Stove {
    fn info(&self) -> AssetInfo {
        let (cx, hx) = ((X[0] + X[1]) / 2.0, (X[1] - X[0]) / 2.0);
        let mut info = AssetInfo::fixture(Bounds {
            centre: [cx, 0.0, HEIGHT / 2.0],
            half: [hx, HALF_Y, HEIGHT / 2.0],
        });
        info.parts = vec![Part {
            name: "knob".into(),
            rest: Pose::at(0.0, 0.0, TOP),
            motion: PartMotion::Hinge { axis: [0.0, 0.0, 1.0], pivot: [0.0, 0.0, TOP] },
            range: [-0.005, 2.1],
            open: [0.5, 2.1],
            closed: [-0.005, 0.0],
            starts: Some(Starts { open: [0.5, 2.1], closed: [-0.005, 0.0] }),
        }];
        let at = [0.0, 0.0, HEIGHT - TOP - 0.009];
        info.grasps = vec![Grasp {
            kind: GraspKind::Handle,
            part: Some("knob".into()),
            ..pinch(at, FRAC_PI_2, 0.036)
        }];
        info.regions = vec![region(
            "cook_region",
            RegionKind::Surface,
            [BURNER, 0.0, TOP],
            [0.075, 0.075, 0.0025],
        )];
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (cx, hx) = ((X[0] + X[1]) / 2.0, (X[1] - X[0]) / 2.0);
        out.open(name, &Pose::IDENTITY);
        out.geom(Geom::solid(Shape::Box([hx, HALF_Y, TOP / 2.0])).pos(cx, 0.0, TOP / 2.0));
        let steel = out.material(
            "libero_stove_steel",
            [0.74, 0.75, 0.77, 1.0],
            "specular=\"0.7\" shininess=\"0.5\"",
        );
        show("libero_stove_case", steel.clone(), out, || {
            let mut m = slab([cx, 0.0, 0.019], [hx, HALF_Y, 0.0165], 0.006);
            for (sx, sy) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let at = [cx + sx * (hx - 0.025), sy * (HALF_Y - 0.025), 0.0025];
                m.merge(&slab(at, [0.012, 0.012, 0.0025], 0.001));
            }
            m
        });
        let glass = out.material(
            "libero_stove_glass",
            [0.09, 0.09, 0.10, 1.0],
            "specular=\"0.8\" shininess=\"0.8\"",
        );
        show("libero_stove_top", glass, out, || {
            slab([cx, 0.0, TOP - 0.004], [hx - 0.004, HALF_Y - 0.004, 0.004], 0.003)
        });
        let rings = |z: f64, width: f64| {
            TriMesh::merged(
                [0.070, 0.054, 0.038, 0.022]
                    .map(|r| TriMesh::lathe(&[[r, z], [r - width, z]], 48, 0.5).without_uvs()),
            )
            .moved(BURNER, 0.0, 0.0)
        };
        show("libero_stove_rings", Surface::rgb([0.36, 0.36, 0.38]), out, || {
            rings(TOP + 0.0003, 0.006)
        });
        // Seen only while the knob is on.
        let glow = out.material(
            "libero_stove_glow",
            [1.0, 0.33, 0.10, 1.0],
            "emission=\"0.9\" specular=\"0\" shininess=\"0\"",
        );
        let shape = out.mesh("libero_stove_glow", || rings(TOP + 0.0006, 0.010));
        out.geom(Geom::visual(shape, glow).named(format!("{name}/lit_knob")));
        // Marks around the dial: off at its start, on along its way.
        show("libero_stove_marks", Surface::rgb([0.90, 0.90, 0.90]), out, || {
            TriMesh::merged((0..=6).map(|k| {
                let a = f64::from(k) * 0.35;
                let r = 0.029;
                let at = [r * libm::cos(a), r * libm::sin(a), TOP + 0.0002];
                let m = TriMesh::cylinder(if k == 0 { 0.0026 } else { 0.0014 }, 0.0003, 0.0, 10);
                m.without_uvs().moved(at[0], at[1], at[2])
            }))
        });

        let knob = format!("{name}/knob");
        out.open(&knob, &Pose::at(0.0, 0.0, TOP));
        out.joint(&Joint {
            name: format!("{knob}_joint"),
            hinge: true,
            axis: [0.0, 0.0, 1.0],
            pos: [0.0; 3],
            range: [-0.005, 2.1],
            damping: 1.0,
            armature: 0.0,
            frictionloss: 0.0,
        });
        let z = DIAL_TOP + GRIP[2];
        out.geom(
            Geom::solid(Shape::Cylinder(DIAL, DIAL_TOP / 2.0))
                .pos(0.0, 0.0, DIAL_TOP / 2.0)
                .mass(0.5 * KNOB_MASS),
        );
        out.geom(Geom::solid(Shape::Box(GRIP)).pos(0.0, 0.0, z).mass(0.5 * KNOB_MASS));
        show("libero_stove_dial", steel, out, || {
            TriMesh::cylinder(DIAL, DIAL_TOP / 2.0, 0.002, 36).without_uvs().moved(
                0.0,
                0.0,
                DIAL_TOP / 2.0,
            )
        });
        show("libero_stove_grip", Surface::rgb([0.16, 0.16, 0.17]), out, || {
            slab([0.0, 0.0, z], GRIP, 0.003)
        });
        show("libero_stove_pointer", Surface::rgb([0.95, 0.42, 0.20]), out, || {
            slab([0.013, 0.0, z + GRIP[2]], [0.007, 0.0015, 0.0006], 0.0003)
        });
        out.close();
        exclude(name, &knob, out);
        out.close();
    }
}
