use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use longarm_catalogue::asset_folders;
use longarm_eval::{ASSETS, Problem, changed_files, task_of, verify};
use longarm_results::{RUN, RunConfig};
use longarm_types::counted;
use serde_json::json;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run directory.
    dir: PathBuf,
    /// Worker threads.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    /// Where other people's files lie now: NAME=DIR,NAME=DIR [default: where they lay then].
    #[arg(long, value_name = "NAME=DIR,…")]
    assets: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Whether everything matches.
pub(crate) fn run(args: &Args) -> Result<bool> {
    let bar = match std::io::stderr().is_terminal() {
        true => ProgressBar::new(0),
        false => ProgressBar::hidden(),
    }
    .with_style(ProgressStyle::with_template("{bar:32} {pos}/{len} replayed, {eta} left")?);
    // What cannot be read is verify's to complain about.
    let mut config = RunConfig::read(&args.dir.join(RUN)).ok();
    let moved = asset_folders(args.assets.as_deref())?.filter(|_| args.assets.is_some());
    if let (Some(config), Some(moved)) = (&mut config, moved) {
        config.runtime.insert(ASSETS.to_owned(), moved.folders.to_string().into());
    }
    let find = |id: &longarm_types::TaskId| task_of(config.as_ref()?, id);
    let mut verdict = verify(&args.dir, find, args.workers, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    let changed = config.as_ref().map(changed_files).unwrap_or_default();
    let changed = changed.into_iter().map(|what| Problem { episode: None, what });
    verdict.problems.splice(0..0, changed);
    let mut out = std::io::stdout().lock();
    if args.json {
        let problems: Vec<_> = verdict
            .problems
            .iter()
            .map(|p| {
                let (task, seed) = p.episode.as_ref().map(|(t, s)| (t.as_str(), s)).unzip();
                json!({ "task": task, "seed": seed, "what": p.what })
            })
            .collect();
        let value = json!({
            "matches": problems.is_empty(),
            "replayed": verdict.replayed,
            "not_played": verdict.not_played,
            "notes": verdict.notes,
            "problems": problems,
        });
        serde_json::to_writer_pretty(&mut out, &value)?;
        writeln!(out)?;
        return Ok(verdict.problems.is_empty());
    }
    for p in &verdict.problems {
        writeln!(out, "{p}")?;
    }
    for note in &verdict.notes {
        writeln!(out, "note: {note}")?;
    }
    let dir = args.dir.display();
    let skipped = match verdict.not_played {
        0 => String::new(),
        n => format!(" ({n} harness errors claim nothing)"),
    };
    match verdict.problems.len() {
        0 if verdict.replayed == 1 => writeln!(out, "{dir}: 1 episode matches{skipped}")?,
        0 => writeln!(out, "{dir}: all {} episodes match{skipped}", verdict.replayed)?,
        n => {
            let (n, played) = (counted(n as u64, "problem"), counted(verdict.replayed, "episode"));
            writeln!(out, "{dir}: {n}, {played} replayed{skipped}")?;
        }
    }
    Ok(verdict.problems.is_empty())
}
