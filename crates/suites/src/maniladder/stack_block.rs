//! Stack block — one block comes to stand on another.
//!
//! Scene: blocks of 4 cm on the table, two unless the knob `pieces` says otherwise.
//! Randomization: all poses, which colours.
//! Stages: 2 for each block after the first (pick, stack).
//! Success: every block rests on the one before it, centres at most half a diagonal and 5 mm apart, released
//! and still.
//! Source and deviations: StackBlock-v1. Threshold and size are those of ManiSkill's StackCube.

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_GRIPPER, rung};

const SIDE: f64 = 0.04;
/// Half a diagonal and 5 mm.
const OFF: f64 = 0.0333;

pub(super) fn task() -> TaskSpec {
    with_pieces(2)
}

/// The same with another number of blocks.
pub(super) fn with_pieces(n: usize) -> TaskSpec {
    let names = ["block_1", "block_2", "block_3", "block_4", "block_5"];
    let names = &names[..n.clamp(2, names.len())];
    let blocks: Vec<_> = names
        .iter()
        .map(|name| {
            let before = names.iter().copied().take_while(|o| o != name);
            object(*name, Block::cube(SIDE))
                .colour(any_of(Colour::DISTINCT).unlike(before))
                .called(format!("{{{name}.colour}} block"))
        })
        .collect();
    let around = region("around", rect([-0.18, -0.18], [0.08, 0.18])).yaw(-0.7, 0.7);
    let mut spec = rung(
        "stack-block",
        RigName::STUDIO_PANDA,
        [LEVEL_1, RIGID, SINGLE_GRIPPER],
        "StackBlock-v1",
        &["size and threshold are those of ManiSkill's StackCube; the randomization is ours"],
    )
    .clearance(0.04);
    let (mut steps, mut order) = (Vec::new(), String::new());
    for (i, block) in blocks.iter().enumerate() {
        spec = spec.place(block, &around);
        if let Some(below) = i.checked_sub(1).map(|k| &blocks[k]) {
            let stands = all([on(block, below).within(OFF), not(grasped(block)), still(block)]);
            steps.extend([pick(block).from(&around), put(block).on(below).with_effect(stands)]);
            order = format!("the {{{}.colour}} block on {order}", block.name);
        } else {
            order = format!("the {{{}.colour}} block", block.name);
        }
    }
    spec.instruction(format!("stack {order}"))
        .plan(steps)
        .stages(from_plan())
        .horizon(200 + 200 * (names.len() as u32 - 1))
}
