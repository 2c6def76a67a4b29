//! Dex open door — fingers hook behind the bar of a door and pull it open.
//!
//! Scene: a door in a frame that faces the robot, with a bar across it.
//! Randomization: its place and heading.
//! Stages: 2 (the door is half way, the door is open).
//! Success: the door is open by 1.35 rad or more.
//! Source and deviations: DexOpenDoor-v1. The angle is that of Adroit's door, whose latch ours does not have: its bar is
//! stiff and pulled, not turned.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_DEX, rung};

pub(super) fn task() -> TaskSpec {
    let door = object("door", PullDoor {});
    let stands = region("door spot", rect([0.1, -0.12], [0.16, -0.04]))
        .yaw(-FRAC_PI_2 - 0.12, -FRAC_PI_2 + 0.12);
    let leaf = door.path("leaf");
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
        stage("open the door half way", opened(&leaf, 0.5)).hold(0.1),
        stage("open the door", is_open(&leaf)).hold(0.1),
    ])
    .horizon(500)
}
