//! Pivot book — a book that lies before a wall is stood up against it.
//!
//! Scene: a narrow book lying on its back on a rail, its foot towards a low wall.
//! Randomization: the wall's place and heading, the book's place and heading before it.
//! Stages: 2 (the book is half way up, it stands).
//! Success: the book stands on its foot, tilted by no more than 0.08 rad, released and still.
//! Source and deviations: PivotBook-v1. The angle is that of ManiSkill's LiftPegUpright. The book is narrow
//! enough for the gripper to take it across; wall and table turn it up.

use longarm_task::place::Spot;
use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_GRIPPER, rung};

const TILT: f64 = 0.08;

pub(super) fn task() -> TaskSpec {
    let wall = object("wall", Backstop { size: [0.2, 0.22, 0.09] });
    let book = object("book", Book { size: [0.026, 0.062, 0.16], lying: true });
    let stands = region("wall spot", rect([-0.03, -0.08], [0.03, 0.08])).yaw(-0.25, 0.25);
    let lies = wall.path("floor");
    let head_away = std::f64::consts::PI;
    let there = all([on_end(&book).within(TILT), on(&book, &lies), not(grasped(&book))]);
    let up = all([there.clone(), still(&book)]);
    rung(
        "pivot-book",
        RigName::STUDIO_PANDA,
        [LEVEL_2, RIGID, SINGLE_GRIPPER],
        "PivotBook-v1",
        &["the angle is that of ManiSkill's LiftPegUpright"],
    )
    .instruction("stand the book up against the wall")
    .place(&wall, &stands)
    .place(&book, Spot::from(lies).yaw(head_away - 0.08, head_away + 0.08))
    .plan([stand(&book, wall.path("face"))
        .with_effect(up.clone())
        .saying("stand the book up against the wall")])
    .stages([
        stage("tip the book up", on_end(&book).within(0.8)).hold(0.1),
        stage("stand the book against the wall", up).hold(0.25).measured_by(there),
    ])
    .horizon(400)
}
