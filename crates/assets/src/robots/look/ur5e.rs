//! UR5e: silver tubes and housings, blue caps.
//!
//! Every joint is a housing along its axis with a blue cap on its far side; tubes join them.

use longarm_types::{DVec3, Pose};

use super::parts::{barrel, bend, cap, draw, turned};
use super::{Footprint, Look, Paint, rod};
use crate::mesh::TriMesh;
use crate::robots::ur5e::{CUP_LENGTH, CUP_RADIUS};
use crate::{Mjcf, Shape};

/// A housing between two points, with a dark gap at its second end where the next link turns.
struct Housing {
    from: [f64; 3],
    to: [f64; 3],
    radius: f64,
}

impl Housing {
    fn axis(&self) -> DVec3 {
        (DVec3::from(self.to) - DVec3::from(self.from)).normalize_or(DVec3::Z)
    }

    fn shell(&self) -> TriMesh {
        barrel(self.from, self.to, self.radius, 0.004)
    }

    /// The blue cap behind `from`.
    fn blue(&self) -> TriMesh {
        cap(self.from, -self.axis(), self.radius * 0.97, self.radius * 0.22)
    }

    fn gap(&self) -> TriMesh {
        let end = DVec3::from(self.to);
        let (a, b) = (end - self.axis() * 0.004, end + self.axis() * 0.004);
        barrel(a.to_array(), b.to_array(), self.radius * 0.95, 0.0)
    }
}

/// Draws housings, tubes in silver, and dark gaps.
fn module(out: &mut Mjcf, name: &str, housings: &[Housing], tubes: impl FnOnce() -> Vec<TriMesh>) {
    let each = |f: fn(&Housing) -> TriMesh| housings.iter().map(f).collect::<Vec<_>>();
    draw(out, &format!("ur_{name}_shell"), Paint::Steel, || each(Housing::shell));
    draw(out, &format!("ur_{name}_caps"), Paint::Blue, || each(Housing::blue));
    draw(out, &format!("ur_{name}_gaps"), Paint::Graphite, || each(Housing::gap));
    draw(out, &format!("ur_{name}_tubes"), Paint::Silver, tubes);
}

/// Draws a link.
fn link(name: &str, out: &mut Mjcf) {
    let housing = |from, to, radius| Housing { from, to, radius };
    match name {
        "base" => {
            draw(out, "ur_base", Paint::Steel, || {
                let foot = [
                    [0.0, 0.0],
                    [0.0745, 0.0],
                    [0.0745, 0.016],
                    [0.072, 0.02],
                    [0.064, 0.026],
                    [0.0605, 0.036],
                    [0.0605, 0.097],
                    [0.0, 0.097],
                ];
                vec![turned([0.0; 3], DVec3::Z, &foot)]
            });
            draw(out, "ur_base_dark", Paint::Graphite, || {
                vec![
                    barrel([0.0, 0.0, 0.096], [0.0, 0.0, 0.101], 0.0575, 0.0),
                    barrel([0.058, 0.0, 0.05], [0.078, 0.0, 0.05], 0.011, 0.002),
                ]
            });
        }
        "shoulder_link" => {
            module(out, "shoulder", &[housing([0.0, -0.062, 0.0], [0.0, 0.07, 0.0], 0.06)], || {
                vec![barrel([0.0, 0.0, -0.062], [0.0, 0.0, 0.0], 0.0605, 0.003)]
            })
        }
        "upper_arm_link" => module(
            out,
            "upper",
            &[
                housing([0.0, 0.055, 0.0], [0.0, -0.06, 0.0], 0.0605),
                housing([0.0, 0.052, 0.425], [0.0, -0.062, 0.425], 0.056),
            ],
            || {
                vec![
                    bend(&[
                        [0.0, 0.0, 0.02, 0.054],
                        [0.0, 0.0, 0.075, 0.052],
                        [0.0, 0.0, 0.105, 0.046],
                        [0.0, 0.0, 0.32, 0.046],
                        [0.0, 0.0, 0.35, 0.05],
                        [0.0, 0.0, 0.41, 0.051],
                    ]),
                    barrel([0.0, 0.0, 0.098], [0.0, 0.0, 0.104], 0.0515, 0.002),
                    barrel([0.0, 0.0, 0.321], [0.0, 0.0, 0.327], 0.0515, 0.002),
                ]
            },
        ),
        "forearm_link" => module(
            out,
            "forearm",
            &[
                housing([0.0, -0.045, 0.0], [0.0, 0.061, 0.0], 0.056),
                housing([0.0, -0.04, 0.392], [0.0, 0.052, 0.392], 0.0465),
            ],
            || {
                vec![
                    bend(&[
                        [0.0, 0.0, 0.02, 0.05],
                        [0.0, 0.0, 0.07, 0.047],
                        [0.0, 0.0, 0.10, 0.039],
                        [0.0, 0.0, 0.30, 0.0385],
                        [0.0, 0.0, 0.33, 0.0415],
                        [0.0, 0.0, 0.38, 0.042],
                    ]),
                    barrel([0.0, 0.0, 0.092], [0.0, 0.0, 0.098], 0.0455, 0.002),
                    barrel([0.0, 0.0, 0.303], [0.0, 0.0, 0.309], 0.043, 0.002),
                ]
            },
        ),
        "wrist_1_link" => module(
            out,
            "wrist1",
            &[housing([0.0, 0.127, -0.042], [0.0, 0.127, 0.045], 0.0465)],
            || vec![barrel([0.0, 0.056, 0.0], [0.0, 0.12, 0.0], 0.0455, 0.003)],
        ),
        "wrist_2_link" => {
            module(out, "wrist2", &[housing([0.0, -0.042, 0.1], [0.0, 0.046, 0.1], 0.0465)], || {
                vec![barrel([0.0, 0.0, 0.05], [0.0, 0.0, 0.1], 0.0455, 0.003)]
            })
        }
        "wrist_3_link" => draw(out, "ur_flange", Paint::Silver, || {
            let profile = [
                [0.0, 0.05],
                [0.041, 0.05],
                [0.041, 0.078],
                [0.0385, 0.082],
                [0.0375, 0.0995],
                [0.0, 0.0995],
            ];
            vec![turned([0.0; 3], DVec3::Y, &profile)]
        }),
        "cup" => cup(out),
        _ => {}
    }
}

/// Adapter, vacuum generator, tube and a bellows with three folds.
fn cup(out: &mut Mjcf) {
    draw(out, "ur_cup_metal", Paint::Aluminium, || {
        vec![
            barrel([0.0, 0.0, 0.0], [0.0, 0.0, 0.009], 0.0345, 0.001),
            barrel([0.0, 0.0, 0.05], [0.0, 0.0, CUP_LENGTH - 0.022], 0.0075, 0.0),
        ]
    });
    draw(out, "ur_cup_body", Paint::Black, || {
        vec![
            barrel([0.0, 0.0, 0.009], [0.0, 0.0, 0.056], 0.0195, 0.003),
            barrel([0.0, 0.0, 0.03], [0.0, 0.034, 0.03], 0.0055, 0.001),
        ]
    });
    draw(out, "ur_cup", Paint::Rubber, || {
        let (r, l) = (CUP_RADIUS, CUP_LENGTH);
        let profile = [
            [0.0, l - 0.03],
            [0.0095, l - 0.03],
            [0.0095, l - 0.024],
            [0.014, l - 0.0205],
            [0.0105, l - 0.017],
            [0.0145, l - 0.0135],
            [0.011, l - 0.01],
            [0.0125, l - 0.006],
            [r, l],
            [r - 0.0012, l],
            [0.009, l - 0.005],
            [0.0, l - 0.006],
        ];
        vec![turned([0.0; 3], DVec3::Z, &profile)]
    });
}

/// Where a link is solid.
fn solids(name: &str) -> Vec<(Shape, Pose)> {
    match name {
        "base" => vec![(Shape::Cylinder(0.075, 0.05), Pose::at(0.0, 0.0, 0.05))],
        "shoulder_link" => vec![
            rod([0.0, 0.0, -0.04], [0.0, 0.0, 0.0], 0.06),
            rod([0.0, 0.0, 0.0], [0.0, 0.06, 0.0], 0.06),
        ],
        "upper_arm_link" => vec![
            rod([0.0, -0.03, 0.0], [0.0, 0.02, 0.0], 0.06),
            rod([0.0, 0.0, 0.05], [0.0, 0.0, 0.375], 0.055),
            rod([0.0, -0.03, 0.425], [0.0, 0.015, 0.425], 0.055),
        ],
        "forearm_link" => vec![
            rod([0.0, -0.01, 0.0], [0.0, 0.03, 0.0], 0.055),
            rod([0.0, 0.0, 0.05], [0.0, 0.0, 0.36], 0.045),
            rod([0.0, 0.0, 0.392], [0.0, 0.03, 0.392], 0.04),
        ],
        "wrist_1_link" => vec![rod([0.0, 0.08, 0.0], [0.0, 0.135, 0.0], 0.04)],
        "wrist_2_link" => vec![rod([0.0, 0.0, 0.05], [0.0, 0.0, 0.105], 0.04)],
        "wrist_3_link" => vec![(
            Shape::Cylinder(0.036, 0.018),
            Pose::from_arrays([0.0, 0.08, 0.0], [1.0, 1.0, 0.0, 0.0]),
        )],
        "cup" => vec![
            (Shape::Cylinder(0.01, 0.045), Pose::at(0.0, 0.0, 0.045)),
            (Shape::Cylinder(CUP_RADIUS, 0.012), Pose::at(0.0, 0.0, CUP_LENGTH - 0.012)),
        ],
        _ => Vec::new(),
    }
}

/// The look of the whole arm.
#[derive(Debug)]
pub(in crate::robots) struct UrLook;

impl Look for UrLook {
    fn link(&self, name: &str, out: &mut Mjcf) {
        link(name, out);
    }

    fn solids(&self, name: &str) -> Vec<(Shape, Pose)> {
        solids(name)
    }

    fn footprint(&self) -> Footprint {
        Footprint { half: [0.085, 0.085], shift: 0.0 }
    }
}
