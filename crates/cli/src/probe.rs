mod checks;
mod memory;

use std::io::Write;
use std::sync::Arc;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use longarm_eval::probe::{
    ALIKE_MEAN, ALIKE_MOST, Alias, BLOCK, Cell, Handicap, aliases, handicapped, subtasks, twins,
};
use longarm_suites::{SUITES, Suite};
use longarm_task::TaskSpec;
use longarm_types::Seed;
use longarm_types::protocol::MemoryClaim;
use serde_json::{Map, Value, json};

use crate::options::Choices;
use crate::select::select;
use memory::Probed;

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
    /// Control steps by which everything but the hand is seen late; several may be given
    /// [default: 5, none with --json].
    #[arg(long, value_delimiter = ',', num_args = 0..)]
    latency: Option<Vec<u32>>,
    /// Standard deviations of the noise on actions (±1 is 5 cm or 0.5 rad per step)
    /// [default: 0.08, none with --json].
    #[arg(long, value_delimiter = ',', num_args = 0..)]
    action_noise: Option<Vec<f64>>,
    /// Seeds of every context-dependent task whose episodes are searched for decisions that look alike,
    /// subtask by subtask.
    #[arg(long, default_value_t = 1)]
    alias_episodes: u64,
    /// Search their pictures for moments that look alike, too.
    #[arg(long)]
    pictures: bool,
    /// Let a search complete stages without a grasp, and with anything that actions allow, and tell what it
    /// did; nothing else is probed.
    #[arg(long)]
    exploit: bool,
    /// Samples that each decision of that search tries.
    #[arg(long, default_value_t = 24, requires = "exploit")]
    samples: u32,
    /// Decisions that it may take for a stage.
    #[arg(long, default_value_t = 16, requires = "exploit")]
    decisions: u32,
    /// Disturb demonstrations (start moved by 1 mm, 2 % noise on actions) and count what still succeeds,
    /// replayed and acted again; nothing else is probed.
    #[arg(long)]
    robust: bool,
    /// Follow dense reward along expert episodes and while nobody acts; nothing else is probed.
    #[arg(long)]
    reward: bool,
    /// Print JSON: for each task its subtasks, those that depend on memory and how the experts fared.
    #[arg(long)]
    json: bool,
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

impl Args {
    fn handicaps(&self) -> Vec<Handicap> {
        // For a program the experts are enough, unless it asks for more.
        let usual = !self.json;
        let latency = self.latency.clone().unwrap_or(if usual { vec![5] } else { Vec::new() });
        let noise =
            self.action_noise.clone().unwrap_or(if usual { vec![0.08] } else { Vec::new() });
        let mut out: Vec<Handicap> = self
            .policy
            .iter()
            .filter_map(|p| match p {
                Unhandicapped::Expert => Some(Handicap::None),
                Unhandicapped::Reactive => Some(Handicap::NoMemory),
                Unhandicapped::None => None,
            })
            .collect();
        out.extend(latency.into_iter().map(Handicap::Latency));
        out.extend(noise.into_iter().map(Handicap::Noise));
        out
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let noise = args.action_noise.iter().flatten();
    if let Some(s) = noise.clone().find(|s| !s.is_finite() || **s < 0.0) {
        bail!("--action-noise {s}: a number of 0 or more is needed");
    }
    let tasks = match args.selectors.is_empty() {
        true => select(&claiming())?,
        false => select(&args.selectors)?,
    };
    let mut tasks = args.choices.variant()?.of(tasks)?;
    let order: Vec<&str> = longarm_suites::ids().collect();
    tasks.sort_by_key(|t| order.iter().position(|id| *id == t.id.as_str()));
    if args.exploit || args.robust || args.reward {
        return checks::run(args, &tasks);
    }
    let handicaps = args.handicaps();
    let mut out = std::io::stdout().lock();
    let wide = tasks.iter().map(|t| t.id.as_str().len()).max().unwrap_or(4);
    if !args.json && !handicaps.is_empty() {
        writeln!(
            out,
            "{:wide$} {:12} {:14} {:>7}  {:>15} {:>7} {:>7}  fails at",
            "task", "labels", "handicap", "solved", "95 % Wilson", "score", "spread"
        )?;
    }
    let bar = ProgressBar::new(tasks.len() as u64 * handicaps.len() as u64 * args.episodes)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {eta}")?);
    let mut cells: Vec<Vec<Cell>> = Vec::new();
    for task in &tasks {
        let mut own = Vec::new();
        for h in &handicaps {
            let seeds = args.seed..args.seed + args.episodes;
            let cell = handicapped(task, *h, seeds, args.workers, || bar.inc(1));
            if !args.json {
                bar.suspend(|| print_cell(&mut out, wide, task, &cell))?;
            }
            own.push(cell);
        }
        cells.push(own);
    }
    bar.finish_and_clear();
    let mut probed = Vec::new();
    if args.alias_episodes > 0 {
        if args.pictures && !args.json {
            pictures(args, &tasks, &mut out)?;
        }
        for task in tasks.iter().filter(|t| context_dependent(t)) {
            let seeds = args.seed..args.seed + args.alias_episodes;
            probed.push(Probed { task, subtasks: subtasks(task, seeds, args.workers)? });
        }
    }
    let claim = claim(&tasks);
    if args.json {
        let all = as_json(&tasks, &cells, &probed, claim.as_ref());
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
    } else if !probed.is_empty() {
        memory::print(&mut out, &probed, claim.as_ref())?;
    }
    Ok(())
}

/// What the suite of all tasks says of its subtasks; nothing where they are of several.
fn claim(tasks: &[Arc<TaskSpec>]) -> Option<MemoryClaim> {
    let first = tasks.first()?.id.suite();
    let one = tasks.iter().all(|t| t.id.suite() == first);
    let suite: &Suite = longarm_suites::suite(first).filter(|_| one)?;
    (suite.protocol)().published?.memory
}

fn as_json(
    tasks: &[Arc<TaskSpec>],
    cells: &[Vec<Cell>],
    probed: &[Probed<'_>],
    claim: Option<&MemoryClaim>,
) -> Value {
    let task = |(task, cells): (&Arc<TaskSpec>, &Vec<Cell>)| {
        let mut fields = Map::from_iter([
            ("task".to_owned(), json!(task.id)),
            ("labels".to_owned(), json!(task.labels)),
        ]);
        if let Some(p) = probed.iter().find(|p| p.task.id == task.id)
            && let Value::Object(more) = memory::fields(p, claim)
        {
            fields.extend(more);
        }
        for c in cells {
            let key = match c.handicap {
                Handicap::NoMemory => "reactive".to_owned(),
                h => h.name(),
            };
            let cell = json!({
                "n": c.episodes,
                "success": c.success.mean,
                "lo": c.success.lo,
                "hi": c.success.hi,
                "score": c.score,
                "fails_at": c.deaths,
                "errors": c.errors,
            });
            fields.insert(key, cell);
        }
        Value::Object(fields)
    };
    let (m, n) = memory::ratio(probed);
    json!({
        "tasks": tasks.iter().zip(cells).map(task).collect::<Vec<_>>(),
        "memory_dependent": m,
        "subtasks": n,
        "memory_ratio": (n > 0).then(|| m as f64 / n as f64),
        "published": claim.map(|c| json!({
            "memory_dependent": c.dependent,
            "subtasks": c.subtasks,
            "memory_ratio": c.dependent as f64 / c.subtasks.max(1) as f64,
            "source": c.source,
        })),
        "method": memory::method(),
    })
}

/// Moments whose pictures are alike.
fn pictures(args: &Args, tasks: &[Arc<TaskSpec>], out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "\nMoments of one expert episode that look alike (both cameras, squares of {BLOCK} pixels \
         averaged: mean difference below {ALIKE_MEAN}, largest below {ALIKE_MOST} grey levels) and \
         ask for different actions:"
    )?;
    for task in tasks.iter().filter(|t| context_dependent(t)) {
        for seed in args.seed..args.seed + args.alias_episodes {
            print_aliases(out, task, &format!("seed {seed}"), &aliases(task, Seed(seed))?)?;
        }
    }
    writeln!(out, "\nThe same across two episodes of a seed that differ in one variable:")?;
    for task in tasks.iter().filter(|t| context_dependent(t)) {
        for seed in args.seed..args.seed + args.alias_episodes {
            for t in twins(task, Seed(seed))? {
                let which =
                    format!("seed {seed}, {} {} | {}", t.variable, t.values[0], t.values[1]);
                print_aliases(out, task, &which, &t.aliases)?;
            }
        }
    }
    Ok(())
}

/// Suites whose protocols say of labels whether their tasks need context.
fn claiming() -> Vec<String> {
    let claims = |s: &&Suite| (s.protocol)().groups.iter().any(|g| g.needs_context.is_some());
    SUITES.iter().filter(claims).map(|s| s.name.to_owned()).collect()
}

/// Whether a task may need what is no longer seen: its labels say so, or nothing says otherwise.
fn context_dependent(task: &TaskSpec) -> bool {
    let suite = longarm_suites::suite(task.id.suite());
    suite.and_then(|s| (s.protocol)().needs_context(&task.labels)).unwrap_or(true)
}

fn print_cell(out: &mut impl Write, wide: usize, task: &TaskSpec, c: &Cell) -> Result<()> {
    let interval = format!("{:.0}–{:.0} %", 100.0 * c.success.lo, 100.0 * c.success.hi);
    let deaths: Vec<String> = c.deaths.iter().map(|(at, k)| format!("{at} ×{k}")).collect();
    writeln!(
        out,
        "{:wide$} {:12} {:14} {:>7}  {interval:>15} {:>7.1} {:>7.1}  {}",
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
