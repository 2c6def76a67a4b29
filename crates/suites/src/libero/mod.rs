//! LIBERO-90 and LIBERO-10: twenty scenes, a hundred things asked in them.
//!
//! Scene: one of the twenty rows of `kitchen.rs`, `living_room.rs` and `study.rs`, each of which
//! stands for a BDDL problem (`Scene::problem`).
//! Randomization: every thing within its square of the table, as LIBERO's files give it.
//! Stages: the facts of the goal, in any order; all must hold at once.
//! Success: LIBERO's predicates, except that a region of the table must carry what is on it.
//! Source and deviations: LIBERO, MIT licence, as facts. Objects and fixtures are ours at the
//! published sizes and stand on their origins; initial states are drawn from the regions instead
//! of a stored list; a task is told by its name, as LIBERO's benchmark code does.

mod kitchen;
mod living_room;
mod scene;
mod study;

use std::sync::LazyLock;

use longarm_task::bddl::{Options, Problem, compile};
use longarm_task::{RegionTest, TaskSpec, source};
use longarm_types::Protocol;

pub(crate) use scene::category;
pub use scene::{Scene, Task};

use crate::{Family, Suite, SuiteOption, Table};

/// Control steps of a LIBERO-90 episode, and of BOSS's.
pub const HORIZON: u32 = 400;
/// Control steps of a LIBERO-10 episode.
pub const HORIZON_10: u32 = 520;

/// All scenes.
pub fn scenes() -> impl Iterator<Item = &'static Scene> {
    [kitchen::SCENES, living_room::SCENES, study::SCENES].into_iter().flatten()
}

/// Every task with its scene, in the order of LIBERO's names.
pub fn tasks() -> Vec<(&'static Scene, &'static Task)> {
    let mut all: Vec<_> = scenes().flat_map(|s| s.tasks.iter().map(move |t| (s, t))).collect();
    all.sort_by_key(|(s, t)| s.title(t));
    all
}

/// `kebab-case` of a name of LIBERO.
pub(crate) fn kebab(title: &str) -> String {
    title.to_lowercase().replace('_', "-")
}

/// The task of a problem that this program itself wrote.
///
/// # Panics
/// If the problem is none, which is a mistake in a table.
pub(crate) fn spec(problem: &Problem, options: &Options) -> TaskSpec {
    compile(problem, options).unwrap_or_else(|e| panic!("{}: {e}", options.id))
}

fn ids(ten: bool) -> Vec<String> {
    let suite = if ten { "libero-10" } else { "libero-90" };
    let of = tasks().into_iter().filter(|(_, t)| t.ten == ten);
    of.map(|(s, t)| format!("{suite}/{}", kebab(&s.title(t)))).collect()
}

/// The problem of a task id of LIBERO-90 or LIBERO-10.
pub fn problem(id: &str) -> Option<Problem> {
    find(id).map(|(s, t)| s.problem(t))
}

fn find(id: &str) -> Option<(&'static Scene, &'static Task)> {
    let (suite, name) = id.split_once('/')?;
    let ten = match suite {
        "libero-10" => true,
        "libero-90" => false,
        _ => return None,
    };
    tasks().into_iter().find(|(s, t)| t.ten == ten && kebab(&s.title(t)) == name)
}

fn task(id: &str) -> Option<TaskSpec> {
    let (s, t) = find(id)?;
    let horizon = if t.ten { HORIZON_10 } else { HORIZON };
    let suite = if t.ten { "LIBERO-10" } else { "LIBERO-90" };
    let spec = spec(&s.problem(t), &Options { horizon, ..Options::new(id) });
    Some(spec.source(source(format!("{suite}, {}", s.title(t)))))
}

/// Judge what is on a region of the table as the original does.
pub(crate) const STRICT: SuiteOption = SuiteOption {
    name: "strict-libero",
    values: &["false", "true"],
    help: "Judge what is on a region of the table as LIBERO does: also in mid-air, without tolerance.",
    apply: |task, value| if value == "true" { strict(task) } else { task },
};

/// Tasks that ask for no region of the table stay as they are; the others are labelled.
fn strict(mut task: TaskSpec) -> TaskSpec {
    if task.judge_regions(RegionTest::OriginInside) {
        task.labels.push(STRICT.name.to_owned());
    }
    task
}

/// LIBERO-90.
pub const NINETY: Suite = Suite {
    problem: Some(problem),
    options: &[STRICT],
    ..Suite::new(
        "libero-90",
        "LIBERO-90: ninety short tasks in twenty scenes, on a Panda",
        Table::Family(Family {
            ids: || {
                static IDS: LazyLock<Vec<String>> = LazyLock::new(|| ids(false));
                &IDS
            },
            task,
        }),
        || Protocol { title: "LIBERO-90".to_owned(), episodes: 50, ..Protocol::default() },
    )
};

/// LIBERO-10.
pub const TEN: Suite = Suite {
    problem: Some(problem),
    options: &[STRICT],
    ..Suite::new(
        "libero-10",
        "LIBERO-10: ten tasks of two or three steps, on a Panda",
        Table::Family(Family {
            ids: || {
                static IDS: LazyLock<Vec<String>> = LazyLock::new(|| ids(true));
                &IDS
            },
            task,
        }),
        || Protocol { title: "LIBERO-10".to_owned(), episodes: 50, ..Protocol::default() },
    )
};
