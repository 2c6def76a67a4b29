use std::io::Write;
use std::sync::Arc;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use longarm_eval::probe::{
    ALIKE_MEAN, ALIKE_MOST, Alias, BLOCK, Cell, Handicap, aliases, handicapped, twins,
};
use longarm_suites::SUITES;
use longarm_task::TaskSpec;
use longarm_types::Seed;

use crate::options::Choices;
use crate::select::select;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suite, tasks or patterns [default: the suites that say which of their tasks need context].
    selectors: Vec<String>,
    /// Episodes per task and handicap.
    #[arg(long, default_value_t = 10)]
    episodes: u64,
    /// First seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Which experts besides the handicapped: expert, reactive (without memory), or none of them.
    #[arg(long, value_delimiter = ',', default_value = "expert,reactive")]
    policy: Vec<Unhandicapped>,
    /// Control steps by which everything but the hand is seen late; several may be given.
    #[arg(long, value_delimiter = ',', num_args = 0.., default_value = "5")]
    latency: Vec<u32>,
    /// Standard deviations of the noise on actions (±1 is 5 cm or 0.5 rad per step).
    #[arg(long, value_delimiter = ',', num_args = 0.., default_value = "0.08")]
    action_noise: Vec<f64>,
    /// Episodes of every context-dependent task that are searched for moments that look alike.
    #[arg(long, default_value_t = 1)]
    alias_episodes: u64,
    #[command(flatten)]
    choices: Choices,
    /// Worker threads.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Unhandicapped {
    Expert,
    Reactive,
    None,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(s) = args.action_noise.iter().find(|s| !s.is_finite() || **s < 0.0) {
        bail!("--action-noise {s}: a number of 0 or more is needed");
    }
    let tasks = match args.selectors.is_empty() {
        true => select(&claiming())?,
        false => select(&args.selectors)?,
    };
    let mut tasks = args.choices.variant()?.of(tasks)?;
    let order: Vec<&str> = longarm_suites::ids().collect();
    tasks.sort_by_key(|t| order.iter().position(|id| *id == t.id.as_str()));
    let mut handicaps: Vec<Handicap> = args
        .policy
        .iter()
        .filter_map(|p| match p {
            Unhandicapped::Expert => Some(Handicap::None),
            Unhandicapped::Reactive => Some(Handicap::NoMemory),
            Unhandicapped::None => None,
        })
        .collect();
    handicaps.extend(args.latency.iter().map(|k| Handicap::Latency(*k)));
    handicaps.extend(args.action_noise.iter().map(|s| Handicap::Noise(*s)));
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:28} {:9} {:14} {:>7}  {:>15} {:>7} {:>7}  fails at",
        "task", "labels", "handicap", "solved", "95 % Wilson", "score", "spread"
    )?;
    let bar = ProgressBar::new(tasks.len() as u64 * handicaps.len() as u64 * args.episodes)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {eta}")?);
    for task in &tasks {
        for h in &handicaps {
            let seeds = args.seed..args.seed + args.episodes;
            let cell = handicapped(task, *h, seeds, args.workers, || bar.inc(1));
            bar.suspend(|| print_cell(&mut out, task, &cell))?;
        }
    }
    bar.finish_and_clear();
    if args.alias_episodes == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "\nMoments of one expert episode that look alike (both cameras, squares of {BLOCK} pixels \
         averaged: mean difference below {ALIKE_MEAN}, largest below {ALIKE_MOST} grey levels) and \
         ask for different actions:"
    )?;
    for task in tasks.iter().filter(|t| context_dependent(t)) {
        for seed in args.seed..args.seed + args.alias_episodes {
            print_aliases(&mut out, task, &format!("seed {seed}"), &aliases(task, Seed(seed))?)?;
        }
    }
    writeln!(out, "\nThe same across two episodes of a seed that differ in one variable:")?;
    for task in tasks.iter().filter(|t| context_dependent(t)) {
        for seed in args.seed..args.seed + args.alias_episodes {
            for t in twins(task, Seed(seed))? {
                let which =
                    format!("seed {seed}, {} {} | {}", t.variable, t.values[0], t.values[1]);
                print_aliases(&mut out, task, &which, &t.aliases)?;
            }
        }
    }
    Ok(())
}

/// Suites whose protocols say of labels whether their tasks need context.
fn claiming() -> Vec<String> {
    let claims = |s: &&longarm_suites::Suite| {
        (s.protocol)().groups.iter().any(|g| g.needs_context.is_some())
    };
    SUITES.iter().filter(claims).map(|s| s.name.to_owned()).collect()
}

/// Whether a task may need what is no longer seen: its labels say so, or nothing says otherwise.
fn context_dependent(task: &TaskSpec) -> bool {
    let suite = longarm_suites::suite(task.id.suite());
    suite.and_then(|s| (s.protocol)().needs_context(&task.labels)).unwrap_or(true)
}

fn print_cell(out: &mut impl Write, task: &Arc<TaskSpec>, c: &Cell) -> Result<()> {
    let interval = format!("{:.0}–{:.0} %", 100.0 * c.success.lo, 100.0 * c.success.hi);
    let deaths: Vec<String> = c.deaths.iter().map(|(at, k)| format!("{at} ×{k}")).collect();
    writeln!(
        out,
        "{:28} {:9} {:14} {:>7}  {interval:>15} {:>7.1} {:>7.1}  {}",
        task.id.as_str(),
        task.labels.join(" "),
        c.handicap.name(),
        format!("{}/{}", c.won, c.episodes),
        c.score,
        c.spread,
        deaths.join("; "),
    )?;
    for e in &c.errors {
        writeln!(out, "  {e}")?;
    }
    Ok(())
}

/// Pairs shown per episode.
const SHOWN: usize = 4;

fn print_aliases(
    out: &mut impl Write,
    task: &TaskSpec,
    which: &str,
    found: &[Alias],
) -> Result<()> {
    writeln!(out, "{} {which}: {} pairs", task.id, found.len())?;
    for a in found.iter().take(SHOWN) {
        let (f, s) = (&a.first, &a.second);
        writeln!(
            out,
            "  step {:4} ({} done) {:44} = step {:4} ({} done) {:44} mean {:.2} most {:.1}",
            f.step, f.completed, f.doing, s.step, s.completed, s.doing, a.mean, a.most
        )?;
    }
    Ok(())
}
