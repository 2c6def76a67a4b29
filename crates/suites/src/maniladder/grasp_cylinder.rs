//! Grasp cylinder — a hand closes around a cylinder and lifts it.
//!
//! Scene: an upright cylinder, 5.6 cm across and 15 cm tall.
//! Randomization: its place, its colour.
//! Stages: 2 (hold it, lift it).
//! Success: it is held 15 cm above the table, touching nothing but the hand.
//! Source and deviations: GraspCylinder-v1. robosuite's Lift counts 4 cm; ours is higher, so that a grasp that
//! slips does not count.

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_DEX, rung};

/// How high it is lifted.
const LIFTED: f64 = 0.15;

pub(super) fn task() -> TaskSpec {
    let cylinder = object("cylinder", Cylinder { radius: 0.028, height: 0.15 }).colour(any_of([
        Colour::Blue,
        Colour::Red,
        Colour::Green,
        Colour::Yellow,
    ]));
    let stands = region("cylinder spot", rect([-0.14, -0.12], [0.02, 0.12]));
    let up = lifted(&cylinder, LIFTED);
    rung(
        "grasp-cylinder",
        RigName::STUDIO_PANDA_LEAP,
        [LEVEL_1, RIGID, SINGLE_DEX],
        "GraspCylinder-v1",
        &["lifted is 15 cm; robosuite's Lift counts 4 cm"],
    )
    .instruction("grasp the {cylinder.colour} cylinder and lift it")
    .place(&cylinder, &stands)
    .plan([pick(&cylinder).with_effect(up.clone())])
    .stages([
        stage("hold the cylinder", grasped(&cylinder)).hold(0.1),
        stage("lift the cylinder", up).hold(0.25),
    ])
    .horizon(400)
}
