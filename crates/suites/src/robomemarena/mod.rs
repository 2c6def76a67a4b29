//! RoboMemArena: twenty-six tasks in which the next step hangs on what is no longer seen.
//!
//! One row per task (`rows.rs`): a family with its parameters, what the paper says of it, and the
//! instruction. A family (`drawers.rs`, `microwaves.rs`, `pours.rs`, `baskets.rs`, `transfers.rs`) has the
//! scene, what the seed decides, the plan and what must not happen. What the seed decides is a variable with
//! aliases: the plan names `empty drawer`, the scene says which one that is.
//!
//! Every task states between how many alternatives each decision is that needs memory
//! ([`TaskSpec::decisions`]); the product is how often guessing can be right.

mod baskets;
mod drawers;
mod files;
mod microwaves;
mod pours;
mod published;
mod real_world;
mod released;
mod row;
mod rows;
mod transfers;
pub mod twins;

use std::sync::LazyLock;

use longarm_types::Protocol;
use longarm_types::protocol::{LabelGroup, MeanOver, Measure, Metric};

use crate::libero::originals::{self, Original};
use crate::option::PACE;
use crate::{Family, PlayFiles, Suite, SuiteOption, Table, libero};
use row::Category;
use rows::ROWS;

/// The suite.
pub const SUITE: Suite = Suite {
    options: &[DEFINITION, PACE, libero::FAITHFUL, libero::PHYSICS, libero::SCRIPT],
    lab: real_world::TASKS,
    from_files: Some(PlayFiles {
        folders: originals::ROBOMEMARENA_FOLDERS,
        apply: |tasks, folders| {
            let release = &originals::ROBOMEMARENA;
            originals::play(tasks, folders, release, |id| {
                let row = ROWS.iter().find(|r| r.id() == id)?;
                let title = files::PROBLEMS.get(row.number.checked_sub(1)? as usize)?;
                Some(Original::of("bddl", (*title).to_owned()))
            })
        },
    }),
    ..Suite::new(
        NAME,
        "RoboMemArena: 26 tasks that need memory, on a Panda",
        Table::Family(Family {
            ids: || {
                static IDS: LazyLock<Vec<String>> =
                    LazyLock::new(|| ROWS.iter().map(row::Row::id).collect());
                &IDS
            },
            task: |id| ROWS.iter().find(|r| r.id() == id).map(row::Row::task),
        }),
        protocol,
    )
};

/// Tasks that need memory, or those of the release.
const DEFINITION: SuiteOption = SuiteOption {
    name: "definition",
    values: &["memory", "released"],
    help: "Play the tasks as released, with their fixed answers, in place of those that need memory.",
    // In the release's own files it is the release's definition already.
    apply: |task, value| match ROWS
        .iter()
        .filter(|_| value == "released" && task.files.is_none())
        .find(|r| r.id() == task.id.to_string())
    {
        Some(row) => released::released(task, row.number),
        None => task,
    },
};

const NAME: &str = "robomemarena";
/// The paper's two numbers: all stages, and the share of them.
const TSR: &str = "TSR";
const CSR: &str = "CSR";

/// Categories by the memory they ask for; fifty episodes as in the released runner.
fn protocol() -> Protocol {
    let metric = |name: &str, title: &str, measure| Metric {
        name: name.to_owned(),
        title: title.to_owned(),
        measure,
        over: MeanOver::Tasks,
    };
    let labels: Vec<(&str, &str)> = Category::ALL.iter().map(|c| (c.label(), c.title())).collect();
    Protocol {
        title: "RoboMemArena".to_owned(),
        episodes: 50,
        groups: vec![LabelGroup::new("memory", &labels).needs_context(true)],
        metrics: vec![
            metric(TSR, "episodes with all stages completed", Measure::Success),
            metric(CSR, "share of the stages completed", Measure::Score),
        ],
        published: Some(published::published()),
        ..Protocol::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_needs_memory() {
        let ceilings: Vec<f64> = SUITE.tasks().map(|t| t.guessing_ceiling()).collect();
        assert_eq!(ceilings.len(), 26);
        for (task, ceiling) in SUITE.tasks().zip(&ceilings) {
            assert!(*ceiling <= 0.5, "{}: {ceiling}", task.id);
            assert!(
                !task.variables.is_empty() || task.forbid.len() > 1,
                "{}: a fixed answer",
                task.id
            );
        }
        let mean = ceilings.iter().sum::<f64>() / 26.0;
        assert!(mean <= 0.25, "guessing is right in {mean} of all episodes");
    }

    #[test]
    fn the_release_can_be_played() {
        for (row, task) in ROWS.iter().zip(SUITE.tasks()) {
            let plain = task.hash();
            assert_eq!((DEFINITION.apply)(task.clone(), "memory").hash(), plain);
            let released = (DEFINITION.apply)(task, "released");
            released.validate().unwrap_or_else(|e| panic!("{}: {e}", row.title));
            assert_eq!(released.stage_names().len() as u32, row.stages, "{}", row.title);
            assert!(released.variables.is_empty() && released.decisions.is_empty());
        }
    }

    #[test]
    fn categories_are_as_many_as_published() {
        for (category, n) in Category::ALL.iter().zip([4, 11, 7, 4]) {
            let with = SUITE.tasks().filter(|t| t.labels[0] == category.label());
            assert_eq!(with.count(), n, "{}", category.label());
        }
    }
}
