//! Plans carry out their tasks, and the expert without memory shows which tasks need one.

use longarm_assets::CameraMount;
use longarm_task::predicate::View;
use longarm_task::prelude::*;
use longarm_task::stage::When;
use longarm_task::{Op, Outcome, Reactive};
use longarm_types::DVec3;

use crate::tasks::*;
use crate::world::World;

pub fn expert(world: &mut World) {
    let steps = world.spec.plan.steps(&world.bound, &world.scene).unwrap();
    for step in steps {
        let op = step.choose(&world.now).unwrap().op.clone();
        world.act(&op);
    }
}

/// Tasks the world without physics can play.
pub fn playable() -> Vec<TaskSpec> {
    all_tasks().into_iter().filter(|t| t.id.name() != "thread-rope").collect()
}

#[test]
fn following_the_plan_completes_every_stage_in_time_for_the_quiet_end() {
    for task in playable() {
        for seed in 0..20 {
            let mut w = World::new(&task, seed);
            expert(&mut w);
            let before = w.tracker.status().clone();
            let names = task.stage_names();
            assert_eq!(before.left(), 1, "{} seed {seed}: {before:?} {names:?}", task.id);
            w.wait(3.0);
            assert_eq!(w.tracker.status().outcome, Outcome::Success, "{} seed {seed}", task.id);
            assert_eq!(w.tracker.status().score(), 100.0);
        }
    }
}

#[test]
fn the_subtask_of_the_moment_follows_the_plan() {
    for task in playable() {
        for seed in 0..5 {
            let mut w = World::new(&task, seed);
            let steps = w.subtasks.plan().to_vec();
            for (i, step) in steps.iter().enumerate() {
                let there = step.choices.iter().all(|c| c.effect.holds(&w.now));
                // A hand that is back already need not be drawn back.
                let at = if there && matches!(step.step.op, Op::Withdraw) { i + 1 } else { i };
                let at = (at < steps.len()).then_some(at);
                assert_eq!(w.subtasks.at(), at, "{} seed {seed}", task.id);
                assert_eq!(w.subtasks.sentence().is_empty(), at.is_none(), "{} {i}", task.id);
                let op = step.choose(&w.now).unwrap().op.clone();
                w.act(&op);
            }
            w.wait(3.0);
            assert_eq!((w.subtasks.at(), w.subtasks.sentence()), (None, ""), "{}", task.id);
        }
    }
}

#[test]
fn what_was_dropped_is_to_be_picked_up_again() {
    let mut w = World::new(&repeat_placement(), 3);
    w.act(&pick("block").op);
    assert_eq!(w.subtasks.sentence(), "put the block on the plate");
    w.drop("block");
    assert_eq!(w.subtasks.sentence(), "pick up the block");
    w.act(&pick("block").op);
    assert_eq!((w.subtasks.at(), w.subtasks.sentence()), (Some(1), "put the block on the plate"));
}

#[test]
fn alike_objects_are_told_apart_by_where_the_camera_shows_them() {
    let [left, middle, right] = [0.15, 0.0, -0.15].map(|y| rect([0.3, y], [0.31, y + 0.01]));
    let plate = |n: u32| object(format!("plate_{n}"), Plate { radius: 0.05 });
    let block = object("block", Block::cube(0.03));
    let task = |order: [u32; 3]| {
        let [a, b, c] = order.map(plate);
        TaskSpec::new("test/alike", RigName::ARX_R5)
            .instruction("do it")
            .place(&block, &region("start", rect([0.2, 0.0], [0.21, 0.01])))
            .place(&a, &region("one", left))
            .place(&b, &region("two", middle))
            .place(&c, &region("three", right))
            .plan([pick("block"), put("block").on("plate_2").saying("put it on the {plate_2}")])
            .stages(from_plan())
            .horizon(400)
    };
    let camera = RigName::ARX_R5.rig().cameras.into_iter().find_map(|c| match c.mount {
        CameraMount::World(pose) => Some(pose.dir(DVec3::X)),
        CameraMount::Tool { .. } => None,
    });
    // Whether the camera has the robot's left to its left.
    let same = camera.unwrap().y < 0.0;
    for (order, robots) in [([2, 1, 3], "left"), ([1, 2, 3], "middle"), ([3, 1, 2], "right")] {
        let seen = match (robots, same) {
            ("left", false) => "right",
            ("right", false) => "left",
            (side, _) => side,
        };
        let mut w = World::new(&task(order), 0);
        w.act(&pick("block").op);
        assert_eq!(w.subtasks.sentence(), format!("put it on the {seen} plate"), "{order:?}");
    }
}

#[test]
fn doing_nothing_completes_nothing() {
    for task in all_tasks() {
        let mut w = World::new(&task, 1);
        w.wait(10.0);
        assert_eq!(w.tracker.status().outcome, Outcome::Running, "{}", task.id);
        assert_eq!(w.tracker.status().score(), 0.0, "{}", task.id);
    }
}

#[test]
fn going_on_revokes_the_last_repetition() {
    let mut w = World::new(&repeat_placement(), 3);
    expert(&mut w);
    w.act(&pick("block").op);
    w.act(&put("block").on("plate").op);
    assert_eq!(w.tracker.forbidden(), Some("third placement"));
    assert_eq!(w.tracker.status().score(), 50.0);
    // The last stage never counted, the three before it were taken back.
    let revoked: Vec<_> = w.tracker.status().stages.iter().map(|s| s.revoked).collect();
    assert_eq!(revoked, [false, false, false, false, true, true, true, false]);

    let five = (0..).find(|s| World::new(&vase_sticks(), *s).scene.variables["n"] == 5).unwrap();
    let mut w = World::new(&vase_sticks(), five);
    expert(&mut w);
    w.act(&pick("stick 4").op);
    w.act(&insert("stick 4", "vase").op);
    assert_eq!(w.tracker.forbidden(), Some("fourth stick"));
    assert_eq!(w.tracker.status().completed(), 4);

    let mut w = World::new(&wipe_plate(), 0);
    let steps = w.spec.plan.steps(&w.bound, &w.scene).unwrap();
    for step in &steps[..5] {
        let op = step.choices[0].op.clone();
        w.act(&op);
    }
    assert_eq!(w.tracker.status().completed(), 5);
    w.stroke("sponge", "plate", 0.08);
    assert_eq!(w.tracker.forbidden(), Some("third wipe"));
    assert_eq!(w.tracker.status().completed(), 4);

    let mut w = World::new(&swap_blocks(), 0);
    let steps = w.spec.plan.steps(&w.bound, &w.scene).unwrap();
    for step in &steps[..5] {
        let op = step.choices[0].op.clone();
        w.act(&op);
    }
    w.act(&pick("block A").op);
    assert_eq!(w.tracker.forbidden(), Some("block A taken again"));
    assert_eq!(w.tracker.status().completed(), 4);
}

#[test]
fn rubbing_to_and_fro_is_many_strokes_and_trembling_is_none() {
    let rub = |swing: f64| {
        let mut w = World::new(&wipe_plate(), 0);
        w.act(&pick("sponge").op);
        let (t, s) = (w.bound.body("sponge").unwrap(), w.bound.body("plate").unwrap());
        w.now.touching.set(t, s, true);
        for i in 0..60 {
            let x = swing * (f64::from(i) * 0.4).sin();
            w.now.bodies[t].pose.pos = w.now.bodies[s].pose.pos + DVec3::X * x;
            w.wait(0.05);
        }
        w.tracker.forbidden().map(str::to_owned)
    };
    assert_eq!(rub(0.05).as_deref(), Some("third wipe"));
    assert_eq!(rub(0.02), None);
}

/// Whether the expert without memory ends up successful.
fn reactive_solves(task: &TaskSpec, seed: u64) -> bool {
    let mut w = World::new(task, seed);
    let reactive = Reactive::new(&task.plan, &w.bound, &w.scene).unwrap();
    for _ in 0..40 {
        let seen = w.seen();
        let next = reactive.next(&View::seeing(&w.now, &seen)).map(|(b, _)| b.op.clone());
        match next {
            Some(op) => w.act(&op),
            None => w.wait(3.0),
        }
        if w.tracker.status().ended() {
            break;
        }
    }
    w.tracker.status().outcome == Outcome::Success
}

#[test]
fn without_memory_context_free_tasks_work_and_the_others_do_not() {
    for task in [stack_block(), pull_drawer(), waste_sorting(), dynamic_grasping()] {
        for seed in 0..10 {
            assert!(reactive_solves(&task, seed), "{} seed {seed}", task.id);
        }
    }
    for task in [repeat_placement(), swap_blocks(), wipe_plate(), hide_block()] {
        for seed in 0..10 {
            assert!(!reactive_solves(&task, seed), "{} seed {seed}", task.id);
        }
    }
    // Three sticks on the table are solved by accident, more are not.
    for seed in 0..20 {
        let n = World::new(&vase_sticks(), seed).scene.variables["n"];
        assert_eq!(reactive_solves(&vase_sticks(), seed), n == 3, "seed {seed}");
    }
}

#[test]
fn sentences_speak_of_what_is_there() {
    let w = World::new(&stack_block(), 0);
    let steps = w.spec.plan.steps(&w.bound, &w.scene).unwrap();
    let name = |i: usize| w.scene.called[i].clone();
    assert!(name(1).ends_with(" block") && name(1).len() > 6);
    assert_eq!(steps[0].sentence, format!("pick up the {}", name(1)));
    assert_eq!(steps[1].sentence, format!("put the {} on the {}", name(1), name(0)));
    assert!(w.scene.instruction.contains(&name(4)));
    let w = World::new(&pull_drawer(), 0);
    let said: Vec<_> = w.tracker.sentences().map(str::to_owned).collect();
    assert_eq!(said[0], "open the top drawer");
    let noun = w.scene.structure.instances[1].asset.noun();
    assert_eq!(said[2], format!("put the {noun} into the top drawer"));
    assert_eq!(w.tracker.name(2), "put the apple into the top drawer");
}

#[test]
fn branches_follow_the_scene() {
    for seed in 0..10 {
        let w = World::new(&hide_block(), seed);
        let under_a = w.scene.variables["hidden under"] == 0;
        let steps = w.spec.plan.steps(&w.bound, &w.scene).unwrap();
        let to = if under_a { "funnel B" } else { "funnel A" };
        assert_eq!(steps[5].step.op, put("block").at_start_of(to).op);
    }
    let seen = if_seen(in_("block", "funnel A"), withdraw(), pick("block"));
    for seed in 0..10 {
        let w = World::new(&hide_block(), seed);
        let under_a = w.scene.variables["hidden under"] == 0;
        let steps = seen.steps(&w.bound, &w.scene).unwrap();
        assert_eq!(matches!(steps[0].step.op, Op::Withdraw), under_a);
    }
}

#[test]
fn wipes_add_up_over_a_plan() {
    let stages = wipe_plate().stage_list(None).unwrap();
    let reach: Vec<_> = stages
        .iter()
        .filter_map(|s| match s.when {
            When::Times { reach, .. } => Some(reach),
            When::Holds(_) => None,
        })
        .collect();
    assert_eq!(reach, [1, 2]);
}
