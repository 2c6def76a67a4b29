use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use longarm_eval::read_run;
use longarm_results::{Overview, REPORT, report};
use longarm_types::Protocol;

use crate::eval_table::{compared, failed, published, table};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run directories: one for its report, several to compare them.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Where the page goes; report.html in the first directory, or comparison.html here when there
    /// are several.
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    /// Print everything the page says in numbers as JSON (`longarm schema report`) instead of tables.
    #[arg(long)]
    json: bool,
    /// List all episodes that failed, not only the first of them.
    #[arg(long)]
    failures: bool,
}

/// Failed episodes that are listed without being asked for.
const LISTED: usize = 10;

pub(crate) fn run(args: &Args) -> Result<()> {
    args.out.as_deref().map_or(Ok(()), |p| crate::files::check("--out", p, "html"))?;
    let out = match (&args.out, args.dirs.as_slice()) {
        (Some(file), _) => file.clone(),
        (None, [one]) => one.join(REPORT),
        (None, _) => "comparison.html".into(),
    };
    let folder = match out.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut runs = Vec::new();
    for dir in &args.dirs {
        let mut run = read_run(dir)?;
        run.link_prefix = prefix(dir, &folder);
        runs.push(run);
    }
    longarm_data::write_atomically(&out, report::render(&runs).as_bytes())
        .with_context(|| format!("cannot write {}", out.display()))?;
    let overview = Overview::new(runs.iter().zip(args.dirs.iter().map(PathBuf::as_path)));
    let mut text = std::io::stdout().lock();
    if args.json {
        text.write_all(overview.to_json().as_bytes())?;
        return Ok(());
    }
    for (run, seen) in runs.iter().zip(&overview.runs) {
        if runs.len() > 1 {
            writeln!(text, "{} ({})\n", run.name, run.config.policy)?;
        }
        if !run.config.evidence.is_simulated() {
            // What is real is told first.
            run.notes.iter().try_for_each(|note| writeln!(text, "{note}"))?;
            writeln!(text)?;
        }
        table(&mut text, &run.results)?;
        failed(&mut text, &seen.failures, if args.failures { usize::MAX } else { LISTED })?;
        writeln!(text)?;
    }
    if let Some(comparison) = &overview.comparison {
        compared(&mut text, &overview.runs, comparison)?;
    }
    if let Some(known) = runs.iter().find(|r| r.config.protocols.values().any(published_rows)) {
        published(&mut text, known)?;
    }
    writeln!(text, "wrote {}", out.display())?;
    Ok(())
}

fn published_rows(protocol: &Protocol) -> bool {
    protocol.published.is_some()
}

/// How a page in `folder` names files of `dir`.
fn prefix(dir: &Path, folder: &Path) -> String {
    let real = |p: &Path| std::fs::canonicalize(p).unwrap_or_else(|_| p.to_owned());
    let (dir, folder) = (real(dir), real(folder));
    let common = dir.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), folder.components().count() - common);
    let down = dir.components().skip(common).map(|c| c.as_os_str().to_string_lossy().into_owned());
    up.chain(down).map(|part| part + "/").collect()
}
