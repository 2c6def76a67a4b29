//! Twins of the five tasks that the paper runs on a real robot: two arms at a table.
//!
//! The paper has a sentence, the memory type, the mean length and success rates of each; scenes, stages and
//! what is drawn are those of the pages for a lab (`real_world.rs`). What a person does there (pointing at
//! plates, swapping cups, making breakfast) is a show here: motions of the task's own, in sight of the
//! cameras, while the robot is held still.

mod breakfast;
mod brush_plates;
mod pour_bottle;
mod shell_game;
mod transfer_objects;

use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::Protocol;

use super::protocol;
use super::row::TABLE;
use crate::{Suite, Table};

/// The suite.
pub const SUITE: Suite = Suite::new(
    "robomemarena-real",
    "Twins of RoboMemArena's five real-world tasks, on two Pandas",
    Table::Rows(&[
        ("robomemarena-real/pour-bottle-twice", pour_bottle::task),
        ("robomemarena-real/brush-plates-with-swap", brush_plates::task),
        ("robomemarena-real/transfer-objects", transfer_objects::task),
        ("robomemarena-real/shell-game", shell_game::task),
        ("robomemarena-real/breakfast-from-human", breakfast::task),
    ]),
    twins,
);

/// The suite's own protocol, without the rows of the simulated tasks: ten rollouts a task as in Table 4.
fn twins() -> Protocol {
    Protocol {
        title: "RoboMemArena, real-world tasks".to_owned(),
        episodes: 10,
        published: None,
        ..protocol()
    }
}

/// A twin: its name, what must be remembered, the paper's name and mean length of it.
fn twin(id: &str, memory: &'static str, title: &str, steps: u32, deviations: &[&str]) -> TaskSpec {
    let mut from = source("RoboMemArena, Tables 4 and S4").mean_length(steps);
    from.title = title.to_owned();
    from.deviations = deviations.iter().map(|&d| d.to_owned()).collect();
    TaskSpec::new(&format!("robomemarena-real/{id}"), RigName::STUDIO_TWO_PANDAS)
        .region(&region(TABLE, rect([-0.45, -0.7], [0.55, 0.7])))
        .labels([memory])
        .stages(from_plan())
        .source(from)
}

/// All orders of three, as indices.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
const PLACES: [&str; 3] = ["first", "second", "third"];

/// Name three objects by their place in an order that a variable decides.
fn in_order(spec: TaskSpec, variable: &str, of: [(&str, &str); 3], noun: &str) -> TaskSpec {
    (0..3).fold(spec.variable(variable, 0..6), |spec, k| {
        let name = format!("{} {noun}", PLACES[k]);
        spec.alias(name, variable, ORDERS.map(|order| of[order[k]]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_twin_needs_memory_and_has_a_page_for_a_lab() {
        for (task, page) in SUITE.tasks().zip(super::super::real_world::TASKS) {
            assert!(task.guessing_ceiling() <= 0.5, "{}", task.id);
            assert_eq!(format!("real-{}", task.id.name()), page.name);
            assert_eq!(task.source.mean_length, Some(page.mean_steps), "{}", task.id);
        }
    }
}
