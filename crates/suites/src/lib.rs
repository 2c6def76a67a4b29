//! The benchmark suites as data: one folder per suite, one small file per task, one table.
//!
//! Nothing here simulates; this crate builds without MuJoCo.

pub mod boss;
pub mod libero;
pub mod lohoravens;
pub mod longbench;

use longarm_task::TaskSpec;

/// A task's id and its builder.
pub type Row = (&'static str, fn() -> TaskSpec);

/// Tasks that follow from tables of values: names, and the task of a name.
#[derive(Clone, Copy)]
pub struct Family {
    /// Ids of the tasks that are listed; [`Family::task`] may know more.
    pub ids: fn() -> &'static [String],
    /// The task with this id.
    pub task: fn(&str) -> Option<TaskSpec>,
}

/// Where the tasks of a suite come from.
#[derive(Clone, Copy)]
pub enum Table {
    /// One builder each.
    Rows(&'static [Row]),
    /// Tables of values.
    Family(Family),
}

/// A suite: tasks that belong together.
pub struct Suite {
    /// First part of its tasks' ids.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// Episodes of each task in its own protocol.
    pub episodes: u64,
    /// Its tasks.
    pub table: Table,
}

impl Suite {
    /// Ids of its tasks.
    pub fn ids(&self) -> Vec<&'static str> {
        match self.table {
            Table::Rows(rows) => rows.iter().map(|(id, _)| *id).collect(),
            Table::Family(f) => (f.ids)().iter().map(String::as_str).collect(),
        }
    }

    /// The task with this id.
    pub fn task(&self, id: &str) -> Option<TaskSpec> {
        match self.table {
            Table::Rows(rows) => rows.iter().find(|(i, _)| *i == id).map(|(_, make)| make()),
            Table::Family(f) => (f.task)(id),
        }
    }

    /// Its tasks.
    pub fn tasks(&self) -> impl Iterator<Item = TaskSpec> {
        self.ids().into_iter().filter_map(|id| self.task(id))
    }
}

/// All suites.
pub const SUITES: &[Suite] =
    &[longbench::SUITE, lohoravens::SUITE, libero::NINETY, libero::TEN, boss::SUITE];

/// All tasks.
pub fn tasks() -> impl Iterator<Item = TaskSpec> {
    SUITES.iter().flat_map(Suite::tasks)
}

/// Ids of all tasks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    SUITES.iter().flat_map(Suite::ids)
}

/// The task with this id.
pub fn task(id: &str) -> Option<TaskSpec> {
    let suite = id.split_once('/')?.0;
    SUITES.iter().find(|s| s.name == suite)?.task(id)
}
