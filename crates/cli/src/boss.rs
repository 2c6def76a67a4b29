use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use longarm_data::image::{ContactSheet, Image};
use longarm_eval::{holds_at_start, settles};
use longarm_results::boss::{BossReport, Role, measure};
use longarm_results::stats::Interval;
use longarm_results::{Run, TaskResult};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_suites::boss::{self, Entry, Modification, Skill, drawn_id, ramg, skills};
use longarm_suites::libero;
use longarm_task::TaskSpec;
use longarm_task::bddl::{Fact, Options, Problem, compile};
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
    /// List the single modifications of a task, or of all 44 skills.
    Modifications(Modifications),
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
struct Modifications {
    /// A skill or any task of LIBERO; all 44 skills if left out.
    task: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Leave out those that change nothing; the published number counts them.
    #[arg(long)]
    no_idle: bool,
    /// Write a picture of each into a folder and a sheet of all of a task's; say which do not come to
    /// rest.
    #[arg(long, value_name = "DIR")]
    images: Option<PathBuf>,
    /// Seed of the pictures.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(clap::Args)]
struct Sample {
    /// Skills to draw from; all 44 if left out.
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
    /// Suites, tasks or patterns of LIBERO and BOSS.
    #[arg(default_values = ["boss", "libero-90", "libero-10"])]
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

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Modifications(a) => modifications(a),
        Command::Sample(a) => sample(a),
        Command::Augment(a) => crate::augment::run(a),
        Command::Check(a) => check(a),
        Command::Report(a) => report(a),
    }
}

/// A task whose surroundings can be modified.
struct Base {
    id: String,
    problem: Problem,
    free: &'static [[f64; 4]],
}

impl From<&Skill> for Base {
    fn from(s: &Skill) -> Self {
        Self { id: s.id(), problem: s.problem(), free: s.scene.free }
    }
}

fn base(name: &str) -> Result<Base> {
    let title = |s: &Skill| s.title();
    let mut known = skills().iter();
    if let Some(s) = known.find(|s| s.id() == name || title(s).eq_ignore_ascii_case(name)) {
        return Ok(s.into());
    }
    let bare = name.split_once('/').map_or(name, |(_, n)| n);
    let found = libero::tasks()
        .into_iter()
        .find(|(s, t)| s.title(t).to_lowercase().replace('_', "-") == bare);
    if let Some((scene, task)) = found {
        let id = name.to_owned();
        return Ok(Base { id, problem: scene.problem(task), free: scene.free });
    }
    let ids: Vec<String> = skills().iter().map(Skill::id).collect();
    match nearest(name, ids.iter().map(String::as_str)).first() {
        Some(near) => bail!("no skill {name:?}; did you mean {near}?"),
        None => bail!("no skill {name:?}; `longarm list boss` shows all"),
    }
}

/// The task of a problem this program wrote.
fn spec(id: &str, problem: &Problem) -> Result<TaskSpec> {
    compile(problem, &Options::new(id)).with_context(|| format!("{id} cannot be built"))
}

fn modifications(args: &Modifications) -> Result<()> {
    let bases: Vec<Base> = match &args.task {
        Some(name) => vec![base(name)?],
        None => skills().iter().map(Base::from).collect(),
    };
    if let Some(dir) = &args.images {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    let mut out = std::io::stdout().lock();
    let mut rows = Vec::new();
    let mut total = 0;
    for b in &bases {
        let plain = spec(&b.id, &b.problem)?;
        let name = b.id.replace('/', "-");
        let mut sheet = ContactSheet::new().columns(6);
        for (i, m) in ramg::modifications(&b.problem, b.free).iter().enumerate() {
            let idle = ramg::changes_nothing(&b.problem, m);
            if idle && args.no_idle {
                continue;
            }
            total += 1;
            let problem = ramg::with(&b.problem, &m.fact, b.free);
            let modified = Arc::new(spec(&b.id, &problem)?);
            if let Some(dir) = &args.images {
                let file = dir.join(format!("{name}-{i:03}-{}.png", rule(m)));
                if let Some(image) = picture(&modified, &problem, args.seed, m)? {
                    image.write_png(&file)?;
                    sheet.push(caption(&b.problem, &m.fact), image);
                }
            }
            let rule = rule(m);
            if args.json {
                rows.push(json!({
                    "task": b.id,
                    "rule": rule,
                    "fact": m.fact.to_string(),
                    "changes_nothing": idle,
                    "edits": plain.edits_to(&modified),
                }));
            } else {
                let idle = if idle { "  (changes nothing)" } else { "" };
                writeln!(out, "{}  {rule:16} {}{idle}", b.id, m.fact)?;
            }
        }
        if let Some(dir) = &args.images {
            sheet.render()?.write_png(&dir.join(format!("{name}.png")))?;
        }
    }
    if args.json {
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{total} modifications of {} task(s)", bases.len())?;
    }
    Ok(())
}

fn rule(m: &Modification) -> String {
    serde_json::to_value(m.rule)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A fact in few words: things without their numbers.
fn caption(problem: &Problem, fact: &Fact) -> String {
    let table = problem.table().map(|t| format!("{}_", t.name)).unwrap_or_default();
    let plain = |name: &str| {
        let on_table = name.strip_prefix(&table).filter(|_| !table.is_empty());
        // New things have a region of their own there.
        if on_table.is_some() && problem.region(name).is_none() {
            return "table".to_owned();
        }
        let words =
            on_table.unwrap_or(name).replace("_init_region", " place").replace("_region", "");
        let words = words.replace("_top_side", "");
        let kept = words.split('_').filter(|w| w.parse::<u32>().is_err());
        kept.collect::<Vec<_>>().join(" ")
    };
    let args: Vec<String> = fact.args.iter().map(|a| plain(a)).collect();
    match args.as_slice() {
        [what, place] => format!("{what} {} {place}", fact.relation.name()),
        _ => format!("{} {}", fact.relation.name(), args.join(" ")),
    }
}

/// Size of a picture.
const SIZE: (usize, usize) = (480, 360);

/// Draws the modified scene; what does not come to rest as it should is said, not hidden.
fn picture(
    task: &Arc<TaskSpec>,
    problem: &Problem,
    seed: u64,
    m: &Modification,
) -> Result<Option<Image>> {
    let images = ImageSettings { size: Some(SIZE), ..ImageSettings::for_people(&task.rig.rig()) };
    let mut env = Env::new(task.clone(), EnvSettings { images: Some(images) })?;
    if let Err(e) = env.reset(Seed(seed)) {
        eprintln!("{}: ({}): {e}", task.id, m.fact);
        return Ok(None);
    }
    if let Err(e) = holds_at_start(&env, problem) {
        eprintln!("{}: ({}): {e}", task.id, m.fact);
    }
    env.observe();
    if let Some((cameras, _)) = env.cameras()
        && let Some((_, f)) = cameras.frames().last()
    {
        return Ok(Some(Image::new(f.width, f.height, f.rgb.clone())?));
    }
    Ok(None)
}

/// Drawings of one skill that may fail in a row before it is passed over.
const PATIENCE: u64 = 50;

/// Several modifications of a skill.
pub(crate) struct Drawn {
    pub(crate) id: String,
    pub(crate) task: Arc<TaskSpec>,
    pub(crate) problem: Problem,
    modifications: Vec<Modification>,
}

/// Draws from number `next` on until the scenes of all seeds come to rest as they should; counts those
/// that do not. `None` when patience ends.
pub(crate) fn draw(
    skill: &Skill,
    k: usize,
    next: &mut u64,
    seeds: &[u64],
    refused: &mut u64,
) -> Result<Option<Drawn>> {
    for _ in 0..PATIENCE {
        let (id, drawn) = (drawn_id(skill, k, *next), skill.drawn(k, *next));
        *next += 1;
        let Some(modifications) = drawn else { continue };
        let problem = skill.with(modifications.iter().map(|m| &m.fact));
        // As it is known by its id.
        let Some(task) = longarm_suites::task(&id).map(Arc::new) else { continue };
        match seeds.iter().find_map(|s| settles(&task, &problem, Seed(*s)).err()) {
            Some(e) => {
                *refused += 1;
                tracing::info!("{id}: {e}");
            }
            None => return Ok(Some(Drawn { id, task, problem, modifications })),
        }
    }
    eprintln!("{}: no {k} modifications found", skill.id());
    Ok(None)
}

fn sample(args: &Sample) -> Result<()> {
    if args.modifications == 0 {
        bail!("--modifications 0: at least one is needed");
    }
    let chosen: Vec<Skill> = match args.skills.is_empty() {
        true => skills().to_vec(),
        false => {
            let mut out = Vec::new();
            for name in &args.skills {
                let id = base(name)?.id;
                match skills().iter().find(|s| s.id() == id) {
                    Some(s) => out.push(*s),
                    None => bail!("{name} is not one of the 44 skills"),
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
        let (skill, n) = (&chosen[at % chosen.len()], &mut next[at % chosen.len()]);
        at += 1;
        match draw(skill, args.modifications, n, &seeds, &mut refused)? {
            None => exhausted += 1,
            Some(drawn) => {
                exhausted = 0;
                found.push((drawn.id, skill.id(), drawn.modifications));
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
    eprintln!("{} tasks; {refused} drawings did not come to rest as they should", found.len());
    Ok(())
}

fn check(args: &Check) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let (mut tasks, mut good) = (0, 0);
    for task in select(&args.selectors)? {
        // A chain begins as its first skill does, whose own scene is checked.
        let id = task.id.as_str();
        let Some(problem) = libero::problem(id).or_else(|| boss::problem(id)) else { continue };
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

fn role(id: &str) -> Option<Role> {
    Some(match boss::entry(id)? {
        Entry::Skill(_) => Role::Skill,
        Entry::Modified { skill, count, .. } => Role::Modified { skill: skill.id(), count },
        Entry::Chain(skills) => Role::Chain(skills.iter().map(Skill::id).collect()),
    })
}

fn report(args: &Report) -> Result<()> {
    let runs: Vec<Run> =
        args.dirs.iter().map(|d| Run::read(d)).collect::<Result<_, longarm_results::Error>>()?;
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
    let found = measure(tasks, &role);
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
        return Ok(());
    }
    print(&mut out, &found)
}

fn print(out: &mut impl Write, r: &BossReport) -> Result<()> {
    let percent =
        |v: Option<f64>| v.map_or("undefined".to_owned(), |v| format!("{:.1} %", 100.0 * v));
    let ranged = |v: Option<Interval>| {
        v.map_or("undefined".to_owned(), |i| {
            format!("{:.1} % [{:.1}, {:.1}]", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi)
        })
    };
    if r.deltas.is_empty() && r.chains.is_empty() {
        bail!("no modified skills and no chains of BOSS among these runs");
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
