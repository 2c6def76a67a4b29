use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use longarm_manual::{Sheet, escape, whole};

use crate::select::select;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suite, task, pattern, task file or folder of them.
    suite: String,
    /// Folder to write into.
    #[arg(long)]
    out: PathBuf,
    /// Initializations drawn per task: seeds 0, 1, 2 ….
    #[arg(long, default_value_t = 10)]
    initializations: u64,
    /// Address of the lab's operator console (`longarm console`): a QR code on each page leads to the
    /// task's page there.
    #[arg(long, value_name = "URL")]
    console: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let tasks = select(std::slice::from_ref(&args.suite))?;
    let suite = longarm_suites::SUITES.iter().find(|s| s.name == args.suite);
    let title = suite.map_or(args.suite.as_str(), |s| s.title);
    let console = args.console.as_deref().map(|c| c.trim_end_matches('/'));
    if let Some(c) = console.filter(|c| !c.starts_with("http://") && !c.starts_with("https://")) {
        anyhow::bail!("--console {c}: write the whole address, such as http://lab.example:8080");
    }
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make {}", args.out.display()))?;
    let mut pages = 1;
    let mut write = |sheet: &Sheet, index: &mut String, shown: &str| -> Result<()> {
        let name = sheet.id.name();
        let address = console.map(|c| format!("{c}/console/tasks/{}", sheet.id));
        let page = sheet.page(args.initializations, address.as_deref())?;
        write_page(&args.out.join(format!("{name}.html")), sheet.id.as_str(), &page)?;
        pages += 1;
        let (shown, said) = (escape(shown), escape(&sheet.instruction));
        write!(index, "<li><a href=\"{name}.html\">{shown}</a>: {said}</li>")?;
        Ok(())
    };
    let mut index = format!("<h1>{}</h1><ul>", escape(title));
    for spec in &tasks {
        let sheet = Sheet::of(longarm_task::TaskSpec::clone(spec))?;
        write(&sheet, &mut index, sheet.id.name())?;
    }
    index.push_str("</ul>");
    let lab = suite.into_iter().flat_map(|s| s.lab.iter().filter_map(|t| Sheet::of_lab(s.name, t)));
    let lab: Vec<Sheet> = lab.collect();
    if !lab.is_empty() {
        index.push_str("<h2>On a real robot only</h2><ul>");
        for sheet in &lab {
            write(sheet, &mut index, &sheet.title)?;
        }
        index.push_str("</ul>");
    }
    write_page(&args.out.join("index.html"), &args.suite, &index)?;
    writeln!(std::io::stdout().lock(), "wrote {pages} pages to {}", args.out.display())?;
    Ok(())
}

fn write_page(path: &std::path::Path, title: &str, body: &str) -> Result<()> {
    std::fs::write(path, whole(title, body))
        .with_context(|| format!("cannot write {}", path.display()))
}
