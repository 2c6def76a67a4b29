//! Flip table — two hands turn a toy table upside down.
//!
//! Scene: a toy table on four legs, 42 cm wide.
//! Randomization: its place and heading, its colour.
//! Stages: 3 (both hands raise an edge, it is led on, it is upside down).
//! Success: it lies upside down, still, within 45 cm of where it stood.
//! Source and deviations: DualArmFlipTable-v1. No sibling was found; upside down is a tilt of 149° or more. Both hands
//! must be at it when its edge is raised, a hand for 0.6 s on the way from there to its side, and it stays near: it is led
//! over. Arms that flail throw it over now and then, with an elbow and in less than half a second.

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_2, RIGID, both_hands_at, hand_at, rung};

/// How far the middle of a grasp may be from it: one hand is often late under the edge.
const AT_IT: f64 = 0.2;
/// Tilt from which it is raised, and from which it is on its side, radians.
const RAISED: f64 = 0.25;
const ON_ITS_SIDE: f64 = 1.2;

pub(super) fn task() -> TaskSpec {
    let table = object("table", ToyTable {}).colour(any_of([
        Colour::Red,
        Colour::Blue,
        Colour::Green,
        Colour::Yellow,
    ]));
    let stands = region("table spot", rect([-0.14, -0.03], [-0.06, 0.03])).yaw(-0.12, 0.12);
    let tilted = |by: f64| not(upright(&table).within(by));
    let raised = tilted(RAISED).and(upright(&table).within(ON_ITS_SIDE));
    let led = any(["left", "right"].map(|limb| hand_at(&table, AT_IT, limb)));
    let near_start = back_at_start(&table).within(0.45);
    let over = |limb: &str| {
        flip(&table).with(limb).saying(format!("turn the table over with the {limb} hand"))
    };
    rung(
        "dual-arm-flip-table",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_2, RIGID, DUAL_DEX],
        "DualArmFlipTable-v1",
        &["no sibling was found; what counts as upside down is ours"],
    )
    .instruction("turn the {table.colour} table upside down")
    .place(&table, &stands)
    .plan(together([over("left"), over("right")]))
    .stages([
        stage("raise it with both hands", both_hands_at(&table, AT_IT).and(raised.clone())),
        stage("lead it to its side", raised.and(led)).hold(0.6),
        stage("turn it over", all([tilted(UPSIDE_DOWN), still(&table), near_start])).hold(0.25),
    ])
    .horizon(500)
}
