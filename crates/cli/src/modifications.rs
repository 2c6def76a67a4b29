//! The single modifications of tasks, listed and pictured.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use longarm_data::image::{ContactSheet, Image};
use longarm_eval::holds_at_start;
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_suites::{Base, Modification};
use longarm_task::TaskSpec;
use longarm_task::bddl::{Fact, Options, Problem, compile};
use longarm_types::{Seed, counted};
use serde_json::json;

use crate::suite::Family;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A task that can be modified; all of the suite's if left out.
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

/// The task of a problem this program wrote.
fn spec(id: &str, problem: &Problem) -> Result<TaskSpec> {
    compile(problem, &Options::new(id)).with_context(|| format!("{id} cannot be built"))
}

pub(crate) fn run(args: &Args, family: &Family) -> Result<()> {
    let bases: Vec<Base> = match &args.task {
        Some(name) => vec![family.base(name)?],
        None => (family.modifier.bases)(),
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
        for (i, m) in b.modifications().iter().enumerate() {
            let idle = b.changes_nothing(m);
            if idle && args.no_idle {
                continue;
            }
            total += 1;
            let problem = b.with([&m.fact]);
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
            sheet.render()?.write_png(dir.join(format!("{name}.png")))?;
        }
    }
    if args.json {
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
    } else {
        let tasks = counted(bases.len() as u64, "task");
        writeln!(out, "{} of {tasks}", counted(total, "modification"))?;
    }
    Ok(())
}

fn rule(m: &Modification) -> String {
    serde_json::to_value(m.rule)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A fact in few words: objects without their numbers.
fn caption(problem: &Problem, fact: &Fact) -> String {
    let table = problem.table().map(|t| format!("{}_", t.name)).unwrap_or_default();
    let plain = |name: &str| {
        let on_table = name.strip_prefix(&table).filter(|_| !table.is_empty());
        // New objects have a region of their own there.
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
    let images = ImageSettings { size: Some(SIZE), ..ImageSettings::for_people(&task.rig()) };
    let mut env = Env::new(task.clone(), EnvSettings { images: Some(images) })?;
    if let Err(e) = env.reset(Seed(seed)) {
        tell!("{}: ({}): {e}", task.id, m.fact);
        return Ok(None);
    }
    if let Err(e) = holds_at_start(&env, problem) {
        tell!("{}: ({}): {e}", task.id, m.fact);
    }
    env.observe();
    if let Some((cameras, _)) = env.cameras()
        && let Some((_, f)) = cameras.frames().last()
    {
        return Ok(Some(Image::new(f.width, f.height, f.rgb.clone())?));
    }
    Ok(None)
}
