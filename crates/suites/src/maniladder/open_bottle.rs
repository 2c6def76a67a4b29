//! Open bottle — one hand holds a flask, the other draws its cap off.
//!
//! Scene: a flask with a wide cap, standing.
//! Randomization: its place, its colour.
//! Stages: 2 (the left hand holds the flask, the cap is off).
//! Success: the cap is 3 cm or more above where it sat, the left hand holds the flask.
//! Source and deviations: DualArmOpenBottle-v1. The height is that of Bi-DexHands' BottleCap. The cap is drawn
//! off, not screwed, and stays on the flask's axis.

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_2, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let bottle = object("bottle", CappedBottle {}).colour(any_of([
        Colour::Green,
        Colour::Blue,
        Colour::Red,
        Colour::Orange,
    ]));
    let stands = region("bottle spot", rect([-0.12, -0.03], [-0.02, 0.06]));
    let cap = bottle.path("cap");
    let held = grasped(&bottle).with("left");
    rung(
        "dual-arm-open-bottle",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_2, RIGID, DUAL_DEX],
        "DualArmOpenBottle-v1",
        &["the cap is drawn off, not screwed; 3 cm are those of Bi-DexHands' BottleCap"],
    )
    .instruction(
        "hold the {bottle.colour} bottle with the left hand and draw its cap off with the right",
    )
    .place(&bottle, &stands)
    .plan([
        grasp(&bottle).with("left").with_effect(held.clone()).saying("hold the bottle"),
        open(&cap).with("right").saying("draw the cap off"),
    ])
    .stages([
        stage("hold the bottle", held.clone()).hold(0.1),
        stage("draw the cap off", is_open(&cap)).hold(0.1),
    ])
    .finally(held)
    .horizon(600)
}
