//! Dynamic grasping — catch an object that travels on a belt before it is gone.
//!
//! Scene: a running conveyor across the far side, an object coming along on it, a tray on the near side.
//! Randomization: the belt's speed, what the object is, its colour and place on the belt, the tray's
//! place.
//! Stages: 6 (hand over the moving object; grasped in time; lifted clear; carried over the tray; resting
//! on the tray; released and standing).
//! Success: all stages, then two quiet seconds; the object passing out of reach before it is grasped
//! ends the episode and takes back the first stage.
//! Source and deviations: LongBench, Table 2 (PD, TW). Phase names are ours; the paper publishes
//! neither speed nor object. Episodes are a third as long as the paper's: the object is on the belt
//! within reach when they begin. Seen coming from afar, it was met by a hand lying in wait, and a late
//! hand missed it less often.

use std::f64::consts::FRAC_PI_2;

use longarm_task::place::Spot;
use longarm_task::prelude::*;

use super::label::{PHASE_DEPENDENCE, TEMPORAL_WINDOW};

pub(super) fn task() -> TaskSpec {
    let belt = object("conveyor", Conveyor { size: [0.84, 0.10] });
    let item = object("thing", (Block::cube(0.04), Can, Battery))
        .colour(any_colour())
        .called("{thing.noun}");
    let tray = object("tray", Tray { size: [0.13, 0.13] });
    let reach = region("reach", rect([0.30, -0.42], [0.42, 0.20]));
    let across = region("across", point([0.36, 0.0])).yaw(FRAC_PI_2, FRAC_PI_2);
    let near = region("near side", rect([0.215, -0.06], [0.225, 0.06]));

    TaskSpec::new("longbench/dynamic-grasping", RigName::ARX_R5)
        .instruction("catch the {thing.noun} on the running belt and stand it on the tray")
        .place(&belt, &across)
        .place(&tray, &near)
        .place(&item, Spot::from("conveyor/upstream").yaw(-0.3, 0.3))
        .belt(&belt, 0.04, 0.06)
        .plan([pick(&item).from(&belt), put(&item).on(&tray), withdraw()])
        .stages([
            stage("hand over the thing", hand_over(&item)).hold(0.1),
            stage("grasped in time", grasped(&item)).hold(0.1),
            stage("lifted clear", lifted_off(&item, &belt, 0.03)),
            stage("carried over the tray", above(&item, &tray).and(grasped(&item))),
            stage("resting on the tray", on(&item, &tray)),
            stage(
                "released and standing",
                all([on(&item, &tray), upright(&item), still(&item), hand_clear_of(&item)]),
            ),
        ])
        .quiet_at_end(2.0)
        .region(&reach)
        .forbid("out of reach", ever(not(above(&item, &reach))).before("grasped in time"))
        .revoking(["hand over the thing"])
        .labels([PHASE_DEPENDENCE, TEMPORAL_WINDOW])
        .horizon(700)
        .source(source("LongBench, Table 2").phases(6).mean_length(481))
}
