//! Pick soft — a sponge is carried to a mark and takes its shape again.
//!
//! Scene: a sponge of 9 × 6 × 4.5 cm and a mark of 10 cm on the table.
//! Randomization: poses of both, the sponge's colour.
//! Stages: 2 (pick; put on the mark).
//! Success: the sponge's middle is over the mark, it is released and still, and no point of it is farther than
//! 4 mm from its shape at rest.
//! Source and deviations: PickSoft-v1 has a hand with fingers; this is the version for a single gripper. Bi-DexHands'
//! LiftUnderarm allows 5 cm from the goal. That it must have its shape again is ours.

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_3, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let sponge = object("sponge", FoamBlock::SPONGE).colour(any_of([
        Colour::Yellow,
        Colour::Orange,
        Colour::Cyan,
        Colour::Pink,
    ]));
    let mark = object("mark", Zone { size: [0.10, 0.10] }).colour(Colour::Green);
    let start = region("start", rect([-0.14, -0.2], [0.06, 0.2])).yaw(-1.5, 1.5);
    let spot = region("mark spot", rect([-0.14, -0.2], [0.06, 0.2])).yaw(-0.7, 0.7);
    let there = all([
        at(&sponge, mark.path("surface")),
        not(grasped(&sponge)),
        still(&sponge),
        shaped(&sponge),
    ]);
    rung(
        "pick-soft-gripper",
        RigName::STUDIO_PANDA,
        [LEVEL_3, DEFORMABLE, SINGLE_GRIPPER],
        "PickSoft-v1",
        &[
            "for a single gripper instead of a hand",
            "Bi-DexHands' LiftUnderarm allows 5 cm from the goal",
            "the sponge must have its shape again",
        ],
    )
    .instruction("put the sponge on the mark")
    .clearance(0.05)
    .place(&mark, &spot)
    .place(&sponge, &start)
    .plan([pick(&sponge).from(&start), put(&sponge).on(&mark).with_effect(there)])
    .stages(from_plan())
    .horizon(400)
}
