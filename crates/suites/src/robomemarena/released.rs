//! The tasks as released: scenes, goals and stages of the published files, for comparison.
//!
//! Judged by LIBERO's own predicates of where objects are, drawers and doors by their joints, pours as everywhere
//! here: the released check of a tilted hand alone has no counterpart.

use std::f64::consts::PI;

use longarm_task::bddl::{Options, load};
use longarm_task::predicate::{origin_in, origin_on};
use longarm_task::prelude::*;
use longarm_task::stage::Stages;
use longarm_task::{Plan, Predicate, TaskSpec};

use crate::libero::scene::{Scene, SceneItem, Task, fixture, from, object as prop};

/// What a stage of the release wants.
#[derive(Clone, Copy)]
enum Do {
    Open(&'static str),
    Close(&'static str),
    In(&'static str, &'static str),
    On(&'static str, &'static str),
    Pour(&'static str, &'static str),
    Lift(&'static str),
    /// Where it stood.
    Back(&'static str),
}

use Do::{Back, Close, In, Lift, On, Open, Pour};

/// A released file and its stages.
struct Released {
    fixtures: &'static [SceneItem],
    objects: &'static [SceneItem],
    /// Where objects are that stand on no table.
    start: &'static [&'static str],
    /// The file's goal.
    goal: &'static str,
    stages: &'static [Do],
}

const DRAINER: SceneItem = fixture("bowl_drainer", -0.1375, 0.55).half(0.02).yaw(PI, PI);
const CABINET: SceneItem = fixture("wooden_cabinet_tall_bottom", 0.1375, 0.55).half(0.02);
const MICROWAVE: SceneItem = fixture("microwave", 0.0, 0.55).half(0.02);
const TOP: &str = "wooden_cabinet_tall_bottom_1/top_region";
const MIDDLE: &str = "wooden_cabinet_tall_bottom_1/middle_region";
const BOTTOM: &str = "wooden_cabinet_tall_bottom_1/bottom_region";
const DOOR: &str = "microwave_1/door";
const HEAT: &str = "microwave_1/heating_region";
const PAN: &str = "chefmate_8_frypan_1";
const IN_PAN: &str = "chefmate_8_frypan_1/contain_region";
const SAUCE: &str = "tomato_sauce_1";

const CHEESE: &str = "in cream_cheese_1 wooden_cabinet_tall_bottom_1_top_region";
const BASE: [SceneItem; 4] = [
    prop("bbq_sauce_1", -0.3, 0.0).half(0.02),
    prop("milk_1", -0.1016, -0.1763).half(0.02),
    prop("butter_1", 0.1097, -0.2049).half(0.02),
    prop("rack_1", 0.0, -0.55).half(0.02).yaw(PI, PI),
];
const DRAWERS: &[SceneItem] = &[
    BASE[0],
    BASE[1],
    BASE[2],
    BASE[3],
    prop("cookies_1", 0.22, -0.33).half(0.02),
    prop("chocolate_pudding_1", -0.22, -0.33).half(0.02),
];
const CABINETS: [SceneItem; 3] = [
    prop("wooden_cabinet_1", 0.0, -0.15).half(0.02).yaw(PI, PI),
    prop("wooden_cabinet_2", 0.0, 0.3).half(0.02).yaw(PI, PI).label("second_cabinet"),
    prop("plate_1", -0.01, 0.5222).half(0.02),
];

const fn drawers(
    objects: &'static [SceneItem],
    goal: &'static str,
    stages: &'static [Do],
) -> Released {
    Released { fixtures: &[CABINET, DRAINER], objects, start: &[CHEESE], goal, stages }
}

const fn table(
    fixtures: &'static [SceneItem],
    objects: &'static [SceneItem],
    goal: &'static str,
    stages: &'static [Do],
) -> Released {
    Released { fixtures, objects, start: &[], goal, stages }
}

/// By the number in the release, from 1.
#[rustfmt::skip]
const RELEASED: [Released; 26] = [
    table(&[], &[prop("basket_1", -0.12, 0.55).half(0.02).yaw(PI, PI), prop("cookies_1", -0.1412, 0.0847).half(0.02), prop(SAUCE, -0.0659, -0.0644).half(0.02)],
        "in cookies_1 basket_1_contain_region & in tomato_sauce_1 basket_1_contain_region",
        &[In("cookies_1", "basket_1/contain_region"), In(SAUCE, "basket_1/contain_region")]),
    table(&[], &[prop("basket_1", -0.02, 0.2).half(0.02).yaw(PI, PI), prop("butter_1", -0.02, -0.02).half(0.02), prop("popcorn_1", -0.02, -0.24).half(0.02)],
        "in butter_1 basket_1_contain_region & in popcorn_1 basket_1_contain_region",
        &[In("butter_1", "basket_1/contain_region"), In("popcorn_1", "basket_1/contain_region")]),
    table(&[], &[prop("basket_1", -0.02, 0.2).half(0.02).yaw(PI, PI), prop("cream_cheese_1", -0.02, -0.02).half(0.02), prop("chocolate_pudding_1", -0.02, -0.24).half(0.02)],
        "in cream_cheese_1 basket_1_contain_region & in chocolate_pudding_1 basket_1_contain_region",
        &[In("cream_cheese_1", "basket_1/contain_region"), In("chocolate_pudding_1", "basket_1/contain_region")]),
    drawers(&BASE, "in butter_1 wooden_cabinet_tall_bottom_1_top_region",
        &[Open(TOP), Close(TOP), Open(MIDDLE), Close(MIDDLE), Open(BOTTOM), Close(BOTTOM), Open(TOP), In("butter_1", TOP), Close(TOP)]),
    drawers(&BASE, "in butter_1 wooden_cabinet_tall_bottom_1_middle_region",
        &[Open(TOP), Close(TOP), Open(MIDDLE), Close(MIDDLE), Open(BOTTOM), Close(BOTTOM), Open(MIDDLE), In("butter_1", MIDDLE), Close(MIDDLE)]),
    table(&[DRAINER], &[prop("cookies_1", 0.22, -0.33).half(0.02), prop(SAUCE, 0.0, -0.05).half(0.1)],
        "in tomato_sauce_1 bowl_drainer_1_left_region", &[Lift(SAUCE), Pour(SAUCE, "cookies_1"), Pour(SAUCE, "cookies_1")]),
    table(&[DRAINER], &[prop(SAUCE, 0.0, 0.0).half(0.05), prop(PAN, 0.0, 0.25).half(0.015)],
        "in tomato_sauce_1 bowl_drainer_1_left_region", &[Pour(SAUCE, PAN), Pour(SAUCE, PAN), In(SAUCE, "bowl_drainer_1/left_region")]),
    table(&[DRAINER], &[prop("chocolate_pudding_1", -0.125, -0.175), prop(SAUCE, 0.075, -0.175), prop(PAN, 0.0, 0.115).half(0.015)],
        "in chocolate_pudding_1 chefmate_8_frypan_1 & in tomato_sauce_1 bowl_drainer_1_left_region",
        &[In("chocolate_pudding_1", IN_PAN), Pour(SAUCE, PAN), Pour(SAUCE, PAN), In(SAUCE, "bowl_drainer_1/left_region")]),
    table(&[DRAINER], &[BASE[2], prop(SAUCE, -0.2, -0.2).half(0.05), prop(PAN, 0.0, 0.25).half(0.015)],
        "in butter_1 chefmate_8_frypan_1 & in tomato_sauce_1 bowl_drainer_1_left_region",
        &[In("butter_1", IN_PAN), Pour(SAUCE, PAN), Pour(SAUCE, PAN), In(SAUCE, "bowl_drainer_1/left_region")]),
    table(&[], &[prop(PAN, 0.12, 0.55).half(0.02), prop("white_yellow_mug_1", 0.0368, 0.2475).half(0.02), prop("wine_bottle_1", -0.1649, 0.239).half(0.02), prop("wooden_tray_1", 0.0, -0.55).half(0.02).yaw(PI, PI)],
        "on wine_bottle_1 coffee_table_wine_bottle_init_region",
        &[Pour("wine_bottle_1", "white_yellow_mug_1"), Pour("wine_bottle_1", "white_yellow_mug_1"), Back("wine_bottle_1")]),
    drawers(DRAWERS, "in cookies_1 wooden_cabinet_tall_bottom_1_top_region & in butter_1 wooden_cabinet_tall_bottom_1_middle_region",
        &[Open(TOP), In("cookies_1", TOP), Close(TOP), Open(MIDDLE), In("butter_1", MIDDLE), Close(MIDDLE)]),
    drawers(DRAWERS, "in cookies_1 wooden_cabinet_tall_bottom_1_middle_region & in chocolate_pudding_1 wooden_cabinet_tall_bottom_1_middle_region",
        &[Open(MIDDLE), In("cookies_1", MIDDLE), In("chocolate_pudding_1", MIDDLE), Close(MIDDLE)]),
    drawers(DRAWERS, "in butter_1 wooden_cabinet_tall_bottom_1_middle_region & in cookies_1 wooden_cabinet_tall_bottom_1_middle_region",
        &[Open(MIDDLE), In("cookies_1", MIDDLE), In("butter_1", MIDDLE), Close(MIDDLE)]),
    drawers(DRAWERS, "in cookies_1 wooden_cabinet_tall_bottom_1_top_region & in chocolate_pudding_1 wooden_cabinet_tall_bottom_1_middle_region",
        &[Open(TOP), In("cookies_1", TOP), Close(TOP), Open(MIDDLE), In("chocolate_pudding_1", MIDDLE), Close(MIDDLE)]),
    table(&[], &[BASE[1], BASE[2], prop(PAN, 0.0, 0.115).half(0.015)],
        "in butter_1 chefmate_8_frypan_1 & on milk_1 coffee_table_milk_init_region",
        &[In("butter_1", IN_PAN), Pour("milk_1", PAN), Pour("milk_1", PAN), Back("milk_1")]),
    table(&[DRAINER], &[BASE[1], prop("red_coffee_mug_1", 0.1738, -0.0434).half(0.02)],
        "in milk_1 bowl_drainer_1_left_region", &[Pour("milk_1", "red_coffee_mug_1"), Pour("milk_1", "red_coffee_mug_1"), In("milk_1", "bowl_drainer_1/left_region")]),
    drawers(DRAWERS, "in butter_1 wooden_cabinet_tall_bottom_1_middle_region & in chocolate_pudding_1 wooden_cabinet_tall_bottom_1_middle_region",
        &[Open(MIDDLE), In("butter_1", MIDDLE), In("chocolate_pudding_1", MIDDLE), Close(MIDDLE)]),
    table(&[], &[CABINETS[0], CABINETS[1], CABINETS[2], prop("ketchup_1", -0.3, 0.0).half(0.02), prop("butter_1", 0.0, 0.0).on("wooden_cabinet_1_top_side"), prop("chocolate_pudding_1", 0.0, 0.0).on("wooden_cabinet_1_top_side")],
        "on chocolate_pudding_1 wooden_cabinet_2_top_side & on butter_1 wooden_cabinet_2_top_side",
        &[On("chocolate_pudding_1", "wooden_cabinet_2/top_side"), On("butter_1", "wooden_cabinet_2/top_side")]),
    table(&[], &[CABINETS[0], CABINETS[1], CABINETS[2], prop(SAUCE, 0.0, 0.0).on("wooden_cabinet_1_top_side"), prop("milk_1", 0.0, 0.0).on("wooden_cabinet_1_top_side"), prop("orange_juice_1", 0.0, 0.0).on("wooden_cabinet_1_top_side")],
        "on tomato_sauce_1 wooden_cabinet_2_top_side & on milk_1 wooden_cabinet_2_top_side & on orange_juice_1 wooden_cabinet_2_top_side",
        &[On(SAUCE, "wooden_cabinet_2/top_side"), On("milk_1", "wooden_cabinet_2/top_side"), On("orange_juice_1", "wooden_cabinet_2/top_side")]),
    table(&[MICROWAVE], &[prop("cookies_1", 0.1672, -0.0954).half(0.02), prop("chocolate_pudding_1", 0.1672, -0.1954).half(0.02), prop("butter_1", -0.3, 0.0).half(0.02)],
        "in cookies_1 microwave_1_heating_region & in chocolate_pudding_1 microwave_1_heating_region",
        &[Open(DOOR), In("cookies_1", HEAT), In("chocolate_pudding_1", HEAT), Close(DOOR)]),
    table(&[MICROWAVE], &[prop("butter_1", 0.1672, -0.0954).half(0.02), prop("chocolate_pudding_1", 0.1672, -0.1954).half(0.02)],
        "in butter_1 microwave_1_heating_region & in chocolate_pudding_1 microwave_1_heating_region",
        &[Open(DOOR), In("butter_1", HEAT), In("chocolate_pudding_1", HEAT), Close(DOOR)]),
    table(&[MICROWAVE], &[prop("cookies_1", 0.1672, -0.1954).half(0.02), prop(SAUCE, -0.0328, -0.1954).half(0.02)],
        "in cookies_1 microwave_1_heating_region",
        &[Pour(SAUCE, "cookies_1"), Pour(SAUCE, "cookies_1"), Back(SAUCE), Open(DOOR), In("cookies_1", HEAT), Close(DOOR)]),
    table(&[MICROWAVE], &[prop("cream_cheese_1", 0.1672, -0.0954).half(0.02), prop("popcorn_1", 0.1672, -0.1954).half(0.02)],
        "in cream_cheese_1 microwave_1_heating_region & in popcorn_1 microwave_1_heating_region",
        &[Open(DOOR), In("cream_cheese_1", HEAT), In("popcorn_1", HEAT), Close(DOOR)]),
    table(&[MICROWAVE], &[prop("cookies_1", 0.1672, -0.0954).half(0.02), prop("popcorn_1", 0.1672, -0.1954).half(0.02)],
        "in cookies_1 microwave_1_heating_region & in popcorn_1 microwave_1_heating_region",
        &[Open(DOOR), In("cookies_1", HEAT), In("popcorn_1", HEAT), Close(DOOR)]),
    table(&[], &[prop("plate_1", 0.175, -0.175).half(0.075), prop("plate_2", 0.175, 0.125).half(0.075).label("plate2"), prop("butter_1", 0.0, 0.0).on("plate_1"), prop("cream_cheese_1", 0.0, 0.0).on("plate_1")],
        "on butter_1 plate_2 & on cream_cheese_1 plate_2", &[On("butter_1", "plate_2"), On("cream_cheese_1", "plate_2")]),
    table(&[], &[prop("plate_1", 0.175, -0.175).half(0.075), prop("plate_2", 0.175, 0.125).half(0.075).label("plate2"), prop("chocolate_pudding_1", 0.0, 0.0).on("plate_1"), prop("cream_cheese_1", 0.0, 0.0).on("plate_1")],
        "on chocolate_pudding_1 plate_2 & on cream_cheese_1 plate_2", &[On("chocolate_pudding_1", "plate_2"), On("cream_cheese_1", "plate_2")]),
];

impl Do {
    /// What completes the stage.
    fn when(self, earlier: u32) -> longarm_task::stage::When {
        let holds = |p: Predicate| p.into();
        match self {
            Open(part) => holds(is_open(part)),
            Close(part) => holds(is_closed(part)),
            In(x, place) => holds(origin_in(x, place)),
            On(x, place) => holds(origin_on(x, place)),
            Back(x) => holds(back_at_start(x).within(0.35)),
            Lift(x) => holds(lifted(x, 0.03)),
            Pour(from, into) => pours(from, into).reach(earlier + 1),
        }
    }

    /// How it is done; `holding` is what was picked before.
    fn plan(self, holding: &mut Option<&'static str>) -> Plan {
        let mut take = |x: &'static str| -> Plan {
            let held = holding.replace(x) == Some(x);
            if held { Plan::default() } else { pick(x).into() }
        };
        match self {
            Open(part) => open(part).into(),
            Close(part) => close(part).into(),
            In(x, place) => take(x).then(put(x).in_(place)),
            On(x, place) => take(x).then(put(x).on(place)),
            Back(x) => take(x).then(put(x).back_at_start()),
            Lift(x) => take(x),
            Pour(from, into) => take(from).then(pour(from, into)),
        }
    }
}

/// The task of a number as released, with everything else that is said of it.
pub(super) fn released(task: TaskSpec, number: u32) -> TaskSpec {
    let r = &RELEASED[number as usize - 1];
    let goal: Task = from(r.start, "", r.goal);
    let scene = Scene {
        name: "coffee",
        fixtures: r.fixtures,
        objects: r.objects,
        spots: &[],
        state: &[],
        free: &[],
        tasks: &[],
    };
    let options = Options { horizon: task.horizon, ..Options::new(task.id.to_string()) };
    let mut spec = load(&scene.problem(&goal), &options)
        .unwrap_or_else(|e| panic!("{}: {e}", options.id))
        .task;
    let mut stages = Vec::new();
    let (mut plan, mut holding) = (Plan::default(), None);
    for (i, stage_) in r.stages.iter().enumerate() {
        let earlier = r.stages[..i].iter().filter(|s| matches!(s, Pour(..))).count() as u32;
        stages.push(stage(format!("{} of {}", i + 1, r.stages.len()), stage_.when(earlier)));
        plan = plan.then(stage_.plan(&mut holding));
        if !matches!(stage_, Lift(_) | Pour(..)) {
            holding = None;
        }
    }
    spec.stages = Stages::from(stages);
    spec.plan = plan;
    spec.instruction = task.instruction;
    spec.labels = task.labels;
    spec.labels.push("released".to_owned());
    spec.source = task.source;
    spec.source.deviations =
        vec!["judged by LIBERO's predicates, pours as in this suite".to_owned()];
    spec
}
