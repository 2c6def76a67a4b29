//! Peg in hole — one arm holds a board up, the other leads a peg through its hole.
//!
//! Scene: a board with a hole of 32 mm standing before the left arm, a peg of 24 mm lying before the right one.
//! Randomization: the poses of both, the colours.
//! Stages: 3 (the left hand holds the board up, the right hand the peg, in any order; the peg is through).
//! Success: the peg's axis passes through the hole and both of its ends are 3 cm from it or more, while board and
//! peg are held.
//! Source and deviations: DualArmPegInHole-v1. robosuite's TwoArmPegInHole begins with both in the hands and
//! counts an axis within 6 cm, with a cosine above 0.95; ours begins on the table and the peg must be through.

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_2, RIGID, rung};

/// How far the peg's ends are from the hole.
const PAST: f64 = 0.03;

pub(super) fn task() -> TaskSpec {
    let board = object("board", PegBoard { hole: 0.016 }).colour(any_of([
        Colour::Blue,
        Colour::Green,
        Colour::Purple,
    ]));
    let peg = object("peg", Peg { length: 0.24, radius: 0.012 }).colour(any_of([
        Colour::Orange,
        Colour::Red,
        Colour::Yellow,
    ]));
    let stands = region("board spot", rect([-0.1, 0.08], [0.0, 0.14])).yaw(-0.3, 0.3);
    let lies = region("peg spot", rect([-0.12, -0.24], [0.0, -0.16])).yaw(-0.6, 0.6);
    let up = lifted(&board, 0.02).with("left");
    let held = lifted(&peg, 0.02).with("right");
    let through = all([
        through(&peg, board.path("hole"), PAST),
        grasped(&board).with("left"),
        grasped(&peg).with("right"),
    ]);
    rung(
        "dual-arm-peg-in-hole",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_2, RIGID, DUAL_GRIPPER],
        "DualArmPegInHole-v1",
        &["begins on the table and the peg must be through; robosuite's begins in the hands"],
    )
    .instruction(
        "hold the board up with the left hand and put the peg through its hole with the right",
    )
    .place(&board, &stands)
    .place(&peg, &lies)
    .plan(
        together([pick(&board).with("left"), pick(&peg).with("right")])
            .then(insert(&peg, &board).with("right").with_effect(through.clone())),
    )
    .stages(partial(
        [
            stage("hold the board up", up).hold(0.1),
            stage("take the peg", held).hold(0.1),
            stage("lead the peg through the hole", through).hold(0.25),
        ],
        [(0, 2), (1, 2)],
    ))
    .horizon(600)
}
