use std::io::Write;

use anyhow::Result;
use longarm_suites::{SUITES, Suite};
use longarm_task::TaskSpec;
use longarm_types::protocol::Matrix;

use crate::catalogue;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this suite, task, pattern, task file or folder of them.
    suite: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// List the options that may be chosen with -o instead.
    #[arg(long, conflicts_with = "json")]
    options: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let tasks = catalogue::tasks(args.suite.as_deref())?;
    let mut out = std::io::stdout().lock();
    if args.options {
        let chosen = |s: &&Suite| args.suite.as_deref().is_none_or(|name| s.name == name);
        return crate::options::list(&mut out, &SUITES.iter().filter(chosen).collect::<Vec<_>>());
    }
    if args.json {
        let rows: Vec<_> = tasks
            .iter()
            .map(|t| {
                let mut row = t.summary();
                row.insert("title".into(), t.source.title.as_str().into());
                row.insert("objects".into(), t.source.objects.as_str().into());
                row.insert("by_seed".into(), t.instances.is_some().into());
                row
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(());
    }
    let suite = args.suite.as_deref().and_then(longarm_suites::suite);
    if let Some(matrix) = suite.and_then(|s| (s.protocol)().matrix) {
        return against(&mut out, &tasks, &matrix);
    }
    let width = tasks.iter().map(|t| t.id.as_str().len()).max().unwrap_or(0);
    writeln!(out, "{:width$}  phases  horizon  labels       instruction", "task")?;
    for t in &tasks {
        let labels = t.labels.join(" ");
        writeln!(
            out,
            "{:width$}  {:6}  {:7}  {labels:11}  {}",
            t.id.as_str(),
            t.stage_names().len(),
            t.horizon,
            t.instruction
        )?;
    }
    Ok(())
}

/// Tasks of a suite that sets them against labels: these, and what there is to act on.
fn against(out: &mut impl Write, tasks: &[TaskSpec], matrix: &Matrix) -> Result<()> {
    let split = |t: &TaskSpec| {
        let part = t.labels.iter().find(|l| matrix.parts.contains(l));
        part.map_or("", String::as_str).to_owned()
    };
    let needs = |t: &TaskSpec| {
        let own = |l: &&String| !matrix.parts.contains(l) && !matrix.counts(l);
        t.labels.iter().filter(own).map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    let widest = |of: &dyn Fn(&TaskSpec) -> usize| tasks.iter().map(of).max().unwrap_or(0);
    let (id, need) = (widest(&|t| t.id.as_str().len()), widest(&|t| needs(t).len()));
    let objects = widest(&|t| t.source.objects.len());
    writeln!(
        out,
        "{:id$}  actions  split   {:need$}  {:objects$}  title",
        "task", matrix.heading, "objects"
    )?;
    for t in tasks {
        writeln!(
            out,
            "{:id$}  {:7}  {:6}  {:need$}  {:objects$}  {}",
            t.id.as_str(),
            t.horizon,
            split(t),
            needs(t),
            t.source.objects,
            t.source.title
        )?;
    }
    Ok(())
}
