//! The harness as a library: what lies between policy and robot, servers that break, panics.

#[path = "../../policy/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use longarm_assets::RigName;
use longarm_eval::{
    Actor, Evaluation, ExecutionOptions, HarnessError, PolicyPool, PolicySpec, Shaper, Videos,
    Watcher, entry, evaluate, try_episode, verify, work_list,
};
use longarm_policy::{Decision, EpisodeInfo, Policy, PolicyError};
use longarm_results::{Results, Row, RunConfig, RunDir, Shard, Trace, trace_name};
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_types::{Action, ActionSpec, ENGINE_VERSION, EpisodeOutcome, Observation, Seed};
use support::{Server, actions};

const TASK: &str = "longbench/stack-block";

fn task(id: &str) -> Arc<TaskSpec> {
    Arc::new(longarm_suites::task(id).unwrap())
}

fn config(
    tasks: &[Arc<TaskSpec>],
    policy: &str,
    episodes: u64,
    execution: ExecutionOptions,
) -> RunConfig {
    RunConfig {
        format: RunConfig::FORMAT,
        selectors: vec!["some".into()],
        policy: policy.into(),
        episodes,
        seed: 3,
        shard: Shard::WHOLE,
        engine: ENGINE_VERSION.into(),
        mujoco: longarm_sim::mujoco_version().into(),
        evidence: longarm_results::Evidence::Simulated,
        options: execution.into(),
        runtime: toml::Table::new(),
        tasks: tasks.iter().map(|t| (t.id.clone(), entry(t))).collect(),
        seeds: None,
        trained_on: Vec::new(),
        protocols: Default::default(),
        assets: Default::default(),
    }
}

fn place(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("eval-harness").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

/// Runs to the end and verifies; rows by place in the list.
fn run(
    dir: &Path,
    policy: &PolicyPool,
    episodes: u64,
    execution: ExecutionOptions,
    workers: usize,
) -> (BTreeMap<u64, Row>, Results) {
    let tasks = [task(TASK)];
    let open = RunDir::open_resume(dir, &config(&tasks, "tested", episodes, execution)).unwrap();
    let mut rows = BTreeMap::new();
    let evaluation = Evaluation { tasks: &tasks, policy, execution, workers, videos: Videos::NONE };
    evaluate(&evaluation, &open, &AtomicBool::new(false), |row| {
        rows.insert(row.index, row.clone());
    })
    .unwrap();
    let results = open.finish().unwrap();
    let verdict = verify(dir, |id| Some(task(id.as_str())), 2, |_, _| {}).unwrap();
    assert!(verdict.problems.is_empty(), "{:?}", verdict.problems);
    (rows, results)
}

fn short(steps: u32) -> ExecutionOptions {
    ExecutionOptions { max_steps: Some(steps), ..ExecutionOptions::default() }
}

fn remote(server: &Server, options: &str) -> PolicyPool {
    let text = format!("openpi:127.0.0.1:{}?retries=0&{options}", server.port);
    let spec: PolicySpec = text.parse().unwrap();
    spec.ready([task(TASK)]).unwrap()
}

fn trace(dir: &Path, seed: u64) -> Vec<Action> {
    let name = trace_name(&TASK.parse().unwrap(), seed);
    Trace::read(&dir.join(name)).unwrap().actions().collect()
}

#[test]
fn a_server_that_works() {
    let dir = place("works");
    let server = Server::openpi(|_, _, ws| drop(ws.send(actions(4, 0.5))));
    let (rows, results) = run(&dir, &remote(&server, "size=96"), 4, short(20), 2);
    assert_eq!((results.counts.n, results.counts.policy_errors), (4, 0));
    for row in rows.values() {
        assert_eq!((row.episode.steps, row.episode.outcome), (20, EpisodeOutcome::TaskFailure));
        let times = row.inference.expect("answers took time");
        assert_eq!(times.calls, 5, "five chunks of four");
        assert!(times.max_ms >= times.p50_ms && times.p50_ms > 0.0);
    }
    // Open loop: of every chunk of four the first two only.
    let half = ExecutionOptions { execute: Some(2), ..short(20) };
    let dir = place("works-half");
    let (rows, _) = run(&dir, &remote(&server, "size=96"), 1, half, 1);
    assert_eq!(rows[&0].inference.unwrap().calls, 10);
    let marks: Vec<f32> = trace(&dir, 3).iter().map(|a| a.values()[0]).collect();
    assert_eq!(marks[..4], [0.5, 0.0, 0.5, 0.0]);
    assert_eq!(server.count(), 5, "a connection for each episode, the first being the handshake's");
}

#[test]
fn a_server_that_drops_a_connection_and_one_that_answers_nan() {
    // The second connection is cut at its third question; the fourth answers NaN.
    let server = Server::openpi(|connection, question, ws| match (connection, question) {
        (1, 2) => drop(ws.get_mut().shutdown(std::net::Shutdown::Both)),
        (3, 1) => drop(ws.send(actions(1, f64::NAN))),
        _ => drop(ws.send(actions(1, 0.1))),
    });
    let dir = place("dies");
    let (rows, results) = run(&dir, &remote(&server, "size=64"), 5, short(12), 1);
    let c = results.counts;
    assert_eq!((c.rows, c.n, c.task_failures, c.policy_errors, c.harness_errors), (5, 5, 4, 1, 0));
    let why = |i: u64| rows[&i].episode.reason.clone().unwrap_or_default();
    // Begun again from its reset: a whole episode, and the times of that one.
    assert_eq!((rows[&1].episode.steps, trace(&dir, 4).len()), (12, 12), "{}", why(1));
    assert_eq!(rows[&1].inference.unwrap().calls, 12);
    assert!(why(2).contains("finite"), "{}", why(2));
    assert_eq!((rows[&2].episode.steps, trace(&dir, 5).len()), (1, 1), "what was done is kept");
    for i in [0, 3, 4] {
        assert_eq!(rows[&i].episode.steps, 12, "the run goes on: {}", why(i));
    }
    assert_eq!(results.tasks[0].policy_errors, 1);
}

#[test]
fn a_server_that_is_lost_in_every_attempt_at_an_episode() {
    // Whatever connection, its third question ends it, from the third episode on.
    let server = Server::openpi(|connection, question, ws| match (connection, question) {
        (2.., 2) => drop(ws.get_mut().shutdown(std::net::Shutdown::Both)),
        _ => drop(ws.send(actions(1, 0.1))),
    });
    let dir = place("lost");
    let tasks = [task(TASK)];
    let open = RunDir::create(&dir, &config(&tasks, "tested", 5, short(12))).unwrap();
    let policy = remote(&server, "size=64");
    let evaluation = Evaluation {
        tasks: &tasks,
        policy: &policy,
        execution: short(12),
        workers: 1,
        videos: Videos::NONE,
    };
    let mut rows = 0;
    let e = evaluate(&evaluation, &open, &AtomicBool::new(false), |_| rows += 1).unwrap_err();
    assert!(matches!(e, HarnessError::Policy { seed: 5, .. }), "{e:?}");
    assert!(e.to_string().contains("4 times in the same episode"), "{e}");
    assert_eq!((rows, open.finished().len()), (2, 2), "no row says anything of it");
    assert_eq!(server.count(), 6, "two episodes and four attempts at the third");
}

#[test]
fn conventions_are_compared_before_the_first_episode() {
    let server = Server::openpi(|_, _, ws| drop(ws.send(actions(1, 0.0))));
    let text = format!("openpi:127.0.0.1:{}?preset=droid", server.port);
    let said = text.parse::<PolicySpec>().unwrap().ready([task(TASK)]).err().unwrap().to_string();
    assert!(said.contains("joint-velocity actions of 8 numbers"), "{said}");
    assert!(said.contains(TASK), "{said}");
}

/// Breaks on command.
struct Wild {
    episode: Arc<AtomicUsize>,
    now: usize,
}

impl Policy for Wild {
    fn begin_episode(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        self.now = self.episode.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn act(&mut self, seen: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        assert!(seen.cameras.is_empty(), "nothing is drawn for those who do not look");
        match (self.now, seen.step) {
            (1, 4) => panic!("wild at step {}", seen.step),
            (2, 3) => decision.chunk.push(Action::new(&[0.0; 5])),
            (3, 3) => decision.chunk.push(Action::new(&[f32::NAN; 7])),
            (4, 2) => {}
            (5, 2) => return Err(PolicyError::Fault("had enough".into())),
            _ => decision.chunk.push(Action::new(&[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0])),
        }
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

#[test]
fn panics_and_refused_actions_end_their_own_episode_only() {
    let dir = place("wild");
    let count = Arc::new(AtomicUsize::new(0));
    let of = count.clone();
    let ready = PolicyPool::made(move || Box::new(Wild { episode: of.clone(), now: 0 }));
    let (rows, results) = run(&dir, &ready, 7, short(8), 1);
    let c = results.counts;
    assert_eq!((c.rows, c.n, c.policy_errors, c.harness_errors), (7, 6, 4, 1));
    let end = |i: u64| (rows[&i].episode.outcome, rows[&i].episode.reason.as_deref().unwrap_or(""));
    assert_eq!(end(1), (EpisodeOutcome::HarnessError, "panic: wild at step 4"));
    assert!(end(2).1.contains("action has 5 values"), "{:?}", end(2));
    assert!(end(3).1.contains("NaN"), "{:?}", end(3));
    assert!(end(4).1.contains("no action"), "{:?}", end(4));
    assert_eq!(end(5), (EpisodeOutcome::PolicyError, "had enough"));
    assert_eq!(rows[&6].episode.clipped, 8);
    // The harness's own failure runs again at a resume, everything else stands.
    let tasks = [task(TASK)];
    let open = RunDir::open_resume(&dir, &config(&tasks, "tested", 7, short(8))).unwrap();
    assert_eq!(open.forget(|r| !r.counts()).unwrap(), 1);
    drop(open);
    let (again, results) = run(&dir, &ready, 7, short(8), 2);
    assert_eq!(again.keys().collect::<Vec<_>>(), [&1]);
    assert_eq!(results.counts.harness_errors, 0);
    assert!(results.complete);
}

/// Answers differently every time: 0.01, 0.02, …
#[derive(Default)]
struct Counting(u32);

impl Policy for Counting {
    fn begin_episode(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        self.0 = 0;
        Ok(())
    }

    fn act(&mut self, _: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        for _ in 0..3 {
            self.0 += 1;
            decision.chunk.push(Action::new(&[
                self.0 as f32 / 100.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0,
            ]));
        }
        Ok(())
    }

    fn sees(&self) -> bool {
        false
    }
}

#[derive(Default)]
struct Tape(Vec<Action>);

impl Watcher for Tape {
    fn action(&mut self, action: &Action) {
        self.0.push(*action);
    }
}

fn executed(execution: ExecutionOptions) -> Vec<Action> {
    let mut env = Env::new(task(TASK), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    let mut tape = Tape::default();
    let mut actor = Actor::Policy(Box::<Counting>::default());
    try_episode(&mut env, &mut actor, "counting", &execution, &mut tape).unwrap();
    tape.0
}

fn deltas() -> ActionSpec {
    ActionSpec::tool_delta(&["arm"])
}

#[test]
fn execution_does_what_it_says() {
    let first = |s: ExecutionOptions| -> Vec<u32> {
        executed(s).iter().map(|a| (a.values()[0] * 100.0).round() as u32).collect()
    };
    let s = short(8);
    assert_eq!(first(s), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(first(ExecutionOptions { execute: Some(1), ..s }), [1, 4, 7, 10, 13, 16, 19, 22]);
    assert_eq!(first(ExecutionOptions { action_repeat: Some(3), ..s }), [1, 1, 1, 2, 2, 2, 3, 3]);
    assert_eq!(first(ExecutionOptions { latency: Some(3), ..s }), [0, 0, 0, 1, 2, 3, 4, 5]);
    let late = executed(ExecutionOptions { latency: Some(1), ..s });
    assert_eq!(late[0], deltas().idle());
    let both = ExecutionOptions { latency: Some(2), action_repeat: Some(2), execute: Some(2), ..s };
    assert_eq!(first(both), [0, 0, 1, 1, 2, 2, 4, 4]);
    assert!(ExecutionOptions { execute: Some(0), ..s }.check().is_err());
    assert!(ExecutionOptions { action_noise: Some(f64::NAN), ..s }.check().is_err());
}

#[test]
fn noise_is_the_seeds_and_spares_the_gripper() {
    let noisy = ExecutionOptions { action_noise: Some(0.2), ..ExecutionOptions::default() };
    let draw = |seed: u64| -> Vec<Action> {
        let mut s = Shaper::new(&noisy, Seed(seed), &deltas());
        (0..2000).map(|_| s.next(&deltas().idle())).collect()
    };
    let a = draw(5);
    assert_eq!(a, draw(5));
    assert_ne!(a, draw(6));
    let values: Vec<f64> = a.iter().flat_map(|x| x.values()[..6].to_vec()).map(f64::from).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let std = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
    assert!(mean.abs() < 0.01 && (std - 0.2).abs() < 0.01, "{mean} {std}");
    assert!(a.iter().all(|x| x.values()[6] == -1.0));
    // A policy that stays within the limits is not clipped for the noise's sake; one that does not is.
    let push = |v: f32| {
        let mut s = Shaper::new(&noisy, Seed(1), &deltas());
        (0..100).map(|_| s.next(&Action::new(&[v; 7])).values()[0].abs()).fold(0.0, f32::max)
    };
    assert!(push(1.0) <= 1.0 && push(2.0) > 2.0);
    // Poses in metres: positions move, quaternions do not.
    let pose = Action::new(&[0.3, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.4, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]);
    let moved = Shaper::new(&noisy, Seed(2), &RigName::UR5E_SUCTION.rig().action).next(&pose);
    for i in 0..14 {
        assert_eq!(moved.values()[i] == pose.values()[i], (3..7).contains(&i) || i > 9, "{i}");
    }
}

#[test]
fn the_work_list_goes_episode_by_episode() {
    let tasks = [task(TASK), task("longbench/pull-drawer"), task("longbench/wipe-plate")];
    let whole = config(&tasks, "idle", 20, ExecutionOptions::default());
    let list = work_list(&whole);
    assert_eq!(list.len(), 60);
    for w in &list {
        assert_eq!(w.index, w.episode * 3 + w.task as u64);
        assert_eq!(w.seed, Seed(3 + w.episode));
    }
    for n in 1..=7 {
        let mut all: Vec<u64> = Vec::new();
        for i in 1..=n {
            let part = RunConfig { shard: Shard::new(i, n).unwrap(), ..whole.clone() };
            let some = work_list(&part);
            assert_eq!(some.len() as u64, part.expected());
            all.extend(some.iter().map(|w| w.index));
        }
        all.sort_unstable();
        assert_eq!(all, (0..60).collect::<Vec<_>>());
    }
}
