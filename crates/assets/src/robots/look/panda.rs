//! Panda: white shells, graphite joints and hand.

use longarm_types::{DVec3, Pose};

use super::parts::{barrel, bend, block, cap, draw, draw_at, plate_yz, turned};
use super::{Footprint, GripperLook, Paint, brick, rod};
use crate::{Mjcf, Shape};

/// A thin seam between two links, about z at the origin.
fn seam(z: f64, radius: f64) -> crate::mesh::TriMesh {
    barrel([0.0, 0.0, z - 0.003], [0.0, 0.0, z + 0.003], radius, 0.0)
}

/// Draws a link.
fn link(name: &str, out: &mut Mjcf) {
    match name {
        "link0" => {
            draw(out, "panda_base", Paint::White, || {
                let column = [
                    [0.0, 0.0],
                    [0.088, 0.0],
                    [0.090, 0.012],
                    [0.086, 0.04],
                    [0.074, 0.075],
                    [0.065, 0.105],
                    [0.062, 0.136],
                    [0.0, 0.136],
                ];
                vec![
                    turned([0.0; 3], DVec3::Z, &column),
                    block([0.062, 0.072, 0.04], [-0.08, 0.0, 0.038], 0.026),
                ]
            });
            draw(out, "panda_base_dark", Paint::Graphite, || {
                vec![
                    seam(0.139, 0.059),
                    block([0.004, 0.05, 0.022], [-0.14, 0.0, 0.036], 0.003),
                    barrel([0.0, 0.0, -0.001], [0.0, 0.0, 0.004], 0.092, 0.0),
                ]
            });
        }
        "link1" => draw(out, "panda_column", Paint::White, || {
            vec![
                bend(&[
                    [0.0, 0.0, -0.131, 0.0605],
                    [0.0, 0.0, -0.09, 0.0605],
                    [0.0, 0.0, -0.05, 0.0585],
                    [0.0, 0.0, -0.01, 0.055],
                ])
                .warped(|p| DVec3::new(p.x, p.y, p.z.max(-0.191))),
            ]
        }),
        "link2" => {
            draw(out, "panda_shoulder", Paint::White, || {
                vec![
                    barrel([0.0, 0.0, -0.056], [0.0, 0.0, 0.056], 0.062, 0.004),
                    bend(&[
                        [0.0, -0.01, 0.0, 0.056],
                        [0.0, -0.06, 0.0, 0.0585],
                        [0.0, -0.10, 0.0, 0.0595],
                        [0.0, -0.135, 0.0, 0.0595],
                    ])
                    .warped(|p| DVec3::new(p.x, p.y.max(-0.193), p.z)),
                ]
            });
            draw(out, "panda_shoulder_caps", Paint::White, || {
                vec![
                    cap([0.0, 0.0, 0.062], DVec3::Z, 0.0605, 0.038),
                    cap([0.0, 0.0, -0.062], DVec3::NEG_Z, 0.0605, 0.038),
                ]
            });
            draw(out, "panda_shoulder_dark", Paint::Graphite, || {
                vec![
                    barrel([0.0, 0.0, -0.063], [0.0, 0.0, 0.063], 0.0575, 0.0),
                    barrel([0.0, -0.192, 0.0], [0.0, -0.199, 0.0], 0.056, 0.0),
                ]
            });
        }
        "link3" => draw(out, "panda_upper", Paint::White, || {
            vec![
                bend(&[
                    [0.0, 0.0, -0.06, 0.0595],
                    [0.004, 0.0, -0.045, 0.0585],
                    [0.03, 0.0, -0.016, 0.054],
                    [0.072, 0.0, -0.001, 0.05],
                ]),
                barrel([0.0, 0.0, -0.117], [0.0, 0.0, -0.05], 0.0595, 0.003),
            ]
        }),
        "link4" => {
            draw(out, "panda_elbow", Paint::White, || {
                vec![
                    barrel([0.0, 0.0, -0.05], [0.0, 0.0, 0.05], 0.056, 0.004),
                    cap([0.0, 0.0, 0.055], DVec3::Z, 0.0545, 0.034),
                    cap([0.0, 0.0, -0.055], DVec3::NEG_Z, 0.0545, 0.034),
                    bend(&[
                        [-0.01, 0.003, 0.0, 0.05],
                        [-0.045, 0.02, 0.0, 0.054],
                        [-0.077, 0.05, 0.0, 0.0585],
                        [-0.0825, 0.066, 0.0, 0.0595],
                    ]),
                    barrel([-0.0825, 0.055, 0.0], [-0.0825, 0.12, 0.0], 0.0595, 0.003),
                ]
            });
            draw(out, "panda_elbow_dark", Paint::Graphite, || {
                vec![
                    barrel([0.0, 0.0, -0.056], [0.0, 0.0, 0.056], 0.0515, 0.0),
                    barrel([-0.0825, 0.118, 0.0], [-0.0825, 0.1265, 0.0], 0.056, 0.0),
                ]
            });
        }
        "link5" => draw(out, "panda_forearm", Paint::White, || {
            vec![
                barrel([0.0, 0.0, -0.2575], [0.0, 0.0, -0.2], 0.0595, 0.003),
                bend(&[
                    [0.0, 0.0, -0.205, 0.0585],
                    [0.0, 0.016, -0.165, 0.05],
                    [0.0, 0.044, -0.11, 0.041],
                    [0.0, 0.062, -0.06, 0.038],
                    [0.0, 0.064, 0.0, 0.04],
                ]),
            ]
        }),
        "link6" => {
            draw(out, "panda_wrist", Paint::White, || {
                vec![
                    cap([0.0, 0.0, -0.085], DVec3::NEG_Z, 0.048, 0.024),
                    barrel([0.0, 0.0, -0.085], [0.0, 0.0, -0.05], 0.048, 0.002),
                    barrel([0.0, 0.0, -0.045], [0.0, 0.0, 0.03], 0.049, 0.003),
                    cap([0.0, 0.0, 0.03], DVec3::Z, 0.049, 0.022),
                    bend(&[
                        [0.0, 0.0, 0.0, 0.044],
                        [0.03, 0.0, 0.0, 0.0435],
                        [0.06, 0.0, 0.0, 0.0435],
                        [0.088, 0.0, 0.0, 0.0435],
                    ]),
                    barrel([0.088, 0.03, 0.0], [0.088, -0.036, 0.0], 0.0445, 0.004),
                    cap([0.088, 0.03, 0.0], DVec3::Y, 0.0445, 0.02),
                ]
            });
            draw(out, "panda_wrist_dark", Paint::Graphite, || {
                vec![
                    barrel([0.0, 0.0, -0.052], [0.0, 0.0, -0.043], 0.046, 0.0),
                    barrel([0.088, -0.034, 0.0], [0.088, -0.0435, 0.0], 0.042, 0.0),
                ]
            });
        }
        "link7" => {
            draw(out, "panda_flange", Paint::White, || {
                let body = [
                    [0.0, 0.043],
                    [0.0435, 0.043],
                    [0.0445, 0.047],
                    [0.0445, 0.07],
                    [0.042, 0.082],
                    [0.036, 0.088],
                    [0.0, 0.088],
                ];
                vec![
                    turned([0.0; 3], DVec3::Z, &body),
                    block([0.012, 0.017, 0.012], [0.043, 0.0, 0.066], 0.006),
                ]
            });
            draw(out, "panda_flange_dark", Paint::Graphite, || {
                vec![barrel([0.0, 0.0, 0.086], [0.0, 0.0, 0.1075], 0.0325, 0.0)]
            });
        }
        "hand" => hand(out),
        _ => {}
    }
}

/// The hand is thin along x and spreads along y to its rail.
fn hand(out: &mut Mjcf) {
    draw(out, "panda_hand", Paint::Graphite, || {
        let upper = [
            [0.034, 0.004],
            [0.046, 0.008],
            [0.066, 0.020],
            [0.094, 0.0265],
            [0.1015, 0.034],
            [0.1015, 0.042],
            [0.098, 0.045],
            [-0.098, 0.045],
            [-0.1015, 0.042],
            [-0.1015, 0.034],
            [-0.094, 0.0265],
            [-0.066, 0.020],
            [-0.046, 0.008],
            [-0.034, 0.004],
        ];
        // Narrower towards the rail, which lets the wrist camera see the fingertips.
        let lower = [
            [0.1, 0.038],
            [0.1, 0.054],
            [0.096, 0.058],
            [-0.096, 0.058],
            [-0.1, 0.054],
            [-0.1, 0.038],
        ];
        vec![
            plate_yz(&upper, 0.0, 0.0315, 0.008),
            plate_yz(&lower, 0.0, 0.0205, 0.004),
            barrel([0.0, 0.0, 0.0], [0.0, 0.0, 0.02], 0.0315, 0.0),
        ]
    });
    draw(out, "panda_rail", Paint::Black, || {
        vec![block([0.014, 0.094, 0.0045], [0.0, 0.0, 0.0605], 0.003)]
    });
}

/// Where a link is solid.
fn solids(name: &str) -> Vec<(Shape, Pose)> {
    match name {
        "link0" => vec![
            brick([0.105, 0.085, 0.035], [-0.045, 0.0, 0.035]),
            rod([0.0, 0.0, 0.06], [0.0, 0.0, 0.09], 0.062),
        ],
        "link1" => vec![rod([0.0, 0.0, -0.17], [0.0, 0.0, -0.04], 0.06)],
        "link2" => {
            vec![
                rod([0.0, 0.0, -0.06], [0.0, 0.0, 0.06], 0.06),
                rod([0.0, -0.05, 0.0], [0.0, -0.14, 0.0], 0.058),
            ]
        }
        "link3" => vec![
            rod([0.0, 0.0, -0.14], [0.0, 0.0, -0.06], 0.058),
            rod([0.0825, -0.05, 0.0], [0.0825, 0.05, 0.0], 0.055),
        ],
        "link4" => vec![
            rod([0.0, 0.0, -0.05], [0.0, 0.0, 0.05], 0.055),
            rod([-0.0825, 0.07, 0.0], [-0.0825, 0.12, 0.0], 0.055),
        ],
        "link5" => vec![
            rod([0.0, 0.0, -0.25], [0.0, 0.0, -0.2], 0.055),
            rod([0.0, 0.055, -0.19], [0.0, 0.075, -0.02], 0.035),
        ],
        "link6" => vec![
            rod([0.0, 0.0, -0.05], [0.0, 0.0, 0.04], 0.048),
            rod([0.05, 0.0, 0.0], [0.088, 0.0, 0.0], 0.045),
        ],
        "link7" => vec![rod([0.0, 0.0, 0.0], [0.0, 0.0, 0.06], 0.045)],
        "hand" => vec![
            brick([0.03, 0.1, 0.021], [0.0, 0.0, 0.025]),
            brick([0.02, 0.098, 0.01], [0.0, 0.0, 0.055]),
        ],
        _ => Vec::new(),
    }
}

/// Draws a finger.
fn finger(pad: &Pose, out: &mut Mjcf) {
    draw_at(out, "panda_finger", Paint::Aluminium, pad, || {
        let outline = [
            [0.005, 0.0075],
            [0.006, 0.0088],
            [0.009, 0.0088],
            [0.0105, 0.006],
            [0.0115, -0.012],
            [0.0145, -0.02],
            [0.021, -0.024],
            [0.0225, -0.028],
            [0.0225, -0.044],
            [0.005, -0.044],
            [0.005, -0.03],
            [0.0045, -0.012],
        ];
        vec![plate_yz(&outline, 0.0, 0.0098, 0.0015)]
    });
}

/// Where a finger is solid, in the pad's frame.
fn finger_solids() -> Vec<(Shape, Pose)> {
    vec![
        brick([0.0095, 0.003, 0.022], [0.0, 0.008, -0.0132]),
        brick([0.0095, 0.0085, 0.012], [0.0, 0.0135, -0.033]),
    ]
}

/// The look of the whole arm.
pub(in crate::robots) const LOOK: GripperLook = GripperLook {
    link,
    solids,
    finger,
    finger_solids,
    footprint: Footprint { half: [0.125, 0.11], shift: -0.04 },
};
