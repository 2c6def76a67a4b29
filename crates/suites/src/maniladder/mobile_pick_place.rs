//! Mobile pick and place — a robot on wheels fetches a block from one side of a table and takes it to the other.
//!
//! Scene: a block on the left side of the table, a tray on the right side, the robot back from the table.
//! Randomization: both poses, the block's colour.
//! Stages: 2 (pick, place).
//! Success: the block rests on the tray, released.
//! Source and deviations: MobilePickPlace-v1, registered for one arm with a hand; here a gripper. Goal and
//! threshold are not public. No place on the floor is near enough to both, so that the base must drive
//! round the table.

use longarm_task::prelude::*;

use super::{LEVEL_3, RIGID, SINGLE_DEX, rung};

pub(super) fn task() -> TaskSpec {
    let block = object("block", Block::cube(0.04))
        .colour(any_of([Colour::Red, Colour::Green, Colour::Blue, Colour::Yellow]))
        .called("{block.colour} block");
    let tray = object("tray", Tray { size: [0.15, 0.2] });
    let lies = region("block spot", rect([-0.15, 0.5], [0.2, 0.62])).yaw(-0.7, 0.7);
    let stands = region("tray spot", rect([-0.1, -0.58], [0.2, -0.5])).yaw(-0.3, 0.3);
    rung(
        "mobile-pick-place",
        RigName::STUDIO_TIDYBOT,
        [LEVEL_3, RIGID, SINGLE_DEX],
        "MobilePickPlace-v1",
        &[
            "registered for a hand; here a gripper",
            "neither goal nor threshold is public: the block must rest on a tray at the other side",
        ],
    )
    .instruction(
        "fetch the {block.colour} block and put it on the tray at the other side of the table",
    )
    .place(&tray, &stands)
    .place(&block, &lies)
    .plan([pick(&block).from(&lies), put(&block).on(&tray)])
    .stages(from_plan())
    .horizon(1_400)
}
