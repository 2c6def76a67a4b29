//! Hang mug — a mug is hung on a mug tree by its handle.
//!
//! Scene: a mug standing on the table, a tree with three hooks that rise outwards.
//! Randomization: the mug's pose and colour, the tree's pose.
//! Stages: 2 (pick the mug up, hang it).
//! Success: the mug hangs among the hooks, its middle 9 cm above the table or more, released and still.
//! Source and deviations: HangMug-v1. RoboTwin's hanging_mug asks for a place within 2 cm and the open hand; here
//! any hook will do, and the mug must carry itself.

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let mug = object("mug", Mug {}).colour(any_of([
        Colour::Blue,
        Colour::Red,
        Colour::Green,
        Colour::Yellow,
    ]));
    let tree = object("tree", MugTree {}).called("mug tree");
    let stands = region("mug spot", rect([-0.16, -0.2], [0.0, -0.06])).yaw(-3.1, 3.1);
    let grows = region("tree spot", rect([0.0, 0.1], [0.08, 0.18])).yaw(-0.5, 0.5);
    let there = all([in_(&mug, tree.path("hooks")), not(grasped(&mug))]);
    let hangs = all([there.clone(), still(&mug)]);
    rung(
        "hang-mug",
        RigName::STUDIO_PANDA,
        [LEVEL_2, RIGID, SINGLE_GRIPPER],
        "HangMug-v1",
        &["any hook will do; RoboTwin's hanging_mug asks for a place within 2 cm"],
    )
    .instruction("hang the {mug.colour} mug on the mug tree by its handle")
    .place(&tree, &grows)
    .place(&mug, &stands)
    .plan([
        pick(&mug).from(&stands),
        put(&mug).on(&tree).with_effect(hangs.clone()).saying("hang the mug on the tree"),
    ])
    .stages([
        stage("pick the mug up", lifted(&mug, 0.02)).hold(0.1),
        stage("hang the mug on the tree", hangs).hold(0.25).measured_by(there),
    ])
    .horizon(500)
}
