//! Hide block — the block changes its hiding place; the scene ends as it began.
//!
//! Scene: two funnels of one colour standing upside down, a block under one of them.
//! Randomization: both funnels' places, their colour, the block's colour, which funnel hides it.
//! Stages: 10 (lift funnel A, set it aside; lift funnel B, set it aside; pick the block, put it where
//! the other funnel was; lift B, return it; lift A, return it).
//! Success: all stages, the block hidden under the funnel that was empty, then two quiet seconds.
//! Source and deviations: LongBench, Table 3 (CP, SB, CE). Phase names and the order of the funnels
//! are ours.

use longarm_task::prelude::*;

use super::label::{COMPLETION, CROSS_EPISODE, SUBTASK_BRANCH};

pub(super) fn task() -> TaskSpec {
    let a = object("funnel_a", FunnelCup).colour(any_colour()).called("right funnel");
    let b = object("funnel_b", FunnelCup).colour(same_colour_as("funnel_a")).called("left funnel");
    let block = object("block", Block::cube(0.03)).colour(any_colour().unlike([&a]));
    let right = region("right", rect([0.33, -0.15], [0.38, -0.10]));
    let left = region("left", rect([0.33, 0.10], [0.38, 0.15]));
    let right_side = region("right side", rect([0.20, -0.18], [0.22, -0.15]));
    let left_side = region("left side", rect([0.20, 0.15], [0.22, 0.18]));
    let hidden = any([in_(&block, &a), in_(&block, &b)]);

    TaskSpec::new("longbench/hide-block", RigName::ARX_R5)
        .instruction(
            "a block hides under one of the funnels: set the funnels aside, the right one first, \
             move the block to where the other funnel was, and return the funnels, the left one \
             first, so that everything looks as before",
        )
        .variable("hidden under", 0..=1)
        .place(&a, &right)
        .place(&b, &left)
        .place(&block, chosen_by("hidden under", [under(&a), under(&b)]).yaw(-0.4, 0.4))
        .region(&right_side)
        .region(&left_side)
        .plan([
            [pick(&a).from(&right), put(&a).at(&right_side)].into(),
            [pick(&b).from(&left), put(&b).at(&left_side)].into(),
            pick(&block).into(),
            if_given(
                given("hidden under").is(0),
                put(&block).at_start_of(&b).saying("put the block where the other funnel was"),
                put(&block).at_start_of(&a).saying("put the block where the other funnel was"),
            ),
            [pick(&b).from(&left_side), put(&b).back_at_start()].into(),
            [pick(&a).from(&right_side), put(&a).back_at_start()].into(),
        ])
        .stages(from_plan())
        .finally(hidden.and(not(back_at_start(&block))))
        .quiet_at_end(2.0)
        .labels([COMPLETION, SUBTASK_BRANCH, CROSS_EPISODE])
        .horizon(1_900)
        .source(source("LongBench, Table 3").phases(10).mean_length(556))
}
