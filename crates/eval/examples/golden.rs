//! The golden table: what the expert does in every task, to the bit.
//!
//! `golden` compares today's engine with `crates/eval/golden.tsv` and exits 1 where a row differs;
//! `golden --write` writes the table; `golden --quick` compares seed 0 of every twelfth task. Suites
//! may follow (`golden --write libero-goal`): then only their tasks are run, and other rows stay.
//! Hashes depend on the processor and the C library (MuJoCo calls its `sin`), so on another kind of
//! machine only outcome, score and steps must agree.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use longarm_eval::{Actor, Unwatched, run_episode};
use longarm_render::Channels;
use longarm_sim::batch::{self, Job};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_task::TaskSpec;
use longarm_types::{Digest, RunningHash, Seed};

const SEEDS: [u64; 2] = [0, 1];

/// Hashes in a row come after this many columns that hold on every machine: kind, task, seed and, for
/// episodes, outcome, score, steps.
const PORTABLE: [(&str, usize); 2] = [("episode", 6), ("image", 4)];

fn main() -> ExitCode {
    let (flags, suites): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let (write, quick) =
        (flags.iter().any(|f| f == "--write"), flags.iter().any(|f| f == "--quick"));
    if let Some(other) = suites.iter().find(|s| longarm_suites::suite(s).is_none()) {
        eprintln!("error: no suite {other:?}; usage: golden [--write|--quick] [SUITE…]");
        return ExitCode::from(2);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden.tsv");
    let meant = |task: &TaskSpec| suites.is_empty() || suites.iter().any(|s| s == task.id.suite());
    let mut rows = episodes(quick, &meant);
    rows.extend(images(&meant));
    if write {
        if !suites.is_empty() {
            rows = among_others(&path, rows);
        }
        let text =
            format!("{}{}", header(), rows.iter().map(|r| format!("{r}\n")).collect::<String>());
        if let Err(e) = std::fs::write(&path, text) {
            eprintln!("error: cannot write {}: {e}", path.display());
            return ExitCode::from(2);
        }
        println!("{} rows written to {}", rows.len(), path.display());
        return ExitCode::SUCCESS;
    }
    compare(&path, &rows, quick || !suites.is_empty())
}

/// The rows of the table with these in their places, in the order of the tasks.
fn among_others(path: &Path, rows: Vec<String>) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let old = text.lines().filter(|l| !l.starts_with('#')).map(str::to_owned);
    let all: BTreeMap<String, String> = old.chain(rows).map(|r| (split(&r).0, r)).collect();
    let ids: Vec<&str> = longarm_suites::ids().collect();
    let place = |row: &str| {
        let columns: Vec<&str> = row.split('\t').collect();
        let task = ids.iter().position(|id| *id == columns[1]);
        (columns[0] == "image", task, columns[2].parse::<u64>().ok(), columns[3].to_owned())
    };
    let mut out: Vec<String> = all.into_values().collect();
    // Of a picture only the frame's name comes third, and "first" before "last".
    out.sort_by_key(|r| {
        let (image, task, seed, frame) = place(r);
        (image, task, seed, if image { frame } else { String::new() })
    });
    out.retain(|r| place(r).1.is_some());
    out
}

/// What hashes depend on beside the engine.
fn header() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let lines = info.lines().filter_map(|l| l.split_once(':'));
        lines
            .clone()
            .find(|(k, _)| k.trim() == name)
            .map_or("unknown", |(_, v)| v.trim())
            .to_owned()
    };
    let flags = field("flags");
    let simd =
        ["avx2", "fma", "avx512f"].map(|f| if flags.split(' ').any(|g| g == f) { f } else { "" });
    let cpu = format!(
        "{} family {} model {} {}",
        field("model name"),
        field("cpu family"),
        field("model"),
        simd.join(" ")
    );
    let libc = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let libc = libc.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    format!(
        "# cpu {}\n# libc {}\n# mujoco {}\n# episode: task, seed, outcome, score, steps, state hash, action hash; \
         image: task, seed, frame, hashes of colour, depth, segments\n",
        cpu.trim_end(),
        libc.unwrap_or_else(|_| "unknown".to_owned()),
        longarm_sim::mujoco_version(),
    )
}

fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

fn episodes(quick: bool, meant: &dyn Fn(&TaskSpec) -> bool) -> Vec<String> {
    let (stride, seeds) = if quick { (12, &SEEDS[..1]) } else { (1, &SEEDS[..]) };
    let jobs: Vec<Job> = longarm_suites::tasks()
        .filter(|t| meant(t))
        .step_by(stride)
        .map(Arc::new)
        .flat_map(|task| seeds.iter().map(move |s| Job { task: Arc::clone(&task), seed: Seed(*s) }))
        .collect();
    let mut rows = Vec::new();
    let episode = |i: usize, env: Result<&mut Env, longarm_sim::SimError>| {
        let (task, seed) = (&jobs[i].task.id, jobs[i].seed.0);
        let env = match env {
            Ok(env) => env,
            Err(e) => return format!("episode\t{task}\t{seed}\tharness_error\t0\t0\t{e}\t-"),
        };
        let mut expert = Actor::named("expert").expect("the expert is built in");
        let r = run_episode(env, &mut expert, "expert", &mut Unwatched);
        let outcome = serde_json::to_value(r.outcome).unwrap_or_default();
        let outcome = outcome.as_str().unwrap_or_default();
        let (score, steps) = (r.score, r.steps);
        format!(
            "episode\t{task}\t{seed}\t{outcome}\t{score}\t{steps}\t{}\t{}",
            r.state_hash, r.action_hash
        )
    };
    batch::run(&jobs, workers(), &EnvSettings::default(), episode, |_, row| {
        rows.push(row);
        true
    });
    rows
}

/// First and last frame of all cameras, for the first task of every rig.
fn images(meant: &dyn Fn(&TaskSpec) -> bool) -> Vec<String> {
    let mut seen = Vec::new();
    let mut rows = Vec::new();
    for task in longarm_suites::tasks() {
        if seen.contains(&task.rig) {
            continue;
        }
        seen.push(task.rig);
        if !meant(&task) {
            continue;
        }
        let id = task.id.clone();
        let all = Channels { depth: true, segment: true, ..Channels::COLOR };
        let images = Some(ImageSettings { channels: all, ..ImageSettings::default() });
        let mut env = Env::new(Arc::new(task), EnvSettings { images }).expect("suites are valid");
        env.reset(Seed(0)).expect("seed 0 resets");
        rows.push(format!("image\t{id}\t0\tfirst\t{}", picture(&mut env)));
        let mut expert = Actor::named("expert").expect("the expert is built in");
        run_episode(&mut env, &mut expert, "expert", &mut Unwatched);
        rows.push(format!("image\t{id}\t0\tlast\t{}", picture(&mut env)));
    }
    rows
}

fn picture(env: &mut Env) -> String {
    let mut color = RunningHash::default();
    let mut depth = RunningHash::default();
    let mut segment = RunningHash::default();
    for c in &env.observe().cameras {
        color.bytes(&c.rgb);
        depth.singles(&c.depth);
        c.segment.iter().for_each(|s| segment.bytes(&s.to_le_bytes()));
    }
    let [c, d, s]: [Digest; 3] = [color, depth, segment].map(|h| h.digest());
    format!("{c}\t{d}\t{s}")
}

/// Columns of a row that name it, and those that must agree on every machine.
fn split(row: &str) -> (String, String, String) {
    let columns: Vec<&str> = row.split('\t').collect();
    let portable = PORTABLE.iter().find(|(k, _)| *k == columns[0]).map_or(3, |(_, n)| *n);
    let name = columns.iter().take(3).copied().chain((columns[0] == "image").then(|| columns[3]));
    let name: Vec<&str> = name.collect();
    let portable = portable.min(columns.len());
    (name.join(" "), columns[..portable].join(" "), columns[portable..].join(" "))
}

fn compare(path: &Path, rows: &[String], partial: bool) -> ExitCode {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) => {
            eprintln!(
                "error: cannot read {}: {e}; `cargo xtask golden --write` makes it",
                path.display()
            );
            return ExitCode::from(2);
        }
    };
    let same_machine = text.starts_with(&header());
    if !same_machine {
        println!("another machine than the table's: hashes may differ\n{}", header());
    }
    let mut old: BTreeMap<String, (String, String)> = BTreeMap::new();
    for row in text.lines().filter(|l| !l.starts_with('#')) {
        let (name, portable, hashes) = split(row);
        old.insert(name, (portable, hashes));
    }
    let (mut wrong, mut other_bits, mut out) = (0, 0, String::new());
    for row in rows {
        let (name, portable, hashes) = split(row);
        match old.remove(&name) {
            None => {
                wrong += 1;
                let _ = writeln!(out, "+ {portable} {hashes}");
            }
            Some(was) if was.0 != portable => {
                wrong += 1;
                let _ = writeln!(out, "- {} {}\n+ {portable} {hashes}", was.0, was.1);
            }
            Some(was) if was.1 != hashes => {
                other_bits += 1;
                let _ = writeln!(out, "- {} {}\n+ {portable} {hashes}", was.0, was.1);
            }
            Some(_) => {}
        }
    }
    // A sample leaves rows out on purpose.
    for (portable, hashes) in old.values().filter(|_| !partial) {
        wrong += 1;
        let _ = writeln!(out, "- {portable} {hashes}");
    }
    print!("{out}");
    println!(
        "golden table: {} rows, {wrong} with another outcome, {other_bits} with other bits only",
        rows.len()
    );
    match wrong > 0 || (same_machine && other_bits > 0) {
        true => ExitCode::from(1),
        false => ExitCode::SUCCESS,
    }
}
