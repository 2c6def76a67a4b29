//! Pouring water — two arms take a jug and a cup, and one pours into what the other holds.
//!
//! Scene: a jug with 125 ml of water on the left, an empty one on the right, their handles towards the arms.
//! Randomization: their places and headings, their colours.
//! Stages: 3 (the jug is in the air, the other, too, the water is in the other).
//! Success: 85 % of the water is in the other jug, at most a tenth is spilled, both are held in the air, upright.
//! Source and deviations: DualArmPouringWater-v1. SoftGym's PourWater scores the fraction in the target without a line,
//! ManiSkill2's Pour counts particles over a mark with some spilled; ours is 85 %.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{DEFORMABLE, DUAL_GRIPPER, LEVEL_1, rung};

/// Share of the water that has to arrive.
const ARRIVES: f64 = 0.85;
/// Share of it that may be spilled.
const SPILLED: f64 = 0.1;

pub(super) fn task() -> TaskSpec {
    let size = Ladle { radius: 0.034, height: 0.07 };
    let jug = object("jug", size.clone()).colour(any_of([Colour::Blue, Colour::Green]));
    let cup = object("cup", size).colour(any_of([Colour::Red, Colour::Yellow]));
    let water = object("water", Water::column(0.03, 0.045)).called("water");
    let spot = |name: &str, side: f64| {
        let away = -side * FRAC_PI_2;
        region(name, rect([-0.1, 0.12 * side - 0.03], [0.0, 0.12 * side + 0.03]))
            .yaw(away - 0.3, away + 0.3)
    };
    let (jug_spot, cup_spot) = (spot("jug spot", 1.0), spot("cup spot", -1.0));
    let up = |object: &longarm_task::ObjectSpec, limb: &str| {
        all([lifted(object, 0.03).with(limb), upright(object)])
    };
    let done = all([
        contains(&cup, &water, ARRIVES),
        spilled(&water, SPILLED),
        up(&jug, "left"),
        up(&cup, "right"),
    ]);
    rung(
        "dual-arm-pouring-water",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_1, DEFORMABLE, DUAL_GRIPPER],
        "DualArmPouringWater-v1",
        &["85 % of the water has to arrive; SoftGym's PourWater has no line"],
    )
    .instruction(
        "pour the water from the {jug.colour} jug in your left hand into the {cup.colour} one in your right",
    )
    .place(&jug, &jug_spot)
    .place(&cup, &cup_spot)
    .place(&water, jug.path("inside"))
    .plan(
        together([pick(&jug).with("left"), pick(&cup).with("right")])
            .then(pour(&jug, &cup).with("left").with_effect(done.clone())),
    )
    .stages([
        stage("take the full jug", all([up(&jug, "left"), contains(&jug, &water, 0.9)])).hold(0.1),
        stage("hold the other jug up", up(&cup, "right")).hold(0.1),
        stage("pour the water", done).hold(0.25),
    ])
    .horizon(700)
}
