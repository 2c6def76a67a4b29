//! A small football, and a goal whose mouth faces −y.

use longarm_types::{Bounds, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{
    Panel, ROLLING, board_solids, open_free, pinches_around, region, show, show_tinted, under_roof,
};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Mjcf, Model, RegionKind, Shape, Surface};

/// A small football.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoccerBall {
    /// Radius.
    pub radius: f64,
}

/// A goal whose mouth faces −y, standing fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoccerGoal {
    /// Width between the posts.
    pub width: f64,
}

const BALL_MASS: f64 = 0.06;

impl Model for SoccerBall {
    fn noun(&self) -> &str {
        "ball"
    }

    fn info(&self) -> AssetInfo {
        let r = self.radius;
        AssetInfo {
            symmetry: 0,
            round: true,
            grasps: pinches_around(r, 2.0 * r),
            ..AssetInfo::movable(Bounds::standing(r, r, 2.0 * r), BALL_MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let r = self.radius;
        open_free(name, out);
        // Like every asset it stands on its origin.
        let ball = Geom::solid(Shape::Sphere(r)).pos(0.0, 0.0, r).mass(BALL_MASS);
        out.geom(ball.friction(ROLLING).with("condim=\"6\""));
        show(&format!("soccer_ball_{r}"), Surface::rgb([0.93, 0.93, 0.92]), out, || {
            TriMesh::sphere(r, 32).without_uvs().moved(0.0, 0.0, r)
        });
        show_tinted(name, 0, &format!("soccer_patches_{r}"), [0.10, 0.10, 0.11], out, || {
            TriMesh::merged(corners().map(|way| {
                // A cap of the ball around the corner, just proud of it.
                let (out, wide) = (1.004 * r, 0.36);
                let cap: Vec<[f64; 2]> = (0..=4)
                    .map(|k| wide * (1.0 - f64::from(k) / 4.0))
                    .map(|a| [out * libm::sin(a), out * libm::cos(a)])
                    .collect();
                TriMesh::lathe(&cap, 10, 0.3).without_uvs().along(way).moved(0.0, 0.0, r)
            }))
        });
        out.close();
    }
}

/// Directions to the corners of an icosahedron, where a football has its dark patches.
fn corners() -> [DVec3; 12] {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut out = [DVec3::ZERO; 12];
    for (k, corner) in out.iter_mut().enumerate() {
        let (a, b) =
            (if k & 1 == 0 { 1.0 } else { -1.0 }, if k & 2 == 0 { golden } else { -golden });
        *corner = match k / 4 {
            0 => DVec3::new(0.0, a, b),
            1 => DVec3::new(a, b, 0.0),
            _ => DVec3::new(b, 0.0, a),
        }
        .normalize();
    }
    out
}

impl Samples for SoccerBall {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.035 }]
    }
}

const DEPTH: f64 = 0.13;
const HEIGHT: f64 = 0.13;
const POST: f64 = 0.005;
const NET: f64 = 0.0025;

impl SoccerGoal {
    /// Posts, bar and net: the net is a wall to the touch.
    fn solids(&self) -> [Panel; 6] {
        let (w, d, h) = (self.width / 2.0, DEPTH / 2.0, HEIGHT / 2.0);
        [
            ([-w - POST, -d, h], [POST, POST, h]),
            ([w + POST, -d, h], [POST, POST, h]),
            ([0.0, -d, HEIGHT], [w + 2.0 * POST, POST, POST]),
            ([0.0, d, h], [w, NET, h]),
            ([-w - NET, 0.0, h], [NET, d, h]),
            ([w + NET, 0.0, h], [NET, d, h]),
        ]
    }
}

impl Model for SoccerGoal {
    fn noun(&self) -> &str {
        "goal"
    }

    fn info(&self) -> AssetInfo {
        let (w, d) = (self.width / 2.0, DEPTH / 2.0);
        let half = [w, d - NET, HEIGHT / 2.0];
        let mut inside = region("inside", RegionKind::Volume, [0.0, 0.0, HEIGHT / 2.0], half);
        inside.access = Access::Front;
        let mut info = AssetInfo {
            regions: vec![inside],
            ..AssetInfo::fixture(Bounds::standing(w + 2.0 * POST, d + POST, HEIGHT + POST))
        };
        under_roof(&mut info);
        info
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (w, d) = (self.width / 2.0, DEPTH / 2.0);
        out.open(name, &Pose::IDENTITY);
        board_solids(&self.solids(), 0.0, out);
        let tube = |a: [f64; 3], b: [f64; 3], r: f64| {
            TriMesh::tube(&[DVec3::from(a), DVec3::from(b)], r, 10).without_uvs()
        };
        let width = self.width;
        show_tinted(name, 0, &format!("soccer_goal_{width}"), [0.94, 0.94, 0.93], out, || {
            let x = w + POST;
            TriMesh::merged([
                tube([-x, -d, 0.0], [-x, -d, HEIGHT + POST], POST),
                tube([x, -d, 0.0], [x, -d, HEIGHT + POST], POST),
                tube([-x, -d, HEIGHT], [x, -d, HEIGHT], POST),
            ])
        });
        show(&format!("soccer_net_{width}"), Surface::rgb([0.72, 0.75, 0.78]), out, || {
            const MESH: f64 = 0.018;
            let mut m = TriMesh::default();
            let lines = |length: f64| {
                let n = (length / MESH).round().max(1.0) as u32;
                (0..=n).map(move |k| length * f64::from(k) / f64::from(n))
            };
            for z in lines(HEIGHT) {
                m.merge(&tube([-w, d, z], [w, d, z], 0.0008));
                for x in [-w, w] {
                    m.merge(&tube([x, -d, z], [x, d, z], 0.0008));
                }
            }
            for x in lines(2.0 * w) {
                m.merge(&tube([x - w, d, 0.0], [x - w, d, HEIGHT], 0.0008));
                m.merge(&tube([x - w, -d, HEIGHT], [x - w, d, HEIGHT], 0.0008));
            }
            for y in lines(DEPTH) {
                m.merge(&tube([-w, y - d, HEIGHT], [w, y - d, HEIGHT], 0.0008));
                for x in [-w, w] {
                    m.merge(&tube([x, y - d, 0.0], [x, y - d, HEIGHT], 0.0008));
                }
            }
            m
        });
        out.close();
    }
}

impl Samples for SoccerGoal {
    fn samples() -> Vec<Self> {
        vec![Self { width: 0.24 }]
    }
}
