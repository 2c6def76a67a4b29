//! Ten tasks for the tests of the language, after LongBench and simpler than the suite's own.

use longarm_task::prelude::*;

/// All of them.
pub fn all_tasks() -> Vec<TaskSpec> {
    vec![
        stack_block(),
        pull_drawer(),
        repeat_placement(),
        swap_blocks(),
        wipe_plate(),
        hide_block(),
        vase_sticks(),
        dynamic_grasping(),
        waste_sorting(),
        thread_rope(),
    ]
}

/// Five blocks become one tower that stands.
pub fn stack_block() -> TaskSpec {
    let block = |i: usize| {
        let name = format!("block {i}");
        let others: Vec<String> = (1..i).map(|j| format!("block {j}")).collect();
        let called = format!("{{{name}.colour}} block");
        object(name, Block::cube(0.04)).colour(any_colour().unlike(others)).called(called)
    };
    let [a, b, c, d, e] = [block(1), block(2), block(3), block(4), block(5)];
    let table = region("table", rect([0.20, -0.20], [0.42, 0.20])).yaw(-0.6, 0.6);

    TaskSpec::new("longbench/stack-block", RigName::ARX_R5)
        .instruction(
            "stack the blocks on the {block 1}: {block 2}, {block 3}, {block 4}, {block 5}",
        )
        .place(&a, &table)
        .place(&b, &table)
        .place(&c, &table)
        .place(&d, &table)
        .place(&e, &table)
        .plan([
            pick(&b).from(&table),
            put(&b).on(&a),
            pick(&c).from(&table),
            put(&c).on(&b),
            pick(&d).from(&table),
            put(&d).on(&c),
            pick(&e).from(&table),
            put(&e).on(&d),
        ])
        .stages(from_plan())
        .finally(all([on(&b, &a), on(&c, &b), on(&d, &c), on(&e, &d)]))
        .quiet_at_end(2.0)
        .labels(["PD", "IP", "EA"])
        .horizon(1_500)
        .source(source("LongBench, Table 3").phases(8).mean_length(692))
}

/// One object goes into the top drawer, another comes out of the middle one.
pub fn pull_drawer() -> TaskSpec {
    let cabinet = object("cabinet", Cabinet);
    let apple = object("apple", (Apple, Battery)).called("{apple.noun}");
    let cube = object("cube", Block::cube(0.035)).colour(any_colour()).called("{cube.colour} cube");
    let wall = region("wall", point([0.48, 0.05]));
    let table = region("table", rect([0.20, -0.20], [0.28, -0.12])).yaw(-0.4, 0.4);
    let spot = region("spot", rect([0.20, 0.12], [0.28, 0.20]));
    let (top, middle) = (cabinet.path("top"), cabinet.path("middle"));
    let (top_region, middle_region) = (cabinet.path("top_region"), cabinet.path("middle_region"));

    TaskSpec::new("longbench/pull-drawer", RigName::ARX_R5)
        .instruction(
            "put the {apple} into the top drawer and take the {cube} out of the middle one",
        )
        .place(&cabinet, &wall)
        .place(&apple, &table)
        .place(&cube, middle_region.as_str())
        .region(&spot)
        .part(&top, PartStart::Closed)
        .part(&middle, PartStart::Closed)
        .plan([
            open(&top).only_if(at(&apple, &table)).saying("open the top drawer"),
            pick(&apple).from(&table),
            put(&apple).in_(&top_region).saying("put the {apple} into the top drawer"),
            close(&top).only_if(in_(&apple, &top_region)).saying("close the top drawer"),
            open(&middle).only_if(not(at(&cube, &spot))).saying("open the middle drawer"),
            pick(&cube).from(&middle_region),
            put(&cube).at(&spot).saying("put the {cube} on the table"),
            close(&middle).only_if(at(&cube, &spot)).saying("close the middle drawer"),
        ])
        .stages(from_plan())
        .quiet_at_end(2.0)
        .labels(["PD", "IP"])
        .horizon(2_000)
        .source(source("LongBench, Table 3").phases(8).mean_length(960))
}

/// The block goes onto the plate and back, exactly twice.
pub fn repeat_placement() -> TaskSpec {
    let block = object("block", Block::cube(0.04)).colour(any_colour());
    let plate = object("plate", Plate { radius: 0.09 });
    let start = region("start", rect([0.22, -0.20], [0.34, -0.10])).yaw(-0.4, 0.4);
    let spot = region("plate spot", rect([0.24, 0.08], [0.36, 0.14]));

    TaskSpec::new("longbench/repeat-placement", RigName::ARX_R5)
        .instruction("move the block onto the plate and back to where it was, exactly twice")
        .place(&block, &start)
        .place(&plate, &spot)
        .plan(repeat(
            2,
            [
                pick(&block).from(&start),
                put(&block).on(&plate),
                pick(&block).from(&plate),
                put(&block).back_at_start(),
            ],
        ))
        .stages(from_plan())
        .quiet_at_end(2.0)
        .forbid("third placement", times(on(&block, &plate)).more_than(2))
        .labels(["CP", "CT"])
        .horizon(1_600)
        .source(
            source("LongBench, Table 3")
                .phases(8)
                .mean_length(773)
                .deviation("Phase names are ours; the paper publishes only their number."),
        )
}

/// Each of two blocks visits the plate and returns to its own place.
pub fn swap_blocks() -> TaskSpec {
    let a = object("block A", Block::cube(0.04)).colour(any_colour());
    let b = object("block B", Block::cube(0.04)).colour(any_colour().unlike([&a]));
    let plate = object("plate", Plate { radius: 0.09 });
    let left = region("left", rect([0.22, -0.20], [0.30, -0.14])).yaw(-0.4, 0.4);
    let right = region("right", rect([0.34, -0.20], [0.42, -0.14])).yaw(-0.4, 0.4);
    let spot = region("plate spot", rect([0.26, 0.06], [0.36, 0.12]));
    let visit = |block| {
        [
            pick(block),
            put(block).on(&plate),
            withdraw(),
            pick(block).from(&plate),
            put(block).back_at_start(),
        ]
    };
    let back = ["put the block A back where it was", "put the block B back where it was"];

    TaskSpec::new("longbench/swap-blocks", RigName::ARX_R5)
        .instruction("move each block onto the plate and back, first the {block A.colour} one")
        .place(&a, &left)
        .place(&b, &right)
        .place(&plate, &spot)
        .plan([visit(&a), visit(&b)])
        .stages(from_plan())
        .quiet_at_end(2.0)
        .forbid("block A taken again", ever(grasped(&a)).after(back[0]))
        .revoking([back[0]])
        .forbid("block B taken again", ever(grasped(&b)).after(back[1]))
        .labels(["SB"])
        .horizon(1_900)
        .source(source("LongBench, Table 3").phases(10).mean_length(889))
}

/// Clear the plate, wipe it twice, put the wiper back, clear the table.
pub fn wipe_plate() -> TaskSpec {
    let plate = object("plate", Plate { radius: 0.09 });
    let scrap = object("scrap", (PaperBall, Banana)).called("{scrap.noun}");
    let rest = object("rest", (Apple, Battery)).called("{rest.noun}");
    let sponge = object("sponge", Sponge);
    let bin = object("bin", TrashBin);
    let middle = region("middle", rect([0.27, -0.04], [0.33, 0.0]));
    let left = region("left", rect([0.20, -0.20], [0.28, -0.17]));
    let right = region("right", rect([0.20, 0.12], [0.26, 0.20])).yaw(-0.3, 0.3);
    let corner = region("corner", point([0.40, 0.16]));

    TaskSpec::new("longbench/wipe-plate", RigName::ARX_R5)
        .instruction("clear the plate, wipe it twice, put the sponge back and clear the table")
        .place(&plate, &middle)
        .place(&bin, &corner)
        .place(&scrap, on_top_of(&plate))
        .place(&rest, &left)
        .place(&sponge, &right)
        .plan([
            pick(&scrap).from(&plate),
            put(&scrap).in_(&bin),
            pick(&sponge),
            wipe(&sponge, &plate, 1),
            wipe(&sponge, &plate, 1),
            put(&sponge).back_at_start(),
            pick(&rest).from(&left),
            put(&rest).in_(&bin),
        ])
        .stages(from_plan())
        .quiet_at_end(2.0)
        .forbid("third wipe", strokes(&sponge, &plate, 0.06).more_than(2))
        .revoking(["put the sponge back where it was", "wipe the plate with the sponge (2)"])
        .labels(["CT"])
        .horizon(1_400)
        .source(source("LongBench, Table 3").phases(8).mean_length(651))
}

/// A block changes its hiding place; the scene ends as it began.
pub fn hide_block() -> TaskSpec {
    let a = object("funnel A", FunnelCup).colour(Colour::Orange);
    let b = object("funnel B", FunnelCup).colour(Colour::Orange);
    let block = object("block", Block::cube(0.03)).colour(any_colour());
    let left = region("left", rect([0.32, -0.14], [0.36, -0.10]));
    let right = region("right", rect([0.32, 0.10], [0.36, 0.14]));
    let aside_left = region("left side", rect([0.20, -0.20], [0.24, -0.14]));
    let aside_right = region("right side", rect([0.20, 0.14], [0.24, 0.20]));

    TaskSpec::new("longbench/hide-block", RigName::ARX_R5)
        .instruction("move the hidden block under the other funnel and leave everything as it was")
        .variable("hidden under", 0..=1)
        .place(&a, &left)
        .place(&b, &right)
        .place(&block, chosen_by("hidden under", [under(&a), under(&b)]))
        .region(&aside_left)
        .region(&aside_right)
        .plan([
            [pick(&a), put(&a).at(&aside_left)].into(),
            [pick(&b), put(&b).at(&aside_right)].into(),
            pick(&block).into(),
            if_given(
                given("hidden under").is(0),
                put(&block).at_start_of(&b).saying("put the block under the other place"),
                put(&block).at_start_of(&a).saying("put the block under the other place"),
            ),
            [pick(&b).from(&aside_right), put(&b).back_at_start()].into(),
            [pick(&a).from(&aside_left), put(&a).back_at_start()].into(),
        ])
        .stages(from_plan())
        .finally(any([in_(&block, &a), in_(&block, &b)]))
        .quiet_at_end(2.0)
        .labels(["CP", "SB", "CE"])
        .horizon(1_800)
        .source(source("LongBench, Table 3").phases(10).mean_length(556))
}

/// Exactly three sticks vanish in the vase.
pub fn vase_sticks() -> TaskSpec {
    let sticks = [1, 2, 3, 4, 5]
        .map(|i| object(format!("stick {i}"), Stick { length: 0.12 }).when(given("n").at_least(i)));
    let vase = object("vase", Vase { height: 0.16 });
    let spot = region("vase spot", point([0.36, 0.14]));
    let rack = region("rack", rect([0.22, -0.20], [0.42, 0.02])).yaw(-0.2, 0.2);
    let inside = |n| at_least(n, sticks.iter().map(|s| in_(s, &vase)));
    let held = any(sticks.iter().map(|s| lifted(s, 0.02)));
    let round = |k: u32| {
        [
            stage(format!("pick stick {k}"), held.clone().and(inside(k as usize - 1))).round(k),
            stage(format!("stick {k} in the vase"), inside(k as usize).and(not(grasped("sticks"))))
                .hold(0.25)
                .round(k),
        ]
    };

    let mut task = TaskSpec::new("longbench/vase-sticks", RigName::ARX_R5)
        .instruction("put three of the {n} sticks into the vase")
        .variable("n", 3..=5)
        .place(&vase, &spot);
    for s in &sticks {
        task = task.place(s, &rack);
    }
    task.group("sticks", &sticks)
        .plan(repeat(3, [pick("sticks").from(&rack), insert("sticks", &vase)]))
        .stages([round(1), round(2), round(3)].concat())
        .quiet_at_end(2.0)
        .forbid("fourth stick", ever(inside(4)))
        .labels(["CP", "CE"])
        .horizon(1_100)
        .source(source("LongBench, Table 3").phases(6).mean_length(510))
}

/// Catch an object that travels on a belt before it is gone.
pub fn dynamic_grasping() -> TaskSpec {
    let belt = object("conveyor", Conveyor { size: [0.44, 0.10] });
    let item = object("item", (Block::cube(0.04), Can)).called("{item.noun}");
    let tray = object("tray", Tray { size: [0.14, 0.14] });
    let far = region("far", point([0.36, 0.0])).yaw(1.57, 1.57);
    let near_side = region("near side", rect([0.20, -0.05], [0.24, 0.05]));

    TaskSpec::new("longbench/dynamic-grasping", RigName::ARX_R5)
        .instruction("catch the {item.noun} and put it on the tray")
        .place(&belt, &far)
        .place(&tray, &near_side)
        .place(&item, on_top_of(&belt).offset(-0.16, 0.0))
        .belt(&belt, 0.02, 0.04)
        .plan([pick(&item).from(&belt), put(&item).on(&tray), withdraw()])
        .stages([
            stage("hand over the item", hand_over(&item)).hold(0.1),
            stage("grasped in time", grasped(&item)).within(8.0),
            stage("lifted clear", lifted_off(&item, &belt, 0.03)),
            stage("carried over the tray", above(&item, &tray).and(grasped(&item))),
            stage("resting on the tray", on(&item, &tray)),
            stage(
                "released and standing",
                all([on(&item, &tray), still(&item), hand_clear_of(&item)]),
            ),
        ])
        .quiet_at_end(2.0)
        .forbid("off the belt", ever(not(above(&item, &belt))).before("grasped in time"))
        .revoking(["hand over the item"])
        .labels(["PD", "TW"])
        .horizon(1_000)
        .source(source("LongBench, Table 3").phases(6).mean_length(481))
}

/// Three objects, three bins, any order.
pub fn waste_sorting() -> TaskSpec {
    let bin = |label: &str| {
        object(format!("{label} bin"), Bin { size: [0.10, 0.10, 0.08], label: label.into() })
    };
    let [paper, metal, food] = [bin("paper"), bin("metal"), bin("food")];
    let sheet = object("paper waste", (PaperBall, Carton));
    let tin = object("metal waste", (Can, Battery));
    let fruit = object("food waste", (Apple, Banana));
    let table = region("table", rect([0.20, -0.18], [0.30, 0.18])).yaw(-1.0, 1.0);
    let row = |y| region(format!("bin at {y}"), point([0.40, y]));

    TaskSpec::new("longbench/waste-sorting", RigName::ARX_R5)
        .instruction("sort the waste into the bins")
        .place(&paper, &row(-0.15))
        .place(&metal, &row(0.0))
        .place(&food, &row(0.15))
        .place(&sheet, &table)
        .place(&tin, &table)
        .place(&fruit, &table)
        .plan([
            pick(&sheet).from(&table),
            put(&sheet).in_(&paper),
            pick(&tin).from(&table),
            put(&tin).in_(&metal),
            pick(&fruit).from(&table),
            put(&fruit).in_(&food),
        ])
        .stages(from_plan().per_object())
        .quiet_at_end(2.0)
        .labels(["IP"])
        .horizon(1_400)
        .source(source("LongBench, Table 3").phases(6).mean_length(693))
}

/// A rope end through two holes.
pub fn thread_rope() -> TaskSpec {
    let rope = object("rope", Rope { length: 0.30 });
    let post = |i| object(format!("post {i}"), HolePost { height: 0.08, hole: 0.02 });
    let [first, second] = [post(1), post(2)];
    let start = region("start", rect([0.20, -0.20], [0.22, -0.18]));
    let (one, two) = (first.path("hole"), second.path("hole"));

    TaskSpec::new("longbench/thread-rope", RigName::ARX_R5)
        .instruction("thread the rope through both rings")
        .place(&first, &region("first spot", point([0.30, 0.0])))
        .place(&second, &region("second spot", point([0.40, 0.0])))
        .place(&rope, &start)
        .plan([
            pick(&rope),
            thread(&rope, &one, 0.02),
            pick(&rope).only_if(through(&rope, &one, 0.02)),
            thread(&rope, &two, 0.02),
            thread(&rope, &two, 0.04).saying("pull the rope through"),
        ])
        .stages([
            stage("grasp the end", grasped(&rope)),
            stage("through hole 1", through(&rope, &one, 0.01)),
            stage("grasped again", grasped(&rope).and(through(&rope, &one, 0.01))).not_before(0.2),
            stage("through hole 2", through(&rope, &two, 0.01)),
            stage("pulled through", through(&rope, &two, 0.04)).at_end(),
        ])
        .quiet_at_end(2.0)
        .labels(["PD", "IP", "EA"])
        .horizon(1_200)
        .source(source("LongBench, Table 3").phases(5).mean_length(600))
}

#[test]
fn all_are_valid_and_have_the_published_phases() {
    for task in all_tasks() {
        assert_eq!(task.problems(), [], "{}", task.id);
        assert_eq!(Some(task.stage_names().len() as u32), task.source.phases, "{}", task.id);
    }
}

#[test]
fn all_survive_json() {
    for task in all_tasks() {
        let text = task.to_json();
        let again = TaskSpec::from_json(&text).unwrap();
        assert_eq!(again, task);
        assert_eq!(again.hash(), task.hash());
        assert_ne!(task.clone().horizon(task.horizon + 1).hash(), task.hash());
    }
}
