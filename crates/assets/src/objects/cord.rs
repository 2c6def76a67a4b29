//! A rope that bends everywhere: a flex of MuJoCo, nodes in a row joined by edges that keep their length.
//!
//! LongBench's rope (`rope`) is a chain of capsules with a stiff end; this one is limp from end to end.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use longarm_types::{Bounds, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::pinch;
use crate::matter::{Matter, Strand};
use crate::{AssetInfo, Mjcf, Model};

/// A limp rope, lying along x from one end to the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cord {
    /// Full length.
    #[schemars(range(min = 0.1, max = 0.78))]
    pub length: f64,
    /// How far its direction turns along it when it is laid down, radians: between the first and the second
    /// value. Straight without it.
    #[serde(default, skip_serializing_if = "is_straight")]
    pub curl: [f64; 2],
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_straight(curl: &[f64; 2]) -> bool {
    *curl == [0.0; 2]
}

const RADIUS: f64 = 0.005;
/// Links are about this long; MuJoCo wants them longer than thick.
const LINK: f64 = 0.0125;
/// Kilograms per metre.
const DENSITY: f64 = 0.06;
/// Bending stiffness, N·m²: a soft cotton rope.
const BENDING: f64 = 2e-5;
/// Seconds after which bending is half forgotten; less swings for long.
const DAMPING: f64 = 0.1;
/// Where an end is held, from the tip.
const HOLD: f64 = 0.02;
/// Height of the pads' centre: their lower edges must pass the middle of the rope.
const GRASP_Z: f64 = 0.011;
/// Length of a turn of the strands, and of the tape at both ends.
const LAY: f64 = 0.024;
const TAPE: f64 = 0.014;

impl Cord {
    fn strand(&self) -> Strand {
        let links = (self.length / LINK).round().max(4.0) as usize;
        Strand { length: self.length, links, radius: RADIUS, curl: self.curl }
    }
}

impl Model for Cord {
    fn noun(&self) -> &str {
        "rope"
    }

    fn info(&self) -> AssetInfo {
        let half = self.length / 2.0;
        let end = half - HOLD;
        AssetInfo {
            symmetry: 2,
            grasps: [end, -end].map(|x| pinch([x, 0.0, GRASP_Z], FRAC_PI_2, 0.03)).into(),
            matter: Some(Arc::new(Matter::Strand(self.strand()))),
            remarks: vec!["limp from end to end; both ends are taped".into()],
            ..AssetInfo::movable(
                Bounds { centre: [0.0, 0.0, RADIUS], half: [half + RADIUS, RADIUS, RADIUS] },
                DENSITY * self.length,
            )
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let Strand { length, links, radius, .. } = self.strand();
        let cord = format!("cord_{}", (1000.0 * length).round());
        let rows = (length / LAY * 32.0).ceil() as u32;
        out.texture(&cord, 24, rows, |u, v| twist(u, v * length, length));
        let look = format!("texture=\"{cord}\" specular=\"0.1\" shininess=\"0.1\"");
        out.material(&cord, [0.86, 0.76, 0.58, 1.0], &look);
        let young = BENDING / (PI * radius.powi(4) / 4.0);
        out.open(name, &Pose::IDENTITY);
        out.raw(&format!(
            "<flexcomp name=\"{name}\" type=\"grid\" dim=\"1\" count=\"{} 1 1\" \
             spacing=\"{} 1 1\" pos=\"0 0 {radius}\" radius=\"{radius}\" mass=\"{}\" material=\"{cord}\">\
             <edge equality=\"true\" solref=\"0.002 1\"/>\
             <elasticity young=\"{young}\" poisson=\"0\" damping=\"{DAMPING}\"/>\
             <contact condim=\"4\" selfcollide=\"auto\" solref=\"0.01 1\" friction=\"0.8 0.005 0.0001\"/>\
             </flexcomp>",
            links + 1,
            length / links as f64,
            DENSITY * length,
        ));
        out.close();
    }
}

/// The colour of a point: two strands, one darker, between taped ends. `u` goes around, `at` along it in metres.
fn twist(u: f64, at: f64, length: f64) -> [u8; 3] {
    if at.min(length - at) < TAPE {
        return [110, 60, 55];
    }
    let phase = libm::sin(TAU * (at / LAY + u));
    // Strands are round: darker in the grooves between them.
    let groove = 1.0 - 0.35 * (1.0 - phase.abs()).powi(2);
    let strand = if phase > 0.0 { 255.0 } else { 168.0 };
    [strand * groove; 3].map(|c| c as u8)
}

impl Samples for Cord {
    fn samples() -> Vec<Self> {
        vec![Self { length: 0.5, curl: [2.0, 4.0] }, Self { length: 0.3, curl: [0.0; 2] }]
    }
}
