//! Repeat placement — the block goes onto the plate and back, exactly twice.
//!
//! Scene: a block and a plate on the table.
//! Randomization: both poses, the block's colour.
//! Stages: 8 (pick, on plate, pick, back; twice).
//! Success: all stages, then two quiet seconds; a third placement (let go on the plate) fails and costs
//! the second round.
//! Source and deviations: LongBench, Table 3 (CP, CT). Phase names are ours; the paper publishes only
//! their number.

use longarm_task::prelude::*;

use super::label::{COMPLETION, COUNT};

pub(super) fn task() -> TaskSpec {
    let block = object("block", Block::cube(0.04)).colour(any_colour());
    let plate = object("plate", Plate { radius: 0.09 });
    let start = region("start", rect([0.22, -0.19], [0.36, -0.09])).yaw(-0.4, 0.4);
    let spot = region("plate spot", rect([0.24, 0.07], [0.34, 0.12]));
    // Held and touching the plate once more is not yet put down.
    let placed = on(&block, &plate).and(not(grasped(&block)));

    TaskSpec::new("longbench/repeat-placement", RigName::ARX_R5)
        .instruction("move the block onto the plate and back to where it was, exactly twice")
        .place(&block, &start)
        .place(&plate, &spot)
        .plan(repeat(
            2,
            [
                pick(&block).from(&start),
                put(&block).on(&plate),
                pick(&block).from(&plate),
                put(&block).back_at_start(),
            ],
        ))
        .stages(from_plan())
        .quiet_at_end(2.0)
        .forbid("third placement", times(placed).more_than(2))
        .labels([COMPLETION, COUNT])
        .horizon(1_600)
        .source(source("LongBench, Table 3").phases(8).mean_length(773))
}
