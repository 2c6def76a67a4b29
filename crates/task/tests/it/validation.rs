//! Mistakes are refused in one sentence that names what is wrong.

use longarm_task::prelude::*;
use longarm_task::{Edit, Place, RegionSpec};

use crate::tasks::*;

fn base() -> (TaskSpec, RegionSpec) {
    let spot = region("spot", point([0.3, 0.0]));
    let task = TaskSpec::new("test/base", RigName::ARX_R5)
        .instruction("do it")
        .place(&object("block", Block::cube(0.04)), &spot)
        .place(&object("cabinet", Cabinet), &region("wall", point([0.6, 0.0])))
        .stages([stage("held", grasped("block"))])
        .horizon(100);
    (task, spot)
}

fn refused(task: TaskSpec, wanted: &str) {
    let error = task.validate().expect_err(wanted).to_string();
    assert_eq!(error, wanted);
}

#[test]
fn names_must_exist() {
    let (task, _) = base();
    assert_eq!(task.validate(), Ok(()));
    let with = |p| base().0.stages([stage("x", p)]);
    refused(with(grasped("blok")), "test/base: no object or region \"blok\"; did you mean block?");
    refused(
        with(is_open("cabinet/topp")),
        "test/base: no part or region \"cabinet/topp\"; did you mean top or top_side?",
    );
    refused(
        with(grasped("gripper")),
        "test/base: no object or region \"gripper\"; there are: block, cabinet, spot, wall",
    );
    refused(
        task.instruction("take the {blok.colour} one"),
        "test/base: no object \"blok\"; did you mean block?",
    );
    refused(
        base().0.instruction("take {n} of them"),
        "test/base: no variable or object \"n\"; there are: block, cabinet",
    );
    refused(
        base().0.forbid("x", ever(grasped("block")).after("hold")),
        "test/base: no stage \"hold\"; did you mean held?",
    );
    refused(
        base().0.place(&object("cup", Can).when(given("m").is(1)), "spot"),
        "test/base: no variable \"m\"",
    );
    refused(
        base().0.place(&object("cup", Can), "spott"),
        "test/base: no region \"spott\"; did you mean spot?",
    );
}

#[test]
fn objects_must_be_able_to_do_it() {
    let with = |p| base().0.stages([stage("x", p)]);
    refused(
        with(is_open("block")),
        "test/base: \"block\" cannot be open or closed: a block has no drawer, door or knob",
    );
    refused(
        base().0.plan([open("block")]),
        "test/base: \"block\" cannot be open or closed: a block has no drawer, door or knob",
    );
    refused(
        base().0.plan([put("block").in_("block")]),
        "test/base: nothing can be put into \"block\": a block has no inside",
    );
    refused(
        base().0.plan([pick("cabinet")]),
        "test/base: \"cabinet\" is not something that can be moved, which picking up or putting down needs",
    );
    refused(
        with(grasped("spot")),
        "test/base: \"spot\" is not an object or part, which grasped needs",
    );
    refused(with(at("block", "cabinet")), "test/base: \"cabinet\" is not a region, which at needs");
    refused(
        base().0.belt("block", 0.1, 0.2),
        "test/base: \"block\" is not a conveyor, which a belt speed needs",
    );
    refused(
        base().0.instruction("take the {block.colour} block"),
        "test/base: \"block\" is not given a colour, which a sentence about it needs",
    );
}

#[test]
fn a_choice_of_assets_must_do_for_all() {
    let (task, _) = base();
    let both = object("box", (Cabinet, Can));
    let task = task
        .place(&both, &region("there", point([0.9, 0.9])))
        .stages([stage("x", is_open("box/top"))]);
    refused(task, "test/base: no part or region \"box/top\"");
}

#[test]
fn structure_must_be_sound() {
    let (task, spot) = base();
    refused(
        task.clone().place(&object("spot", Can), &spot),
        "test/base: \"spot\" is declared twice; names of objects, regions and groups are unique",
    );
    let mut unplaced = task.clone();
    unplaced.init.places.pop();
    refused(unplaced, "test/base: object \"cabinet\" has no place; add .place(&cabinet, …)");
    refused(
        task.clone()
            .place(&object("a", Can), on_top_of("b"))
            .place(&object("b", Can), on_top_of("a")),
        "test/base: a, b are placed relative to each other in a circle",
    );
    refused(
        task.clone()
            .place(&object("a", Can).colour(same_colour_as("b")), "spot")
            .place(&object("b", Can).colour(any_colour().unlike(["a"])), "spot"),
        "test/base: a, b take their colours from each other in a circle",
    );
    let stages = any_order([
        stage("one", grasped("block")).after([1]),
        stage("two", grasped("block")).after([0]),
    ]);
    refused(
        task.clone().stages(stages),
        "test/base: the order of stages goes in a circle through \"one\"",
    );
    refused(
        task.clone().stages(any_order([stage("one", grasped("block")).after([7])])),
        "test/base: stage \"one\" comes after stage 7, but there are only 1 stages",
    );
    refused(task.clone().stages([]), "test/base: there is no stage, so nothing could be achieved");
    refused(task.clone().horizon(0), "test/base: the horizon is 0; it must be at least one step");
    refused(task.clone().variable("n", []), "test/base: variable \"n\" has no values");
    refused(
        task.clone().variable("n", 0..3).place(&object("a", Can), chosen_by("n", ["spot", "wall"])),
        "test/base: \"a\" chooses among 2 places by variable \"n\", which has 3 values",
    );
    refused(
        task.clone().region(&region("bad", rect([0.0, f64::NAN], [1.0, 1.0]))),
        "test/base: region \"bad\" has no rectangle, or one that is not finite",
    );
    let uneven = if_given(given("n").is(0), [withdraw(), withdraw()], withdraw());
    refused(
        task.clone().variable("n", 0..2).plan(uneven).stages(from_plan()),
        "test/base: stages follow the plan, but its branches have 2 and 1 steps; give them the same number",
    );
    refused(
        task.instruction("take {block"),
        "test/base: the template \"take {block\" has an open brace without its partner",
    );
}

#[test]
fn all_problems_are_found_at_once() {
    let (task, _) = base();
    let task = task.stages([stage("a", grasped("x")), stage("b", is_open("block"))]).horizon(0);
    assert_eq!(task.problems().len(), 3);
}

#[test]
fn json_errors_say_where() {
    let text = base().0.to_json();
    let bad = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} not in {text}");
        TaskSpec::from_json(&text.replace(from, to)).unwrap_err().to_string()
    };
    let e = bad("\"object\": \"block\"\n            }", "\"item\": \"block\"\n            }");
    assert!(e.contains("unknown field `item`, expected `object`") && e.contains("line"), "{e}");
    let e = bad("\"grasped\"", "\"grapsed\"");
    assert!(e.contains("unknown variant `grapsed`") && e.contains("line"), "{e}");
    let e = bad("\"test/base\"", "\"no id\"");
    assert!(e.contains("is not a task id"), "{e}");
    let e = bad("\"horizon\": 100", "\"horizon\": 0");
    assert_eq!(e, "test/base: the horizon is 0; it must be at least one step");
    // Too few arguments.
    let on = base().0.stages([stage("x", on("block", "cabinet"))]).to_json();
    let e = TaskSpec::from_json(&on.replace(",\n              \"support\": \"cabinet\"", ""));
    let e = e.unwrap_err().to_string();
    assert!(e.contains("missing field `support`"), "{e}");
}

#[test]
fn edits_change_a_task_and_nothing_else() {
    let (task, _) = base();
    let edits = [
        Edit::AddRegion(region("free", rect([0.2, 0.2], [0.3, 0.3]))),
        Edit::AddObject { object: object("onion", Apple), place: Place::At("free".into()) },
        Edit::MoveTo { object: "block".into(), place: Place::At("cabinet/top_side".into()) },
        Edit::SetPart { part: "cabinet/middle".into(), start: PartStart::Open },
    ];
    let edited = task.edited(&edits).unwrap();
    assert_eq!(edited.objects.len(), 3);
    assert_eq!(edited.init.parts, [("cabinet/middle".to_owned(), PartStart::Open)]);
    assert_eq!(edited.stages, task.stages);
    assert_ne!(edited.hash(), task.hash());
    let text = serde_json::to_string(&edits).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Edit>>(&text).unwrap(), edits);
    let back = edited.edited(&[
        Edit::RemoveObject("onion".into()),
        Edit::MoveTo { object: "block".into(), place: Place::At("spot".into()) },
    ]);
    assert_eq!(back.unwrap().objects, task.objects);

    let e = task.edited(&[Edit::RemoveObject("block".into())]).unwrap_err().to_string();
    assert!(e.starts_with("test/base: no object or region \"block\""), "{e}");
    let e = task.edited(&[Edit::RemoveObject("blck".into())]).unwrap_err().to_string();
    assert_eq!(e, "test/base: no object \"blck\"; did you mean block?");
    let e = task.edited(&[Edit::SetPart { part: "cabinet/lid".into(), start: PartStart::Open }]);
    assert!(e.unwrap_err().to_string().contains("no part or region \"cabinet/lid\""));
}

#[test]
fn stage_names_are_unique_and_the_same_in_every_scene() {
    for task in all_tasks() {
        let names = task.stage_names();
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len(), "{names:?}");
        assert!(names.iter().all(|n| !n.contains('{')), "{names:?}");
    }
}
