//! Straighten rope — a rope that lies in bends is pulled straight.
//!
//! Scene: a limp rope of 50 cm on the table.
//! Randomization: how it bends (its direction turns by 170° to 260° along it), place, heading, colour.
//! Stages: 2 (take hold of it; it lies straight).
//! Success: its ends are its length apart and none of it leaves the line between them, each within 2 cm; released
//! and still.
//! Source and deviations: StraightenRope-v1. SoftGym's RopeFlatten measures the distance of the ends against the
//! length and has no threshold; 2 cm is what Ravens allows the beads of its rope. The paper's rope is a chain of
//! capsules; this one bends everywhere.

use std::f64::consts::PI;

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_1, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let rope = object("rope", Cord { length: 0.5, curl: [3.0, 4.5] }).colour(any_of([
        Colour::Red,
        Colour::Blue,
        Colour::Green,
        Colour::Yellow,
    ]));
    let around = region("around", rect([-0.1, -0.08], [0.04, 0.08])).yaw(-PI, PI);
    let lies = all([straight(&rope), not(grasped(&rope)), still(&rope)]);
    rung(
        "straighten-rope",
        RigName::STUDIO_PANDA,
        [LEVEL_1, DEFORMABLE, SINGLE_GRIPPER],
        "StraightenRope-v1",
        &[
            "2 cm is what Ravens allows the beads of its rope; SoftGym's RopeFlatten has no threshold",
            "the rope is an elastic line, not a chain of capsules",
        ],
    )
    .instruction("straighten the rope")
    .place(&rope, &around)
    .plan([straighten(&rope).with_effect(lies.clone())])
    .stages([
        stage("take hold of the rope", grasped(&rope)).hold(0.1),
        stage("pull the rope straight", lies).hold(0.25),
    ])
    .horizon(900)
}
