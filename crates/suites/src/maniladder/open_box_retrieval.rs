//! Open box and retrieve — the lid slides off, and what is inside comes out.
//!
//! Scene: a box with a sliding lid, a cube inside, a plate beside it.
//! Randomization: places of box and plate, the cube's place in the box and its colour.
//! Stages: 3 (open the box, take the cube out, put it on the plate).
//! Success: the cube rests on the plate, released, and the box is open.
//! Source and deviations: OpenBoxRetrieval-v1. The lid slides and counts as open from 78 % of its depth; the
//! lid of RLBench's box is hinged, that of DexMimicGen's BoxCleanup loose.

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let case = object("box", LidBox { size: [0.16, 0.18, 0.075] });
    let cube = object("cube", Block::cube(0.035))
        .colour(any_of([Colour::Red, Colour::Green, Colour::Blue, Colour::Yellow]))
        .called("{cube.colour} cube");
    let plate = object("plate", Plate { radius: 0.07 });
    let stands = region("box spot", rect([-0.1, 0.1], [0.0, 0.16])).yaw(-0.2, 0.2);
    let served = region("plate spot", rect([-0.06, -0.24], [0.08, -0.18]));
    let lid = case.path("lid");
    rung(
        "open-box-retrieval",
        RigName::STUDIO_PANDA,
        [LEVEL_2, RIGID, SINGLE_GRIPPER],
        "OpenBoxRetrieval-v1",
        &["the lid slides; that of RLBench's box is hinged, that of DexMimicGen's loose"],
    )
    .instruction("open the box, take the {cube.colour} cube out and put it on the plate")
    .place(&case, &stands)
    .place(&plate, &served)
    .place(&cube, "box/middle")
    .plan([
        open(&lid).saying("open the box"),
        pick(&cube).from("box/inside").saying("take the cube out"),
        put(&cube).on(&plate),
    ])
    .stages(from_plan())
    .finally(is_open(&lid))
    .horizon(700)
}
