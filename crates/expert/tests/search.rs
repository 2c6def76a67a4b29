//! Searching before acting: what the script does is left alone, what it cannot do is found, and the same
//! seed finds the same actions on any number of threads.

use std::sync::Arc;

use longarm_expert::{Budget, Expert, Found, Level, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_task::form::{self, Format, NoFiles};
use longarm_types::{Action, Digest, Seed};

/// A block to be put on a plate within a number of control steps.
fn put(horizon: u32) -> Env {
    env(&format!(
        r#"
rig = "panda"
instruction = "put the block on the plate"
horizon = {horizon}
goal = "on(block, plate)"
plan = ["pick block", "put block on plate", "withdraw"]
[objects.block]
asset = {{ kind = "block", size = [0.04, 0.04, 0.04] }}
at = [[0.42, -0.12], [0.46, -0.08]]
[objects.plate]
asset = {{ kind = "plate", radius = 0.07 }}
at = [0.5, 0.12]
"#
    ))
}

/// A block that must come near a plate, though the plan only says where to go: pushing will do.
fn push() -> Env {
    env(r#"
rig = "panda"
instruction = "bring the block to the plate"
horizon = 200
goal = "near(block, plate, 0.15)"
plan = ["grasp block"]
[objects.block]
asset = { kind = "block", size = [0.05, 0.05, 0.09] }
at = [[0.44, -0.06], [0.46, -0.05]]
[objects.plate]
asset = { kind = "plate", radius = 0.07 }
at = [0.45, 0.12]
"#)
}

fn env(text: &str) -> Env {
    let task = form::read(text, Format::Toml, "test/search", &NoFiles).unwrap().task;
    Env::new(Arc::new(task), EnvSettings::default()).unwrap()
}

/// Play an episode and return its actions, whether it succeeded, and the state it ends in.
fn play(env: &mut Env, seed: u64, expert: &mut Expert) -> (Vec<Action>, bool, Digest) {
    env.reset(Seed(seed)).unwrap();
    expert.begin(env).unwrap();
    let mut actions = Vec::new();
    while !env.report().done() {
        let action = expert.act(env).unwrap();
        actions.push(action);
        env.step(&action).unwrap();
    }
    (actions, env.report().success, env.world().state_hash())
}

fn searching(budget: Budget) -> Expert {
    Expert::searching(budget, Vec::new())
}

fn found(expert: &Expert) -> Found {
    *expert.found().unwrap()
}

#[test]
fn a_script_that_succeeds_is_played_as_it_is() {
    let mut env = put(600);
    let script = play(&mut env, 0, &mut Expert::new(Memory::Whole));
    assert!(script.1);
    let mut search = searching(Budget::default());
    assert_eq!(play(&mut env, 0, &mut search), script);
    assert_eq!(found(&search).level, Level::Script);
    // Searching leaves nothing behind in the environment it was asked in.
    assert_eq!(u64::from(env.report().step), found(&search).simulated);
}

#[test]
fn a_script_that_is_too_slow_is_varied() {
    let mut roomy = put(600);
    let steps = play(&mut roomy, 0, &mut Expert::new(Memory::Whole)).0.len() as u32;
    let mut tight = put(steps - 3);
    assert!(!play(&mut tight, 0, &mut Expert::new(Memory::Whole)).1);
    let mut search = searching(Budget { decisions: 0, ..Budget::default() });
    let (actions, success, _) = play(&mut tight, 0, &mut search);
    assert!(success, "{:?}", found(&search));
    assert_eq!(found(&search).level, Level::Variant);
    // What was found is tried before anything is searched again.
    let mut again = Expert::searching(Budget::default(), actions.clone());
    assert_eq!(play(&mut tight, 0, &mut again).0, actions);
    assert_eq!(found(&again).level, Level::Known);
    // What no longer succeeds is not played.
    let half = actions[..actions.len() / 2].to_vec();
    let mut other = Expert::searching(Budget { decisions: 0, ..Budget::default() }, half);
    assert_eq!(play(&mut tight, 0, &mut other).0, actions);
    assert_eq!(found(&other).level, Level::Variant);
}

#[test]
fn what_no_script_does_is_found_and_is_the_same_on_any_number_of_threads() {
    let budget = Budget { generations: 0, samples: 24, horizon: 12, ..Budget::default() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut search = searching(budget);
            let played = play(&mut push(), 4, &mut search);
            (played, found(&search))
        })
    };
    let (one, how) = on(1);
    assert_eq!(how.level, Level::Knots);
    assert!(one.1, "{how:?}");
    let (two, _) = on(2);
    assert_eq!(one, two);
}

/// A cube in a cupped hand, to be turned by a little.
fn turning() -> Env {
    use longarm_task::prelude::*;
    let cube = object("cube", Block::cube(0.06));
    let lies = in_palm("arm", [0.002, 0.002]).offset(0.015, 0.0).yaw(-0.1, 0.1);
    let done = all([turned(&cube, 0.6), hand_over(&cube)]);
    let task = TaskSpec::new("test/turn", RigName::STUDIO_PANDA_LEAP_CUPPED)
        .instruction("turn the cube in the hand")
        .place(&cube, lies)
        .plan([turn(&cube, 0.6).with_effect(done.clone())])
        .stages([stage("turn the cube", done).hold(0.1)])
        .forbid("the cube is dropped", ever(hand_clear_of(&cube).within(0.1)))
        .horizon(60);
    Env::new(Arc::new(task), EnvSettings::default()).unwrap()
}

#[test]
fn what_lies_in_a_hand_is_turned_within_the_episode_the_same_on_any_number_of_threads() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| play(&mut turning(), 1, &mut Expert::new(Memory::Whole)))
    };
    let one = on(1);
    assert!(one.1, "not turned after {} steps", one.0.len());
    assert_eq!(one, on(2));
    // What was found is in the actions alone.
    let mut again = turning();
    again.reset(Seed(1)).unwrap();
    for action in &one.0 {
        again.step(action).unwrap();
    }
    assert_eq!(again.world().state_hash(), one.2);
    // Idle it stays as it lies.
    let mut idle = turning();
    idle.reset(Seed(1)).unwrap();
    while !idle.report().done() {
        let action = idle.action_spec().idle();
        idle.step(&action).unwrap();
    }
    assert!(!idle.report().success && !idle.report().failed, "nothing turns or falls by itself");
}
