//! The engine's speed, measured on one core unless a row says otherwise.
//!
//! Rates come twice: by the clock, and by the CPU time of the one thread (`…_cpu`), which is what to
//! compare on a machine that does other work at the same time.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use cpu_time::ThreadTime;
use longarm_eval::{Actor, ExecutionOptions, PolicySpec, Watcher, run_episode, try_episode};
use longarm_expert::{Expert, Memory};
use longarm_render::Channels;
use longarm_sim::batch::{self, Job};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_task::TaskSpec;
use longarm_types::protocol::StepUnit;
use longarm_types::{Action, Seed};
use serde_json::json;

#[cfg(feature = "server")]
use crate::bench_server;
use crate::options::Choices;
use crate::{bench_soft, catalogue};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Fewer rounds.
    #[arg(long)]
    quick: bool,
    /// Task whose scene is measured [default: the one that a suite declares for it].
    #[arg(long, default_value_t = usual())]
    task: String,
    /// Play these actions instead of the expert's: a JSON list of lists of numbers.
    #[arg(long, value_name = "FILE")]
    actions: Option<PathBuf>,
    #[command(flatten)]
    choices: Choices,
    /// Soft matter instead: simulated seconds per second of CPU time on one core.
    #[arg(long, conflicts_with = "task")]
    soft: bool,
    /// The leaderboard instead: pages, replays, start and memory of this program's own server.
    #[cfg(feature = "server")]
    #[arg(long, conflicts_with = "soft")]
    server: bool,
    /// Internal: reset with two cameras, take one step, print the resident memory.
    #[arg(long, hide = true)]
    first_step: bool,
}

/// The first task by which speed is measured.
fn usual() -> String {
    longarm_suites::benchmarks(StepUnit::ControlStep).next().unwrap_or_default().to_owned()
}

pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
}

#[derive(Default)]
struct Tape(Vec<Action>);

impl Watcher for Tape {
    fn action(&mut self, action: &Action) {
        self.0.push(*action);
    }
}

fn images(size: usize) -> EnvSettings {
    EnvSettings { images: Some(ImageSettings { size: Some((size, size)), ..Default::default() }) }
}

/// Time by the clock and by the thread's CPU time, seconds.
#[derive(Clone, Copy)]
struct Spent {
    wall: f64,
    cpu: f64,
}

/// Plays a tape in one environment; returns the time spent in `Env::step` (and `observe`).
fn play(env: &mut Env, tape: &[Action], look: bool) -> Result<Spent> {
    // As in an evaluation, where nobody reads it.
    env.measure_dense(false);
    let (wall, cpu) = (Instant::now(), ThreadTime::now());
    for a in tape {
        env.step(a)?;
        if look {
            env.observe();
        }
    }
    Ok(Spent { wall: wall.elapsed().as_secs_f64(), cpu: cpu.elapsed().as_secs_f64() })
}

pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Resident memory of this process in MB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kb = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    kb.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<f64>().ok())
        .map_or(f64::NAN, |k| k / 1024.0)
}

fn first_step(task: Arc<TaskSpec>) -> Result<()> {
    let mut env = Env::new(task, images(256))?;
    env.reset(Seed(0))?;
    env.observe();
    let idle = env.action_spec().idle();
    env.step(&idle)?;
    env.observe();
    writeln!(std::io::stdout().lock(), "{}", resident())?;
    Ok(())
}

fn batched(task: &Arc<TaskSpec>, tape: &[Action], workers: usize, episodes: u64) -> f64 {
    let jobs: Vec<Job> =
        (0..episodes).map(|_| Job { task: Arc::clone(task), seed: Seed(0) }).collect();
    let t = Instant::now();
    let mut steps = 0;
    batch::run(
        &jobs,
        workers,
        &EnvSettings::default(),
        |_, env| env.map_or(0, |env| play(env, tape, false).map_or(0, |_| tape.len())),
        |_, n| {
            steps += n;
            true
        },
    );
    steps as f64 / t.elapsed().as_secs_f64()
}

/// Whole pick-and-place actions per second of CPU time over a few tasks: without
/// cameras, and with three colour and depth views at 640×480 and the height map after each.
fn pick_place(episodes: u64) -> Result<(f64, f64)> {
    let mut rates = [0.0; 2];
    for (rate, look) in rates.iter_mut().zip([false, true]) {
        let channels = Channels { depth: true, ..Channels::COLOR };
        let images = ImageSettings { channels, ..Default::default() };
        let settings = EnvSettings { images: look.then_some(images) };
        let (mut actions, mut spent) = (0, 0.0);
        for id in longarm_suites::benchmarks(StepUnit::Action) {
            let task = catalogue::task(id)?;
            let over = task.rig().workspace;
            let mut env = Env::new(task, settings.clone())?;
            for k in 0..episodes {
                // The three views around the table; the fourth, from above, is left out.
                let mut scene = longarm_task::sample(env.task(), Seed(10_001 + 2 * k))?;
                scene.structure.rig.cameras.truncate(3);
                env.reset_scene(scene)?;
                let mut expert = Expert::new(Memory::Whole);
                expert.begin(&mut env)?;
                let t = ThreadTime::now();
                while !env.report().done() {
                    let action = expert.act(&mut env)?;
                    env.step(&action)?;
                    actions += 1;
                    if look {
                        env.observe();
                        if let Some((cameras, _)) = env.cameras() {
                            std::hint::black_box(cameras.height_map(&over, 0.003_125));
                        }
                    }
                }
                spent += t.elapsed().as_secs_f64();
            }
        }
        *rate = f64::from(actions) / spent;
    }
    Ok((rates[0], rates[1]))
}

/// What an agent's loop takes of a control step, in milliseconds, median and mean: window, bank, late answers and
/// judge. Planner and actor are oracles, so there is no model's time in it; the expert's is.
fn agent_loop(task: &Arc<TaskSpec>, steps: u32) -> Result<(f64, f64)> {
    #[derive(Default)]
    struct Times(Vec<f64>);
    impl Watcher for Times {
        fn answered(&mut self, took: std::time::Duration) {
            self.0.push(took.as_secs_f64() * 1e3);
        }
    }
    let policy = "predimem-recall?clock.planner=19";
    let pool = policy.parse::<PolicySpec>()?.ready([task])?;
    let mut env = Env::new(task.clone(), EnvSettings { images: pool.images(task) })?;
    env.reset(Seed(0))?;
    let mut actor = pool.actor(&task.id, 0).map_err(anyhow::Error::msg)?;
    let options = ExecutionOptions { max_steps: Some(steps), ..ExecutionOptions::default() };
    let mut times = Times::default();
    try_episode(&mut env, &mut actor, policy, &options, &mut times)?;
    let mean = times.0.iter().sum::<f64>() / times.0.len().max(1) as f64;
    Ok((median(&mut times.0), mean))
}

/// `program` starts this program again.
pub(crate) fn run(args: &Args, program: &[OsString]) -> Result<()> {
    let rounds = if args.quick { 3 } else { 9 };
    if args.soft {
        return print(args, &bench_soft::rows(rounds / 3)?);
    }
    #[cfg(feature = "server")]
    if args.server {
        return print(args, &bench_server::rows(&args.task, program)?);
    }
    let task = args.choices.variant()?.of_one(catalogue::task(&args.task)?)?;
    if args.first_step {
        return first_step(task);
    }
    let mut rows = Vec::new();

    let mut env = Env::new(task.clone(), EnvSettings::default())?;
    env.reset(Seed(0))?;
    let tape = match &args.actions {
        Some(file) => read_actions(file, &env)?,
        None => tape(&mut env)?,
    };

    let mut looking = Env::new(task.clone(), images(256))?;
    let part = &tape[..tape.len().min(if args.quick { 200 } else { 400 })];
    let (mut free, mut share, mut cameras, mut raw) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rounds {
        env.reset(Seed(0))?;
        free.push(play(&mut env, &tape, false)?);
        env.reset(Seed(0))?;
        env.world_mut().time_physics(true);
        let total = play(&mut env, &tape, false)?.wall;
        let physics = env.world().physics_time().as_secs_f64();
        env.world_mut().time_physics(false);
        share.push(1.0 - physics / total);
        raw.push(tape.len() as f64 * f64::from(longarm_types::SUBSTEPS) / physics);
        looking.reset(Seed(0))?;
        cameras.push(play(&mut looking, part, true)?);
    }
    let rate = |n: usize, spent: &[Spent], by: fn(&Spent) -> f64| {
        median(&mut spent.iter().map(|s| n as f64 / by(s)).collect::<Vec<_>>())
    };
    let mut row = |name, value, unit| rows.push(Figure { name, value, unit });
    row("control_steps_per_s", rate(tape.len(), &free, |s| s.wall), "1/s");
    row("control_steps_per_s_cpu", rate(tape.len(), &free, |s| s.cpu), "1/s");
    row("outside_mj_step_share", median(&mut share), "1");
    row("mj_steps_per_s", median(&mut raw), "1/s");
    row("control_steps_per_s_2cam256", rate(part.len(), &cameras, |s| s.wall), "1/s");
    row("control_steps_per_s_2cam256_cpu", rate(part.len(), &cameras, |s| s.cpu), "1/s");

    let mut resets = Vec::new();
    for seed in 0..rounds as u64 * 5 {
        let t = ThreadTime::now();
        env.reset(Seed(seed))?;
        resets.push(t.elapsed().as_secs_f64() * 1e3);
    }
    rows.push(Figure { name: "reset_ms", value: median(&mut resets), unit: "ms" });
    if task.files.is_some() {
        return print(args, &rows);
    }

    if !task.rig().action.whole_motions() {
        let (middle, mean) = agent_loop(&task, if args.quick { 200 } else { 600 })?;
        rows.push(Figure { name: "agent_loop_ms", value: middle, unit: "ms" });
        rows.push(Figure { name: "agent_loop_mean_ms", value: mean, unit: "ms" });
    }

    let (bare, seeing) = pick_place(if args.quick { 2 } else { 6 })?;
    rows.push(Figure { name: "pick_place_per_s_cpu", value: bare, unit: "1/s" });
    rows.push(Figure { name: "pick_place_per_s_3rgbd_map_cpu", value: seeing, unit: "1/s" });

    let (exe, before) = program.split_first().context("the program's own path is not known")?;
    let (mut starts, mut memory) = (vec![], f64::NAN);
    for _ in 0..rounds {
        let t = Instant::now();
        let words = ["bench", "--first-step", "--task", &args.task];
        let out = Command::new(exe).args(before).args(words).output()?;
        starts.push(t.elapsed().as_secs_f64());
        memory = String::from_utf8_lossy(&out.stdout).trim().parse().unwrap_or(f64::NAN);
    }
    rows.push(Figure { name: "start_to_first_step_s", value: median(&mut starts), unit: "s" });
    rows.push(Figure { name: "rss_mb", value: memory, unit: "MB" });

    let episodes = if args.quick { 4 } else { 8 };
    let mut scaling = Vec::new();
    for _ in 0..rounds.min(5) {
        let one = batched(&task, &tape, 1, episodes);
        let two = batched(&task, &tape, 2, episodes);
        scaling.push(two / one);
    }
    rows.push(Figure { name: "thread_scaling_2", value: median(&mut scaling), unit: "x" });

    print(args, &rows)
}

/// Read actions that were recorded elsewhere.
fn read_actions(file: &Path, env: &Env) -> Result<Vec<Action>> {
    let wrong = || format!("{} is not a JSON list of actions", file.display());
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let rows: Vec<Vec<f32>> = serde_json::from_str(&text).with_context(wrong)?;
    let want = env.action_spec().idle().values().len();
    if let Some(row) = rows.iter().position(|r| r.len() != want) {
        bail!("{}: action {row} has {} numbers, not {want}", file.display(), rows[row].len());
    }
    if rows.is_empty() {
        bail!("{} has no actions", file.display());
    }
    Ok(rows.iter().map(|row| Action::new(row)).collect())
}

/// What is played: what the expert does, so that grasps, contacts and motion are in the measurement, and
/// the expert's own thinking is not. In other people's files there is no expert: the tool wanders.
pub(crate) fn tape(env: &mut Env) -> Result<Vec<Action>> {
    if env.task().files.is_some() {
        let mut random = Seed(0).stream("bench");
        let mut action = env.action_spec().idle();
        let wander = |k: u32| {
            for (i, value) in action.values_mut().iter_mut().enumerate() {
                match (i < 6, k % 10, k % 40) {
                    (true, 0, _) => *value = random.range(-0.5, 0.5) as f32,
                    (false, _, 0) => {
                        *value = if random.range(-1.0, 1.0) > 0.0 { 1.0 } else { -1.0 }
                    }
                    _ => {}
                }
            }
            action
        };
        return Ok((0..200).map(wander).collect());
    }
    let mut tape = Tape::default();
    let record = run_episode(env, &mut Actor::named("expert")?, "expert", &mut tape);
    if tape.0.len() < 50 {
        bail!(
            "the expert stopped after {} steps ({:?}); nothing to measure",
            tape.0.len(),
            record.reason
        );
    }
    Ok(tape.0)
}

fn print(args: &Args, rows: &[Figure]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|r| json!({ "name": r.name, "value": r.value, "unit": r.unit }))
            .collect();
        let task = (!args.soft).then_some(&args.task);
        let head = json!({ "engine": longarm_types::ENGINE_VERSION, "mujoco": longarm_sim::mujoco_version(), "task": task, "rows": rows });
        serde_json::to_writer_pretty(&mut out, &head)?;
        writeln!(out)?;
    } else {
        for r in rows {
            writeln!(out, "{:30} {:>12.3} {}", r.name, r.value, r.unit)?;
        }
    }
    Ok(())
}
