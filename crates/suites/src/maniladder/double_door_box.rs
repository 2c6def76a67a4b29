//! Double-door box — each arm opens one of two doors.
//!
//! Scene: a cupboard with two doors that face the robots.
//! Randomization: the cupboard's place and heading.
//! Stages: 2 (the left door, the right door).
//! Success: both doors are open by 70° or more.
//! Source and deviations: DualArmDoubleDoorBox-v1. Bi-DexHands counts how far apart the handles are; the
//! angle here is that of RLBench's doors.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_1, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let cupboard = object("cupboard", Cupboard { double: true });
    let stands = region("cupboard spot", rect([0.2, -0.03], [0.25, 0.03]))
        .yaw(-FRAC_PI_2 - 0.08, -FRAC_PI_2 + 0.08);
    let [left, right] = ["left_door", "right_door"].map(|d| cupboard.path(d));
    rung(
        "dual-arm-double-door-box",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_1, RIGID, DUAL_GRIPPER],
        "DualArmDoubleDoorBox-v1",
        &["open is 70°, as for RLBench's doors; Bi-DexHands measures the distance of the handles"],
    )
    .instruction("open both doors of the cupboard")
    .place(&cupboard, &stands)
    .plan([
        open(&left).with("left").saying("open the left door"),
        open(&right).with("right").saying("open the right door"),
    ])
    .stages([
        stage("open the left door", is_open(&left)).hold(0.1),
        stage("open the right door", is_open(&right)).hold(0.1),
    ])
    .finally(all([is_open(&left), is_open(&right)]))
    .horizon(1_400)
}
