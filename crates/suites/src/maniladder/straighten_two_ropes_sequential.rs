//! Straighten two ropes sequentially — first one rope is pulled straight, then the other.
//!
//! Scene: two limp ropes of 32 cm side by side on the table, in different colours.
//! Randomization: how they bend, places, headings, colours.
//! Stages: 4, in this order (take hold of the first rope; it lies straight; the same of the second).
//! Success: at the end both lie straight within 2 cm, released and still.
//! Source and deviations: StraightenTwoRopesSequential-v1. Threshold as in straighten-rope. The paper does not say
//! which comes first; here the instruction does.

use std::f64::consts::PI;

use longarm_task::prelude::*;

use super::{DEFORMABLE, LEVEL_2, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let colours = [Colour::Red, Colour::Blue, Colour::Green, Colour::Yellow];
    let rope = |name: &str| {
        object(name, Cord { length: 0.32, curl: [2.6, 4.0] })
            .called(format!("{{{name}.colour}} rope"))
    };
    let first = rope("first_rope").colour(any_of(colours));
    let second = rope("second_rope").colour(any_of(colours).unlike([&first]));
    let left = region("left", rect([-0.12, 0.17], [0.02, 0.21])).yaw(-PI, PI);
    let right = region("right", rect([-0.12, -0.21], [0.02, -0.17])).yaw(-PI, PI);
    let lies =
        |rope: &longarm_task::ObjectSpec| all([straight(rope), not(grasped(rope)), still(rope)]);
    let sides = chosen_by("first side", [&left, &right]);
    let others = chosen_by("first side", [&right, &left]);
    let mut steps = Vec::new();
    let mut stages = Vec::new();
    for rope in [&first, &second] {
        steps.push(straighten(rope).with_effect(lies(rope)));
        let name = rope.name.replace('_', " ");
        stages.push(stage(format!("take hold of the {name}"), grasped(rope)).hold(0.1));
        stages.push(stage(format!("pull the {name} straight"), lies(rope)).hold(0.25));
    }
    rung(
        "straighten-two-ropes-sequential",
        RigName::STUDIO_PANDA,
        [LEVEL_2, DEFORMABLE, SINGLE_GRIPPER],
        "StraightenTwoRopesSequential-v1",
        &[
            "2 cm is what Ravens allows the beads of its rope",
            "the instruction says which rope comes first",
        ],
    )
    .variable("first side", [0, 1])
    .instruction("straighten the {first_rope}, then the {second_rope}")
    .place(&first, sides)
    .place(&second, others)
    .plan(steps)
    .stages(stages)
    .finally(all([lies(&first), lies(&second)]))
    .horizon(1500)
}
