//! A large light ball of coloured and white gores, to be pressed between two hands.

use std::f64::consts::{PI, TAU};

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{ROLLING, open_free, show, show_tinted, tool};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Mjcf, Model, Shape, Surface};

/// A large light ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeachBall {
    /// Radius.
    pub radius: f64,
}

const MASS: f64 = 0.2;
/// Gores, every other one coloured.
const GORES: u32 = 8;
/// Opening of the fingers that lie against its side.
const OPENING: f64 = 0.05;

impl BeachBall {
    /// Every other gore, just proud of the ball, from pole to pole.
    fn gores(&self) -> TriMesh {
        let wide = TAU / f64::from(GORES);
        let ball = TriMesh::sphere(1.003 * self.radius, 48).without_uvs();
        let coloured = |t: &[u32; 3]| {
            let middle: DVec3 = t
                .iter()
                .map(|i| ball.positions[*i as usize].map(f64::from))
                .map(DVec3::from)
                .sum::<DVec3>();
            let turn = libm::atan2(middle.y, middle.x) + PI;
            ((turn / wide) as u32).is_multiple_of(2)
        };
        let triangles = ball.triangles.iter().filter(|t| coloured(t)).copied().collect();
        TriMesh { triangles, ..ball.clone() }
    }
}

impl Model for BeachBall {
    fn noun(&self) -> &str {
        "ball"
    }

    fn info(&self) -> AssetInfo {
        let r = self.radius;
        let press = Grasp {
            kind: GraspKind::Cradle,
            tool: tool([-r, 0.0, r], DVec3::X, DVec3::Y),
            opening: OPENING,
            part: None,
        };
        AssetInfo {
            symmetry: 0,
            round: true,
            grasps: vec![press],
            ..AssetInfo::movable(Bounds::standing(r, r, 2.0 * r), MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let r = self.radius;
        open_free(name, out);
        let ball = Geom::solid(Shape::Sphere(r)).pos(0.0, 0.0, r).mass(MASS);
        out.geom(ball.friction(ROLLING).with("condim=\"6\""));
        show(&format!("beach_ball_{r}"), Surface::rgb([0.95, 0.95, 0.93]), out, || {
            TriMesh::sphere(r, 48).without_uvs().moved(0.0, 0.0, r)
        });
        show_tinted(name, 0, &format!("beach_ball_gores_{r}"), [0.80, 0.20, 0.16], out, || {
            self.gores().moved(0.0, 0.0, r)
        });
        out.close();
    }
}

impl Samples for BeachBall {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.09 }]
    }
}
