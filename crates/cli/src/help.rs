//! The guide, completions and manual pages, from the sources they share with the repository.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap_complete::Shell;
use longarm_types::hint;

#[derive(clap::Args)]
pub(crate) struct HelpArgs {
    /// A chapter of the guide, or a command; the list of chapters when left out.
    topic: Vec<String>,
}

#[derive(clap::Args)]
pub(crate) struct CompletionArgs {
    /// Whose language the script is written in.
    shell: Shell,
}

#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// Where the pages go: longarm.1, longarm-eval.1, …
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// A chapter: its name, and its text in Markdown.
type Chapter = (&'static str, &'static str);

macro_rules! chapters {
    ($($name:literal => $file:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../docs/", $file)))),*]
    };
}

/// The chapters in the order of the guide.
const CHAPTERS: [Chapter; 18] = chapters![
    "install" => "guide/install.md",
    "first-evaluation" => "guide/first-evaluation.md",
    "serving" => "guide/serving.md",
    "agents" => "guide/agents.md",
    "reports" => "guide/reports.md",
    "demonstrations" => "guide/demonstrations.md",
    "compose" => "guide/compose.md",
    "python" => "guide/python.md",
    "scale-out" => "guide/scale-out.md",
    "leaderboard" => "guide/leaderboard.md",
    "console" => "guide/console.md",
    "bridge" => "guide/bridge.md",
    "reproducing" => "guide/reproducing.md",
    "published" => "guide/published.md",
    "own-tasks" => "own-tasks.md",
    "policies" => "policies.md",
    "libero" => "libero.md",
    "originals" => "originals.md",
];

/// The first line of a chapter, without its mark.
fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
}

/// Prints a chapter, or what a command's `--help` says.
pub(crate) fn help(args: &HelpArgs, mut program: clap::Command) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let Some(first) = args.topic.first() else {
        writeln!(out, "{}", program.render_long_help())?;
        writeln!(out, "Chapters of the guide (longarm help CHAPTER):")?;
        for (name, text) in CHAPTERS {
            writeln!(out, "  {name:18} {}", title(text))?;
        }
        return Ok(());
    };
    if let Some((_, text)) = CHAPTERS.iter().find(|(name, _)| name == first) {
        write!(out, "{text}")?;
        return Ok(());
    }
    program.build();
    let names: Vec<String> = program.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    let mut command = &mut program;
    for word in &args.topic {
        command = match command.find_subcommand_mut(word) {
            Some(found) => found,
            None => {
                let all = CHAPTERS.iter().map(|c| c.0).chain(names.iter().map(String::as_str));
                bail!("no command or chapter {word:?}{}", hint(word, all.collect::<Vec<_>>()));
            }
        };
    }
    write!(out, "{}", command.render_long_help())?;
    Ok(())
}

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionArgs, mut program: clap::Command) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, "longarm", &mut text);
    std::io::stdout().lock().write_all(&text)?;
    Ok(())
}

/// Writes a manual page for the program and for each of its commands.
pub(crate) fn man(args: &ManArgs, program: clap::Command) -> Result<()> {
    let dir = &args.dir;
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    clap_mangen::generate_to(program, dir)
        .with_context(|| format!("cannot write {}", dir.display()))?;
    writeln!(std::io::stdout().lock(), "wrote the pages of longarm to {}", dir.display())?;
    Ok(())
}
