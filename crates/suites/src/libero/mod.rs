//! LIBERO's five suites: Spatial, Object, Goal, 10 and 90.
//!
//! Scene: for LIBERO-90 and LIBERO-10 one of the twenty rows of `kitchen.rs`, `living_room.rs` and
//! `study.rs`, for the others those of `spatial.rs`, `object.rs` and `goal.rs`; each row stands for a
//! BDDL problem (`Scene::problem`).
//! Randomization: every object within its square of the table, as LIBERO's files give it.
//! Stages: the facts of the goal, in any order; all must hold at once.
//! Success: LIBERO's predicates, except that a region of the table must carry what is on it.
//! Source and deviations: LIBERO, MIT licence, as facts. Objects and fixtures are ours at the
//! published sizes and stand on their origins; initial states are drawn from the regions instead
//! of a stored list; a task is told by its name, as LIBERO's benchmark code does, and ends after the
//! number of steps that evaluations of its suite commonly allow.

mod goal;
mod kitchen;
mod living_room;
mod object;
pub mod originals;
pub(crate) mod scene;
mod spatial;
mod study;

use std::sync::LazyLock;

use longarm_task::bddl::{Options, Problem, compile, load};
use longarm_task::{RegionTest, TaskSpec, source};
use longarm_types::Protocol;

pub(crate) use scene::category;
pub use scene::{Scene, Task};

use crate::{Family, PlayFiles, Suite, SuiteOption, Table};
use originals::Original;
pub(crate) use originals::{FAITHFUL, PHYSICS, SCRIPT};

/// Control steps of a LIBERO-90 episode, and of BOSS's.
pub const HORIZON: u32 = 400;

/// What the five suites differ in.
struct Set {
    /// The suite's name.
    suite: &'static str,
    /// LIBERO's name for it.
    title: &'static str,
    /// Control steps of an episode.
    horizon: u32,
    tasks: fn() -> Vec<Row>,
}

impl Set {
    fn ids(&self) -> Vec<String> {
        let id = |(s, t): Row| format!("{}/{}", self.suite, kebab(&s.title(t)));
        (self.tasks)().into_iter().map(id).collect()
    }
}

/// A task and its scene.
type Row = (&'static Scene, &'static Task);

const SETS: [Set; 5] = [
    Set {
        suite: "libero-spatial",
        title: "LIBERO-Spatial",
        horizon: 220,
        tasks: || rows(spatial::SCENES),
    },
    Set {
        suite: "libero-object",
        title: "LIBERO-Object",
        horizon: 280,
        tasks: || rows(object::SCENES),
    },
    Set { suite: "libero-goal", title: "LIBERO-Goal", horizon: 300, tasks: || rows(goal::SCENES) },
    Set { suite: "libero-10", title: "LIBERO-10", horizon: 520, tasks: || hundred(true) },
    Set { suite: "libero-90", title: "LIBERO-90", horizon: HORIZON, tasks: || hundred(false) },
];

/// The twenty scenes of LIBERO-90 and LIBERO-10.
pub fn scenes() -> impl Iterator<Item = &'static Scene> {
    [kitchen::SCENES, living_room::SCENES, study::SCENES].into_iter().flatten()
}

/// The scenes of LIBERO-Spatial, LIBERO-Object and LIBERO-Goal.
pub fn further_scenes() -> impl Iterator<Item = &'static Scene> {
    [spatial::SCENES, object::SCENES, goal::SCENES].into_iter().flatten()
}

fn rows(scenes: impl IntoIterator<Item = &'static Scene>) -> Vec<Row> {
    let each = |s: &'static Scene| s.tasks.iter().map(move |t| (s, t));
    let mut all: Vec<Row> = scenes.into_iter().flat_map(each).collect();
    all.sort_by_key(|(s, t)| s.title(t));
    all
}

fn hundred(ten: bool) -> Vec<Row> {
    tasks().into_iter().filter(|(_, t)| t.ten == ten).collect()
}

/// Every task of LIBERO-90 and LIBERO-10 with its scene, in the order of LIBERO's names.
pub fn tasks() -> Vec<Row> {
    rows(scenes())
}

/// `kebab-case` of a name of LIBERO.
pub(crate) fn kebab(title: &str) -> String {
    title.to_lowercase().replace('_', "-")
}

/// The task of a problem that this program itself wrote.
///
/// # Panics
/// If the text is not a problem, which is a mistake in a table.
pub(crate) fn spec(problem: &Problem, options: &Options) -> TaskSpec {
    compile(problem, options).unwrap_or_else(|e| panic!("{}: {e}", options.id))
}

/// The problem of a task id of the five suites.
pub fn problem(id: &str) -> Option<Problem> {
    find(id).map(|(_, (s, t))| s.problem(t))
}

fn find(id: &str) -> Option<(&'static Set, Row)> {
    let (suite, name) = id.split_once('/')?;
    let set = SETS.iter().find(|s| s.suite == suite)?;
    let row = (set.tasks)().into_iter().find(|(s, t)| kebab(&s.title(t)) == name)?;
    Some((set, row))
}

fn task(id: &str) -> Option<TaskSpec> {
    let (set, (s, t)) = find(id)?;
    let options = Options { horizon: set.horizon, ..Options::new(id) };
    let loaded = load(&s.problem(t), &options).unwrap_or_else(|e| panic!("{id}: {e}"));
    Some(loaded.task.source(source(format!("{}, {}", set.title, s.title(t)))))
}

/// LIBERO's and robosuite's own files.
const FILES: PlayFiles = PlayFiles {
    folders: originals::FOLDERS,
    apply: |tasks, folders| {
        originals::play(tasks, folders, &originals::LIBERO, |id| Some(original(find(id)?)))
    },
};

/// What the files of a task are called.
fn original((set, (scene, task)): (&Set, Row)) -> Original {
    Original::of(&set.suite.replace('-', "_"), scene.title(task))
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

/// The suite of a row of [`SETS`].
macro_rules! suite {
    ($n:literal, $about:literal) => {
        Suite {
            problem: Some(problem),
            options: &[STRICT, FAITHFUL, PHYSICS, SCRIPT],
            from_files: Some(FILES),
            ..Suite::new(
                SETS[$n].suite,
                $about,
                Table::Family(Family {
                    ids: || {
                        static IDS: LazyLock<Vec<String>> = LazyLock::new(|| SETS[$n].ids());
                        &IDS
                    },
                    task,
                }),
                || Protocol {
                    title: SETS[$n].title.to_owned(),
                    episodes: 50,
                    ..Protocol::default()
                },
            )
        }
    };
}

/// LIBERO-Spatial.
pub const SPATIAL: Suite =
    suite!(0, "LIBERO-Spatial: ten places of a bowl that goes to the plate, on a Panda");
/// LIBERO-Object.
pub const OBJECT: Suite =
    suite!(1, "LIBERO-Object: ten groceries that go to the basket, on a Panda");
/// LIBERO-Goal.
pub const GOAL: Suite = suite!(2, "LIBERO-Goal: ten goals at one table, on a Panda");
/// LIBERO-10.
pub const TEN: Suite = suite!(3, "LIBERO-10: ten tasks of two or three steps, on a Panda");
/// LIBERO-90.
pub const NINETY: Suite = suite!(4, "LIBERO-90: ninety short tasks in twenty scenes, on a Panda");
