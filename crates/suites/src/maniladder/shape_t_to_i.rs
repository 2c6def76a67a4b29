//! Shape T to I — a letter T of modelling clay is pressed into an I.
//!
//! Scene: a T of clay, 7 by 10 cm and 2 cm thick, its stem over a green mark in the shape of an I.
//! Randomization: place and heading of both.
//! Stages: 2 (most of the way, the clay is an I).
//! Success: seen from above, what clay and mark both cover is 80 % of what either covers; nothing is held.
//! Source and deviations: ShapeTToI-v1. ManiSkill2's Write wants an overlap of more than 80 %, its Pinch a Chamfer
//! distance; ours is the overlap. Where the original's I lies is not public; here it is marked. The clay's stiffness is ours.

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_1, SINGLE_GRIPPER, rung};

/// Overlap that counts, and that on the way there; a T has 65 %.
const SHAPED: f64 = 0.8;
const NEARLY: f64 = 0.72;
/// Width of the letters' strokes.
const STROKE: f64 = 0.026;

pub(super) fn task() -> TaskSpec {
    let mark = object("mark", Zone { size: [0.03, 0.098] }).colour(Colour::Green);
    let clay = object("clay", Clay::letter_t([0.072, 0.096, 0.02], STROKE)).called("clay");
    let spot = region("spot", rect([-0.08, -0.12], [0.04, 0.12])).yaw(-0.9, 0.9);
    let shaped = |overlap: f64| moulded(&clay, mark.path("surface"), overlap);
    let done = all([shaped(SHAPED), hand_empty()]);
    rung(
        "shape-t-to-i",
        RigName::STUDIO_PANDA,
        [LEVEL_1, DEFORMABLE, SINGLE_GRIPPER],
        "ShapeTToI-v1",
        &[
            "80 % is the overlap of ManiSkill2's Write; its Pinch measures a Chamfer distance",
            "the I is marked on the table",
        ],
    )
    .instruction("press the clay T into the shape of the green I")
    .place(&mark, &spot)
    .place(&clay, mark.path("surface"))
    .plan([mould(&clay, mark.path("surface")).with_effect(done.clone())])
    .stages([
        stage("press the bar of the T half in", shaped(NEARLY)).hold(0.1),
        stage("shape the clay into an I", done).hold(0.25),
    ])
    .horizon(500)
}
