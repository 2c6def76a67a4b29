//! Scoop water — an arm takes a ladle and scoops water out of a trough.
//!
//! Scene: a trough with 4 cm of water, a ladle on one side of it.
//! Randomization: both places, the heading of the ladle, its side.
//! Stages: 2 (take the ladle, raise water in it).
//! Success: for half a second the ladle is up, upright, with 10 % of the water, some 50 ml, in it, at most 3 % is spilled.
//! Source and deviations: ScoopWater-v1. No sibling scoops a liquid; ManiSkill2's Excavate wants 250 to 1,150
//! particles of soil raised and fewer than 20 spilled. The amounts are ours.

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_2, SINGLE_GRIPPER, rung};

/// Shares of the water: in the ladle, and spilled at most.
const RAISED: f64 = 0.1;
const SPILLED: f64 = 0.03;

pub(super) fn task() -> TaskSpec {
    let trough = object("trough", Trough { size: [0.11, 0.11, 0.06] });
    let water = object("water", Water { radius: 0.053, depth: 0.055, spacing: 0.006 });
    let water = water.called("water");
    let ladle = object("ladle", Ladle { radius: 0.032, height: 0.028 });
    let middle = region("middle", rect([-0.06, -0.01], [0.0, 0.01]));
    let spots = [-1.0, 1.0].map(|side: f64| {
        let name = if side < 0.0 { "right ladle spot" } else { "left ladle spot" };
        let y = 0.17 * side;
        region(name, rect([-0.04, y - 0.02], [0.04, y + 0.02])).yaw(-0.4, 0.4)
    });
    let scooped = all([
        contains(&ladle, &water, RAISED),
        spilled(&water, SPILLED),
        lifted(&ladle, 0.06),
        upright(&ladle),
    ]);
    rung(
        "scoop-water",
        RigName::STUDIO_PANDA,
        [LEVEL_2, DEFORMABLE, SINGLE_GRIPPER],
        "ScoopWater-v1",
        &["the amounts are ours: no sibling scoops a liquid"],
    )
    .instruction("scoop water from the trough with the ladle and hold it up")
    .variable("side", 0..2)
    .place(&trough, &middle)
    .place(&water, trough.path("inside"))
    .place(&ladle, chosen_by("side", &spots))
    .plan([pick(&ladle), scoop(&ladle, &water, &trough).with_effect(scooped.clone())])
    .stages([
        stage("take the ladle", lifted(&ladle, 0.02)).hold(0.1),
        stage("raise water in the ladle", scooped).hold(0.5),
    ])
    .horizon(400)
}
