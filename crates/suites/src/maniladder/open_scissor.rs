//! Open scissor — two hands open a pair of long-handled shears.
//!
//! Scene: shears whose pin is fixed to a stand, handles towards the robots.
//! Randomization: place and heading, colour of the grips.
//! Stages: 2 (the left half, the right half; in any order).
//! Success: each half is turned by 0.3 rad or more, with its hand on it.
//! Source and deviations: DualArmOpenScissor-v1. Bi-DexHands' Scissors opens one joint from −0.59 past −0.3, so by
//! 0.29; here each of two halves. The pin is fixed: loose scissors slide away from hands that do not hold them.

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_1, RIGID, hand_at, rung};

pub(super) fn task() -> TaskSpec {
    let shears = object("shears", Shears {}).colour(any_of([
        Colour::Orange,
        Colour::Red,
        Colour::Blue,
        Colour::Green,
    ]));
    let stands = region("shears spot", rect([0.0, -0.03], [0.07, 0.03])).yaw(-0.15, 0.15);
    let sides = ["left", "right"];
    // Arms that flail strike the handles apart one after the other; hands that open them are on both.
    let halves = sides.map(|side| {
        let half = shears.path(side);
        is_open(&half).and(hand_at(&half, 0.0, side))
    });
    let steps = sides.map(|side| {
        open(shears.path(side)).with(side).saying(format!("draw the {side} handle out"))
    });
    let [left, right] = halves.clone();
    rung(
        "dual-arm-open-scissor",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_1, RIGID, DUAL_DEX],
        "DualArmOpenScissor-v1",
        &["0.3 rad of each half, hands on them; Bi-DexHands' Scissors opens one joint by 0.29; the pin is fixed"],
    )
    .instruction("open the shears by their two handles")
    .place(&shears, &stands)
    .plan(together(steps))
    .stages(any_order([
        stage("open the left half", left).hold(0.1),
        stage("open the right half", right).hold(0.1),
    ]))
    .finally(all(halves))
    .horizon(500)
}
