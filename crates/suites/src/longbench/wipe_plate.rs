//! Wipe plate — clear the plate, wipe it exactly twice, put the wiper back, clear the table.
//!
//! Scene: a plate with an object on it, a sponge, another object on the table, a waste-paper bin.
//! Randomization: all poses, what the two objects are.
//! Stages: 8 (pick from the plate; in bin; pick the wiper; wipe; wipe again; wiper back; pick from the
//! table; in bin).
//! Success: all stages, then two quiet seconds; a third wipe fails and costs the second and the return
//! of the wiper.
//! Source and deviations: LongBench, Table 3 (CT). Phase names are ours. A wipe is 6 cm of contact
//! between held sponge and plate without turning back.

use longarm_task::prelude::*;

use super::label::COUNT;

pub(super) fn task() -> TaskSpec {
    let plate = object("plate", Plate { radius: 0.11 });
    let scrap = object("scrap", (PaperBall, Battery, Apple)).called("{scrap.noun}");
    let rest = object("rest", (Can, Carton, Bottle)).called("{rest.noun}");
    let sponge = object("sponge", Sponge);
    let bin = object("bin", TrashBin);
    let middle = region("middle", rect([0.27, -0.01], [0.30, 0.01]));
    let side = region("side", rect([0.20, -0.20], [0.34, -0.17])).yaw(-0.5, 0.5);
    let shelf = region("sponge rest", rect([0.20, 0.17], [0.24, 0.19])).yaw(1.3, 1.8);
    let corner = region("bin spot", rect([0.41, 0.17], [0.42, 0.18]));

    TaskSpec::new("longbench/wipe-plate", RigName::ARX_R5)
        .instruction(
            "throw the {scrap.noun} on the plate into the bin, wipe the plate exactly twice with \
             the sponge, put the sponge back, then throw the {rest.noun} into the bin",
        )
        .place(&plate, &middle)
        .place(&bin, &corner)
        .place(&scrap, on_top_of(&plate))
        .place(&rest, &side)
        .place(&sponge, &shelf)
        .plan([
            pick(&scrap).from(&plate),
            put(&scrap).in_(&bin),
            pick(&sponge).from(&shelf),
            wipe(&sponge, &plate, 1),
            wipe(&sponge, &plate, 1),
            put(&sponge).back_at_start(),
            pick(&rest).from(&side),
            put(&rest).in_(&bin),
        ])
        .stages(from_plan())
        .quiet_at_end(2.0)
        .forbid("third wipe", strokes(&sponge, &plate, 0.06).more_than(2))
        .revoking(["wipe the plate with the sponge (2)", "put the sponge back where it was"])
        .labels([COUNT])
        .horizon(1_700)
        .source(source("LongBench, Table 3").phases(8).mean_length(651))
}
