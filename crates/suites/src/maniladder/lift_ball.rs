//! Lift ball — two arms press a ball between them and lift it.
//!
//! Scene: a light ball of 18 cm, too large for one gripper, between the arms.
//! Randomization: its place and its colour.
//! Stages: 3 (the left hand has it, the right hand has it, it is up).
//! Success: both hands hold the ball, fingers of each on its side, 10 cm above the table.
//! Source and deviations: DualArmLiftBall-v1. Bi-DexHands' LiftUnderarm counts 5 cm from a goal in the air;
//! the height here is that of robosuite's TwoArmLift.

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_2, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let ball = object("ball", BeachBall { radius: 0.09 }).colour(any_of([
        Colour::Red,
        Colour::Blue,
        Colour::Green,
        Colour::Orange,
    ]));
    let lies = region("ball spot", rect([-0.12, -0.06], [0.02, 0.06])).yaw(-3.1, 3.1);
    let by = |limb: &str| grasped(&ball).with(limb);
    let up = all([by("left"), by("right"), lifted(&ball, 0.1)]);
    let take = |limb: &str| pick(&ball).with(limb).with_effect(up.clone());
    rung(
        "dual-arm-lift-ball",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_2, RIGID, DUAL_GRIPPER],
        "DualArmLiftBall-v1",
        &["the height is that of robosuite's TwoArmLift; Bi-DexHands' LiftUnderarm has a goal in the air"],
    )
    .instruction("lift the ball with both hands")
    .place(&ball, &lies)
    .plan(together([take("left"), take("right")]))
    .stages([
        stage("touch the ball from the left", by("left")).hold(0.1),
        stage("touch the ball from the right", by("right")).hold(0.1),
        stage("lift the ball", up).hold(0.25),
    ])
    .horizon(400)
}
