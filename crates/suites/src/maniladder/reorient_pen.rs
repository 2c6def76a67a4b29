//! Reorient pen — fingers turn a pen in the hand by a quarter.
//!
//! Scene: a hand held palm up, fingers cupped; across the palm, before the fingers, a felt pen 14 cm long and 2.4 cm thick.
//! An episode starts from there.
//! Randomization: where in the hand the pen lies, and its heading.
//! Stages: 2 (an eighth of a turn, a quarter of a turn).
//! Success: the pen points 90° to the left of where it pointed, the cosine of what is missing above 0.95, tilted by less than
//! 0.45 rad, its middle within 7.5 cm of the line that runs up from the middle of the grasp, in the hand and touching
//! nothing else, for a quarter of a second.
//! Source and deviations: ReorientPen-v1. Cosine and distance are those of Adroit's Pen, whose pen is 13 cm long and 3 cm thick
//! and whose goals are drawn; ours is one. The pen is round: it rolls under the fingers, which is how they turn it. A pen square
//! to the touch sinks flat between the palm and the roots of the fingers and is not got out again. The cameras look at
//! the hand from half as far. Dropping the pen ends the episode.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_DEX, rung};

/// Angle whose cosine is 0.95.
const POINTS: f64 = 0.3176;
/// The axis along a pen.
const ALONG: [f64; 3] = [1.0, 0.0, 0.0];

pub(super) fn task() -> TaskSpec {
    let pen = object("pen", FeltPen { length: 0.14, thickness: 0.024 });
    let lies = in_palm("arm", [0.004, 0.004]).offset(0.015, 0.0).yaw(1.42, 1.72);
    // It comes to lie lower than where it is laid down.
    let in_hand = all([carried(&pen, -0.06), hand_over(&pen).within(0.075)]);
    let points = |within: f64| turned_axis(&pen, ALONG, FRAC_PI_2).within(within);
    let quarter = all([points(POINTS), in_hand.clone()]);
    rung(
        "reorient-pen",
        RigName::STUDIO_PANDA_LEAP_CUPPED,
        [LEVEL_2, RIGID, SINGLE_DEX],
        "ReorientPen-v1",
        &[
            "starts with the pen across the palm, palm up",
            "one goal, a quarter to the left; Adroit's Pen draws its goals",
            "a heading's cosine of 0.95 and 7.5 cm, as for Adroit's Pen, and a tilt below 0.45 rad",
            "the cameras look at the hand from half as far",
        ],
    )
    .instruction("turn the pen in the hand by a quarter to the left")
    .place(&pen, lies)
    .plan([turn(&pen, FRAC_PI_2).with_effect(quarter.clone())])
    .stages([
        stage("turn the pen half way", all([points(FRAC_PI_4), in_hand])).hold(0.1),
        stage("turn the pen by a quarter", quarter).hold(0.25),
    ])
    .forbid("the pen is dropped", ever(hand_clear_of(&pen).within(0.1)))
    .horizon(200)
}
