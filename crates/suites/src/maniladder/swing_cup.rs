//! Swing cup — two hands turn a cup by its two handles.
//!
//! Scene: a cup with two handles in the well of a saucer that stands fast; handles point to the two arms.
//! Randomization: its place and heading, its colour.
//! Stages: 2 (the cup is half way, the cup is turned).
//! Success: the cup is turned to within π/4 of a quarter turn, both hands at it.
//! Source and deviations: DualArmSwingCup-v1. Angle and error (0.785) are those of Bi-DexHands' SwingCup, whose
//! cup is free; ours turns in its saucer.

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_1, RIGID, both_hands_at, rung};

pub(super) fn task() -> TaskSpec {
    let cup = object("cup", HandledCup {}).colour(any_of([
        Colour::Blue,
        Colour::Red,
        Colour::Green,
        Colour::Purple,
    ]));
    let stands = region("cup spot", rect([-0.08, -0.04], [0.02, 0.04])).yaw(-0.3, 0.3);
    let turns = cup.path("cup");
    let push =
        |limb: &str| turn_on(&turns).with(limb).saying(format!("push the handle on the {limb}"));
    rung(
        "dual-arm-swing-cup",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_1, RIGID, DUAL_DEX],
        "DualArmSwingCup-v1",
        &["the cup turns in its saucer; angle and error are those of Bi-DexHands' SwingCup"],
    )
    .instruction("turn the {cup.colour} cup by a quarter turn, one hand at each handle")
    .place(&cup, &stands)
    .plan(together([push("left"), push("right")]))
    .stages([
        stage("turn the cup half way", both_hands_at(&cup, 0.12).and(opened(&turns, 0.5)))
            .hold(0.1),
        stage("turn the cup", both_hands_at(&cup, 0.12).and(is_open(&turns))).hold(0.25),
    ])
    .horizon(400)
}
