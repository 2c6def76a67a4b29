//! Press button — both hands press, each the button of its side, at the same time.
//!
//! Scene: two large push buttons whose caps spring back, one before each arm.
//! Randomization: places and headings of the buttons, colours of their caps.
//! Stages: 3 (the left button by the left hand, the right button by the right hand, both at once).
//! Success: both caps are down by 2 cm or more at the same time, for a quarter of a second.
//! Source and deviations: DualArmPressButton-v1. Bi-DexHands' Switch sums how far two switches are down and
//! counts 5 cm; here each counts from 2 cm of 2.8, as Meta-World's button does, and both must be down at once.

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_1, RIGID, hand_at, rung};

pub(super) fn task() -> TaskSpec {
    let mut spec = rung(
        "dual-arm-press-button",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_1, RIGID, DUAL_DEX],
        "DualArmPressButton-v1",
        &["2 cm down, as Meta-World's button; both at once; Bi-DexHands' Switch sums 5 cm over two"],
    )
    .instruction("press both buttons at the same time, each with the hand of its side");
    let sides = [("left", 1.0), ("right", -1.0)];
    let buttons = sides.map(|(side, s)| {
        let button = object(format!("{side}_button"), PushButton {})
            .colour(any_of([Colour::Red, Colour::Blue, Colour::Green, Colour::Yellow]))
            .called(format!("{side} button"));
        let stands = region(format!("{side} spot"), rect([-0.12, s * 0.14], [0.04, s * 0.24]))
            .yaw(-0.6, 0.6);
        (side, button, stands)
    });
    let caps = buttons.clone().map(|(_, button, _)| button.path("cap"));
    let both = all(caps.map(is_open));
    let steps = buttons.clone().map(|(side, button, _)| {
        let name = format!("press the {side} button");
        turn_on(button.path("cap")).with(side).with_effect(both.clone()).saying(name)
    });
    for (_, button, stands) in &buttons {
        spec = spec.place(button, stands);
    }
    let pressed = |(side, button, _): &(&str, longarm_task::ObjectSpec, _)| {
        is_open(button.path("cap")).and(hand_at(button, 0.12, side))
    };
    let [left, right] = buttons.each_ref().map(pressed);
    spec.plan(together(steps))
        .stages(partial(
            [
                stage("press the left button", left),
                stage("press the right button", right),
                stage("press both at once", both).hold(0.25),
            ],
            [(0, 2), (1, 2)],
        ))
        .horizon(500)
}
