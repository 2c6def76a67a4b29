//! Open door — the door of a cupboard is swung open by its handle.
//!
//! Scene: a cupboard with one door that faces the robot.
//! Randomization: the cupboard's place and heading.
//! Stages: 2 (the handle is held, the door is open).
//! Success: the door is open by 70° or more.
//! Source and deviations: OpenDoor-v1. The angle is that of RLBench's doors; robosuite counts 0.3 rad.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let cupboard = object("cupboard", Cupboard { double: false });
    let stands = region("cupboard spot", rect([0.2, -0.06], [0.26, 0.06]))
        .yaw(-FRAC_PI_2 - 0.15, -FRAC_PI_2 + 0.15);
    let door = cupboard.path("door");
    rung(
        "open-door",
        RigName::STUDIO_PANDA,
        [LEVEL_1, RIGID, SINGLE_GRIPPER],
        "OpenDoor-v1",
        &["a cupboard's door; open is 70°, as for RLBench's doors"],
    )
    .instruction("open the door of the cupboard")
    .place(&cupboard, &stands)
    .plan([open(&door)])
    .stages([
        stage("hold the handle", grasped(&door)).hold(0.1),
        stage("open the door", is_open(&door)).hold(0.1),
    ])
    .horizon(500)
}
