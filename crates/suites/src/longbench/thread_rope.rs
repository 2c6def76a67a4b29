//! Thread rope — a rope's stiff end goes through two rings, one after the other.
//!
//! Scene: a rope lying straight on the table, two rings on low posts behind each other.
//! Randomization: the rope's place and heading, both posts' places, the rings' colour.
//! Stages: 5 (grasp the rope's end; end through the first ring; grasped again beyond it and drawn on;
//! end through the second ring; at least 4 cm past the second ring).
//! Success: all stages, the last one standing for two quiet seconds.
//! Source and deviations: LongBench, Table 2 (PD, IP, EA). Phase names are ours. The rope's end is
//! stiffened for 8 cm like a lace's. No hand fits through a ring: the end, held, 6.5 cm past the first
//! ring proves that it was grasped again beyond it.

use std::f64::consts::FRAC_PI_2;

use longarm_task::prelude::*;

use super::label::{ERROR_ACCUMULATION, ITERATIVE_PROGRESS, PHASE_DEPENDENCE};

pub(super) fn task() -> TaskSpec {
    let rope = object("rope", Rope { length: 0.33 });
    let post = |name: &str| object(name, HolePost { height: 0.038, hole: 0.02 });
    let first = post("first_ring").colour(any_colour());
    let second = post("second_ring").colour(any_colour().unlike([&first]));
    let (one, two) = (first.path("hole"), second.path("hole"));
    let start = region("start", rect([0.26, -0.17], [0.34, -0.13])).yaw(-1.85, -1.3);
    let middle = region("middle", rect([0.29, -0.035], [0.31, -0.015])).yaw(FRAC_PI_2, FRAC_PI_2);
    let left = region("left", rect([0.29, 0.125], [0.31, 0.14])).yaw(FRAC_PI_2, FRAC_PI_2);

    TaskSpec::new("longbench/thread-rope", RigName::ARX_R5)
        .instruction(
            "thread the rope through the {first_ring.colour} ring and then through the \
             {second_ring.colour} ring, until at least four centimetres stick out",
        )
        .place(&first, &middle)
        .place(&second, &left)
        .place(&rope, &start)
        .plan([
            grasp(&rope).only_if(not(through(&rope, &two, 0.04))),
            thread(&rope, &one, 0.03),
            grasp(&rope).only_if(through(&rope, &one, 0.0)),
            thread(&rope, &two, 0.02).only_if(through(&rope, &one, 0.0)),
            thread(&rope, &two, 0.045).only_if(through(&rope, &one, 0.0)),
        ])
        .stages([
            stage("take hold of the end", grasped(&rope)).hold(0.1),
            stage("end through the first ring", through(&rope, &one, 0.015)).hold(0.1),
            stage(
                "taken again beyond the first ring",
                grasped(&rope).and(through(&rope, &one, 0.065)),
            ),
            stage("end through the second ring", through(&rope, &two, 0.015)).hold(0.1),
            stage("4 cm past the second ring", through(&rope, &two, 0.04)).at_end(),
        ])
        .quiet_at_end(2.0)
        .labels([PHASE_DEPENDENCE, ITERATIVE_PROGRESS, ERROR_ACCUMULATION])
        .horizon(1_500)
        .source(source("LongBench, Table 2").phases(5).mean_length(600))
}
