//! Sand shovel — an arm takes a shovel, shovels sand out of a trough and tips it into a dish.
//!
//! Scene: a trough with 2.5 cm of dry sand, a shovel on one side of it, a glass dish on the other.
//! Randomization: all places, the heading of the shovel, the sides.
//! Stages: 3 (take the shovel, raise sand in it, the sand is in the dish).
//! Success: 4 % of the sand, some 22 ml, is in the dish, at most 2 % is spilled.
//! Source and deviations: DualArmSandShovel-v1 in a version for one gripper; the original has two arms with hands.
//! ManiSkill2's Excavate wants 250 to 1,150 particles raised by 20 cm and fewer than 20 spilled, its Fill 90 % in a
//! beaker; the amounts are ours.

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_4, SINGLE_GRIPPER, rung};

/// Shares of the sand: in the shovel, in the dish, and spilled at most.
const RAISED: f64 = 0.05;
const ARRIVES: f64 = 0.04;
const SPILLED: f64 = 0.02;

pub(super) fn task() -> TaskSpec {
    let trough = object("trough", Trough { size: [0.12, 0.18, 0.05] });
    let sand = object("sand", Sand::bed([0.12, 0.18, 0.025])).called("sand");
    let shovel = object("shovel", Shovel { size: [0.07, 0.06, 0.03] });
    let dish = object("dish", Beaker { radius: 0.06, height: 0.06 }).called("dish");
    let middle = region("middle", rect([-0.06, -0.01], [0.0, 0.01]));
    let sides = |what: &str, x: [f64; 2], yaw: f64| {
        [-1.0, 1.0].map(|side: f64| {
            let name = format!("{} {what} spot", if side < 0.0 { "right" } else { "left" });
            region(name, rect([x[0], 0.2 * side - 0.02], [x[1], 0.2 * side + 0.02])).yaw(-yaw, yaw)
        })
    };
    let [right, left] = sides("dish", [-0.08, 0.02], 0.0);
    let full = contains(&shovel, &sand, RAISED);
    let done = all([contains(&dish, &sand, ARRIVES), spilled(&sand, SPILLED), grasped(&shovel)]);
    rung(
        "sand-shovel-gripper",
        RigName::STUDIO_PANDA,
        [LEVEL_4, DEFORMABLE, SINGLE_GRIPPER],
        "DualArmSandShovel-v1",
        &[
            "for one gripper; the original has two arms with hands",
            "the amounts are ours: ManiSkill2's Excavate and Fill count particles of another size",
        ],
    )
    .instruction("shovel sand from the trough into the dish")
    .variable("side", 0..2)
    .place(&trough, &middle)
    .place(&sand, trough.path("inside"))
    .place(&shovel, chosen_by("side", &sides("shovel", [-0.04, 0.04], 0.4)))
    .place(&dish, chosen_by("side", [&left, &right]))
    .plan([
        pick(&shovel),
        scoop(&shovel, &sand, &trough).with_effect(all([full.clone(), lifted(&shovel, 0.06)])),
        pour(&shovel, &dish).with_effect(done.clone()),
    ])
    .stages([
        stage("take the shovel", lifted(&shovel, 0.02)).hold(0.1),
        stage("raise sand in the shovel", all([full, lifted(&shovel, 0.06)])).hold(0.1),
        stage("tip the sand into the dish", done).hold(0.25),
    ])
    .horizon(700)
}
