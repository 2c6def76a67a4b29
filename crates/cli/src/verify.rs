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
    #[cfg_attr(feature = "server", arg(required_unless_present = "receipt"))]
    #[cfg_attr(not(feature = "server"), arg(required = true))]
    dir: Option<PathBuf>,
    /// A leaderboard's receipt: check its signature, and that DIR, where it is given, holds its episodes.
    #[cfg(feature = "server")]
    #[arg(long, value_name = "FILE", requires = "key")]
    receipt: Option<PathBuf>,
    /// The key of the leaderboard, in hex: SERVER/api/key.
    #[cfg(feature = "server")]
    #[arg(long, value_name = "HEX", requires = "receipt")]
    key: Option<String>,
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
    #[cfg(feature = "server")]
    if let (Some(receipt), Some(key)) = (&args.receipt, &args.key) {
        let good = check_receipt(receipt, key, args.dir.as_deref())?;
        if !good || args.dir.is_none() {
            return Ok(good);
        }
    }
    // Clap asks for it.
    let Some(dir) = &args.dir else { return Ok(false) };
    let bar = match std::io::stderr().is_terminal() {
        true => ProgressBar::new(0),
        false => ProgressBar::hidden(),
    }
    .with_style(ProgressStyle::with_template("{bar:32} {pos}/{len} replayed, {eta} left")?);
    // What cannot be read is verify's to complain about.
    let mut config = RunConfig::read(&dir.join(RUN)).ok();
    let moved = asset_folders(args.assets.as_deref())?.filter(|_| args.assets.is_some());
    if let (Some(config), Some(moved)) = (&mut config, moved) {
        config.runtime.insert(ASSETS.to_owned(), moved.folders.to_string().into());
    }
    let find = |id: &longarm_types::TaskId| task_of(config.as_ref()?, id);
    let mut verdict = verify(dir, find, args.workers, |done, total| {
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
    let dir = dir.display();
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

/// Whether a receipt is genuine, and a run what it speaks of.
#[cfg(feature = "server")]
fn check_receipt(file: &std::path::Path, key: &str, dir: Option<&std::path::Path>) -> Result<bool> {
    use anyhow::Context;
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut out = std::io::stdout().lock();
    let statement = match longarm_server::receipt::Receipt::check(&text, key) {
        Ok(statement) => statement,
        Err(e) => {
            writeln!(out, "{}: {e}", file.display())?;
            return Ok(false);
        }
    };
    if let Some(dir) = dir {
        let rows = longarm_eval::read_rows(dir)?;
        let episodes: Vec<_> = rows.into_iter().map(|r| r.episode).collect();
        if let Err(e) = statement.covers(&episodes) {
            writeln!(out, "{}: {e}", file.display())?;
            return Ok(false);
        }
    }
    let c = &statement.claims;
    let (n, day) = (c.n, statement.published_at.day());
    writeln!(
        out,
        "{}: genuine; {} on {}: average {:.1}, success {:.1} % over {n} episodes, {}, published {day}",
        file.display(),
        c.policy,
        c.board,
        c.average,
        100.0 * c.success.mean,
        c.trust,
    )?;
    Ok(true)
}
