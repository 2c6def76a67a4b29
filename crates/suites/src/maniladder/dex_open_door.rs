//! Dex open door — fingers hook behind the bar of a door and pull it open.
//!
//! Scene: a door in a frame that faces the robot, with a bar across it.
//! Randomization: its place and heading.
//! Stages: 2 (the door is half way, the door is open).
//! Success: the door is open by 1.35 rad or more, and the hand is on it: half way for a quarter of a second, open for a tenth.
//! Source and deviations: DexOpenDoor-v1. The angle is that of Adroit's door, whose latch ours does not have: its bar is
//! stiff and pulled, not turned. A forearm that catches the leaf's edge opens it too, but not for long with the hand on it.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_DEX, hand_at, rung};

pub(super) fn task() -> TaskSpec {
    let door = object("door", PullDoor {});
    let stands = region("door spot", rect([0.1, -0.12], [0.16, -0.04]))
        .yaw(-FRAC_PI_2 - 0.12, -FRAC_PI_2 + 0.12);
    let leaf = door.path("leaf");
    let hand_on_it = hand_at(&leaf, 0.0, "arm");
    rung(
        "dex-open-door",
        RigName::STUDIO_PANDA_LEAP,
        [LEVEL_2, RIGID, SINGLE_DEX],
        "DexOpenDoor-v1",
        &["open is 1.35 rad, as for Adroit's door; there is no latch"],
    )
    .instruction("open the door by its bar")
    .place(&door, &stands)
    .plan([open(&leaf)])
    .stages([
        stage("open the door half way", opened(&leaf, 0.5).and(hand_on_it.clone())).hold(0.25),
        stage("open the door", is_open(&leaf).and(hand_on_it)).hold(0.1),
    ])
    .horizon(500)
}
