//! Turn on faucet — a hand pushes the lever of a tap round.
//!
//! Scene: a tap whose lever turns about the vertical.
//! Randomization: its place and heading.
//! Stages: 2 (the lever is half way, the tap is on).
//! Success: the lever has turned through 90 % of its range.
//! Source and deviations: TurnOnFaucet-v1. The share is that of ManiSkill's TurnFaucet.

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_DEX, rung};

pub(super) fn task() -> TaskSpec {
    let faucet = object("faucet", Faucet {});
    let stands = region("faucet spot", rect([-0.02, -0.08], [0.08, 0.08])).yaw(-0.4, 0.4);
    let lever = faucet.path("lever");
    rung(
        "turn-on-faucet",
        RigName::STUDIO_PANDA_LEAP,
        [LEVEL_1, RIGID, SINGLE_DEX],
        "TurnOnFaucet-v1",
        &["on is 90 % of the lever's range, as in ManiSkill's TurnFaucet"],
    )
    .instruction("turn on the faucet")
    .place(&faucet, &stands)
    .plan([turn_on(&lever)])
    .stages([
        stage("move the lever", not(is_closed(&lever))).hold(0.1),
        stage("turn on the faucet", is_open(&lever)).hold(0.1),
    ])
    .horizon(400)
}
