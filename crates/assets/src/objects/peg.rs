//! A thick peg lying along its x axis.

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{PAD_CLEARANCE, open_free, roomy, show, show_tinted, tool};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Grasp, GraspKind, Lies, Mjcf, Model, Shape, Surface};

/// A thick peg, to be led through a hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Peg {
    /// Full length.
    pub length: f64,
    /// Radius.
    pub radius: f64,
}

const MASS: f64 = 0.06;
/// How far from an end it is held, and how far the hand then leans out of the way, radians.
const HELD: f64 = 0.035;
const LEANS: [f64; 3] = [0.35, 0.6, 0.0];

impl Model for Peg {
    fn noun(&self) -> &str {
        "peg"
    }

    fn info(&self) -> AssetInfo {
        let r = self.radius;
        let end = self.length / 2.0 - HELD;
        let grasps = LEANS.iter().flat_map(|lean| {
            [1.0, -1.0].map(|s| Grasp {
                kind: GraspKind::Pinch,
                tool: tool(
                    [s * end, 0.0, PAD_CLEARANCE.max(r)],
                    DVec3::new(-s * libm::sin(*lean), 0.0, -libm::cos(*lean)),
                    DVec3::Y,
                ),
                opening: roomy(2.0 * r),
                part: None,
            })
        });
        AssetInfo {
            symmetry: 2,
            lies: Lies::Lengthwise,
            grasps: grasps.collect(),
            ..AssetInfo::movable(Bounds::standing(self.length / 2.0, r, 2.0 * r), MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (half, r) = (self.length / 2.0, self.radius);
        open_free(name, out);
        // Square, so that it neither rolls away nor turns between the pads; narrower at its ends.
        let taper = 0.012;
        let side = 0.86 * r;
        out.geom(
            Geom::solid(Shape::Box([half - taper, side, side])).pos(0.0, 0.0, r).mass(0.8 * MASS),
        );
        for (s, k) in [1.0, -1.0].into_iter().flat_map(|s| [(s, 0.0), (s, 1.0)]) {
            let (x, thin) = (half - taper * (0.75 - 0.5 * k), side * (0.85 - 0.3 * k));
            let at = Geom::solid(Shape::Box([taper / 4.0, thin, thin])).pos(s * x, 0.0, r);
            out.geom(at.mass(0.05 * MASS));
        }
        let (l, lie) =
            (self.length, |m: TriMesh| m.without_uvs().along(DVec3::X).moved(0.0, 0.0, r));
        show_tinted(name, 0, &format!("peg_{l}_{r}"), [0.82, 0.45, 0.16], out, || {
            let profile = [
                [0.0, -half],
                [0.6 * r, -half],
                [r, taper - half],
                [r, half - taper],
                [0.6 * r, half],
                [0.0, half],
            ];
            lie(TriMesh::lathe(&profile, 36, 0.5))
        });
        show(&format!("peg_bands_{l}_{r}"), Surface::rgb([0.95, 0.93, 0.88]), out, || {
            let band = |x: f64| {
                let r = 1.01 * r;
                lie(TriMesh::lathe(&[[r, x - 0.003], [r, x + 0.003]], 36, 0.5))
            };
            TriMesh::merged([0.06 - half, half - 0.06].map(band))
        });
        out.close();
    }
}

impl Samples for Peg {
    fn samples() -> Vec<Self> {
        vec![Self { length: 0.24, radius: 0.012 }]
    }
}
