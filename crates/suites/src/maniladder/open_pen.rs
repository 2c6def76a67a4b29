//! Open pen — two hands pull the cap off a marker.
//!
//! Scene: a jumbo marker on a rest, its cap towards the right arm.
//! Randomization: place and heading of the rest, the marker's colour.
//! Stages: 2 (the left hand holds the marker, the cap is off).
//! Success: the cap is drawn by 10 cm or more, the left hand holds the marker.
//! Source and deviations: DualArmOpenPen-v1. Bi-DexHands' Pen counts ends more than 0.30 m apart; this marker is
//! 34 cm long, so that hands fit on it, and its ends are 44 cm apart then. The cap stays on the marker's axis.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_1, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let rest = object("rest", PenRest {});
    let pen = object("pen", Marker {}).colour(any_of([
        Colour::Blue,
        Colour::Red,
        Colour::Green,
        Colour::Purple,
    ]));
    let stands = region("rest spot", rect([-0.12, -0.03], [-0.02, 0.03]))
        .yaw(-FRAC_PI_2 - 0.2, -FRAC_PI_2 + 0.2);
    let cap = pen.path("cap");
    let held = grasped(&pen).with("left");
    rung(
        "dual-arm-open-pen",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_1, RIGID, DUAL_DEX],
        "DualArmOpenPen-v1",
        &["the marker is 34 cm long and the cap drawn by 10 cm; Bi-DexHands counts ends 0.30 m apart"],
    )
    .instruction("hold the {pen.colour} marker with the left hand and pull its cap off with the right")
    .place(&rest, &stands)
    .place(&pen, on_top_of(&rest).yaw(0.0, 0.0))
    .plan([
        grasp(&pen).with("left").with_effect(held.clone()).saying("hold the marker"),
        open(&cap).with("right").saying("pull the cap off"),
    ])
    .stages([
        stage("hold the marker", held.clone()).hold(0.1),
        stage("pull the cap off", is_open(&cap)).hold(0.1),
    ])
    .finally(held)
    .horizon(600)
}
