//! LongBench: execution against context in long-horizon manipulation.
//!
//! The original runs on a real ARX-R5; this is its simulated twin with the same interface. The paper
//! publishes the number of phases of each task, not their names: the phases here are ours.

mod dynamic_grasping;
mod hide_block;
pub mod published;
mod pull_drawer;
mod repeat_placement;
mod stack_block;
mod swap_blocks;
mod thread_rope;
mod vase_sticks;
mod waste_sorting;
mod wipe_plate;

use longarm_types::Protocol;
use longarm_types::protocol::{LabelGroup, MeanOver, Measure, Metric};

use crate::{Suite, Table};

/// Labels: what makes a task hard.
mod label {
    pub const PHASE_DEPENDENCE: &str = "PD";
    pub const ITERATIVE_PROGRESS: &str = "IP";
    pub const ERROR_ACCUMULATION: &str = "EA";
    pub const TEMPORAL_WINDOW: &str = "TW";
    pub const COMPLETION: &str = "CP";
    pub const COUNT: &str = "CT";
    pub const SUBTASK_BRANCH: &str = "SB";
    pub const CROSS_EPISODE: &str = "CE";
}

/// The regimes with their mechanisms: the order in which the paper has them.
fn regimes() -> Vec<LabelGroup> {
    vec![
        LabelGroup::new(
            INDEPENDENT,
            &[
                (label::PHASE_DEPENDENCE, "Phase dependence"),
                (label::ITERATIVE_PROGRESS, "Iterative progress"),
                (label::ERROR_ACCUMULATION, "Error accumulation"),
                (label::TEMPORAL_WINDOW, "Temporal windows"),
            ],
        )
        .needs_context(false),
        LabelGroup::new(
            DEPENDENT,
            &[
                (label::COMPLETION, "Completion"),
                (label::COUNT, "Count"),
                (label::SUBTASK_BRANCH, "Subtask branch"),
                (label::CROSS_EPISODE, "Cross-episode"),
            ],
        )
        .needs_context(true),
    ]
}

const INDEPENDENT: &str = "context-independent";
const DEPENDENT: &str = "context-dependent";
/// The benchmark's own number.
const OVERALL: &str = "overall";

fn protocol() -> Protocol {
    Protocol {
        title: "LongBench".to_owned(),
        episodes: 10,
        groups: regimes(),
        metrics: vec![Metric {
            name: OVERALL.to_owned(),
            title: "mean of both regimes".to_owned(),
            measure: Measure::Score,
            over: MeanOver::Groups,
        }],
        published: Some(published::published()),
        ..Protocol::default()
    }
}

/// The suite.
pub const SUITE: Suite = Suite {
    benchmarks: &["longbench/stack-block"],
    ..Suite::new(
        "longbench",
        "LongBench: execution against context, on an ARX-R5",
        Table::Rows(&[
            ("longbench/waste-sorting", waste_sorting::task),
            ("longbench/thread-rope", thread_rope::task),
            ("longbench/pull-drawer", pull_drawer::task),
            ("longbench/stack-block", stack_block::task),
            ("longbench/dynamic-grasping", dynamic_grasping::task),
            ("longbench/vase-sticks", vase_sticks::task),
            ("longbench/wipe-plate", wipe_plate::task),
            ("longbench/repeat-placement", repeat_placement::task),
            ("longbench/swap-blocks", swap_blocks::task),
            ("longbench/hide-block", hide_block::task),
        ]),
        protocol,
    )
};
