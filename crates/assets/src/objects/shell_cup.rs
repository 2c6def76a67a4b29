//! A cup that stands upside down and hides what is under it.

use std::f64::consts::PI;

use longarm_types::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{Wall, open_free, pinches_around, show_tinted};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Shape};

/// A cup upside down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShellCup {
    /// Radius of its mouth, which is below.
    pub radius: f64,
    /// Height.
    pub height: f64,
}

/// How much narrower its closed end is, and how thick its walls are.
const NARROWER: f64 = 0.008;
const THICK: f64 = 0.003;
/// How far below its top it is held.
const HELD: f64 = 0.026;
const MASS: f64 = 0.06;

impl Model for ShellCup {
    fn noun(&self) -> &str {
        "cup"
    }

    fn info(&self) -> AssetInfo {
        let (r, h) = (self.radius, self.height);
        AssetInfo {
            symmetry: 0,
            disc: true,
            grasps: pinches_around(h - HELD, 2.0 * r - NARROWER),
            ..AssetInfo::movable(Bounds::standing(r, r, h), MASS)
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let (r, h) = (self.radius, self.height);
        open_free(name, out);
        let wall = Wall {
            radius: [r - THICK, r - THICK - NARROWER],
            z: [0.0, h],
            thickness: THICK,
            count: 12,
        };
        wall.build(0.8 * MASS, out);
        let top = r - NARROWER;
        out.geom(
            Geom::solid(Shape::Cylinder(top, THICK / 2.0))
                .pos(0.0, 0.0, h - THICK / 2.0)
                .mass(0.2 * MASS),
        );
        show_tinted(name, 0, &format!("shell_cup_{r}_{h}"), [0.78, 0.22, 0.20], out, || {
            let outside = [[r, 0.0], [r, 0.004], [r - 0.002, 0.006]];
            let shoulder = [[top + 0.001, h - 0.004], [top - 0.003, h], [0.0, h]];
            let inside = [[0.0, h - THICK], [top - THICK, h - THICK], [r - THICK, 0.0], [r, 0.0]];
            let mut profile: Vec<[f64; 2]> = inside.into();
            profile.extend(&outside[1..]);
            profile.extend(shoulder);
            TriMesh::lathe(&profile, 40, PI / 5.0).without_uvs()
        });
        out.close();
    }
}

impl Samples for ShellCup {
    fn samples() -> Vec<Self> {
        vec![Self { radius: 0.034, height: 0.085 }]
    }
}
