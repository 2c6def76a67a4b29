//! Turn on faucet — a hand pushes the lever of a tap round.
//!
//! Scene: a self-closing tap whose lever turns about the vertical.
//! Randomization: its place and heading.
//! Stages: 2 (the lever is half way, the tap is on).
//! Success: the lever is held at 90 % of its range or more for a second.
//! Source and deviations: TurnOnFaucet-v1. The share is that of ManiSkill's TurnFaucet. Its taps stay on; ours closes by
//! itself and must be held, because an arm that flails turns one in six of the others on.

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
        &["on is 90 % of the lever's range, as in ManiSkill's TurnFaucet; held for a second against a spring"],
    )
    .instruction("turn on the faucet")
    .place(&faucet, &stands)
    .plan([turn_on(&lever)])
    .stages([
        stage("turn the lever half way", opened(&lever, 0.5)).hold(0.1),
        stage("turn on the faucet", is_open(&lever)).hold(1.0),
    ])
    .horizon(200)
}
