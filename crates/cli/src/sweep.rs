use std::io::Write;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use longarm_eval::{Actor, Seeds, Unwatched, run_episode};
use longarm_sim::EnvSettings;
use longarm_sim::batch::{self, Job};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeOutcome, EpisodeRecord, Seed, Split};

use crate::options::Choices;
use crate::select::select;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suites, tasks, patterns, task files or folders of them; the first suite when none is given.
    selectors: Vec<String>,
    /// Policies to run.
    #[arg(long, value_delimiter = ',', default_value = "expert,idle,random")]
    policies: Vec<String>,
    /// Seeds per task.
    #[arg(long, default_value_t = 50)]
    seeds: u64,
    /// First seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How far seeds are apart.
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed_stride: u64,
    /// Take the first seeds of this part, as the suite's protocol declares it.
    #[arg(long, value_name = "train|validation|test", conflicts_with_all = ["seed", "seed_stride"])]
    split: Option<Split>,
    #[command(flatten)]
    choices: Choices,
    /// Worker threads.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    /// Also print every episode that was not a success.
    #[arg(long)]
    failures: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut tasks = Vec::new();
    if args.selectors.is_empty() {
        tasks.extend(longarm_suites::SUITES[0].tasks().map(std::sync::Arc::new));
    }
    tasks.extend(select(&args.selectors)?);
    let tasks = args.choices.variant()?.of(tasks)?;
    for policy in &args.policies {
        Actor::named(policy)?;
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:32} {:9} {:>9} {:>7} {:>7}  fails at",
        "task", "policy", "success", "score", "steps"
    )?;
    let seeds = match args.split {
        Some(split) => Seeds::Split(split),
        None => Seeds::From { first: args.seed, stride: args.seed_stride },
    };
    let (first, stride) = seeds.resolve(&tasks, args.seeds)?;
    for task in &tasks {
        for policy in &args.policies {
            let jobs: Vec<Job> = (0..args.seeds)
                .map(|k| Job { task: task.clone(), seed: Seed(first.wrapping_add(k * stride)) })
                .collect();
            let bar = ProgressBar::new(jobs.len() as u64)
                .with_style(ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}")?);
            bar.set_message(format!("{} {policy}", task.id));
            let mut records: Vec<Result<EpisodeRecord, String>> = Vec::new();
            batch::run(
                &jobs,
                args.workers,
                &EnvSettings { images: longarm_eval::images_for(policy) },
                |_, env| {
                    let env = env.map_err(|e| e.to_string())?;
                    let mut actor = Actor::named(policy).map_err(|e| e.to_string())?;
                    Ok(run_episode(env, &mut actor, policy, &mut Unwatched))
                },
                |_, r| {
                    bar.inc(1);
                    records.push(r);
                    true
                },
            );
            bar.finish_and_clear();
            summarize(&mut out, task, policy, &records, args.failures)?;
        }
    }
    Ok(())
}

fn summarize(
    out: &mut impl Write,
    task: &TaskSpec,
    policy: &str,
    records: &[Result<EpisodeRecord, String>],
    failures: bool,
) -> Result<()> {
    let n = records.len();
    let good: Vec<&EpisodeRecord> = records.iter().filter_map(|r| r.as_ref().ok()).collect();
    let won = good.iter().filter(|r| r.outcome == EpisodeOutcome::Success).count();
    let mean = |f: &dyn Fn(&EpisodeRecord) -> f64| {
        good.iter().map(|r| f(r)).sum::<f64>() / good.len().max(1) as f64
    };
    let left = |r: &EpisodeRecord| {
        r.stages.iter().find(|s| !s.completed).map(|s| task.stage_title(&s.name))
    };
    let mut deaths = std::collections::BTreeMap::new();
    for r in &good {
        if r.outcome != EpisodeOutcome::Success {
            let at = left(r).unwrap_or_else(|| "the end".to_owned());
            *deaths.entry(at).or_insert(0) += 1;
        }
    }
    let deaths: Vec<String> = deaths.iter().map(|(at, k)| format!("{at} ×{k}")).collect();
    writeln!(
        out,
        "{:32} {policy:9} {won:>4}/{n:<4} {:>7.1} {:>7.0}  {}",
        task.id.as_str(),
        mean(&|r| r.score),
        mean(&|r| f64::from(r.steps)),
        if policy == "expert" || policy == "reactive" { deaths.join("; ") } else { String::new() },
    )?;
    for (i, r) in records.iter().enumerate() {
        match r {
            Err(e) => writeln!(out, "  episode {i}: {e}")?,
            Ok(r) if r.reason.is_some() && r.outcome == EpisodeOutcome::HarnessError => {
                writeln!(out, "  seed {}: {}", r.seed, r.reason.as_deref().unwrap_or(""))?;
            }
            Ok(r) if failures && r.outcome != EpisodeOutcome::Success => {
                let at = left(r).unwrap_or_default();
                let why = r.reason.as_deref().unwrap_or("");
                writeln!(out, "  seed {}: score {:.0}, at \"{at}\" {why}", r.seed, r.score)?;
            }
            Ok(_) => {}
        }
    }
    Ok(())
}
