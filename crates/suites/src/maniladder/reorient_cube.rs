//! Reorient cube — fingers turn a cube in the hand by a quarter.
//!
//! Scene: a hand held palm up, fingers cupped; in it a cube of 6 cm with a colour on each face. An episode starts from there.
//! Randomization: where in the hand the cube lies, and its heading.
//! Stages: 2 (an eighth of a turn, a quarter of a turn).
//! Success: the cube is turned by 90° to the left about the vertical to within 0.2 rad, tilted by less than 0.45 rad, and its
//! middle within 3.5 cm of the line that runs up from the middle of the grasp, for a quarter of a second.
//! Source and deviations: ReorientCube-v1. Bi-DexHands' ReOrientation counts 0.1 rad in all; ours are larger, heading and
//! tilt apart. The cameras look at the hand from half as far. Dropping the cube ends the episode.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_DEX, rung};

pub(super) fn task() -> TaskSpec {
    let cube = object("cube", FaceCube { size: 0.06 });
    let lies = in_palm("arm", [0.004, 0.004]).offset(0.015, 0.0).yaw(-0.25, 0.25);
    let in_hand = hand_over(&cube).within(0.035);
    let quarter = all([turned(&cube, FRAC_PI_2), in_hand.clone()]);
    let eighth = all([turned(&cube, FRAC_PI_2).within(FRAC_PI_4), in_hand]);
    rung(
        "reorient-cube",
        RigName::STUDIO_PANDA_LEAP_CUPPED,
        [LEVEL_1, RIGID, SINGLE_DEX],
        "ReorientCube-v1",
        &[
            "starts with the cube in the hand, palm up",
            "turned is a heading to within 0.2 rad and a tilt below 0.45; Bi-DexHands' ReOrientation counts 0.1 in all",
            "the cameras look at the hand from half as far",
        ],
    )
    .instruction("turn the cube in the hand by a quarter to the left")
    .place(&cube, lies)
    .plan([turn(&cube, FRAC_PI_2).with_effect(quarter.clone())])
    .stages([
        stage("turn the cube half way", eighth).hold(0.1),
        stage("turn the cube by a quarter", quarter).hold(0.25),
    ])
    .forbid("the cube is dropped", ever(hand_clear_of(&cube).within(0.1)))
    .horizon(200)
}
