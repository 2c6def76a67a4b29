//! ARX R5: matte black links, slate joints, a thin accent.

use longarm_types::{DVec3, Pose};

use super::parts::{barrel, belt, bend, block, draw, draw_at, plate_xz, plate_yz, turned};
use super::{Footprint, GripperLook, Paint, brick, rod};
use crate::mesh::TriMesh;
use crate::{Mjcf, Shape};

/// A motor across the arm: axis along y through (x, z), with recessed faces.
fn motor(x: f64, z: f64, radius: f64, half: f64) -> Vec<TriMesh> {
    let (r, h) = (radius, half);
    let profile = [
        [0.0, -h + 0.002],
        [0.55 * r, -h + 0.002],
        [0.6 * r, -h],
        [r - 0.003, -h],
        [r, -h + 0.003],
        [r, h - 0.003],
        [r - 0.003, h],
        [0.6 * r, h],
        [0.55 * r, h - 0.002],
        [0.0, h - 0.002],
    ];
    vec![turned([x, 0.0, z], DVec3::Y, &profile)]
}

/// A thin bright ring around a motor's face on both sides.
fn rings(x: f64, z: f64, radius: f64, half: f64) -> Vec<TriMesh> {
    [-1.0, 1.0]
        .map(|s| {
            barrel([x, s * (half - 0.0065), z], [x, s * (half - 0.0045), z], radius + 0.0006, 0.0)
        })
        .into()
}

/// Draws a link.
fn link(name: &str, out: &mut Mjcf) {
    match name {
        "base_link" => {
            draw(out, "arx_base", Paint::Matte, || {
                let profile = [
                    [0.0, 0.0],
                    [0.056, 0.0],
                    [0.056, 0.007],
                    [0.053, 0.009],
                    [0.048, 0.012],
                    [0.0455, 0.02],
                    [0.0455, 0.046],
                    [0.043, 0.05],
                    [0.0, 0.05],
                ];
                vec![
                    turned([0.0; 3], DVec3::Z, &profile),
                    block([0.012, 0.02, 0.011], [-0.045, 0.0, 0.022], 0.003),
                ]
            });
            draw(out, "arx_base_ring", Paint::Slate, || {
                vec![barrel([0.0, 0.0, 0.05], [0.0, 0.0, 0.057], 0.041, 0.0)]
            });
        }
        "link1" => {
            draw(out, "arx_turret", Paint::Matte, || {
                let cheek = belt([0.004, 0.012, 0.03], [0.02, 0.047, 0.034]);
                vec![
                    barrel([0.0, 0.0, 0.0005], [0.0, 0.0, 0.014], 0.0445, 0.003),
                    plate_xz(&cheek, 0.0375, 0.0065, 0.003),
                    plate_xz(&cheek, -0.0375, 0.0065, 0.003),
                    block([0.022, 0.036, 0.006], [0.0, 0.0, 0.016], 0.003),
                ]
            });
        }
        "link2" => {
            draw(out, "arx_upper", Paint::Matte, || {
                // A slab that narrows in the middle.
                let outline = belt([0.0, 0.0, 0.033], [-0.264, 0.0, 0.031]);
                let waist: Vec<[f64; 2]> = belt([-0.03, 0.0, 0.026], [-0.235, 0.0, 0.024]);
                vec![plate_xz(&outline, 0.0, 0.017, 0.004), plate_xz(&waist, 0.0, 0.0235, 0.005)]
            });
            draw(out, "arx_upper_motors", Paint::Slate, || {
                [motor(0.0, 0.0, 0.0315, 0.0295), motor(-0.264, 0.0, 0.0345, 0.043)].concat()
            });
            draw(out, "arx_upper_accent", Paint::Accent, || {
                let stripe = belt([-0.07, 0.0, 0.0022], [-0.195, 0.0, 0.0022]);
                let mut parts = vec![
                    plate_xz(&stripe, 0.0235, 0.0006, 0.0),
                    plate_xz(&stripe, -0.0235, 0.0006, 0.0),
                ];
                parts.extend(rings(-0.264, 0.0, 0.0345, 0.043));
                parts
            });
        }
        "link3" => {
            draw(out, "arx_forearm", Paint::Matte, || {
                vec![
                    plate_xz(&belt([0.0, 0.0, 0.0295], [0.05, -0.056, 0.028]), 0.0, 0.0255, 0.005),
                    bend(&[
                        [0.045, 0.0, -0.06, 0.029],
                        [0.10, 0.0, -0.06, 0.0285],
                        [0.16, 0.0, -0.06, 0.026],
                        [0.225, 0.0, -0.06, 0.0245],
                    ]),
                ]
            });
            draw(out, "arx_forearm_motor", Paint::Slate, || motor(0.245, -0.06, 0.029, 0.034));
            draw(out, "arx_forearm_accent", Paint::Accent, || {
                let mut parts = rings(0.245, -0.06, 0.029, 0.034);
                parts.push(barrel([0.088, 0.0, -0.06], [0.0905, 0.0, -0.06], 0.0295, 0.0));
                parts
            });
        }
        "link4" => draw(out, "arx_yoke", Paint::Matte, || {
            // Two cheeks reach round the motor to a bridge over the next joint.
            let cheek = belt([0.0, 0.0, 0.021], [0.05, -0.074, 0.018]);
            vec![
                plate_xz(&cheek, 0.0385, 0.004, 0.002),
                plate_xz(&cheek, -0.0385, 0.004, 0.002),
                block([0.034, 0.0425, 0.011], [0.062, 0.0, -0.088], 0.007),
                barrel([0.0739, 0.0, -0.1], [0.0739, 0.0, -0.075], 0.0335, 0.004),
            ]
        }),
        "link5" => {
            draw(out, "arx_wrist_motor", Paint::Slate, || {
                vec![barrel([0.0, 0.0, 0.0095], [0.0, 0.0, 0.055], 0.0285, 0.003)]
            });
            draw(out, "arx_wrist", Paint::Matte, || {
                vec![
                    block([0.0225, 0.0295, 0.036], [-0.003, 0.0, 0.083], 0.012),
                    barrel([0.0, 0.0, 0.083391], [0.0225, 0.0, 0.083391], 0.0315, 0.003),
                ]
            });
        }
        "link6" => {
            draw(out, "arx_hand_motor", Paint::Slate, || {
                vec![barrel([-0.002, 0.0, 0.0], [0.03, 0.0, 0.0], 0.029, 0.002)]
            });
            draw(out, "arx_hand", Paint::Matte, || {
                // Seen from above: from the wrist it spreads to the rail.
                let outline = [
                    [-0.03, 0.022],
                    [0.03, 0.022],
                    [0.038, 0.03],
                    [0.052, 0.052],
                    [0.074, 0.06],
                    [0.077, 0.064],
                    [0.077, 0.078],
                    [0.073, 0.082],
                    [-0.073, 0.082],
                    [-0.077, 0.078],
                    [-0.077, 0.064],
                    [-0.074, 0.06],
                    [-0.052, 0.052],
                    [-0.038, 0.03],
                ];
                let flat = plate_yz(&outline, 0.0, 0.022, 0.006);
                vec![flat.transformed(&Pose::from_arrays([0.0; 3], [1.0, 0.0, 1.0, 0.0]))]
            });
            draw(out, "arx_rail", Paint::Slate, || {
                vec![block([0.004, 0.073, 0.012], [0.083, 0.0, 0.0], 0.002)]
            });
            draw(out, "arx_hand_accent", Paint::Accent, || {
                vec![
                    barrel([0.0225, 0.0, 0.0], [0.025, 0.0, 0.0], 0.0296, 0.0),
                    block([0.0022, 0.026, 0.0006], [0.06, 0.0, 0.0221], 0.0004),
                ]
            });
        }
        _ => {}
    }
}

/// Draws a finger.
fn finger(pad: &Pose, out: &mut Mjcf) {
    draw_at(out, "arx_finger", Paint::Slate, pad, || {
        let outline = [
            [0.005, 0.0078],
            [0.006, 0.009],
            [0.0085, 0.009],
            [0.0105, 0.005],
            [0.0115, -0.03],
            [0.02, -0.044],
            [0.028, -0.048],
            [0.028, -0.063],
            [0.006, -0.063],
            [0.005, -0.05],
        ];
        vec![plate_yz(&outline, 0.0, 0.0105, 0.0015)]
    });
}

/// Where a link is solid.
fn solids(name: &str) -> Vec<(Shape, Pose)> {
    match name {
        "base_link" => vec![(Shape::Cylinder(0.05, 0.027), Pose::at(0.0, 0.0, 0.027))],
        "link1" => vec![rod([0.02, -0.025, 0.047], [0.02, 0.025, 0.047], 0.04)],
        "link2" => vec![
            rod([0.0, 0.0, 0.0], [-0.264, 0.0, 0.0], 0.032),
            rod([-0.264, -0.03, 0.0], [-0.264, 0.03, 0.0], 0.036),
        ],
        "link3" => vec![
            rod([0.03, 0.0, -0.06], [0.215, 0.0, -0.06], 0.03),
            rod([0.245, -0.025, -0.06], [0.245, 0.025, -0.06], 0.03),
        ],
        "link4" => vec![rod([0.0, 0.0, -0.02], [0.06, 0.0, -0.08], 0.025)],
        "link5" => vec![rod([0.0, 0.0, 0.0], [0.0, 0.0, 0.08], 0.03)],
        "link6" => vec![
            rod([0.005, 0.0, 0.0], [0.04, 0.0, 0.0], 0.03),
            brick([0.014, 0.07, 0.022], [0.072, 0.0, 0.0]),
        ],
        _ => Vec::new(),
    }
}

/// Where a finger is solid, in the pad's frame.
fn finger_solids() -> Vec<(Shape, Pose)> {
    vec![
        brick([0.01, 0.003, 0.033], [0.0, 0.008, -0.024]),
        brick([0.011, 0.011, 0.008], [0.0, 0.016, -0.055]),
    ]
}

/// The look of the whole arm.
pub(in crate::robots) const LOOK: GripperLook = GripperLook {
    link,
    solids,
    finger,
    finger_solids,
    footprint: Footprint { half: [0.06, 0.06], shift: 0.0 },
};
