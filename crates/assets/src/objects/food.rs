//! Food to lay on a plate: bread, a sausage, an egg, a slice of watermelon, a carrot.

use std::f64::consts::{FRAC_PI_2, PI};

use longarm_types::{Bounds, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{ball, open_free, pinch, pinch_height, pinches_around, roomy, show, slab};
use crate::mesh::TriMesh;
use crate::{AssetInfo, Geom, Mjcf, Model, Shape, Surface};

/// Which food.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FoodKind {
    /// A slice of bread.
    Bread,
    /// A sausage.
    Sausage,
    /// A boiled egg.
    Egg,
    /// A small watermelon.
    Watermelon,
    /// A carrot.
    Carrot,
}

/// Food.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Food {
    /// Which.
    pub food: FoodKind,
}

/// Half sizes of what lies flat or lengthwise.
const BREAD: [f64; 3] = [0.036, 0.034, 0.011];
const SAUSAGE: [f64; 3] = [0.044, 0.013, 0.013];
const CARROT: [f64; 3] = [0.055, 0.013, 0.013];
/// Radii of what is round.
const EGG: f64 = 0.021;
const WATERMELON: f64 = 0.033;

impl Food {
    /// Half size of its box, or `None` if it is round.
    fn half(&self) -> Option<[f64; 3]> {
        match self.food {
            FoodKind::Bread => Some(BREAD),
            FoodKind::Sausage => Some(SAUSAGE),
            FoodKind::Carrot => Some(CARROT),
            FoodKind::Egg | FoodKind::Watermelon => None,
        }
    }

    fn radius(&self) -> f64 {
        if self.food == FoodKind::Egg { EGG } else { WATERMELON }
    }

    fn mass(&self) -> f64 {
        match self.food {
            FoodKind::Bread => 0.03,
            FoodKind::Sausage => 0.05,
            FoodKind::Egg => 0.055,
            FoodKind::Watermelon => 0.12,
            FoodKind::Carrot => 0.06,
        }
    }
}

impl Model for Food {
    fn noun(&self) -> &str {
        match self.food {
            FoodKind::Bread => "bread",
            FoodKind::Sausage => "sausage",
            FoodKind::Egg => "egg",
            FoodKind::Watermelon => "watermelon",
            FoodKind::Carrot => "carrot",
        }
    }

    fn info(&self) -> AssetInfo {
        match self.half() {
            Some([x, y, z]) => AssetInfo {
                symmetry: 2,
                grasps: vec![pinch([0.0, 0.0, pinch_height(2.0 * z)], FRAC_PI_2, roomy(2.0 * y))],
                ..AssetInfo::movable(Bounds::standing(x, y, 2.0 * z), self.mass())
            },
            None => {
                let r = self.radius();
                AssetInfo {
                    symmetry: 0,
                    disc: true,
                    grasps: pinches_around(r, 2.0 * r),
                    ..AssetInfo::movable(Bounds::standing(r, r, 2.0 * r), self.mass())
                }
            }
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        match self.half() {
            // Square, so that it neither rolls away nor turns between the pads.
            Some(half) => {
                out.geom(Geom::solid(Shape::Box(half)).pos(0.0, 0.0, half[2]).mass(self.mass()));
            }
            None => ball(self.radius(), self.mass(), out),
        }
        match self.food {
            FoodKind::Bread => bread(out),
            FoodKind::Sausage => {
                show("sausage", Surface::rgb([0.62, 0.27, 0.17]), out, || {
                    bent_rod(&SAUSAGE, 0.006)
                });
            }
            FoodKind::Egg => {
                show("egg", Surface::rgb([0.94, 0.86, 0.74]), out, || oval(EGG, 1.0, 0.12));
            }
            FoodKind::Watermelon => watermelon(out),
            FoodKind::Carrot => carrot(out),
        }
        out.close();
    }
}

impl Samples for Food {
    fn samples() -> Vec<Self> {
        use FoodKind::{Bread, Carrot, Egg, Sausage, Watermelon};
        [Bread, Sausage, Egg, Watermelon, Carrot].map(|food| Self { food }).into()
    }
}

/// A slice with its crust: two lobes above, straight below.
fn bread(out: &mut Mjcf) {
    let [x, y, z] = BREAD;
    show("bread_crust", Surface::rgb([0.64, 0.42, 0.21]), out, || {
        slab([0.0, 0.0, z], [x, y, z - 0.001], 0.008)
    });
    show("bread_crumb", Surface::rgb([0.95, 0.87, 0.70]), out, || {
        slab([0.0, 0.0, z], [x - 0.005, y - 0.005, z], 0.003)
    });
}

/// A round rod along x with rounded ends, its middle lower than its ends.
fn bent_rod(half: &[f64; 3], sag: f64) -> TriMesh {
    const PIECES: usize = 12;
    let radius = half[2];
    let at = |k: usize| {
        let t = 2.0 * k as f64 / PIECES as f64 - 1.0;
        DVec3::new(t * (half[0] - radius * 0.4), 0.0, radius + sag * t * t)
    };
    let path: Vec<DVec3> = (0..=PIECES).map(at).collect();
    let round = |k: usize| {
        let t = (2.0 * k as f64 / PIECES as f64 - 1.0).abs();
        radius * (1.0 - 0.55 * ((t - 0.7).max(0.0) / 0.3) * ((t - 0.7).max(0.0) / 0.3))
    };
    let radii: Vec<f64> = (0..=PIECES).map(round).collect();
    TriMesh::sweep(&path, &radii, 24).without_uvs()
}

/// A ball that stands on its flatter end; `point` makes its upper half slimmer.
fn oval(radius: f64, tall: f64, point: f64) -> TriMesh {
    const STEPS: usize = 24;
    let profile: Vec<[f64; 2]> = (0..=STEPS)
        .map(|i| {
            let t = PI * i as f64 / STEPS as f64;
            let up = -libm::cos(t);
            let r = radius * libm::sin(t) * (1.0 - point * up.max(0.0));
            [if i == 0 || i == STEPS { 0.0 } else { r }, radius * tall * (1.0 + up)]
        })
        .collect();
    TriMesh::lathe(&profile, 32, PI).without_uvs()
}

fn watermelon(out: &mut Mjcf) {
    let r = WATERMELON;
    show("watermelon", Surface::rgb([0.33, 0.55, 0.27]), out, || oval(r, 1.0, 0.0));
    show("watermelon_stripes", Surface::rgb([0.13, 0.32, 0.16]), out, || {
        // Meridians from stalk to blossom, a little proud of the skin.
        let stripe = |k: usize| {
            let turn = 2.0 * PI * k as f64 / 8.0;
            let point = |i: usize| {
                let t = 0.25 + (PI - 0.5) * i as f64 / 16.0;
                let s = (r - 0.001) * libm::sin(t);
                DVec3::new(s * libm::cos(turn), s * libm::sin(turn), r - (r - 0.001) * libm::cos(t))
            };
            let path: Vec<DVec3> = (0..=16).map(point).collect();
            TriMesh::tube(&path, 0.0022, 8).without_uvs()
        };
        TriMesh::merged((0..8).map(stripe))
    });
}

fn carrot(out: &mut Mjcf) {
    let [x, _, z] = CARROT;
    show("carrot", Surface::rgb([0.90, 0.47, 0.14]), out, || {
        let path: Vec<DVec3> =
            (0..=10).map(|k| DVec3::new(-x + 2.0 * x * f64::from(k) / 10.0, 0.0, z)).collect();
        let radii: Vec<f64> = (0..=10)
            .map(|k| if k == 0 { 0.003 } else { 0.005 + 0.0078 * f64::from(k) / 10.0 })
            .collect();
        TriMesh::sweep(&path, &radii, 24).without_uvs()
    });
    show("carrot_greens", Surface::rgb([0.33, 0.55, 0.24]), out, || {
        let leaf = |side: f64| {
            let path = [
                DVec3::new(x - 0.002, 0.0, z),
                DVec3::new(x + 0.010, side * 0.004, z + 0.004),
                DVec3::new(x + 0.022, side * 0.009, z + 0.005),
            ];
            TriMesh::tube(&path, 0.0024, 8).without_uvs()
        };
        TriMesh::merged([-1.0, 0.0, 1.0].map(leaf))
    });
}
