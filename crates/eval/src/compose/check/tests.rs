use longarm_catalogue::Catalogue;
use longarm_task::form::Format;
use longarm_task::{TaskSpec, sample};
use longarm_types::Seed;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

use super::*;

/// A cup, a bowl and a chest with closed drawers within reach, a shelf spot far out of it.
const TABLE: &str = r#"
rig = "panda"
instruction = "-"
plan = ["withdraw"]

[regions]
here = { at = [0.45, -0.15] }
there = { at = [0.45, 0.15] }
aside = { at = [0.6, -0.25] }
"far shelf" = { at = [1.6, 0.3] }
"at the back" = { at = [0.75, 0.1] }

[objects]
mug = { asset = "mug", at = "here" }
bowl = { asset = { kind = "bowl", radius = 0.07 }, at = "there" }
chest = { asset = "cabinet", at = "at the back" }
"#;

fn table() -> Arc<TaskSpec> {
    let found = Catalogue::new().text("table", TABLE, Format::Toml, "own/table", Path::new(""));
    found.unwrap_or_else(|e| panic!("{e}")).task
}

/// Read an answer and check its steps; the faults as they are sent back.
fn judged(answer: &Value) -> Result<Planned, Vec<String>> {
    let task = table();
    let scene = sample(&task, Seed(0)).unwrap();
    let steps = Decomposition::read(answer).map_err(|why| vec![why])?;
    check(&Names::new(&task, &scene), &steps)
        .map_err(|all| all.iter().map(ToString::to_string).collect())
}

/// Return an answer of steps, each a planner and a target.
fn answer(steps: &[(&str, &str)]) -> Value {
    let step = |(i, (planner, target)): (usize, &(&str, &str))| json!({"step_id": i + 1, "subtask": "go on", "planner": planner, "target": target});
    json!({"subtasks": steps.iter().enumerate().map(step).collect::<Vec<_>>()})
}

fn planned(steps: &[(&str, &str)]) -> Planned {
    judged(&answer(steps)).unwrap_or_else(|faults| panic!("{steps:?}: {faults:?}"))
}

/// Assert that these are the faults, each beginning so.
fn faulty(steps: &[(&str, &str)], expected: &[&str]) {
    let faults = judged(&answer(steps)).expect_err("a fault");
    assert_eq!(faults.len(), expected.len(), "{steps:?}: {faults:?}");
    for (fault, begins) in faults.iter().zip(expected) {
        assert!(fault.starts_with(begins), "{fault:?} is not {begins:?}");
    }
}

#[test]
fn good_steps_become_lines_of_a_plan() {
    let all = planned(&[
        ("Move", "mug"),
        ("Pour", "bowl"),
        ("Place", "start"),
        ("Open", "chest/top"),
        ("Move", "bowl"),
        ("Place", "chest/top_region"),
        ("Close", "chest/top"),
        ("Move", "mug"),
        ("Place", "start of bowl"),
    ]);
    assert_eq!(
        all.lines,
        [
            "pick mug",
            "pour mug into bowl",
            "put mug back",
            "open chest/top",
            "pick bowl",
            "put bowl in chest/top_region",
            "close chest/top",
            "pick mug",
            "put mug where bowl was",
        ]
    );
    // What is poured may be counted wrongly; what is put somewhere once may not.
    let names: Vec<&str> = all.forbid.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["mug poured into bowl more than 1 times"]);
}

#[test]
fn what_is_repeated_is_counted() {
    let twice = planned(&[
        ("Move", "mug"),
        ("Place", "aside"),
        ("Move", "mug"),
        ("Place", "start"),
        ("Move", "mug"),
        ("Place", "aside"),
    ]);
    let [(name, event)] = &twice.forbid[..] else { panic!("{:?}", twice.forbid) };
    assert_eq!(name, "mug at aside more than 2 times");
    assert!(event.starts_with("times(at(mug, aside)") && event.ends_with("> 2"), "{event}");
}

#[test]
fn unknown_names_are_said_with_the_nearest_and_their_step() {
    faulty(&[("Move", "mugg")], &["step 1: Move: there is no object \"mugg\"; did you mean mug"]);
    faulty(
        &[("Move", "mug"), ("Place", "asid")],
        &["step 2: Place: there is no place \"asid\"; did you mean aside"],
    );
    faulty(
        &[("Move", "mug"), ("Place", "start of teapot")],
        &["step 2: Place: there is no object \"teapot\""],
    );
    faulty(&[("Open", "chest/lid")], &["step 1: Open: there is nothing to open called"]);
    faulty(
        &[("Move", "mug"), ("Pour", "bowls")],
        &["step 2: Pour: there is no object \"bowls\"; did you mean bowl"],
    );
    faulty(&[("Move", "chest")], &["step 1: Move: chest cannot be taken"]);
}

#[test]
fn impossible_orders_name_the_step_that_cannot_be_done() {
    faulty(&[("Place", "aside")], &["step 1: Place: nothing is in the hand"]);
    faulty(&[("Pour", "bowl")], &["step 1: Pour: nothing is in the hand"]);
    faulty(
        &[("Move", "mug"), ("Move", "bowl")],
        &["step 2: Move: mug is still in the hand; Place it first"],
    );
    faulty(&[("Move", "mug"), ("Move", "mug")], &["step 2: Move: mug is in the hand already"]);
    faulty(
        &[("Move", "mug"), ("Open", "chest/top")],
        &["step 2: Open: the hand holds mug; Place it first"],
    );
    faulty(
        &[("Move", "mug"), ("Place", "chest/top_region")],
        &["step 2: Place: chest/top_region is behind chest/top, which is closed"],
    );
    faulty(&[("Close", "chest/top")], &["step 1: Close: chest/top is closed already"]);
    faulty(&[("Move", "mug"), ("Place", "mug")], &["step 2: Place: mug cannot be put on itself"]);
    // What was shut in is out of reach until it is opened again.
    let shut = [
        ("Open", "chest/top"),
        ("Move", "mug"),
        ("Place", "chest/top_region"),
        ("Close", "chest/top"),
        ("Move", "mug"),
    ];
    faulty(&shut, &["step 5: Move: mug is behind chest/top, which is closed; Open it first"]);
}

#[test]
fn what_is_out_of_reach_is_said_with_where_it_is() {
    faulty(
        &[("Move", "mug"), ("Place", "far shelf")],
        &["step 2: Place: far shelf at (1.60, 0.30, 0.00) is out of the arm's reach"],
    );
}

#[test]
fn each_step_is_judged_as_if_those_before_had_been_done() {
    faulty(
        &[("Move", "cup"), ("Place", "aside"), ("Move", "mug"), ("Place", "far shelf")],
        &["step 1: Move: there is no object \"cup\"", "step 4: Place: far shelf"],
    );
}

#[test]
fn no_more_is_said_at_once_than_can_be_mended() {
    let steps = [("Place", "aside"); 2 * FAULTS];
    assert_eq!(judged(&answer(&steps)).unwrap_err().len(), FAULTS);
    let many = [("Open", "chest/top"); MOST + 1];
    faulty(&many, &["there are more than 60 steps"]);
    faulty(&[], &["there are no steps"]);
}

#[test]
fn steps_are_numbered_from_one_on() {
    let mut wrong = answer(&[("Move", "mug"), ("Place", "aside")]);
    wrong["subtasks"][1]["step_id"] = json!(3);
    assert_eq!(
        judged(&wrong).unwrap_err(),
        ["step 3: its step_id should be 2; number the steps from 1 on"]
    );
}

#[test]
fn prose_and_another_schema_are_no_steps() {
    let prose = json!("First take the mug, then put it aside.");
    let fault = &judged(&prose).unwrap_err()[0];
    assert!(fault.contains("not an object with the one field \"subtasks\""), "{fault}");
    let mut wrong = answer(&[("Move", "mug"), ("Fly", "aside")]);
    let fault = &judged(&wrong).unwrap_err()[0];
    assert!(fault.starts_with("step 2: unknown variant `Fly`"), "{fault}");
    wrong["subtasks"][1] = json!({"step_id": 2, "planner": "Place", "target": "aside"});
    let fault = &judged(&wrong).unwrap_err()[0];
    assert!(fault.starts_with("step 2: missing field `subtask`"), "{fault}");
}
