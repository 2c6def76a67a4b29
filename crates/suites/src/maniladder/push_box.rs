//! Push box — each arm pushes a box to the mark of its side.
//!
//! Scene: two boxes of 8 cm near the robots, a mark farther out on each side.
//! Randomization: poses of the boxes, places of the marks, colours.
//! Stages: 2 (the left box, the right box; in any order).
//! Success: the middle of each box is over its mark, neither is held.
//! Source and deviations: DualArmPushBox-v1. Bi-DexHands' PushBlock allows 10 cm from the goal; the marks here
//! are 14 cm wide. The boxes are too wide for the grippers.

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_1, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let sides = [("left", 1.0), ("right", -1.0)];
    let mut spec = rung(
        "dual-arm-push-box",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_1, RIGID, DUAL_GRIPPER],
        "DualArmPushBox-v1",
        &["marks are 14 cm wide; Bi-DexHands' PushBlock allows 10 cm from the goal"],
    )
    .instruction("push each box onto the mark of its side");
    let (mut steps, mut stages) = (Vec::new(), Vec::new());
    for (side, s) in sides {
        let cube = object(format!("{side}_box"), Block::cube(0.08))
            .colour(any_of([Colour::Orange, Colour::Purple, Colour::Cyan]))
            .called(format!("{side} box"));
        let mark = object(format!("{side}_mark"), Zone { size: [0.14, 0.14] })
            .colour(Colour::Green)
            .called(format!("{side} mark"));
        let span = |name: &str, x: [f64; 2], y: [f64; 2]| {
            region(format!("{side} {name}"), rect([x[0], s * y[0]], [x[1], s * y[1]]))
        };
        let there = all([at(&cube, mark.path("surface")), not(grasped(&cube))]);
        let name = format!("push the {side} box onto its mark");
        steps.push(
            push(&cube, mark.path("surface")).with(side).with_effect(there.clone()).saying(&name),
        );
        stages.push(stage(name, there).hold(0.25));
        spec = spec
            .place(&mark, &span("mark spot", [0.08, 0.12], [0.16, 0.26]))
            .place(&cube, &span("start", [-0.14, -0.08], [0.16, 0.26]).yaw(-0.3, 0.3));
    }
    spec.plan(together(steps)).stages(any_order(stages)).horizon(500)
}
