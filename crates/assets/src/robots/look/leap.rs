//! LEAP hand: black motors between grey brackets, a printed palm, rubber fingertips.

use std::sync::Arc;

use longarm_types::{DVec3, Pose};

use super::parts::{barrel, block, draw_at};
use super::{Footprint, Look, Paint, brick, rod};
use crate::robots::leap::{PLATE, Side, back, middle};
use crate::{Mjcf, Shape};

/// The look of a hand.
#[derive(Debug)]
pub(in crate::robots) struct LeapLook(pub Side);

/// The look of an arm that carries a hand instead of a gripper.
#[derive(Debug)]
pub(in crate::robots) struct OnArm {
    pub arm: Arc<dyn Look>,
    pub side: Side,
}

impl Look for OnArm {
    fn link(&self, name: &str, out: &mut Mjcf) {
        match name {
            "palm" => palm(self.side, true, out),
            _ => self.arm.link(name, out),
        }
    }

    fn solids(&self, name: &str) -> Vec<(Shape, Pose)> {
        match name {
            "palm" => palm_solids(self.side),
            _ => self.arm.solids(name),
        }
    }

    fn footprint(&self) -> Footprint {
        self.arm.footprint()
    }
}

impl Look for LeapLook {
    fn link(&self, name: &str, out: &mut Mjcf) {
        // Of a finger, or the palm itself.
        let (finger, link) = name.split_once('/').unwrap_or(("", name));
        match (finger, link) {
            (_, "palm") => palm(self.0, false, out),
            ("th", _) => thumb(link, out),
            _ => finger_link(link, out),
        }
    }

    fn solids(&self, name: &str) -> Vec<(Shape, Pose)> {
        let (finger, link) = name.split_once('/').unwrap_or(("", name));
        match (finger, link) {
            (_, "palm") => palm_solids(self.0),
            ("th", "px") => vec![brick([0.011, 0.022, 0.012], [0.0, 0.020, -0.014])],
            ("th", "ds") => vec![
                brick([0.011, 0.012, 0.0115], [0.0, -0.008, -0.0145]),
                rod([0.0, -0.022, -0.0145], [0.0, -0.052, -0.0145], 0.0115),
            ],
            ("th", _) => Vec::new(),
            (_, "bs") => vec![brick([0.014, 0.018, 0.012], [-0.016, 0.026, 0.015])],
            (_, "px") => vec![brick([0.011, 0.012, 0.011], [0.008, 0.0, -0.012])],
            (_, "md") => vec![brick([0.0115, 0.021, 0.012], [0.002, -0.018, 0.015])],
            (_, "ds") => vec![rod([0.0, -0.006, 0.015], [0.0, -0.0405, 0.015], 0.0115)],
            _ => Vec::new(),
        }
    }

    fn footprint(&self) -> Footprint {
        Footprint { half: [0.05, 0.05], shift: 0.0 }
    }
}

/// The palm's box, in the palm's link.
fn palm_solids(side: Side) -> Vec<(Shape, Pose)> {
    let m = middle(side);
    vec![brick([0.048, 0.058, 0.016], [m.x - 0.044, m.y, m.z - 0.004])]
}

/// Draws at a place of the link.
fn part(
    out: &mut Mjcf,
    name: &str,
    paint: Paint,
    at: DVec3,
    mesh: impl FnOnce() -> crate::mesh::TriMesh,
) {
    let pose = Pose::new(at, Default::default());
    draw_at(out, name, paint, &pose, || vec![mesh()]);
}

fn palm(side: Side, on_arm: bool, out: &mut Mjcf) {
    let m = middle(side);
    let face = m + DVec3::new(-0.044, 0.0, -0.004);
    part(out, "leap_palm", Paint::White, face, || block([0.046, 0.056, 0.012], [0.0; 3], 0.008));
    part(out, "leap_palm_pad", Paint::Rubber, face - DVec3::Z * 0.0125, || {
        block([0.036, 0.044, 0.0015], [0.0; 3], 0.001)
    });
    part(out, "leap_board", Paint::Slate, face + DVec3::Z * 0.015, || {
        block([0.034, 0.040, 0.004], [0.0; 3], 0.002)
    });
    for (k, y) in [0.0454, 0.0, -0.0454].into_iter().enumerate() {
        let root = m + DVec3::new(-0.006, y, -0.006);
        part(out, &format!("leap_root_{k}"), Paint::Black, root, || {
            block([0.012, 0.0125, 0.017], [0.0; 3], 0.002)
        });
    }
    if on_arm {
        part(out, "leap_plate", Paint::Aluminium, back(side), || {
            barrel([0.0, 0.0, -0.002], [0.0, 0.0, PLATE], 0.034, 0.002)
        });
    }
}

fn finger_link(link: &str, out: &mut Mjcf) {
    match link {
        "bs" => {
            part(out, "leap_bs", Paint::Black, DVec3::new(-0.016, 0.026, 0.015), || {
                block([0.012, 0.017, 0.0105], [0.0; 3], 0.002)
            });
            part(out, "leap_bs_yoke", Paint::Silver, DVec3::new(-0.004, 0.006, 0.015), || {
                block([0.010, 0.012, 0.0135], [0.0; 3], 0.004)
            });
        }
        "px" => {
            part(out, "leap_px", Paint::Black, DVec3::new(0.008, 0.0, -0.012), || {
                block([0.010, 0.0105, 0.0105], [0.0; 3], 0.002)
            });
            part(out, "leap_px_yoke", Paint::Silver, DVec3::new(0.012, 0.0, -0.013), || {
                block([0.006, 0.0135, 0.008], [0.0; 3], 0.003)
            });
        }
        "md" => {
            part(out, "leap_md", Paint::Black, DVec3::new(0.002, -0.022, 0.015), || {
                block([0.0105, 0.017, 0.0105], [0.0; 3], 0.002)
            });
            part(out, "leap_md_yoke", Paint::Silver, DVec3::new(0.0, -0.005, 0.015), || {
                block([0.008, 0.009, 0.0135], [0.0; 3], 0.004)
            });
        }
        "ds" => fingertip("leap_ds", 0.015, -0.0405, out),
        _ => {}
    }
}

fn fingertip(name: &str, z: f64, end: f64, out: &mut Mjcf) {
    part(out, &format!("{name}_link"), Paint::Silver, DVec3::new(0.0, -0.008, z), || {
        block([0.009, 0.011, 0.0125], [0.0; 3], 0.004)
    });
    part(out, &format!("{name}_tip"), Paint::Rubber, DVec3::new(0.0, 0.0, z), || {
        super::parts::bend(&[
            [0.0, -0.014, 0.0, 0.0095],
            [0.0, -0.024, 0.0, 0.0115],
            [0.0, end + 0.004, 0.0, 0.0110],
            [0.0, end, 0.0, 0.0085],
        ])
    });
}

fn thumb(link: &str, out: &mut Mjcf) {
    match link {
        "mp" => part(out, "leap_mp", Paint::Black, DVec3::new(0.006, 0.0, -0.011), || {
            block([0.012, 0.0105, 0.0105], [0.0; 3], 0.002)
        }),
        "bs" => part(out, "leap_tbs", Paint::Silver, DVec3::new(0.0, 0.004, -0.008), || {
            block([0.0095, 0.010, 0.009], [0.0; 3], 0.003)
        }),
        "px" => {
            part(out, "leap_tpx", Paint::Black, DVec3::new(0.0, 0.018, -0.0137), || {
                block([0.0105, 0.017, 0.0105], [0.0; 3], 0.002)
            });
            part(out, "leap_tpx_yoke", Paint::Silver, DVec3::new(0.0, 0.041, -0.0137), || {
                block([0.008, 0.010, 0.0135], [0.0; 3], 0.004)
            });
        }
        "ds" => {
            part(out, "leap_tds", Paint::Black, DVec3::new(0.0, -0.010, -0.0145), || {
                block([0.010, 0.013, 0.0105], [0.0; 3], 0.002)
            });
            fingertip("leap_th", -0.0145, -0.052, out);
        }
        _ => {}
    }
}
