//! Button press — each arm presses a button, both at the same time.
//!
//! Scene: two large push buttons, one before each arm; a pressed one springs back when it is let go.
//! Randomization: their places and headings, their colours.
//! Stages: 3 (the left button, the right button, in any order; both together).
//! Success: both caps are pressed by 2 cm or more at the same time.
//! Source and deviations: DualArmButtonPress-v1. 2 cm is Meta-World's button; Bi-DexHands' Switch adds the
//! travel of both up to 5 cm.

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_1, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let mut spec = rung(
        "dual-arm-button-press",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_1, RIGID, DUAL_GRIPPER],
        "DualArmButtonPress-v1",
        &["pressed is 2 cm, as Meta-World's button; Bi-DexHands' Switch adds up both to 5 cm"],
    )
    .instruction("press both buttons at the same time");
    let (mut steps, mut stages, mut pressed) = (Vec::new(), Vec::new(), Vec::new());
    for (side, s) in [("left", 1.0), ("right", -1.0)] {
        let button = object(format!("{side}_button"), PushButton {})
            .colour(any_of([Colour::Red, Colour::Green, Colour::Blue, Colour::Yellow]))
            .called(format!("{side} button"));
        let stands =
            region(format!("{side} button spot"), rect([-0.14, s * 0.14], [0.06, s * 0.28]))
                .yaw(-0.4, 0.4);
        let cap = button.path("cap");
        let name = format!("press the {side} button");
        steps.push(open(&cap).with(side).saying(&name));
        stages.push(stage(name, is_open(&cap)).hold(0.1));
        pressed.push(is_open(&cap));
        spec = spec.place(&button, &stands);
    }
    stages.push(stage("press both at once", all(pressed)).hold(0.25));
    spec.plan(together(steps)).stages(partial(stages, [(0, 2), (1, 2)])).horizon(300)
}
