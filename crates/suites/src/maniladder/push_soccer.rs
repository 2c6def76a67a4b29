//! Push soccer — a ball is pushed into a goal.
//!
//! Scene: a football and a goal whose mouth faces the robot.
//! Randomization: the ball's place, the goal's place and heading.
//! Stages: 1 (the ball is in the goal).
//! Success: the ball lies in the goal, still and not held.
//! Source and deviations: PushSoccer-v1. Meta-World's soccer counts 7 cm from the goal's middle; here the ball
//! must be behind the line.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_GRIPPER, rung};

pub(super) fn task() -> TaskSpec {
    let ball = object("ball", SoccerBall { radius: 0.035 });
    let goal = object("goal", SoccerGoal { width: 0.24 });
    let kick = region("kick-off", rect([-0.14, -0.12], [-0.06, 0.12]));
    let stands = region("goal spot", rect([0.2, -0.06], [0.24, 0.06]))
        .yaw(-FRAC_PI_2 - 0.2, -FRAC_PI_2 + 0.2);
    let inside = all([in_(&ball, "goal/inside"), not(grasped(&ball)), still(&ball)]);
    rung(
        "push-soccer",
        RigName::STUDIO_PANDA,
        [LEVEL_1, RIGID, SINGLE_GRIPPER],
        "PushSoccer-v1",
        &["the ball must lie behind the line; Meta-World's soccer counts 7 cm from the goal's middle"],
    )
    .instruction("push the ball into the goal")
    .place(&goal, &stands)
    .place(&ball, &kick)
    .plan([push(&ball, "goal/inside").with_effect(inside)])
    .stages(from_plan())
    .horizon(400)
}
