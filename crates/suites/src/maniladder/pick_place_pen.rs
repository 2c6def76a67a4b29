//! Pick and place pen — a pen goes from the table onto a tray.
//!
//! Scene: a pen and a tray.
//! Randomization: both poses, the pen's colour.
//! Stages: 2 (pick, place).
//! Success: the pen rests on the tray, released.
//! Source and deviations: PickPlacePen-v1. Neither goal nor threshold is public; ours is a tray that the pen
//! must lie on.

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let pen = object("pen", Pen { length: 0.14 }).colour(any_of([
        Colour::Blue,
        Colour::Red,
        Colour::Green,
        Colour::Purple,
    ]));
    let tray = object("tray", Tray { size: [0.15, 0.2] });
    let lies = region("pen spot", rect([-0.16, -0.22], [0.06, -0.04])).yaw(-1.2, 1.2);
    let stands = region("tray spot", rect([-0.12, 0.12], [0.04, 0.2])).yaw(-0.3, 0.3);
    rung(
        "pick-place-pen",
        RigName::STUDIO_PANDA,
        [LEVEL_1, RIGID, SINGLE_GRIPPER],
        "PickPlacePen-v1",
        &["neither goal nor threshold is public: the pen must rest on a tray"],
    )
    .instruction("put the {pen.colour} pen on the tray")
    .place(&tray, &stands)
    .place(&pen, &lies)
    .plan([pick(&pen).from(&lies), put(&pen).on(&tray)])
    .stages(from_plan())
    .horizon(400)
}
