//! What the harness costs. Run alone, on a quiet machine:
//! `cargo test --release -p longarm-eval --test speed -- --ignored --nocapture --test-threads=1`.

#[path = "../../policy/tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use cpu_time::ProcessTime;
use longarm_eval::{
    Actor, Evaluation, ExecutionOptions, PolicyPool, PolicySpec, Unwatched, Videos, entry,
    evaluate, run_episode, work_list,
};
use longarm_results::{RunConfig, RunDir, Shard};
use longarm_sim::EnvSettings;
use longarm_sim::batch::{self, Job};
use longarm_task::TaskSpec;
use longarm_types::ENGINE_VERSION;
use support::{Server, actions};

const WORKERS: usize = 2;

fn config(tasks: &[Arc<TaskSpec>], policy: &str, episodes: u64) -> RunConfig {
    RunConfig {
        format: RunConfig::FORMAT,
        selectors: vec!["longbench".into()],
        policy: policy.into(),
        episodes,
        seed: 0,
        shard: Shard::WHOLE,
        engine: ENGINE_VERSION.into(),
        mujoco: longarm_sim::mujoco_version().into(),
        evidence: longarm_results::Evidence::Simulated,
        options: ExecutionOptions::default().into(),
        runtime: toml::Table::new(),
        tasks: tasks.iter().map(|t| (t.id.clone(), entry(t))).collect(),
        seeds: None,
        trained_on: Vec::new(),
        protocols: Default::default(),
        assets: Default::default(),
    }
}

/// Steps (or whatever `work` counts) per second by the clock and by CPU time.
fn rates(work: impl FnOnce() -> u64) -> (f64, f64) {
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let n = work() as f64;
    (n / wall.elapsed().as_secs_f64(), n / cpu.elapsed().as_secs_f64())
}

fn evaluated(
    name: &str,
    config: &RunConfig,
    e: &Evaluation<'_>,
    count: impl Fn(&longarm_results::Row) -> u64,
) -> u64 {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    let dir = RunDir::create(&dir, config).unwrap();
    let mut n = 0;
    evaluate(e, &dir, &AtomicBool::new(false), |row| n += count(row)).unwrap();
    dir.finish().unwrap();
    n
}

#[test]
#[ignore = "a measurement"]
fn the_harness_beside_a_bare_batch() {
    let mut tasks: Vec<Arc<TaskSpec>> =
        longarm_suites::longbench::SUITE.tasks().map(Arc::new).collect();
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    let config = config(&tasks, "expert", 2);
    let ready = "expert".parse::<PolicySpec>().unwrap().ready(&tasks).unwrap();
    let e = Evaluation {
        tasks: &tasks,
        policy: &ready,
        execution: ExecutionOptions::default(),
        workers: WORKERS,
        videos: Videos::NONE,
    };
    let jobs: Vec<Job> = work_list(&config)
        .iter()
        .map(|w| Job { task: tasks[w.task].clone(), seed: w.seed })
        .collect();
    let bare = || {
        let mut n = 0;
        let episode = |_, env: Result<&mut longarm_sim::Env, longarm_sim::SimError>| {
            let mut actor = Actor::named("expert").unwrap();
            u64::from(run_episode(env.unwrap(), &mut actor, "expert", &mut Unwatched).steps)
        };
        batch::run(&jobs, WORKERS, &EnvSettings::default(), episode, |_, steps| {
            n += steps;
            true
        });
        n
    };
    let mut shares = Vec::new();
    for _ in 0..4 {
        let b = rates(bare);
        let h = rates(|| evaluated("speed", &config, &e, |r| r.episode.steps.into()));
        println!(
            "bare {:.0} steps/s ({:.0} by CPU), harness {:.0} ({:.0}): {:.1} % by CPU",
            b.0,
            b.1,
            h.0,
            h.1,
            100.0 * h.1 / b.1
        );
        shares.push(h.1 / b.1);
    }
    shares.sort_by(f64::total_cmp);
    let middle = (shares[1] + shares[2]) / 2.0;
    assert!(middle >= 0.9, "the harness reaches {:.1} % of the engine", 100.0 * middle);
}

#[test]
#[ignore = "a measurement"]
fn an_instant_policy_on_loopback() {
    let tasks = [Arc::new(longarm_suites::task("longbench/stack-block").unwrap())];
    let server = Server::openpi(|_, _, ws| drop(ws.send(actions(1, 0.0))));
    let text = format!("openpi:127.0.0.1:{}?size=224", server.port);
    let ready: PolicyPool = text.parse::<PolicySpec>().unwrap().ready(&tasks).unwrap();
    let config = config(&tasks, &text, 4);
    let execution = ExecutionOptions { max_steps: Some(200), ..ExecutionOptions::default() };
    let e = Evaluation {
        tasks: &tasks,
        policy: &ready,
        execution,
        workers: WORKERS,
        videos: Videos::NONE,
    };
    let (mut calls, mut ms) = (0, 0.0);
    for _ in 0..3 {
        let all = std::sync::Mutex::new((0, 0.0));
        let (wall, cpu) = rates(|| {
            evaluated("speed-remote", &config, &e, |r| {
                let t = r.inference.unwrap();
                let mut all = all.lock().unwrap();
                all.0 += t.calls;
                all.1 += t.mean_ms * f64::from(t.calls);
                t.calls.into()
            })
        });
        (calls, ms) = *all.lock().unwrap();
        println!(
            "{wall:.0} observations/s by the clock, {cpu:.0} per CPU second (server's too); one call takes {:.2} ms",
            ms / f64::from(calls)
        );
    }
    assert!(calls == 800 && ms > 0.0);
}
