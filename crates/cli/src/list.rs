use std::io::Write;

use anyhow::Result;
use serde_json::json;

use crate::catalogue;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this suite.
    suite: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let tasks = catalogue::tasks(args.suite.as_deref())?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let rows: Vec<_> = tasks
            .iter()
            .map(|t| {
                json!({
                    "id": t.id,
                    "suite": t.id.suite(),
                    "instruction": t.instruction,
                    "labels": t.labels,
                    "stages": t.stage_names(),
                    "horizon": t.horizon,
                    "robot": t.rig.rig().robot,
                    "rig": t.rig,
                })
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(());
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
