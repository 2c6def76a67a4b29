//! Scoop water — an arm takes a ladle, scoops water out of a trough and pours it into a dish.
//!
//! Scene: a trough with 4 cm of water, a ladle on one side of it, a glass dish on the other.
//! Randomization: all places, the heading of the ladle, the sides.
//! Stages: 3 (take the ladle, raise water in it, the water is in the dish).
//! Success: 7 % of the water, some 35 ml, is in the dish, at most 3 % is spilled, the ladle is upright again.
//! Source and deviations: ScoopWater-v1. No sibling scoops a liquid; ManiSkill2's Excavate raises 250 to 1,150
//! particles of soil and spills fewer than 20. The amounts are ours, and so is the dish.

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_2, SINGLE_GRIPPER, rung};

/// Shares of the water: in the ladle, in the dish, and spilled at most.
const RAISED: f64 = 0.08;
const ARRIVES: f64 = 0.07;
const SPILLED: f64 = 0.03;

pub(super) fn task() -> TaskSpec {
    let trough = object("trough", Trough { size: [0.11, 0.11, 0.06] });
    let water = object("water", Water { radius: 0.053, depth: 0.055, spacing: 0.006 });
    let water = water.called("water");
    let ladle = object("ladle", Ladle { radius: 0.032, height: 0.028 });
    let dish = object("dish", Beaker { radius: 0.05, height: 0.06 }).called("dish");
    let middle = region("middle", rect([-0.06, -0.01], [0.0, 0.01]));
    let sides = |what: &str, x: [f64; 2], yaw: f64| {
        [-1.0, 1.0].map(|side: f64| {
            let name = format!("{} {what} spot", if side < 0.0 { "right" } else { "left" });
            region(name, rect([x[0], 0.17 * side - 0.02], [x[1], 0.17 * side + 0.02])).yaw(-yaw, yaw)
        })
    };
    let [right, left] = sides("dish", [-0.08, 0.02], 0.0);
    let full = contains(&ladle, &water, RAISED);
    let done = all([
        contains(&dish, &water, ARRIVES),
        spilled(&water, SPILLED),
        upright(&ladle),
        grasped(&ladle),
    ]);
    rung(
        "scoop-water",
        RigName::STUDIO_PANDA,
        [LEVEL_2, DEFORMABLE, SINGLE_GRIPPER],
        "ScoopWater-v1",
        &["the amounts and the dish are ours: no sibling scoops a liquid"],
    )
    .instruction("scoop water from the trough into the dish")
    .variable("side", 0..2)
    .place(&trough, &middle)
    .place(&water, trough.path("inside"))
    .place(&ladle, chosen_by("side", &sides("ladle", [-0.04, 0.04], 0.4)))
    .place(&dish, chosen_by("side", [&left, &right]))
    .plan([
        pick(&ladle),
        scoop(&ladle, &water, &trough).with_effect(all([full.clone(), lifted(&ladle, 0.06)])),
        pour(&ladle, &dish).with_effect(done.clone()),
    ])
    .stages([
        stage("take the ladle", lifted(&ladle, 0.02)).hold(0.1),
        stage("raise water in the ladle", all([full, lifted(&ladle, 0.06)])).hold(0.1),
        stage("pour the water into the dish", done).hold(0.25),
    ])
    .horizon(700)
}
