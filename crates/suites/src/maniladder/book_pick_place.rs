//! Book pick and place — a book goes from one arm to the other and into a rack.
//!
//! Scene: a book standing on the left side, a rack on the right side that the left arm does not reach.
//! Randomization: the poses of both.
//! Stages: 3 (the left hand takes the book, the right hand has it, it stands in the rack).
//! Success: the rack carries the book upright (15°), released and still.
//! Source and deviations: DualArmBookPickPlace-v1. What the two arms do with the book is not public: ours pass it
//! on. RLBench's put_books_on_bookshelf has a sensor in place of a limit.

use longarm_task::prelude::*;

use super::{DUAL_GRIPPER, LEVEL_2, RIGID, rung};

/// Thickness, width and height of the book.
const BOOK: [f64; 3] = [0.03, 0.14, 0.17];

pub(super) fn task() -> TaskSpec {
    let book = object("book", Book { size: BOOK, lying: false });
    let rack = object("rack", BookRack { book: [BOOK[0], BOOK[1]] }).colour(any_of([
        Colour::Brown,
        Colour::White,
        Colour::Cyan,
    ]));
    let stands = region("book spot", rect([-0.12, 0.2], [0.0, 0.28])).yaw(-0.4, 0.4);
    let side = region("rack spot", rect([-0.08, -0.32], [0.04, -0.24])).yaw(-0.4, 0.4);
    let shelved = all([on(&book, &rack), upright(&book), not(grasped(&book)), still(&book)]);
    rung(
        "dual-arm-book-pick-place",
        RigName::STUDIO_TWO_PANDAS,
        [LEVEL_2, RIGID, DUAL_GRIPPER],
        "DualArmBookPickPlace-v1",
        &["what two arms do with the book is not public: one passes it to the other, which shelves it"],
    )
    .instruction("take the book with the left hand, pass it to the right hand and put it in the rack")
    .place(&rack, &side)
    .place(&book, &stands)
    .plan([
        pick(&book).from(&stands).with("left"),
        pass(&book, "left", "right"),
        put(&book).in_(rack.path("slot")).with("right").with_effect(shelved.clone()),
    ])
    .stages([
        stage("take the book", lifted(&book, 0.02).with("left")).hold(0.1),
        stage("pass it on", all([grasped(&book).with("right"), not(grasped(&book).with("left"))]))
            .hold(0.1),
        stage("put it in the rack", shelved).hold(0.25),
    ])
    .horizon(1_000)
}
