//! Long-handled shears on a stand; blades to +x, handles to −x, each half turning about the stand's pin.

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{exclude, heading, show, show_tinted, slab, tool};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, Shape, Starts, Surface,
};

/// Long-handled shears whose pin is fixed to a stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shears {}

/// Half width and height of the stand.
const STAND: [f64; 2] = [0.026, 0.082];
/// Height of the handles' middle above the stand, and half their thickness.
const ABOVE: f64 = 0.020;
const GRIP: f64 = 0.0155;
/// Angle of a closed half's handle from −x; from the pin, where the grip begins and ends, and where it is held.
const SPREAD: f64 = 0.60;
const FROM: f64 = 0.11;
const TO: f64 = 0.25;
const HELD: f64 = 0.19;
const BLADE: f64 = 0.17;
/// How far a half turns, and from where it is open.
const RANGE: [f64; 2] = [0.0, 0.7];
const OPEN: f64 = 0.3;
const MASS: f64 = 0.25;

/// Direction of a half's handle.
fn along(s: f64) -> DVec3 {
    let d = heading(SPREAD);
    DVec3::new(-d.x, s * d.y, 0.0)
}

impl Model for Shears {
    fn noun(&self) -> &str {
        "shears"
    }

    fn info(&self) -> AssetInfo {
        let [half, tall] = STAND;
        let halves = [("left", 1.0), ("right", -1.0)];
        let grasps = halves.map(|(name, s)| {
            let d = along(s);
            let at = d * HELD + DVec3::Z * ABOVE;
            Grasp {
                kind: GraspKind::Handle,
                tool: tool(at.into(), DVec3::NEG_Z, DVec3::Z.cross(d)),
                opening: 2.0 * GRIP + 0.03,
                part: Some(name.into()),
            }
        });
        let parts = halves.map(|(name, s)| Part {
            name: name.into(),
            rest: Pose::at(0.0, 0.0, tall),
            motion: PartMotion::Hinge { axis: [0.0, 0.0, -s], pivot: [0.0, 0.0, tall] },
            range: RANGE,
            open: [OPEN, RANGE[1]],
            closed: [0.0, 0.05],
            starts: Some(Starts { open: [OPEN, RANGE[1]], closed: [0.0, 0.02] }),
        });
        let back = TO * libm::cos(SPREAD) + GRIP;
        let (mid, deep) = ((BLADE - back) / 2.0, (BLADE + back) / 2.0);
        let wide = (TO * libm::sin(SPREAD) + GRIP).max(half);
        let top = tall + ABOVE + GRIP;
        AssetInfo {
            grasps: grasps.into(),
            parts: parts.into(),
            ..AssetInfo::fixture(Bounds {
                centre: [mid, 0.0, top / 2.0],
                half: [deep, wide, top / 2.0],
            })
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let [half, tall] = STAND;
        out.open(name, &Pose::IDENTITY);
        out.geom(Geom::solid(Shape::Box([half, half, tall / 2.0])).pos(0.0, 0.0, tall / 2.0));
        show("shears_stand", Surface::rgb([0.35, 0.37, 0.40]), out, || {
            let mut m = slab([0.0, 0.0, tall / 2.0], [half, half, tall / 2.0], 0.005);
            m.merge(&slab([0.0, 0.0, 0.004], [0.055, 0.055, 0.004], 0.003));
            m.merge(&TriMesh::cylinder(0.010, 0.018, 0.002, 28).without_uvs().moved(
                0.0,
                0.0,
                tall + 0.018,
            ));
            m
        });
        let steel = out.material(
            "shears_steel",
            [0.74, 0.76, 0.79, 1.0],
            "specular=\"0.8\" shininess=\"0.7\"",
        );
        for (k, (side, s)) in [("left", 1.0), ("right", -1.0)].into_iter().enumerate() {
            let half = format!("{name}/{side}");
            out.open(&half, &Pose::at(0.0, 0.0, tall));
            out.joint(&Joint {
                name: format!("{half}_joint"),
                hinge: true,
                axis: [0.0, 0.0, -s],
                pos: [0.0; 3],
                range: RANGE,
                damping: 0.1,
                armature: 0.0,
                frictionloss: 0.15,
            });
            let d = along(s);
            let rot = DQuat::from_rotation_z(libm::atan2(d.y, d.x));
            let at = |r: f64| Pose::new(d * r + DVec3::Z * ABOVE, rot);
            let (mid, long) = (f64::midpoint(FROM, TO), (TO - FROM) / 2.0);
            let grip = Geom::solid(Shape::Box([long, GRIP, GRIP])).at(at(mid));
            out.geom(grip.mass(0.4 * MASS));
            let neck = Geom::solid(Shape::Box([FROM / 2.0, 0.009, 0.006])).at(at(FROM / 2.0));
            out.geom(neck.mass(0.3 * MASS));
            // Blades cross at the pin: each lies on the other side of its handle, one above the other.
            let z = ABOVE + if k == 0 { 0.004 } else { -0.004 };
            let blade = Geom::solid(Shape::Box([BLADE / 2.0, 0.010, 0.003]));
            out.geom(blade.pos(BLADE / 2.0, 0.0, z).mass(0.3 * MASS));
            show(&format!("shears_blade_{side}"), steel.clone(), out, || {
                let outline = [
                    [-0.012, -s * 0.012],
                    [BLADE, s * 0.001],
                    [0.5 * BLADE, s * 0.016],
                    [-0.012, s * 0.014],
                ];
                let outline: Vec<[f64; 2]> =
                    if s > 0.0 { outline.into() } else { outline.into_iter().rev().collect() };
                let mut m = TriMesh::extrude(&outline, 0.006, 0.0008).without_uvs().moved(
                    0.0,
                    0.0,
                    z - 0.003,
                );
                let neck = slab([FROM / 2.0, 0.0, 0.0], [FROM / 2.0 + 0.005, 0.008, 0.004], 0.002);
                m.merge(&neck.transformed(&at(0.0)));
                m
            });
            show_tinted(name, k, &format!("shears_grip_{side}"), [0.90, 0.45, 0.10], out, || {
                let mut m = slab([mid, 0.0, 0.0], [long, GRIP, GRIP], 0.010);
                m.merge(&TriMesh::torus(0.022, 0.008, 28, 14).without_uvs().moved(
                    TO + 0.014,
                    0.0,
                    0.0,
                ));
                m.transformed(&at(0.0))
            });
            out.close();
            exclude(name, &half, out);
        }
        exclude(&format!("{name}/left"), &format!("{name}/right"), out);
        out.close();
    }
}

impl Samples for Shears {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
