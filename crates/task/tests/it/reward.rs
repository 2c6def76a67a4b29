//! What steps are worth: bounded, rising as the plan is carried out, silent while nothing happens.

use longarm_task::prelude::*;
use longarm_task::{Outcome, Reward};
use longarm_types::DVec3;

use crate::plans::{expert, playable};
use crate::tasks::*;
use crate::world::World;

/// The episode of the plan, reward by reward.
fn rewards(task: &TaskSpec, seed: u64) -> Vec<Reward> {
    let mut w = World::new(task, seed);
    w.now.hands[0].pose.pos = DVec3::new(0.2, 0.0, 0.5);
    w.tracker.begin(&w.now);
    expert(&mut w);
    w.wait(3.0);
    assert_eq!(w.tracker.status().outcome, Outcome::Success, "{} seed {seed}", task.id);
    w.rewards
}

#[test]
fn dense_rises_along_the_plan_and_ends_at_one() {
    for task in playable() {
        let n = task.stage_names().len() as f64;
        for seed in 0..5 {
            let all = rewards(&task, seed);
            let dense: Vec<f64> = all.iter().map(|r| r.dense).collect();
            assert!(dense.iter().all(|d| (0.0..=1.0).contains(d)), "{}: {dense:?}", task.id);
            assert_eq!(*dense.last().unwrap(), 1.0, "{}", task.id);
            let before = dense.iter().position(|d| *d == 1.0).unwrap();
            assert_eq!(all[..before].iter().map(|r| r.sparse).sum::<f64>(), 0.0);
            assert_eq!(all[before].sparse, 1.0);
            let sum: f64 = all.iter().map(|r| r.stages).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{}: {sum}", task.id);
            // Never back by as much as a stage.
            let mut high = 0.0f64;
            for d in &dense {
                high = high.max(*d);
                assert!(high - d < 0.9 / n, "{} seed {seed}: from {high} to {d}", task.id);
            }
            // At the end only time passes.
            let top = dense[..before].iter().copied().fold(0.0, f64::max);
            let rise = dense.iter().position(|d| *d >= top).unwrap();
            let quarter = |k: usize| {
                let part = &dense[k * rise / 4..(k + 1) * rise / 4];
                part.iter().sum::<f64>() / part.len() as f64
            };
            for k in 1..4 {
                assert!(quarter(k) > quarter(k - 1), "{} seed {seed}: {dense:?}", task.id);
            }
        }
    }
}

#[test]
fn doing_nothing_is_worth_nothing() {
    for task in all_tasks() {
        let mut w = World::new(&task, 1);
        w.tracker.begin(&w.now);
        w.wait(10.0);
        let most = w.rewards.iter().map(|r| r.dense).fold(0.0, f64::max);
        assert!(most < 0.02, "{}: {most}", task.id);
        assert!(w.rewards.iter().all(|r| r.sparse == 0.0 && r.stages == 0.0));
    }
}

fn blocks() -> TaskSpec {
    let (a, b) = (object("a", Block::cube(0.04)), object("b", Block::cube(0.04)));
    TaskSpec::new("test/blocks", RigName::ARX_R5)
        .horizon(100)
        .place(&a, &region("left", point([0.3, 0.1])))
        .place(&b, &region("right", point([0.3, -0.1])))
        .plan([pick(&a), put(&a).on(&b)])
        .stages(from_plan())
}

#[test]
fn the_way_counts_and_letting_go_far_from_the_place_does_not() {
    let mut w = World::new(&blocks(), 0);
    w.tracker.begin(&w.now);
    w.act(&pick("a").op);
    assert!(w.tracker.status().stages[0].completed.is_some());
    let opened = w.tracker.reward().dense;
    let a = w.bound.body("a").unwrap();
    let carry = |w: &mut World, y: f64| {
        w.now.bodies[a].pose.pos.y = y;
        w.now.hands[0].pose.pos.y = y;
        w.wait(0.1);
        w.tracker.progress(1)
    };
    let quarter = carry(&mut w, 0.05);
    let half = carry(&mut w, 0.0);
    let most = carry(&mut w, -0.06);
    assert!(
        0.0 < quarter && quarter < half && half < most && most < 1.0,
        "{quarter} {half} {most}"
    );
    assert!(w.tracker.reward().dense > opened + 0.1);
    // Back half of the way, and dropped on the table there.
    let held = carry(&mut w, 0.0);
    assert_eq!(held, half);
    w.now.hands[0].holds[a] = false;
    w.now.bodies[a].pose.pos.z = 0.0;
    w.wait(0.2);
    assert!(w.tracker.progress(1) <= held, "dropping it is not progress");
}

#[test]
fn a_stage_may_be_measured_by_something_else() {
    let mut plain = blocks();
    plain.stages = sequential([stage("stacked", on("a", "b"))]);
    let hash = plain.hash();
    let mut other = plain.clone();
    other.stages = sequential([stage("stacked", on("a", "b")).measured_by(near("a", "b", 0.01))]);
    assert_ne!(other.hash(), hash);
    assert!(!plain.to_json().contains("measure"), "absent is absent, so that hashes stay");
    assert_eq!(TaskSpec::from_json(&other.to_json()).unwrap(), other);
    let progress = |task: &TaskSpec| {
        let mut w = World::new(task, 0);
        w.tracker.begin(&w.now);
        let a = w.bound.body("a").unwrap();
        w.now.bodies[a].pose.pos = DVec3::new(0.3, -0.1, 0.1);
        w.wait(0.1);
        w.tracker.progress(0)
    };
    // Over it but not on it: all of the way seen from above, half of it in space.
    assert!((progress(&other) - 0.5).abs() < 0.1, "{}", progress(&other));
    assert_ne!(progress(&other), progress(&plain));
    other.stages = sequential([stage("stacked", on("a", "b")).measured_by(near("a", "c", 0.01))]);
    assert!(other.validate().is_err(), "what is measured must be there");
}

#[test]
fn a_success_stands_until_it_is_undone() {
    let task = blocks().forbid("thrown", ever(lifted("b", 0.02)));
    let mut w = World::new(&task, 0);
    expert(&mut w);
    w.wait(1.0);
    assert_eq!(w.tracker.status().outcome, Outcome::Success);
    assert!(w.tracker.status().stands);
    let at = w.tracker.status().step;
    w.act(&pick("a").op);
    let status = w.tracker.status();
    assert_eq!((status.outcome, status.stands), (Outcome::Success, false));
    let reward = w.tracker.reward();
    assert_eq!((reward.sparse, reward.dense, reward.stages), (0.0, 0.5, 0.0));
    expert_put(&mut w);
    let status = w.tracker.status();
    assert!(status.stands && status.step == at && status.score() == 100.0);
    assert_eq!(w.tracker.reward().sparse, 1.0);
    w.act(&pick("b").op);
    w.act(&put("b").at("right").op);
    expert_put(&mut w);
    assert!(!w.tracker.status().stands, "what was forbidden stays so");
}

fn expert_put(w: &mut World) {
    w.act(&put("a").on("b").op);
}
