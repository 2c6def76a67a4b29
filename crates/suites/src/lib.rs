//! The benchmark suites as data: one folder per suite, one small file per task, one table.
//!
//! A suite brings its tasks and everything that is particular to it as values: its [`Protocol`], its
//! options, a generator of modified scenes. No other crate knows a suite by name. Nothing here
//! simulates; this crate builds without MuJoCo.

pub mod boss;
mod lab;
pub mod libero;
pub mod lohoravens;
pub mod longbench;
pub mod maniladder;
mod modifier;
mod option;
pub mod robomemarena;

use longarm_assets::outside::OutsideError;
use longarm_assets::source::AssetFolders;
use longarm_task::TaskSpec;
use longarm_task::bddl::Problem;
use longarm_types::Protocol;
use longarm_types::protocol::{Role, StepUnit};

pub use lab::LabTask;
pub use modifier::{Base, Drawn, Modification, Modifier, Rule};
pub use option::{OptionError, PACE, SuiteOption, apply_options, option, with_options};

/// A task's id and its builder.
pub type TaskRow = (&'static str, fn() -> TaskSpec);

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
    Rows(&'static [TaskRow]),
    /// Tables of values.
    Family(Family),
}

/// A suite: tasks that belong together.
pub struct Suite {
    /// First part of its tasks' ids.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// Its tasks.
    pub table: Table,
    /// How it is run and what is reported of it, without the roles of its tasks.
    pub protocol: fn() -> Protocol,
    /// How a task is made of others of the suite; most are not.
    pub role: fn(&str) -> Option<Role>,
    /// The problem of a task, where it is written as one.
    pub problem: Option<fn(&str) -> Option<Problem>>,
    /// What may be chosen about its tasks.
    pub options: &'static [SuiteOption],
    /// A generator of modified scenes.
    pub modifier: Option<Modifier>,
    /// Tasks for a lab that are not simulated.
    pub lab: &'static [LabTask],
    /// Ids of the tasks by which the engine's speed is measured.
    pub benchmarks: &'static [&'static str],
    /// Plays tasks in other people's files, where it can.
    pub from_files: Option<PlayFiles>,
    /// What models are told that plan or report in its tasks, where an agent has no words of its own.
    pub prompts: Option<Prompts>,
}

/// What models are told about the tasks of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prompts {
    /// Those that plan.
    pub planner: &'static str,
    /// Those that report.
    pub reporter: &'static str,
}

/// What plays tasks of a suite in other people's files.
pub struct PlayFiles {
    /// Names of the folders it needs.
    pub folders: &'static [&'static str],
    /// The tasks so, in the same order.
    pub apply: fn(Vec<TaskSpec>, &AssetFolders) -> Result<Vec<TaskSpec>, OutsideError>,
}

impl Suite {
    /// A suite with nothing of its own but tasks and a protocol.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        table: Table,
        protocol: fn() -> Protocol,
    ) -> Self {
        Self {
            name,
            title,
            table,
            protocol,
            role: |_| None,
            problem: None,
            options: &[],
            modifier: None,
            lab: &[],
            benchmarks: &[],
            from_files: None,
            prompts: None,
        }
    }

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

    /// Its protocol with the roles of these tasks.
    pub fn protocol_of<'a>(&self, tasks: impl IntoIterator<Item = &'a str>) -> Protocol {
        let role = |id: &str| Some((id.to_owned(), (self.role)(id)?));
        Protocol { roles: tasks.into_iter().filter_map(role).collect(), ..(self.protocol)() }
    }
}

/// All suites. The first is the one that is meant where none is named.
pub const SUITES: &[Suite] = &[
    longbench::SUITE,
    lohoravens::SUITE,
    libero::NINETY,
    libero::TEN,
    libero::SPATIAL,
    libero::OBJECT,
    libero::GOAL,
    boss::SUITE,
    robomemarena::SUITE,
    robomemarena::twins::SUITE,
    maniladder::SUITE,
];

/// The suite of this name.
pub fn suite(name: &str) -> Option<&'static Suite> {
    SUITES.iter().find(|s| s.name == name)
}

/// The tasks by which the engine's speed is measured where steps are of this kind.
pub fn benchmarks(step: StepUnit) -> impl Iterator<Item = &'static str> {
    let own = move |s: &&Suite| (s.protocol)().step == step;
    SUITES.iter().filter(own).flat_map(|s| s.benchmarks.iter().copied())
}

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
    suite(id.split_once('/')?.0)?.task(id)
}

/// The problem of a task that is written as one.
pub fn problem(id: &str) -> Option<Problem> {
    suite(id.split_once('/')?.0)?.problem?(id)
}
