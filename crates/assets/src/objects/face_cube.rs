//! A cube whose six faces have colours of their own.

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{open_free, pinch, pinch_height, roomy, show, slab};
use crate::{AssetInfo, Geom, Lies, Mjcf, Model, Shape, Surface};

/// A cube with a colour on each face, so that every way it lies can be told from the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaceCube {
    /// Length of its edges.
    pub size: f64,
}

/// Of hollow plastic, kilograms per cubic metre.
const DENSITY: f64 = 370.0;
/// Colours of the faces towards +x, −x, +y, −y, +z, −z.
const FACES: [(&str, [f32; 3]); 6] = [
    ("red", [0.80, 0.16, 0.14]),
    ("orange", [0.92, 0.50, 0.10]),
    ("blue", [0.14, 0.32, 0.72]),
    ("green", [0.16, 0.56, 0.28]),
    ("white", [0.93, 0.93, 0.91]),
    ("yellow", [0.95, 0.80, 0.16]),
];

impl Model for FaceCube {
    fn noun(&self) -> &str {
        "cube"
    }

    fn info(&self) -> AssetInfo {
        let a = self.size;
        let hold = |angle| pinch([0.0, 0.0, pinch_height(a)], angle, roomy(a));
        AssetInfo {
            aligns: true,
            lies: Lies::AnyFace,
            symmetry: 1,
            grasps: vec![hold(0.0), hold(std::f64::consts::FRAC_PI_2)],
            ..AssetInfo::movable(Bounds::standing(a / 2.0, a / 2.0, a), DENSITY * a * a * a)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (a, half) = (self.size, self.size / 2.0);
        open_free(name, out);
        let solid = Geom::solid(Shape::Box([half; 3])).pos(0.0, 0.0, half);
        out.geom(solid.mass(DENSITY * a * a * a));
        show(&format!("face_cube_{a}"), Surface::rgb([0.13, 0.13, 0.14]), out, || {
            slab([0.0, 0.0, half], [half - 0.0004; 3], 0.003)
        });
        for (k, (colour, rgb)) in FACES.into_iter().enumerate() {
            let (axis, side) = (k / 2, if k % 2 == 0 { 1.0 } else { -1.0 });
            let mut centre = [0.0, 0.0, half];
            let mut size = [half - 0.005; 3];
            centre[axis] += side * (half - 0.0005);
            size[axis] = 0.0005;
            let mesh = format!("face_cube_{a}_{colour}");
            show(&mesh, Surface::rgb(rgb), out, || slab(centre, size, 0.0004));
        }
        out.close();
    }
}

impl Samples for FaceCube {
    fn samples() -> Vec<Self> {
        vec![Self { size: 0.06 }]
    }
}
