//! Pouring water — an arm pours the water of a beaker into a dish.
//!
//! Scene: a glass beaker with 110 ml of water and a wide empty one, the dish, beside it.
//! Randomization: both places, which side the beaker stands on.
//! Stages: 2 (lift the beaker with the water in it, the water is in the dish).
//! Success: 85 % of the water is in the dish, at most a tenth is spilled, the beaker is upright again.
//! Source and deviations: DualArmPouringWater-v1 in a version for one gripper. SoftGym's PourWater scores the fraction
//! in the target without a line, ManiSkill2's Pour counts particles over a mark with some spilled; ours is 85 %.

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_1, SINGLE_GRIPPER, rung};

/// Share of the water that has to arrive.
const ARRIVES: f64 = 0.85;
/// Share of it that may be spilled.
const SPILLED: f64 = 0.1;

pub(super) fn task() -> TaskSpec {
    let beaker = object("beaker", Beaker { radius: 0.032, height: 0.1 });
    let dish = object("dish", Beaker { radius: 0.06, height: 0.06 }).called("dish");
    let water = object("water", Water::column(0.028, 0.045)).called("water");
    let spots = [-1.0, 1.0].map(|side: f64| {
        let name = if side < 0.0 { "right spot" } else { "left spot" };
        let y = 0.17 * side;
        region(name, rect([-0.12, y - 0.03], [-0.02, y + 0.03]))
    });
    let middle = region("middle", rect([-0.04, -0.02], [0.04, 0.02]));
    let arrived = contains(&dish, &water, ARRIVES);
    rung(
        "pouring-water",
        RigName::STUDIO_PANDA,
        [LEVEL_1, DEFORMABLE, SINGLE_GRIPPER],
        "DualArmPouringWater-v1",
        &["for one gripper", "85 % of the water has to arrive; SoftGym's PourWater has no line"],
    )
    .instruction("pour the water from the beaker into the dish")
    .variable("side", 0..2)
    .place(&dish, &middle)
    .place(&beaker, chosen_by("side", &spots))
    .place(&water, beaker.path("inside"))
    .plan([pick(&beaker), pour(&beaker, &dish).with_effect(arrived.clone())])
    .stages([
        stage("lift the beaker", all([lifted(&beaker, 0.03), contains(&beaker, &water, 0.9)]))
            .hold(0.1),
        stage(
            "pour the water",
            all([arrived, spilled(&water, SPILLED), upright(&beaker), grasped(&beaker)]),
        )
        .hold(0.25),
    ])
    .horizon(500)
}
