//! Stack block — five blocks become one tower.
//!
//! Scene: five 3 cm blocks of different colours on the table.
//! Randomization: all poses, which colours.
//! Stages: 8 (pick, stack; four times, in the order of the instruction).
//! Success: all stages, then two quiet seconds in which the tower stands.
//! Source and deviations: LongBench, Table 2 (PD, IP, EA). Phase names are ours; the order of the
//! colours is told in the instruction, so that every phase can be verified.

use longarm_task::prelude::*;

use super::label::{ERROR_ACCUMULATION, ITERATIVE_PROGRESS, PHASE_DEPENDENCE};

pub(super) fn task() -> TaskSpec {
    let names = ["block_1", "block_2", "block_3", "block_4", "block_5"];
    let blocks = names.map(|n| {
        let before = names.into_iter().take_while(|o| *o != n);
        object(n, Block::cube(0.03))
            .colour(any_of(Colour::DISTINCT).unlike(before))
            .called(format!("{{{n}.colour}} block"))
    });
    let [first, rest @ ..] = &blocks;
    let middle = region("tower spot", rect([0.26, -0.03], [0.32, 0.03])).yaw(-0.7, 0.7);
    let around = region("around", rect([0.20, -0.20], [0.40, -0.09]))
        .or(rect([0.20, 0.09], [0.40, 0.20]))
        .yaw(-0.7, 0.7);

    let mut spec = TaskSpec::new("longbench/stack-block", RigName::ARX_R5)
        .instruction(
            "stack the blocks into one tower, from the bottom up: {block_1.colour}, \
             {block_2.colour}, {block_3.colour}, {block_4.colour}, {block_5.colour}",
        )
        .place(first, &middle)
        .clearance(0.025);
    let mut steps = Vec::new();
    for (below, block) in blocks.iter().zip(rest) {
        spec = spec.place(block, &around);
        steps.extend([pick(block).from(&around), put(block).on(below)]);
    }
    let tower = all(blocks.iter().zip(rest).map(|(below, block)| on(block, below)));
    spec.plan(steps)
        .stages(from_plan())
        .quiet_at_end(2.0)
        .forbid("the tower falls", ever(not(tower)).after("put the block 5 on the block 4"))
        .labels([PHASE_DEPENDENCE, ITERATIVE_PROGRESS, ERROR_ACCUMULATION])
        .horizon(1_500)
        .source(source("LongBench, Table 2").phases(8).mean_length(692))
}
