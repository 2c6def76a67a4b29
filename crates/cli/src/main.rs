//! The `longarm` command line.

mod augment;
mod bench;
mod boss;
mod catalogue;
mod demos;
mod eval;
mod interrupt;
mod list;
mod manual;
mod merge;
mod probe;
mod reference;
mod render;
mod report;
mod run;
mod select;
mod sheet;
mod show;
mod sweep;
mod trace;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// One engine for long-horizon robot manipulation.
#[derive(Parser)]
#[command(name = "longarm", version, about, max_term_width = 100)]
struct Cli {
    /// Say more (RUST_LOG gives finer control).
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List tasks.
    List(list::Args),
    /// Show a task: its resolved specification, or pictures of a scene.
    Show(show::Args),
    /// Run one episode and print it stage by stage.
    Run(run::Args),
    /// Evaluate a policy on many episodes, into a run directory.
    Eval(eval::Args),
    /// Write the page about a run, or the comparison of several.
    Report(report::Args),
    /// Put the shards of a run together.
    Merge(merge::Args),
    /// Replay a run's action traces and name what does not match.
    Verify(verify::Args),
    /// Record demonstrations as a dataset, or complete, repair or check one.
    Demos(demos::Args),
    /// Render recorded demonstrations again: other sizes, cameras, formats.
    Render(render::Args),
    /// Test whether tasks measure what they claim: the expert under handicaps, moments that look alike.
    Probe(probe::Args),
    /// BOSS: modifications of a skill, samples of them, and what they cost a policy.
    Boss(boss::Args),
    /// Write the pages a lab needs to run a suite's tasks on a real arm.
    Manual(manual::Args),
    /// Measure the engine's speed on this machine.
    Bench(bench::Args),
    /// Run many seeds of every task with the built-in policies.
    Sweep(sweep::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let level = if cli.verbose { "info" } else { "warn" };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let done = match cli.command {
        Command::List(a) => list::run(&a),
        Command::Show(a) => show::run(&a),
        Command::Run(a) => run::run(&a),
        Command::Eval(a) => eval::run(&a),
        Command::Report(a) => report::run(&a),
        Command::Merge(a) => merge::run(&a),
        Command::Verify(a) => match verify::run(&a) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(e) => Err(e),
        },
        Command::Demos(a) => match demos::run(&a) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(e) => Err(e),
        },
        Command::Render(a) => render::run(&a),
        Command::Probe(a) => probe::run(&a),
        Command::Boss(a) => boss::run(&a),
        Command::Manual(a) => manual::run(&a),
        Command::Bench(a) => bench::run(&a),
        Command::Sweep(a) => sweep::run(&a),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // A closed pipe (`longarm list | head`) is not an error worth words.
        Err(e) if is_broken_pipe(&e) => ExitCode::SUCCESS,
        Err(e) if e.is::<interrupt::Interrupted>() => {
            eprintln!("{e}");
            ExitCode::from(interrupt::EXIT)
        }
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(e: &anyhow::Error) -> bool {
    e.chain()
        .filter_map(|c| c.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
