use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use longarm_eval::read_run;
use longarm_results::{REPORT, report};

use crate::eval_table::{published, table};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run directories: one for its report, several to compare them.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Where the page goes; report.html in the first directory, or comparison.html here when there
    /// are several.
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
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
    let published_about =
        |r: &longarm_results::Run| r.config.protocols.values().any(|p| p.published.is_some());
    if let Some(known) = runs.iter().find(|r| published_about(r)) {
        let mut text = std::io::stdout().lock();
        for run in &runs {
            table(&mut text, &run.results)?;
        }
        published(&mut text, known)?;
    }
    println!("wrote {}", out.display());
    Ok(())
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
