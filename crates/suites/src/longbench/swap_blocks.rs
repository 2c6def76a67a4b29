//! Swap blocks — each of two blocks visits the plate and returns to its own place, in order.
//!
//! Scene: two blocks of different colours on one side, a plate on the other.
//! Randomization: all poses, both colours.
//! Stages: 10 (for one block, then for the other: pick, on plate, hand withdrawn, pick again, back at
//! its own start).
//! Success: all stages, then two quiet seconds; taking a returned block again fails and costs its
//! whole visit.
//! Source and deviations: LongBench, Table 3 (SB). Phase names are ours; the hand withdraws between
//! the two halves of a visit, which gives the published number of phases.

use longarm_task::prelude::*;

use super::label::SUBTASK_BRANCH;

pub(super) fn task() -> TaskSpec {
    let first =
        object("block_a", Block::cube(0.04)).colour(any_colour()).called("{block_a.colour} block");
    let second = object("block_b", Block::cube(0.04))
        .colour(any_colour().unlike([&first]))
        .called("{block_b.colour} block");
    let plate = object("plate", Plate { radius: 0.09 });
    let near = region("near side", rect([0.20, -0.19], [0.26, -0.10])).yaw(-0.4, 0.4);
    let far = region("far side", rect([0.34, -0.19], [0.40, -0.10])).yaw(-0.4, 0.4);
    let spot = region("plate spot", rect([0.26, 0.08], [0.34, 0.12]));

    let visit = |block, from| {
        [
            pick(block).from(from),
            put(block).on(&plate),
            withdraw().only_if(on(block, &plate)),
            pick(block).from(&plate),
            put(block).back_at_start(),
        ]
    };
    let phases = |name: &str| {
        [
            format!("pick up the {name}"),
            format!("put the {name} on the plate"),
            format!("pick up the {name} (2)"),
            format!("put the {name} back where it was"),
        ]
    };
    let again =
        |name: &str, block| ever(grasped(block)).after(format!("put the {name} back where it was"));
    let (a, b) = ("block a", "block b");

    TaskSpec::new("longbench/swap-blocks", RigName::ARX_R5)
        .instruction(
            "put the {block_a.colour} block on the plate, let go, and put it back where it was; \
             then do the same once with the {block_b.colour} block",
        )
        .place(&first, &near)
        .place(&second, &far)
        .place(&plate, &spot)
        .plan([visit(&first, &near), visit(&second, &far)])
        .stages(from_plan())
        .quiet_at_end(2.0)
        .forbid("the first block taken again", again(a, &first))
        .revoking(phases(a).into_iter().chain(["draw the hand back".to_owned()]))
        .forbid("the second block taken again", again(b, &second))
        .revoking(phases(b).into_iter().chain(["draw the hand back (2)".to_owned()]))
        .labels([SUBTASK_BRANCH])
        .horizon(1_900)
        .source(source("LongBench, Table 3").phases(10).mean_length(889))
}
