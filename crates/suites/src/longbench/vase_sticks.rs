//! Vase sticks — exactly three sticks go into the vase, however many there are.
//!
//! Scene: three to five sticks beside an opaque vase that is deeper than a stick is long; a dark
//! diaphragm in its neck hides what is inside.
//! Randomization: number and poses of the sticks, their colour, the vase's place and colour.
//! Stages: 6 (pick, insert; three times).
//! Success: all stages, then two quiet seconds; a fourth stick fails and costs the third.
//! Source and deviations: LongBench, Table 3 (CP, CE). Phase names are ours. Which sticks are taken
//! is free. Within an episode the sticks left on the table can be counted, if only just; what they do
//! not tell is how many there were: two left, the hand drawn back, ask for another in one episode and
//! for an end in another, and these look alike.

use longarm_task::prelude::*;

use super::label::{COMPLETION, CROSS_EPISODE};

pub(super) fn task() -> TaskSpec {
    let sticks = [1, 2, 3, 4, 5].map(|i| {
        object(format!("stick_{i}"), Stick { length: 0.10 })
            .when(given("n").at_least(i))
            .colour(any_of([Colour::Brown, Colour::Orange, Colour::Green]))
            .called("stick")
    });
    let vase = object("vase", Vase { height: 0.14 }).colour(any_of([
        Colour::Blue,
        Colour::Gray,
        Colour::Purple,
    ]));
    let spot = region("vase spot", rect([0.30, 0.10], [0.34, 0.14]));
    let rack = region("rack", rect([0.27, -0.20], [0.38, -0.01])).yaw(-0.25, 0.25);
    let inside = |n| at_least(n, sticks.iter().map(|s| in_(s, &vase)));
    let round = |k: u32| {
        let before = k as usize - 1;
        let picked = any(sticks.iter().map(|s| lifted(s, 0.02))).and(inside(before));
        let done = inside(before + 1).and(not(grasped("sticks")));
        [
            stage(format!("pick stick {k}"), picked).saying("pick up a stick").hold(0.1).round(k),
            stage(format!("stick {k} in the vase"), done)
                .saying("insert the stick into the vase")
                .hold(0.25)
                .round(k),
        ]
    };

    let mut spec = TaskSpec::new("longbench/vase-sticks", RigName::ARX_R5)
        .instruction("put exactly three sticks into the vase, one after the other")
        // Three are solved by accident: they come up less often than four or five.
        .variable("n", [3, 4, 4, 5, 5])
        .place(&vase, &spot);
    for s in &sticks {
        spec = spec.place(s, &rack);
    }
    // The last comes first, so that what is left does not tell how many there were.
    spec.group("sticks", sticks.iter().rev())
        .clearance(0.018)
        .plan(repeat(
            3,
            [
                pick("sticks").from(&rack).saying("pick up a stick"),
                insert("sticks", &vase).saying("insert the stick into the vase"),
                // Whether another is due is decided where it always looks the same.
                withdraw(),
            ],
        ))
        .stages([round(1), round(2), round(3)].concat())
        // On its way to a fourth stick the hand is soon nearer than this.
        .finally(hand_away(0.12))
        .quiet_at_end(2.0)
        .forbid("fourth stick", ever(inside(4)))
        .labels([COMPLETION, CROSS_EPISODE])
        .horizon(1_300)
        .source(source("LongBench, Table 3").phases(6).mean_length(510))
}
