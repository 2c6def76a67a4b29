//! Liquid measuring — an arm pours half of the water of a beaker into a dish and sets the beaker down.
//!
//! Scene: a glass beaker with 110 ml of water, a wide empty one, the dish, beside it, and a zone for the beaker.
//! Randomization: all places, which side the beaker stands on.
//! Stages: 3 (lift the beaker with the water in it, half of the water is in the dish, the beaker is in the zone).
//! Success: 40 to 60 % of the water is in the dish, at most a tenth is spilled, the beaker stands in the zone.
//! Source and deviations: LiquidMeasuring-v1. SoftGym's PourWaterAmount draws the amount and scores the error without
//! a line; here it is half, within a tenth.

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_3, SINGLE_GRIPPER, rung};

/// Share of the water that the dish is to have, and by how much it may be missed.
const WANTED: f64 = 0.5;
const WITHIN: f64 = 0.1;
/// Share of it that may be spilled.
const SPILLED: f64 = 0.1;

pub(super) fn task() -> TaskSpec {
    let beaker = object("beaker", Beaker { radius: 0.032, height: 0.1 });
    let dish = object("dish", Beaker { radius: 0.06, height: 0.06 }).called("dish");
    let water = object("water", Water::column(0.028, 0.045)).called("water");
    let zone = object("zone", Zone { size: [0.12; 2] }).colour(Colour::Green);
    let [right, left] = [-1.0, 1.0].map(|side: f64| {
        let name = if side < 0.0 { "right spot" } else { "left spot" };
        let y = 0.17 * side;
        region(name, rect([-0.1, y - 0.02], [-0.03, y + 0.02]))
    });
    let middle = region("middle", rect([-0.04, -0.02], [0.04, 0.02]));
    let measured = all([
        contains(&dish, &water, WANTED - WITHIN),
        not(contains(&dish, &water, WANTED + WITHIN)),
        spilled(&water, SPILLED),
    ]);
    let down = all([on(&beaker, &zone), upright(&beaker), not(grasped(&beaker))]);
    rung(
        "liquid-measuring",
        RigName::STUDIO_PANDA,
        [LEVEL_3, DEFORMABLE, SINGLE_GRIPPER],
        "LiquidMeasuring-v1",
        &["half of the water within a tenth; SoftGym's PourWaterAmount draws the amount and has no line"],
    )
    .instruction("pour half of the water into the dish and set the beaker down on the green zone")
    .variable("side", 0..2)
    .place(&dish, &middle)
    .place(&zone, chosen_by("side", [&left, &right]))
    .place(&beaker, chosen_by("side", [&right, &left]))
    .place(&water, beaker.path("inside"))
    .plan([
        pick(&beaker),
        measure(&beaker, &dish, &water, WANTED).with_effect(all([measured.clone(), upright(&beaker)])),
        put(&beaker).on(&zone),
    ])
    .stages([
        stage("lift the beaker", all([lifted(&beaker, 0.03), contains(&beaker, &water, 0.9)]))
            .hold(0.1),
        stage("pour half of the water", all([measured.clone(), upright(&beaker)])).hold(0.25),
        stage("set the beaker down", all([down, measured])).hold(0.25),
    ])
    .horizon(600)
}
