//! The benchmark suites as data: one folder per suite, one small file per task, one table.
//!
//! Nothing here simulates; this crate builds without MuJoCo.

pub mod lohoravens;
pub mod longbench;

use longarm_task::TaskSpec;

/// A task's id and its builder.
pub type Row = (&'static str, fn() -> TaskSpec);

/// A suite: tasks that belong together.
pub struct Suite {
    /// First part of its tasks' ids.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// Builders of its tasks, with their names.
    pub table: &'static [Row],
}

impl Suite {
    /// Its tasks.
    pub fn tasks(&self) -> impl Iterator<Item = TaskSpec> {
        self.table.iter().map(|(_, make)| make())
    }
}

/// All suites.
pub const SUITES: &[Suite] = &[longbench::SUITE, lohoravens::SUITE];

/// All tasks.
pub fn tasks() -> impl Iterator<Item = TaskSpec> {
    SUITES.iter().flat_map(Suite::tasks)
}

/// Ids of all tasks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    SUITES.iter().flat_map(|s| s.table).map(|(id, _)| *id)
}

/// The task with this id.
pub fn task(id: &str) -> Option<TaskSpec> {
    SUITES.iter().flat_map(|s| s.table).find(|(i, _)| *i == id).map(|(_, make)| make())
}
