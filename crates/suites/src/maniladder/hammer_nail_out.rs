//! Hammer nail out — a nail is drawn out of a block of wood with a hammer's claw.
//!
//! Scene: a claw hammer standing on its head, a block that stands fast with a nail half driven in.
//! Randomization: the hammer's pose, the block's place.
//! Stages: 4 (take the hammer, the claw around the nail, the nail half out, the nail out).
//! Success: the nail's tip is out of the wood, its head on the claw of the hammer that the hand holds.
//! Source and deviations: HammerNailOut-v1. Adroit's and Meta-World's hammers drive a nail 9 cm in; here it is in
//! by 4.5 cm, held by 4 N, and out is all of that. The claw is slid under the nail's head and lifted straight up,
//! not levered over; the nail stays on its axis.

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_DEX, rung};

pub(super) fn task() -> TaskSpec {
    let hammer = object("hammer", ClawHammer {});
    let block = object("block", NailBlock {}).called("block of wood");
    let nail = block.path("nail");
    let stands = region("hammer spot", rect([-0.14, -0.24], [-0.04, -0.12])).yaw(-0.5, 0.5);
    let fast = region("block spot", rect([-0.08, 0.08], [0.02, 0.16])).yaw(-0.4, 0.4);
    let clawed = all([grasped(&hammer), in_(&nail, hammer.path("claw"))]);
    let out = all([clawed.clone(), is_open(&nail)]);
    rung(
        "hammer-nail-out",
        RigName::STUDIO_PANDA_LEAP,
        [LEVEL_2, RIGID, SINGLE_DEX],
        "HammerNailOut-v1",
        &[
            "the claw is lifted straight up, not levered over",
            "out is 4.5 cm, the nail's whole depth; Adroit and Meta-World drive one in by 9 cm",
        ],
    )
    .instruction("pull the nail out of the block with the hammer's claw")
    .place(&block, &fast)
    .place(&hammer, &stands)
    .plan([
        pick(&hammer).from(&stands),
        pull(&nail, &hammer).with_effect(out.clone()).saying("pull the nail out with the claw"),
    ])
    .stages([
        stage("take the hammer", lifted(&hammer, 0.02)).hold(0.1),
        stage("bring the claw around the nail", clawed.clone()).hold(0.1),
        stage("pull the nail half out", all([clawed, opened(&nail, 0.5)])).hold(0.1),
        stage("pull the nail out", out).hold(0.1),
    ])
    .horizon(500)
}
