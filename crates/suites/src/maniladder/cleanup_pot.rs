//! Clean up pot — two arms lift a pot by its two handles.
//!
//! Scene: a pot whose handles point to the two arms.
//! Randomization: its place and heading, its colour.
//! Stages: 3 (the left handle, the right handle, the pot is up).
//! Success: both hands hold the pot 10 cm above the table, tilted by no more than 15°.
//! Source and deviations: DualArmCleanupPotEnv-v1. Height and tilt are those of robosuite's TwoArmLift; where
//! the original puts the pot is not public.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_2, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let pot = object("pot", Pot {}).colour(any_of([
        Colour::Red,
        Colour::Blue,
        Colour::Green,
        Colour::Orange,
    ]));
    let stands = region("pot spot", rect([-0.1, -0.03], [0.04, 0.03]))
        .yaw(FRAC_PI_2 - 0.25, FRAC_PI_2 + 0.25);
    let by = |limb: &str| grasped(&pot).with(limb);
    let up = all([by("left"), by("right"), lifted(&pot, 0.1), upright(&pot)]);
    let take = |limb: &str| pick(&pot).with(limb).with_effect(up.clone());
    rung(
        "dual-arm-cleanup-pot",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_2, RIGID, DUAL_GRIPPER],
        "DualArmCleanupPotEnv-v1",
        &["height and tilt are those of robosuite's TwoArmLift; where the pot goes is not public"],
    )
    .instruction("lift the {pot.colour} pot by both handles and keep it level")
    .place(&pot, &stands)
    .plan(together([take("left"), take("right")]))
    .stages([
        stage("hold the left handle", by("left")).hold(0.1),
        stage("hold the right handle", by("right")).hold(0.1),
        stage("lift the pot", up).hold(0.25),
    ])
    .horizon(500)
}
