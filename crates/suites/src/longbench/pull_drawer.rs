//! Pull drawer — one object goes into the top drawer, another comes out of the middle one.
//!
//! Scene: a cabinet with three drawers, a block beside it, another block in its middle drawer.
//! Randomization: the cabinet's place, both blocks' poses and colours.
//! Stages: 8 (open top; pick; place in top; close top; open middle; pick; place on table; close
//! middle).
//! Success: all stages, then two quiet seconds.
//! Source and deviations: LongBench, Table 2 (PD, IP). Phase names are ours; the paper publishes only
//! their number.

use longarm_task::prelude::*;

use super::label::{ITERATIVE_PROGRESS, PHASE_DEPENDENCE};

pub(super) fn task() -> TaskSpec {
    let cabinet = object("cabinet", Cabinet);
    let block = object("block", Block::cube(0.04))
        .colour(any_of(Colour::DISTINCT))
        .called("{block.colour} block");
    let hidden = object("hidden_block", Block::cube(0.04))
        .colour(any_of(Colour::DISTINCT).unlike(["block"]))
        .called("block inside");
    let stand = region("cabinet spot", rect([0.57, -0.01], [0.59, 0.01]));
    let beside = region("beside", rect([0.22, 0.16], [0.30, 0.20])).yaw(-0.5, 0.5);
    let free = region("free spot", rect([0.22, -0.20], [0.30, -0.16]));

    TaskSpec::new("longbench/pull-drawer", RigName::ARX_R5)
        .instruction(
            "put the {block.colour} block into the top drawer and close it, then take the block \
             out of the middle drawer, put it on the table and close the drawer",
        )
        .place(&cabinet, &stand)
        .place(&block, &beside)
        .place(&hidden, "cabinet/middle_front")
        .region(&free)
        .plan([
            open("cabinet/top").only_if(at(&block, &beside)).saying("open the top drawer"),
            pick(&block).from(&beside),
            put(&block).in_("cabinet/top_region").saying("put the block in the top drawer"),
            close("cabinet/top")
                .only_if(in_(&block, "cabinet/top_region"))
                .saying("close the top drawer"),
            open("cabinet/middle")
                .only_if(not(at(&hidden, &free)))
                .saying("open the middle drawer"),
            pick(&hidden).from("cabinet/middle_region").saying("pick up the block inside"),
            put(&hidden).at(&free).saying("put it on the table"),
            close("cabinet/middle").only_if(at(&hidden, &free)).saying("close the middle drawer"),
        ])
        .stages(from_plan())
        .quiet_at_end(2.0)
        .labels([PHASE_DEPENDENCE, ITERATIVE_PROGRESS])
        .horizon(1_800)
        .source(source("LongBench, Table 2").phases(8).mean_length(960))
}
