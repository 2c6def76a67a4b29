//! What a task moves before the policy's eyes.

use std::sync::Arc;

use longarm_assets::RigName;
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{Action, Seed};

/// A cover that is lifted off a ball, put back, and changes places with a block.
fn task() -> TaskSpec {
    let cup = object("cup", ShellCup { radius: 0.034, height: 0.085 });
    let ball = object("ball", SoccerBall { radius: 0.017 });
    let block = object("block", Block::cube(0.04)).colour(Colour::Blue);
    let way =
        |from: &str, to: &str| carry(from, CarryTo::Place(to.to_owned())).bend(0.1).with_contents();
    TaskSpec::new("test/show", RigName::PANDA)
        .instruction("watch")
        .place(&cup, &region("left", rect([0.45, 0.1], [0.46, 0.12])))
        .place(&ball, under(&cup))
        .place(&block, &region("right", rect([0.45, -0.12], [0.46, -0.1])))
        .show(show("lift", 0.5, [carry(&cup, CarryTo::By([0.0, 0.0, 0.1]))]))
        .show(show("put back", 0.5, [carry(&cup, CarryTo::Start)]))
        .show(show("swap", 1.0, [way("cup", "block"), way("block", "cup")]))
        .stages([stage("the cup is up", above(&cup, "block")), stage("on", on(&block, &cup))])
        .horizon(200)
}

fn env() -> Env {
    let mut env = Env::new(Arc::new(task()), EnvSettings::default()).unwrap();
    env.reset(Seed(4)).unwrap();
    env
}

/// An action that would move the arm and close its hand.
fn push() -> Action {
    Action::new(&[0.5, 0.5, -0.5, 0.0, 0.0, 0.5, 1.0])
}

#[test]
fn objects_go_where_the_show_says_and_take_along_what_they_cover() {
    let mut env = env();
    let start: Vec<_> = env.snapshot().bodies.iter().map(|b| b.pose).collect();
    let [cup, ball, block] = [1, 2, 3];
    for k in 0..40 {
        assert!(env.shows(), "step {k}");
        env.step(&push()).unwrap();
        if k == 9 {
            let up = env.snapshot().bodies[cup].pose.pos - start[cup].pos;
            assert!((up.z - 0.1).abs() < 1e-3 && up.truncate().length() < 1e-3, "{up}");
            let left = env.snapshot().bodies[ball].pose.pos - start[ball].pos;
            assert!(left.length() < 2e-3, "the ball stays: {left}");
        }
    }
    assert!(!env.shows());
    for _ in 0..20 {
        env.step(&env.action_spec().idle()).unwrap();
    }
    let now: Vec<_> = env.snapshot().bodies.iter().map(|b| b.pose.pos).collect();
    let off = |a: usize, b: usize| (now[a] - start[b].pos).truncate().length();
    assert!(off(cup, block) < 3e-3 && off(block, cup) < 3e-3, "{now:?}");
    assert!(off(ball, block) < 0.03, "the ball came along: {now:?}");
}

#[test]
fn the_robot_is_held_and_nothing_counts_while_something_is_shown() {
    let mut env = env();
    let hand = env.snapshot().hands[0].pose;
    for _ in 0..39 {
        let report = env.step(&push()).unwrap();
        assert!(!report.success && env.tracker().status().completed() == 0);
    }
    let (far, turn) = env.snapshot().hands[0].pose.error_to(&hand);
    assert!(far < 2e-3 && turn < 0.01, "{far} {turn}");
    for _ in 0..10 {
        env.step(&push()).unwrap();
    }
    assert!(env.snapshot().hands[0].pose.error_to(&hand).0 > 0.02, "it moves again");
}

#[test]
fn a_moment_within_a_show_is_restored_exactly() {
    let mut env = env();
    for _ in 0..27 {
        env.step(&push()).unwrap();
    }
    let saved = env.save();
    let mut on = || {
        for _ in 0..30 {
            env.step(&push()).unwrap();
        }
        env.world().state_hash()
    };
    let first = on();
    let mut again = Env::new(Arc::new(task()), EnvSettings::default()).unwrap();
    again.restore(&saved).unwrap();
    for _ in 0..30 {
        again.step(&push()).unwrap();
    }
    assert_eq!(first, again.world().state_hash());
}

#[test]
fn a_show_is_part_of_the_task_and_checked() {
    let task = task();
    let mut other = task.clone();
    other.shows[2].seconds = 2.0;
    assert_ne!(task.hash(), other.hash());
    assert_eq!(TaskSpec::from_json(&task.to_json()).unwrap(), task);
    other.shows[0].moves[0].object = "cap".into();
    let e = other.validate().unwrap_err().to_string();
    assert!(e.contains("cap") && e.contains("cup"), "{e}");
    let late = task.clone().show(show("late", 1.0, []).after("never", 1.0));
    assert!(late.validate().unwrap_err().to_string().contains("never"));
    let mut endless = task;
    endless.shows[0].seconds = 0.0;
    assert!(endless.validate().is_err());
}
