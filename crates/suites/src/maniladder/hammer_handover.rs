//! Hammer handover — one arm takes a hammer and passes it to the other.
//!
//! Scene: a hammer on the left side of the table.
//! Randomization: its pose.
//! Stages: 3 (the left hand takes it, the right hand has it, it is held up).
//! Success: the right hand alone holds the hammer, 10 cm above where it lay.
//! Source and deviations: DualArmHammerHandover-v1. The height is that of robosuite's TwoArmHandover.

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_1, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let hammer = object("hammer", Hammer {});
    let lies = region("hammer spot", rect([-0.12, 0.16], [0.02, 0.26])).yaw(-0.5, 0.5);
    let held = all([
        grasped(&hammer).with("right"),
        not(grasped(&hammer).with("left")),
        lifted(&hammer, 0.1),
    ]);
    rung(
        "dual-arm-hammer-handover",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_1, RIGID, DUAL_GRIPPER],
        "DualArmHammerHandover-v1",
        &["the height is that of robosuite's TwoArmHandover"],
    )
    .instruction("take the hammer with the left hand and pass it to the right hand")
    .place(&hammer, &lies)
    .plan([pick(&hammer).from(&lies).with("left"), pass(&hammer, "left", "right")])
    .stages([
        stage("take the hammer", lifted(&hammer, 0.02).with("left")).hold(0.1),
        stage("pass it on", grasped(&hammer).with("right")).hold(0.1),
        stage("hold it alone", held).hold(0.25),
    ])
    .horizon(700)
}
