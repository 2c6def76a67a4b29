//! Commands of a suite that generates modified scenes, under the suite's own name.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use longarm_eval::{read_run, settles};
use longarm_results::shift::{ShiftReport, measure};
use longarm_results::stats::Interval;
use longarm_results::{Run, TaskResult};
use longarm_suites::{Base, Drawn, Modifier, SUITES, Suite};
use longarm_task::TaskSpec;
use longarm_types::protocol::Role;
use longarm_types::{Seed, nearest};
use serde_json::json;

use crate::select::select;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List the single modifications of a task, or of all that can be modified.
    Modifications(crate::modifications::Args),
    /// Draw skills with several modifications that come to rest as they should; prints their ids.
    Sample(Sample),
    /// Play demonstrations of skills in modified scenes, and keep those that still succeed.
    Augment(crate::augment::Args),
    /// Check that scenes come to rest as their tasks say they begin, and not with the goal reached.
    Check(Check),
    /// What modifications and chains cost a policy, from run directories.
    Report(Report),
}

#[derive(clap::Args)]
struct Sample {
    /// Tasks to draw from; all that can be modified if left out.
    skills: Vec<String>,
    /// Modifications each.
    #[arg(short = 'k', long, default_value_t = 2)]
    modifications: usize,
    /// How many tasks, over the skills in turn.
    #[arg(short = 'n', long, default_value_t = 44)]
    count: usize,
    /// Number of the first drawing.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Scenes of each task that must come to rest as they should.
    #[arg(long, default_value_t = 3)]
    scenes: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Check {
    /// Suites, tasks or patterns [default: all suites that are written as problems].
    selectors: Vec<String>,
    /// Scenes of each task.
    #[arg(long, default_value_t = 3)]
    scenes: u64,
}

#[derive(clap::Args)]
struct Report {
    /// Runs of one policy; several are pooled.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Suites that generate modified scenes.
pub(crate) fn with_modifier() -> impl Iterator<Item = (&'static Suite, Modifier)> {
    SUITES.iter().filter_map(|s| Some((s, s.modifier?)))
}

pub(crate) fn run(args: &Args, suite: &Suite) -> Result<()> {
    let Some(modifier) = suite.modifier else {
        bail!("{} generates no modified scenes", suite.name);
    };
    let family = Family { name: suite.name, modifier };
    match &args.command {
        Command::Modifications(a) => crate::modifications::run(a, &family),
        Command::Sample(a) => sample(a, &family),
        Command::Augment(a) => crate::augment::run(a, &family),
        Command::Check(a) => check(a),
        Command::Report(a) => report(a),
    }
}

/// A suite's generator under the suite's name.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) modifier: Modifier,
}

impl Family {
    /// The task that a user named.
    pub(crate) fn base(&self, name: &str) -> Result<Base> {
        if let Some(base) = (self.modifier.base)(name) {
            return Ok(base);
        }
        let bases = (self.modifier.bases)();
        match nearest(name, bases.iter().map(|b| b.id.as_str())).first() {
            Some(near) => bail!("no skill {name:?}; did you mean {near}?"),
            None => bail!("no skill {name:?}; `longarm list {}` shows all", self.name),
        }
    }

    /// The listed task of this id.
    pub(crate) fn listed(&self, id: &str) -> Option<Base> {
        (self.modifier.bases)().into_iter().find(|b| b.id == id)
    }
}

/// Drawings of one skill that may fail in a row before it is passed over.
const PATIENCE: u64 = 50;

/// Draws from number `next` on until the scenes of all seeds come to rest as they should; counts those
/// that do not. `None` when patience ends.
pub(crate) fn draw(
    family: &Family,
    base: &Base,
    k: usize,
    next: &mut u64,
    seeds: &[u64],
    refused: &mut u64,
) -> Result<Option<(Drawn, Arc<TaskSpec>)>> {
    for _ in 0..PATIENCE {
        let drawn = (family.modifier.draw)(base, k, *next);
        *next += 1;
        let Some(drawn) = drawn else { continue };
        // As it is known by its id.
        let Some(task) = longarm_suites::task(&drawn.id).map(Arc::new) else { continue };
        match seeds.iter().find_map(|s| settles(&task, &drawn.problem, Seed(*s)).err()) {
            Some(e) => {
                *refused += 1;
                tracing::info!("{}: {e}", drawn.id);
            }
            None => return Ok(Some((drawn, task))),
        }
    }
    tell!("{}: no {k} modifications found", base.id);
    Ok(None)
}

fn sample(args: &Sample, family: &Family) -> Result<()> {
    if args.modifications == 0 {
        bail!("--modifications 0: at least one is needed");
    }
    let chosen: Vec<Base> = match args.skills.is_empty() {
        true => (family.modifier.bases)(),
        false => {
            let mut out = Vec::new();
            for name in &args.skills {
                match family.listed(&family.base(name)?.id) {
                    Some(base) => out.push(base),
                    None => bail!("{name} is not a task of {} that is drawn from", family.name),
                }
            }
            out
        }
    };
    let seeds: Vec<u64> = (0..args.scenes).collect();
    let mut next: Vec<u64> = vec![args.seed; chosen.len()];
    let mut found = Vec::new();
    let (mut refused, mut exhausted, mut at) = (0, 0, 0);
    while found.len() < args.count && exhausted < chosen.len() {
        let (base, n) = (&chosen[at % chosen.len()], &mut next[at % chosen.len()]);
        at += 1;
        match draw(family, base, args.modifications, n, &seeds, &mut refused)? {
            None => exhausted += 1,
            Some((drawn, _)) => {
                exhausted = 0;
                found.push((drawn.id, base.id.clone(), drawn.modifications));
            }
        }
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let rows: Vec<_> = found
            .iter()
            .map(|(id, skill, drawn)| {
                let facts: Vec<String> = drawn.iter().map(|m| m.fact.to_string()).collect();
                json!({ "task": id, "skill": skill, "facts": facts })
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
    } else {
        for (id, ..) in &found {
            writeln!(out, "{id}")?;
        }
    }
    tell!("{} tasks; {refused} drawings did not come to rest as they should", found.len());
    Ok(())
}

fn check(args: &Check) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let (mut tasks, mut good) = (0, 0);
    let written = SUITES.iter().filter(|s| s.problem.is_some()).map(|s| s.name.to_owned());
    let selectors = match args.selectors.is_empty() {
        true => written.collect(),
        false => args.selectors.clone(),
    };
    for task in select(&selectors)? {
        // A chain begins as its first skill does, whose own scene is checked.
        let id = task.id.as_str();
        let Some(problem) = longarm_suites::problem(id) else { continue };
        tasks += 1;
        let bad =
            (0..args.scenes).find_map(|s| settles(&task, &problem, Seed(s)).err().map(|e| (s, e)));
        match bad {
            None => good += 1,
            Some((seed, e)) => writeln!(out, "{id} seed {seed}: {e}")?,
        }
    }
    writeln!(out, "{good} of {tasks} tasks come to rest as they should")?;
    Ok(())
}

fn report(args: &Report) -> Result<()> {
    let runs: Vec<Run> =
        args.dirs.iter().map(|d| read_run(d)).collect::<Result<_, longarm_results::Error>>()?;
    if let Some(other) = runs.iter().find(|r| r.results.policy != runs[0].results.policy) {
        bail!(
            "the runs are of different policies, {} and {}: report them one by one",
            runs[0].results.policy,
            other.results.policy
        );
    }
    let tasks: Vec<&TaskResult> = runs.iter().flat_map(|r| &r.results.tasks).collect();
    let mut hashes = BTreeMap::new();
    for t in &tasks {
        if *hashes.entry(&t.task).or_insert(&t.hash) != &t.hash {
            bail!("{} is not the same task in all of these runs: report them one by one", t.task);
        }
    }
    let protocols = runs.iter().flat_map(|r| r.config.protocols.values());
    let roles: BTreeMap<String, Role> = protocols.flat_map(|p| p.roles.clone()).collect();
    let found = measure(tasks, &roles);
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
        return Ok(());
    }
    print(&mut out, &found)
}

fn print(out: &mut impl Write, r: &ShiftReport) -> Result<()> {
    let percent =
        |v: Option<f64>| v.map_or("undefined".to_owned(), |v| format!("{:.1} %", 100.0 * v));
    let ranged = |v: Option<Interval>| {
        v.map_or("undefined".to_owned(), |i| {
            format!("{:.1} % [{:.1}, {:.1}]", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi)
        })
    };
    if r.deltas.is_empty() && r.chains.is_empty() {
        bail!("no modified skills and no chains among these runs");
    }
    for d in &r.deltas {
        writeln!(out, "{} modification(s), {} tasks", d.modifications, d.skills.len())?;
        for s in &d.skills {
            let interval = s.interval.map_or(String::new(), |i| {
                format!("  [{:+.1}, {:+.1}]", 100.0 * i.lo, 100.0 * i.hi)
            });
            writeln!(
                out,
                "  {:>3}/{:<3} {:>3}/{:<3}  RPD {:>9}{interval}  {}",
                s.plain.successes,
                s.plain.n,
                s.modified.successes,
                s.modified.n,
                percent(s.rpd),
                s.task
            )?;
        }
        writeln!(
            out,
            "  mean RPD {}, affected {}, mean positive RPD {}, undefined for {}",
            ranged(d.mean),
            ranged(d.affected),
            percent(d.mean_positive),
            d.undefined
        )?;
    }
    if r.deltas.len() > 1 {
        writeln!(out, "all modifications: mean RPD {}", ranged(r.mean))?;
    }
    for c in &r.chains {
        let levels: Vec<String> = c.levels.iter().map(|l| format!("{:.0}", 100.0 * l)).collect();
        writeln!(
            out,
            "{}: {}/{} completed, levels {} %, upper bound {}, DUBR {}",
            c.task,
            c.whole.successes,
            c.whole.n,
            levels.join(" / "),
            percent(c.upper_bound),
            percent(c.dubr)
        )?;
    }
    Ok(())
}
