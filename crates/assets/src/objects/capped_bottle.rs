//! A steel flask, standing, with a wide cap that is drawn off upwards.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;

use super::Samples;
use super::common::{exclude, open_free, pinch, show, show_tinted, tool, upright};
use crate::mesh::TriMesh;
use crate::{
    AssetInfo, Geom, Grasp, GraspKind, Joint, Mjcf, Model, Part, PartMotion, Shape, Starts, Surface,
};

/// A flask with a cap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CappedBottle {}

/// Radius and height of the body, where the shoulder begins.
const RADIUS: f64 = 0.036;
const BODY: f64 = 0.185;
/// The cap: radius, height, where it begins.
const CAP: f64 = 0.026;
const CAP_TALL: f64 = 0.052;
const CAP_AT: f64 = 0.192;
/// Where a hand takes the body.
const WAIST: f64 = 0.095;
/// How far the cap comes up, and from where the bottle is open.
const TRAVEL: f64 = 0.09;
const OPEN: f64 = 0.03;
const BODY_MASS: f64 = 0.46;
const CAP_MASS: f64 = 0.04;

impl Model for CappedBottle {
    fn noun(&self) -> &str {
        "bottle"
    }

    fn info(&self) -> AssetInfo {
        let body = Grasp {
            kind: GraspKind::Handle,
            tool: tool([0.0, 0.0, WAIST], DVec3::X, DVec3::Y),
            opening: 0.078,
            part: None,
        };
        let lifts = [0.0, 0.5, 1.0, 1.5].map(|k| Grasp {
            part: Some("cap".into()),
            kind: GraspKind::Handle,
            ..pinch([0.0, 0.0, 0.6 * CAP_TALL], k * FRAC_PI_2, 0.078)
        });
        let mut grasps = vec![body];
        grasps.extend(lifts);
        AssetInfo {
            symmetry: 0,
            disc: true,
            grasps,
            parts: vec![Part {
                name: "cap".into(),
                rest: Pose::at(0.0, 0.0, CAP_AT),
                motion: PartMotion::Slide { axis: [0.0, 0.0, 1.0] },
                range: [0.0, TRAVEL],
                open: [OPEN, TRAVEL],
                closed: [0.0, 0.004],
                starts: Some(Starts { open: [OPEN; 2], closed: [0.0; 2] }),
            }],
            ..AssetInfo::movable(
                Bounds::standing(RADIUS, RADIUS, CAP_AT + CAP_TALL),
                BODY_MASS + CAP_MASS,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        upright(RADIUS, BODY, BODY_MASS, out);
        let steel = out.material(
            "capped_bottle_steel",
            [0.72, 0.74, 0.77, 1.0],
            "specular=\"0.8\" shininess=\"0.7\"",
        );
        show_tinted(name, 0, "capped_bottle_body", [0.13, 0.42, 0.40], out, || {
            let profile = [
                [0.0, 0.0],
                [RADIUS - 0.004, 0.0],
                [RADIUS, 0.004],
                [RADIUS, BODY - 0.02],
                [RADIUS - 0.006, BODY - 0.003],
                [0.021, BODY],
            ];
            TriMesh::lathe(&profile, 44, 0.6).without_uvs()
        });
        show("capped_bottle_neck", steel, out, || {
            let (r, top) = (0.021, CAP_AT + 0.03);
            TriMesh::lathe(
                &[[r, BODY - 0.002], [r, top], [r - 0.004, top], [0.0, top - 0.02]],
                36,
                0.5,
            )
            .without_uvs()
        });
        let cap = format!("{name}/cap");
        out.open(&cap, &Pose::at(0.0, 0.0, CAP_AT));
        out.joint(&Joint {
            name: format!("{cap}_joint"),
            hinge: false,
            axis: [0.0, 0.0, 1.0],
            pos: [0.0; 3],
            range: [0.0, TRAVEL],
            damping: 3.0,
            armature: 0.0,
            // It sits tight, and stays where it is let go.
            frictionloss: 1.5,
        });
        let half = CAP_TALL / 2.0;
        out.geom(Geom::solid(Shape::Cylinder(CAP, half)).pos(0.0, 0.0, half).mass(CAP_MASS));
        show("capped_bottle_cap", Surface::rgb([0.13, 0.13, 0.15]), out, || {
            const RIBS: usize = 40;
            let outline: Vec<[f64; 2]> = (0..RIBS)
                .map(|i| {
                    let a = std::f64::consts::TAU * i as f64 / RIBS as f64;
                    let r = if i % 2 == 0 { CAP } else { CAP - 0.0012 };
                    [r * libm::cos(a), r * libm::sin(a)]
                })
                .collect();
            TriMesh::extrude(&outline, CAP_TALL, 0.003).without_uvs()
        });
        out.close();
        exclude(name, &cap, out);
        out.close();
    }
}

impl Samples for CappedBottle {
    fn samples() -> Vec<Self> {
        vec![Self {}]
    }
}
