//! LongBench: execution against context in long-horizon manipulation.
//!
//! The original runs on a real ARX-R5; this is its simulated twin with the same interface. The paper
//! publishes the number of phases of each task, not their names: the phases here are ours.

mod pull_drawer;
mod repeat_placement;
mod stack_block;

use crate::Suite;

/// Labels: what makes a task hard.
mod label {
    pub const PHASE_DEPENDENCE: &str = "PD";
    pub const ITERATIVE_PROGRESS: &str = "IP";
    pub const ERROR_ACCUMULATION: &str = "EA";
    pub const COMPLETION: &str = "CP";
    pub const COUNT: &str = "CT";
}

/// The suite.
pub const SUITE: Suite = Suite {
    name: "longbench",
    title: "LongBench: execution against context, on an ARX-R5",
    table: &[
        ("longbench/pull-drawer", pull_drawer::task),
        ("longbench/stack-block", stack_block::task),
        ("longbench/repeat-placement", repeat_placement::task),
    ],
};
