//! Throw block — each hand throws a block into a box out of its reach.
//!
//! Scene: a block before each arm, beyond them an open box, 28 by 34 cm and 9 cm tall.
//! Randomization: places and headings of the blocks, their colours, the box's place.
//! Stages: 4 (take and throw, on the left and on the right).
//! Success: both blocks lie still in the box, and neither was held within 44 cm of its middle, seen from above.
//! Source and deviations: DualArmThrowBlock-v1. Bi-DexHands' tasks of throwing count 3 cm from the goal in the
//! other hand; here a box catches, its wall 30 cm or more from the hand that lets go. ±1 of a tool delta
//! is 0.12 m here, for a throw.

use std::f64::consts::PI;

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_2, RIGID, rung};

/// Width and height of a block: as tall as fingers need to close around it.
const SIZE: [f64; 2] = [0.05, 0.12];
/// The box, and how near to its middle a hand may hold a block: half its depth and 30 cm.
const BOX: [f64; 3] = [0.28, 0.34, 0.09];
const LINE: f64 = BOX[0] / 2.0 + 0.3;

pub(super) fn task() -> TaskSpec {
    let catch = object("box", Bin { size: BOX, label: "CATCH".into() });
    let stands = region("box spot", rect([0.41, -0.04], [0.45, 0.04])).yaw(PI, PI);
    let mut spec = rung(
        "dual-arm-throw-block",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_2, RIGID, DUAL_DEX],
        "DualArmThrowBlock-v1",
        &["thrown into a box, 30 cm or more in free flight; Bi-DexHands catches with the other hand"],
    )
    .instruction("throw each block into the box")
    .tool_scale(0.12, 0.5)
    .place(&catch, &stands);
    let (mut plans, mut stages) = (Vec::new(), Vec::new());
    for (side, s) in [("left", 1.0), ("right", -1.0)] {
        let block = object(format!("{side}_block"), Block { size: [SIZE[0], SIZE[0], SIZE[1]] })
            .colour(any_of([Colour::Red, Colour::Green, Colour::Blue, Colour::Yellow]))
            .called(format!("{side} block"));
        let lies = region(format!("{side} spot"), rect([-0.2, s * 0.16], [-0.12, s * 0.26]))
            .yaw(-0.4, 0.4);
        let inside = all([in_(&block, catch.path("inside")), not(grasped(&block))]);
        let caught = all([inside.clone(), still(&block)]);
        plans.push([
            pick(&block).from(&lies).with(side).saying(format!("pick up the {side} block")),
            throw(&block, catch.path("inside"))
                .with(side)
                .saying(format!("throw the {side} block")),
        ]);
        stages.extend([
            stage(format!("take the {side} block"), lifted(&block, 0.02)).hold(0.1),
            stage(format!("throw the {side} block"), caught).hold(0.25).measured_by(inside),
        ]);
        let near = all([grasped(&block), hand_over(&catch).within(LINE)]).with(side);
        spec = spec
            .place(&block, &lies)
            .forbid(format!("the {side} block is held near the box"), times(near).more_than(0));
    }
    spec.plan(together(plans)).stages(partial(stages, [(0, 1), (2, 3)])).horizon(600)
}
