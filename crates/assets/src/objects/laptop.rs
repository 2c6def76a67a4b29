//! A notebook computer standing on the table; its lid opens about an axle along y, away from −x.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{exclude, open_free, show, show_tinted, slab, tool};
use super::print::bytes;
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, Shape, Starts, Surface,
};

/// A notebook computer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Laptop {}

/// Half depth and half width of the base, its height.
const HALF: [f64; 2] = [0.115, 0.175];
const HEIGHT: f64 = 0.022;
/// The lid: depth from the axle, half width, thickness.
const LID: f64 = 0.222;
const LID_WIDE: f64 = 0.173;
const THICK: f64 = 0.010;
/// How far the lid turns, and the share from which it is open.
const RANGE: [f64; 2] = [0.0, 2.1];
const OPEN: f64 = 0.95;
const BASE_MASS: f64 = 0.38;
const LID_MASS: f64 = 0.12;
/// Where fingers lift it: how far from the axle, and from the middle to either side.
const EDGE: f64 = 0.195;
const ASIDE: f64 = 0.115;

impl Model for Laptop {
    fn noun(&self) -> &str {
        "laptop"
    }

    fn info(&self) -> AssetInfo {
        let [x, y] = HALF;
        let axle = [x - 0.006, 0.0, HEIGHT];
        let lift = |s: f64| Grasp {
            kind: GraspKind::Scoop,
            tool: tool([-EDGE, s * ASIDE, 0.0], DVec3::NEG_Z, DVec3::X),
            opening: 0.0,
            part: Some("lid".into()),
        };
        let whole = Grasp {
            kind: GraspKind::Rim,
            tool: tool([-x + 0.01, 0.0, HEIGHT], DVec3::NEG_Z, DVec3::X),
            opening: 0.06,
            part: None,
        };
        AssetInfo {
            grasps: vec![lift(1.0), lift(-1.0), whole],
            parts: vec![Part {
                name: "lid".into(),
                rest: Pose::at(axle[0], axle[1], axle[2]),
                motion: PartMotion::Hinge { axis: [0.0, 1.0, 0.0], pivot: axle },
                range: RANGE,
                open: [OPEN * RANGE[1], RANGE[1]],
                closed: [0.0, 0.1],
                starts: Some(Starts { open: [OPEN * RANGE[1], RANGE[1]], closed: [0.0, 0.05] }),
            }],
            ..AssetInfo::movable(Bounds::standing(x, y, HEIGHT + THICK), BASE_MASS + LID_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [x, y] = HALF;
        let (mid, half) = (HEIGHT / 2.0, HEIGHT / 2.0);
        open_free(name, out);
        out.geom(Geom::solid(Shape::Box([x, y, half])).pos(0.0, 0.0, mid).mass(BASE_MASS));
        show_tinted(name, 0, "laptop_base", [0.66, 0.68, 0.71], out, || {
            slab([0.0, 0.0, mid], [x, y, half - 0.001], 0.007)
        });
        let dark = Surface::rgb([0.10, 0.10, 0.12]);
        show("laptop_keys", dark.clone(), out, || {
            // Five rows of keys; the last has the long one in its middle.
            let row = |r: u32| {
                let at = 0.065 - 0.021 * f64::from(r);
                let single = (0..13).map(move |k| {
                    let side = -0.144 + 0.024 * f64::from(k);
                    (at, side, 0.0098)
                });
                match r {
                    4 => single.filter(|k| k.1.abs() > 0.06).chain([(at, 0.0, 0.058)]).collect(),
                    _ => single.collect::<Vec<_>>(),
                }
            };
            let key = |(kx, ky, w): (f64, f64, f64)| {
                slab([kx, ky, HEIGHT - 0.0005], [0.0085, w, 0.0012], 0.001)
            };
            TriMesh::merged((0..5).flat_map(row).map(key))
        });
        show("laptop_pad", Surface::rgb([0.50, 0.52, 0.55]), out, || {
            slab([-0.074, 0.0, HEIGHT - 0.0008], [0.028, 0.048, 0.0006], 0.0004)
        });

        let lid = format!("{name}/lid");
        out.open(&lid, &Pose::at(x - 0.006, 0.0, HEIGHT));
        out.joint(&Joint {
            name: format!("{lid}_joint"),
            hinge: true,
            axis: [0.0, 1.0, 0.0],
            pos: [0.0; 3],
            range: RANGE,
            damping: 0.1,
            // Of the friction hinge: without it the lid creeps.
            armature: 0.03,
            // It stays where it is let go.
            frictionloss: 0.20,
        });
        let centre = [-LID / 2.0, 0.0, THICK / 2.0];
        let [cx, cy, cz] = centre;
        let board = Geom::solid(Shape::Box([LID / 2.0, LID_WIDE, THICK / 2.0]));
        out.geom(board.pos(cx, cy, cz).mass(LID_MASS));
        show_tinted(name, 1, "laptop_lid", [0.66, 0.68, 0.71], out, || {
            slab(centre, [LID / 2.0, LID_WIDE, THICK / 2.0], 0.0045)
        });
        show("laptop_bezel", dark.clone(), out, || {
            slab([cx, 0.0, -0.0002], [LID / 2.0 - 0.004, LID_WIDE - 0.004, 0.0006], 0.0004)
        });
        out.texture("laptop_screen", 128, 96, |u, v| bytes(wallpaper(u, v)));
        let glow = out.material(
            "laptop_screen",
            [1.0; 4],
            "texture=\"laptop_screen\" emission=\"0.45\" specular=\"0.3\" shininess=\"0.6\"",
        );
        show("laptop_screen", glow, out, || {
            let turn = longarm_types::DQuat::from_rotation_x(std::f64::consts::PI);
            TriMesh::rounded_box([LID / 2.0 - 0.014, LID_WIDE - 0.013, 0.0005], 0.0, 1)
                .transformed(&Pose::new(DVec3::new(cx, 0.0, -0.0008), turn))
        });
        show("laptop_axle", dark, out, || {
            TriMesh::cylinder(0.006, 0.13, 0.001, 20).without_uvs().along(DVec3::Y)
        });
        out.close();
        exclude(name, &lid, out);
        out.close();
    }
}

/// Hills under an evening sky.
fn wallpaper(u: f64, v: f64) -> [f64; 3] {
    let hill = |base: f64, k: f64, p: f64| base + 0.07 * libm::sin(k * u + p);
    let sky = [0.16 + 0.5 * v, 0.34 + 0.22 * v, 0.72 - 0.12 * v];
    match v {
        _ if v > hill(0.78, 9.0, 0.4) => [0.05, 0.16, 0.20],
        _ if v > hill(0.62, 6.0, 2.0) => [0.10, 0.27, 0.36],
        _ => sky,
    }
}

impl Samples for Laptop {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
