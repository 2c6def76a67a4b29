//! The one episode loop: what policies are shown, what they say, what a whole episode is worth, and
//! going back in the middle of one.

use std::sync::{Arc, Mutex};

use longarm_eval::{
    Actor, ExecutionOptions, Rollout, Unwatched, Watcher, run_episode, try_episode,
};
use longarm_policy::{Decision, EpisodeInfo, Policy, PolicyError};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_task::{Reward, TaskSpec};
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Hints, Observation, Seed};
use proptest::prelude::*;

const TASK: &str = "longbench/stack-block";

fn task(id: &str) -> Arc<TaskSpec> {
    Arc::new(longarm_suites::task(id).unwrap())
}

fn env(id: &str, seed: u64) -> Env {
    let mut env = Env::new(task(id), EnvSettings::default()).unwrap();
    env.reset(Seed(seed)).unwrap();
    env
}

/// What an episode was worth, action by action.
#[derive(Default)]
struct Worth {
    rewards: Vec<Reward>,
    completed: Vec<usize>,
    success: Vec<bool>,
    actions: Vec<Action>,
}

impl Watcher for Worth {
    fn reads_dense_reward(&self) -> bool {
        true
    }

    fn action(&mut self, action: &Action) {
        self.actions.push(*action);
    }

    fn after_action(&mut self, env: &mut Env, _: &str) {
        self.rewards.push(env.report().reward);
        self.completed.push(env.tracker().status().completed());
        self.success.push(env.report().success);
    }
}

fn worth(env: &mut Env, policy: &str) -> (EpisodeRecord, Worth) {
    let mut worth = Worth::default();
    let record = run_episode(env, &mut Actor::named(policy).unwrap(), policy, &mut worth);
    (record, worth)
}

#[test]
fn rewards_of_experts_rise_and_of_the_idle_do_not() {
    for id in [
        TASK,
        "longbench/pull-drawer",
        "longbench/wipe-plate",
        "longbench/vase-sticks",
        "libero-10/kitchen-scene4-put-the-black-bowl-in-the-bottom-drawer-of-the-cabinet-and-close-it",
        "lohoravens/stack-blocks-of-same-color",
    ] {
        let mut env = env(id, 0);
        let start = env.report().reward.dense;
        let (record, w) = worth(&mut env, "expert");
        assert_eq!(record.outcome, EpisodeOutcome::Success, "{id}: {:?}", record.reason);
        let n = record.stages.len();
        let dense: Vec<f64> = w.rewards.iter().map(|r| r.dense).collect();
        assert!(dense.iter().all(|d| (0.0..=1.0).contains(d)), "{id}");
        assert!(start < 0.05 && *dense.last().unwrap() == 1.0, "{id}: {start} {dense:?}");
        assert!(dense[..dense.len() - 1].iter().all(|d| *d < 1.0), "{id}");
        // Sparse and by stages as they have always been.
        let mut before = 0;
        for (i, r) in w.rewards.iter().enumerate() {
            assert_eq!(r.sparse, f64::from(u8::from(w.success[i])));
            let gained = w.completed[i] as f32 - before as f32;
            assert_eq!(r.stages as f32, gained / n as f32, "{id} at {i}");
            before = w.completed[i];
        }
        if dense.len() >= 20 {
            let part = |k: usize| {
                let part = &dense[k * dense.len() / 4..(k + 1) * dense.len() / 4];
                part.iter().sum::<f64>() / part.len() as f64
            };
            let means = [part(0), part(1), part(2), part(3)];
            assert!(means.is_sorted() && means[3] > means[0] + 0.3, "{id}: {means:?}");
        }
        let mut high = 0.0f64;
        for d in &dense {
            high = high.max(*d);
            assert!(high - d < 1.0 / n as f64 + 1e-9, "{id}: fell from {high} to {d}");
        }
        env.reset(Seed(0)).unwrap();
        let mut still = Worth::default();
        let few = ExecutionOptions { max_steps: Some(60), ..Default::default() };
        let mut idle = Actor::named("idle").unwrap();
        try_episode(&mut env, &mut idle, "idle", &few, &mut still).unwrap();
        let most = still.rewards.iter().map(|r| r.dense).fold(0.0, f64::max);
        assert!(most < 0.1, "{id}: idling is worth {most}");
    }
}

#[test]
fn dense_reward_is_the_same_in_an_environment_that_did_not_measure_it_before() {
    let fresh = worth(&mut env(TASK, 0), "expert").1.rewards;
    let mut used = env(TASK, 1);
    run_episode(&mut used, &mut Actor::named("idle").unwrap(), "idle", &mut Unwatched);
    assert!(used.report().reward.dense.is_nan());
    used.reset(Seed(0)).unwrap();
    assert_eq!(worth(&mut used, "expert").1.rewards, fresh);
}

/// What a policy was shown and asked.
#[derive(Clone, Default)]
struct Log {
    seen: Vec<(u32, String)>,
    asked: Vec<(u32, String)>,
    pictures: usize,
}

/// Waves, three actions at a time, and says so.
struct Waving {
    log: Arc<Mutex<Log>>,
    every: bool,
}

impl Policy for Waving {
    fn begin_episode(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        Ok(())
    }

    fn see(&mut self, seen: &Observation) -> Result<(), PolicyError> {
        let mut log = self.log.lock().unwrap();
        log.seen.push((seen.step, seen.instruction.clone()));
        log.pictures += seen.cameras.len();
        Ok(())
    }

    fn act(&mut self, seen: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        assert!(decision.chunk.is_empty() && decision.believes.is_none());
        let mut log = self.log.lock().unwrap();
        log.asked.push((seen.step, seen.instruction.clone()));
        decision.chunk.extend([Action::new(&[0.0, 0.1, 0.0, 0.0, 0.0, 0.0, -1.0]); 3]);
        decision.believes = (seen.step > 0).then(|| format!("wave {}", seen.step));
        Ok(())
    }

    fn wants_every_step(&self) -> bool {
        self.every
    }
}

#[derive(Default)]
struct Captions(Vec<String>);

impl Watcher for Captions {
    fn after_action(&mut self, _: &mut Env, doing: &str) {
        self.0.push(doing.to_owned());
    }
}

#[test]
fn a_policy_sees_every_step_if_it_wants_and_what_it_believes_is_shown() {
    let few = ExecutionOptions { max_steps: Some(7), ..Default::default() };
    for every in [true, false] {
        let images = ImageSettings { size: Some((8, 8)), ..ImageSettings::default() };
        let mut env = Env::new(task(TASK), EnvSettings { images: Some(images) }).unwrap();
        env.reset(Seed(0)).unwrap();
        let log = Arc::new(Mutex::new(Log::default()));
        let mut actor = Actor::Policy(Box::new(Waving { log: log.clone(), every }));
        let mut captions = Captions::default();
        try_episode(&mut env, &mut actor, "waving", &few, &mut captions).unwrap();
        let log = log.lock().unwrap().clone();
        let steps = |of: &[(u32, String)]| of.iter().map(|s| s.0).collect::<Vec<_>>();
        assert_eq!(steps(&log.asked), [0, 3, 6]);
        assert_eq!(steps(&log.seen), if every { (0..7).collect() } else { vec![] });
        assert_eq!(log.pictures > 0, every);
        assert_eq!(captions.0, ["", "", "", "wave 3", "wave 3", "wave 3", "wave 6"]);
    }
}

#[test]
fn instructions_come_stage_by_stage_where_that_is_asked_for() {
    let mut env = env(TASK, 2);
    let (_, expert) = worth(&mut env, "expert");
    let sentences: Vec<String> = env.tracker().sentences().map(str::to_owned).collect();
    for stepwise in [None, Some(true)] {
        env.reset(Seed(2)).unwrap();
        let log = Arc::new(Mutex::new(Log::default()));
        struct Told(Arc<Mutex<Log>>, Vec<Action>, usize);
        impl Policy for Told {
            fn begin_episode(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
                Ok(())
            }
            fn act(&mut self, seen: &Observation, d: &mut Decision) -> Result<(), PolicyError> {
                self.0.lock().unwrap().asked.push((seen.step, seen.instruction.clone()));
                d.chunk.push(self.1[self.2]);
                self.2 += 1;
                Ok(())
            }
        }
        let mut actor = Actor::Policy(Box::new(Told(log.clone(), expert.actions.clone(), 0)));
        let options = ExecutionOptions { stepwise, ..Default::default() };
        let record = try_episode(&mut env, &mut actor, "told", &options, &mut Unwatched).unwrap();
        assert_eq!(record.outcome, EpisodeOutcome::Success);
        let mut told: Vec<String> =
            log.lock().unwrap().asked.iter().map(|(_, t)| t.clone()).collect();
        told.dedup();
        match stepwise {
            None => assert_eq!(told, [env.scene().instruction.clone()]),
            _ => assert_eq!(told, sentences),
        }
    }
}

#[test]
fn an_episode_may_run_on_after_its_success() {
    let mut env = env(TASK, 2);
    let (plain, expert) = worth(&mut env, "expert");
    assert_eq!(plain.stood, None);
    let on = |env: &mut Env, steps: u32, then: [f32; 7]| {
        env.reset(Seed(2)).unwrap();
        let mut actions = expert.actions.clone();
        actions.extend(std::iter::repeat_n(Action::new(&then), 500));
        let options = ExecutionOptions { run_on: Some(steps), ..Default::default() };
        let mut actor = Actor::replay(actions);
        let mut w = Worth::default();
        (try_episode(env, &mut actor, "replay", &options, &mut w).unwrap(), w)
    };
    let (kept, w) = on(&mut env, 30, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    assert_eq!((kept.outcome, kept.stood), (EpisodeOutcome::Success, Some(true)));
    assert_eq!((kept.steps, kept.score), (plain.steps + 30, 100.0));
    assert!(w.rewards[plain.steps as usize..].iter().all(|r| r.sparse == 1.0 && r.dense == 1.0));
    // Down into the tower.
    let (lost, w) = on(&mut env, 60, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0]);
    assert_eq!((lost.outcome, lost.stood), (EpisodeOutcome::Success, Some(false)));
    assert!(w.rewards.last().unwrap().sparse == 0.0 && w.rewards.last().unwrap().dense < 1.0);
    // The horizon ends it whatever was asked for.
    let (long, _) = on(&mut env, u32::MAX, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    assert_eq!(long.steps, env.task().horizon);
    // Not at all is as always.
    let (same, _) = on(&mut env, 0, [0.0; 7]);
    assert_eq!((same.steps, same.state_hash), (plain.steps, plain.state_hash));
}

/// Drives a rollout for some actions; a new decision is a chunk of three.
fn drive(env: &mut Env, rollout: &mut Rollout, rng: &mut longarm_types::Rng, steps: usize) {
    for _ in 0..steps {
        if rollout.wants_decision() {
            let mut any = || rng.range(-1.0, 1.0) as f32;
            let chunk: Vec<Action> =
                (0..3).map(|_| Action::new(&std::array::from_fn::<f32, 7, _>(|_| any()))).collect();
            rollout.decide(&chunk, "").unwrap();
        }
        rollout.advance(env, &mut Unwatched).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// With latency, noise, repeats and chunks half used up.
    #[test]
    fn an_episode_is_restored_with_everything_on_its_way(
        seed in 0u64..100,
        latency in 0u32..5,
        noise in 0.0f64..0.3,
        repeat in 1u32..3,
        before in 0usize..20,
        after in 1usize..20,
    ) {
        let options = ExecutionOptions {
            latency: Some(latency),
            action_noise: Some(noise),
            action_repeat: Some(repeat),
            execute: Some(2),
            ..Default::default()
        };
        let mut here = env(TASK, seed);
        let mut rollout = Rollout::begin(&mut here, &options).unwrap();
        let mut rng = Seed(seed).stream("decisions");
        drive(&mut here, &mut rollout, &mut rng, before);
        let saved = (here.save(), rollout.clone(), rng.clone());
        drive(&mut here, &mut rollout, &mut rng, after);
        let straight = here.record("", None);
        let mut there = Env::new(here.task().clone(), EnvSettings::default()).unwrap();
        for env in [&mut here, &mut there] {
            env.restore(&saved.0).unwrap();
            let (mut rollout, mut rng) = (saved.1.clone(), saved.2.clone());
            drive(env, &mut rollout, &mut rng, after);
            prop_assert_eq!(&env.record("", None), &straight);
        }
    }
}

/// With the true subtask of the moment the expert without memory does what it could not do without: it is
/// memory that it lacked. The hint says what the task's own words leave open.
#[test]
fn hints_stand_in_for_memory() {
    let id = "longbench/hide-block";
    let images = longarm_eval::images_for("reactive");
    let mut env = Env::new(task(id), EnvSettings { images }).unwrap();
    let mut told: Vec<Vec<String>> = Vec::new();
    for hints in [Hints::None, Hints::Subtask] {
        env.reset(Seed(2)).unwrap();
        #[derive(Default)]
        struct Heard(Vec<String>);
        impl Watcher for Heard {
            fn after_action(&mut self, env: &mut Env, _: &str) {
                if self.0.last().is_none_or(|h| h != env.instruction()) {
                    self.0.push(env.instruction().to_owned());
                }
            }
        }
        let mut heard = Heard::default();
        let options = ExecutionOptions { hints, ..Default::default() };
        let mut actor = Actor::named("reactive").unwrap();
        let record = try_episode(&mut env, &mut actor, "reactive", &options, &mut heard).unwrap();
        let success = record.outcome == EpisodeOutcome::Success;
        assert_eq!(success, hints == Hints::Subtask, "{hints}: {:?}", record.reason);
        told.push(heard.0);
    }
    assert_eq!(told[0], [env.scene().instruction.clone()]);
    let hidden = env.scene().variables["hidden under"];
    let other = if hidden == 0 { "left" } else { "right" };
    let open = format!("put the block where the {other} funnel was");
    assert!(told[1].contains(&open), "{:?}", told[1]);
    assert!(told[1].len() >= env.tracker().status().stages.len(), "{:?}", told[1]);
}

/// A trace of what hints helped to do replays without them, and they are part of what is saved.
#[test]
fn hints_are_saved_with_the_moment() {
    let mut env = env("longbench/hide-block", 1);
    env.give(Hints::Subtask).unwrap();
    let first = env.hint().unwrap().to_owned();
    let moment = env.save();
    env.reset(Seed(1)).unwrap();
    assert_eq!(env.hint(), None, "an episode begins without");
    env.restore(&moment).unwrap();
    assert_eq!(env.hint(), Some(first.as_str()));
    assert_eq!(env.instruction(), first);
}
