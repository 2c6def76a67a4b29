//! Grasp two blocks — one hand takes two blocks at once and lifts them.
//!
//! Scene: two upright blocks side by side on a mat, a finger's breadth or less between them.
//! Randomization: the mat's place and heading.
//! Stages: 2 (both off the table, both lifted).
//! Success: both are in the hand 15 cm above the table, touching nothing but the hand and each other.
//! Source and deviations: GraspTwoBlocks-v1. The height is that of grasp-cylinder; robosuite's Lift counts 4 cm.

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_DEX, rung};

/// How high they are lifted.
const LIFTED: f64 = 0.15;
/// How much higher the plan goes.
const SURE: f64 = 0.02;
/// Width, depth and height of a block; from the mat's middle to a block's.
const SIZE: [f64; 3] = [0.028, 0.05, 0.09];
const BESIDE: f64 = 0.0165;

pub(super) fn task() -> TaskSpec {
    let mat = object("mat", Zone { size: [0.12, 0.1] });
    let block = |name: &str, colour| object(name, Block { size: SIZE }).colour(colour);
    let (red, blue) = (block("red block", Colour::Red), block("blue block", Colour::Blue));
    let lies = region("mat spot", rect([-0.12, -0.1], [0.02, 0.1])).yaw(1.2, 1.9);
    let beside = |x: f64| on_top_of(&mat).offset(x, 0.0);
    let up = |height: f64| lifted_both(&red, &blue, height);
    rung(
        "grasp-two-blocks",
        RigName::STUDIO_PANDA_LEAP,
        [LEVEL_2, RIGID, SINGLE_DEX],
        "GraspTwoBlocks-v1",
        &["the blocks stand side by side", "lifted is 15 cm; robosuite's Lift counts 4 cm"],
    )
    .instruction("grasp both blocks at once and lift them")
    .place(&mat, &lies)
    .place(&red, beside(-BESIDE))
    .place(&blue, beside(BESIDE))
    .clearance(0.0)
    .plan([pick_both(&red, &blue).with_effect(up(LIFTED + SURE))])
    .stages([
        stage("take both blocks off the table", up(0.02)).hold(0.1),
        stage("lift both blocks", up(LIFTED)).hold(0.25),
    ])
    .horizon(400)
}
