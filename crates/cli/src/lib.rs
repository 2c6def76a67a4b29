//! The `longarm` command line: one program, started by the binary of this package and by the command
//! that the Python package brings.

#![deny(clippy::print_stdout, clippy::print_stderr)]

/// Says something to whoever watches. Nobody may be there any more, and that is not worth a panic.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

mod augment;
mod bench;
#[cfg(feature = "server")]
mod bench_server;
mod bench_soft;
#[cfg(feature = "server")]
mod bench_store;
mod bridge;
mod catalogue;
mod compose;
#[cfg(feature = "server")]
mod console;
mod demos;
#[cfg(feature = "server")]
mod dial_out;
mod eval;
mod eval_table;
mod files;
mod grasps;
mod help;
mod interrupt;
mod list;
mod manual;
mod merge;
mod modifications;
mod new;
mod options;
mod probe;
mod progress;
#[cfg(feature = "server")]
mod reached;
mod render;
mod report;
mod robots;
mod run;
mod schema;
mod select;
#[cfg(feature = "server")]
mod serve;
mod sheet;
mod show;
#[cfg(feature = "server")]
mod submit;
mod suite;
mod sweep;
mod trace;
mod verify;
#[cfg(feature = "server")]
mod work;

use std::ffi::OsString;
use std::io::Write;

use clap::{ArgMatches, Args as _, CommandFactory, FromArgMatches, Parser, Subcommand};

/// What was looked at is not sound: a replay differs, a dataset is damaged.
const UNSOUND: u8 = 1;
/// The command could not be carried out.
const FAILED: u8 = 2;

/// One engine for long-horizon robot manipulation.
#[derive(Parser)]
#[command(name = "longarm", version, max_term_width = 100, disable_help_subcommand = true)]
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
    /// Make tasks from sentences: a model takes them apart, the scene and the experts judge what it says.
    Compose(compose::Args),
    /// Render recorded demonstrations again: other sizes, cameras, formats.
    Render(render::Args),
    /// Test whether tasks measure what they claim: the expert under handicaps, moments that look alike.
    Probe(probe::Args),
    /// List robots.
    Robots(robots::ListArgs),
    /// Print where the links of a robot are in a posture, or draw it.
    Robot(robots::Args),
    /// Write the pages a lab needs to run a suite's tasks on a real arm.
    Manual(manual::Args),
    /// Write a file to start from: a task, scene, object or rig of your own.
    New(new::Args),
    /// Print the JSON Schema of a file.
    Schema(schema::Args),
    /// Measure the engine's speed on this machine.
    Bench(bench::Args),
    /// Serve a leaderboard: take submissions, replay them, publish what they are worth.
    #[cfg(feature = "server")]
    Serve(serve::Args),
    /// Judge tasks on a real arm, on a tablet: an operator console over a lab's bridge.
    #[cfg(feature = "server")]
    Console(console::Args),
    /// Drive an arm for an operator console: the simulator as such an arm.
    Bridge(bridge::Args),
    /// Submit a run to a leaderboard.
    #[cfg(feature = "server")]
    Submit(submit::Args),
    /// Replay for a leaderboard on another machine.
    #[cfg(feature = "server")]
    Work(work::Args),
    /// Run a policy's model for another process of this program.
    #[command(name = longarm_onnx::COMMAND, hide = true)]
    OnnxProcess {
        /// Megabytes of memory.
        memory_mb: u64,
        /// Seconds of processor time for an answer.
        cpu_seconds: u64,
    },
    /// Run many seeds of every task with the built-in policies.
    Sweep(sweep::Args),
    /// Print a chapter of the guide, or the help of a command.
    Help(help::HelpArgs),
    /// Print a completion script for a shell.
    Completions(help::CompletionArgs),
    /// Write manual pages.
    Man(help::ManArgs),
}

/// Run the command line and return the exit status for the process.
///
/// `program` is the command that starts this program again, which `longarm bench` does; `args` are what
/// the user wrote after its name. The caller owns the process: signals that no command listens for do
/// what they did before.
pub fn run(program: &[OsString], args: impl IntoIterator<Item = OsString>) -> u8 {
    // Help names the command, however it was started.
    let name = OsString::from("longarm");
    let parsed = program_with_suites().try_get_matches_from(std::iter::once(name).chain(args));
    let status = match parsed.and_then(|m| Asked::of(&m)) {
        Ok(asked) => execute(asked, program),
        Err(e) => {
            // Help into a closed pipe is not an error.
            let _ = e.print();
            u8::try_from(e.exit_code()).unwrap_or(FAILED)
        }
    };
    // Only a Rust `main` flushes on its way out.
    let _ = std::io::stdout().flush();
    status
}

/// The program with a command of its own for each suite that generates modified scenes.
fn program_with_suites() -> clap::Command {
    suite::with_modifier().fold(Cli::command(), |program, (suite, modifier)| {
        let command = clap::Command::new(suite.name).about(modifier.about);
        program.subcommand(suite::Args::augment_args(command))
    })
}

/// What the user wants.
enum Asked {
    /// A command of this program.
    Own(Box<Cli>),
    /// A command of a suite.
    Suite { verbose: bool, suite: &'static longarm_suites::Suite, args: suite::Args },
}

impl Asked {
    fn of(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.subcommand().and_then(|(name, args)| {
            let (suite, _) = suite::with_modifier().find(|(s, _)| s.name == name)?;
            Some((suite, args))
        });
        match named {
            Some((suite, args)) => {
                let verbose = matches.get_flag("verbose") || args.get_flag("verbose");
                Ok(Self::Suite { verbose, suite, args: suite::Args::from_arg_matches(args)? })
            }
            None => Cli::from_arg_matches(matches).map(|cli| Self::Own(Box::new(cli))),
        }
    }
}

fn execute(asked: Asked, program: &[OsString]) -> u8 {
    let verbose = match &asked {
        Asked::Own(cli) => cli.verbose,
        Asked::Suite { verbose, .. } => *verbose,
    };
    // Who serves wants to read what is asked of it.
    #[cfg(feature = "server")]
    let verbose = verbose
        || matches!(&asked, Asked::Own(cli) if matches!(cli.command, Command::Serve(_) | Command::Console(_)));
    let level = if verbose { "info" } else { "warn" };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    // A second command of one process keeps the first one's log.
    let _ =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    let command = match asked {
        Asked::Own(cli) => cli.command,
        Asked::Suite { suite, args, .. } => return ended(suite::run(&args, suite)),
    };
    let done = match command {
        Command::List(a) => list::run(&a),
        Command::Show(a) => show::run(&a),
        Command::Run(a) => run::run(&a),
        Command::Eval(a) => eval::run(&a),
        Command::Report(a) => report::run(&a),
        Command::Merge(a) => merge::run(&a),
        Command::Verify(a) => match verify::run(&a) {
            Ok(true) => Ok(()),
            Ok(false) => return UNSOUND,
            Err(e) => Err(e),
        },
        Command::Compose(a) => match compose::run(&a) {
            Ok(true) => Ok(()),
            Ok(false) => return UNSOUND,
            Err(e) => Err(e),
        },
        Command::Demos(a) => match demos::run(&a) {
            Ok(true) => Ok(()),
            Ok(false) => return UNSOUND,
            Err(e) => Err(e),
        },
        Command::Render(a) => render::run(&a),
        Command::Probe(a) => probe::run(&a),
        Command::Robots(a) => robots::list(&a),
        Command::Robot(a) => robots::run(&a),
        Command::Manual(a) => manual::run(&a),
        Command::Bench(a) => bench::run(&a, program),
        Command::New(a) => new::run(&a),
        Command::Schema(a) => schema::run(&a),
        #[cfg(feature = "server")]
        Command::Serve(a) => serve::run(a),
        #[cfg(feature = "server")]
        Command::Console(a) => console::run(a),
        Command::Bridge(a) => bridge::run(&a),
        #[cfg(feature = "server")]
        Command::Submit(a) => match submit::run(&a) {
            Ok(true) => Ok(()),
            Ok(false) => return UNSOUND,
            Err(e) => Err(e),
        },
        #[cfg(feature = "server")]
        Command::Work(a) => work::run(&a),
        Command::OnnxProcess { memory_mb, cpu_seconds } => {
            longarm_onnx::answer(memory_mb, cpu_seconds).map_err(Into::into)
        }
        Command::Sweep(a) => sweep::run(&a),
        Command::Help(a) => help::help(&a, program_with_suites()),
        Command::Completions(a) => help::completions(&a, program_with_suites()),
        Command::Man(a) => help::man(&a, program_with_suites()),
    };
    ended(done)
}

/// The exit status, having said what is wrong.
fn ended(done: anyhow::Result<()>) -> u8 {
    match done {
        Ok(()) => 0,
        // A closed pipe (`longarm list | head`) is not an error worth words.
        Err(e) if is_broken_pipe(&e) => 0,
        Err(e) if e.is::<interrupt::Interrupted>() => {
            tell!("{e}");
            interrupt::EXIT
        }
        Err(e) => {
            tell!("error: {}", in_words(&e));
            FAILED
        }
    }
}

/// An error with its causes. Many of ours quote the system's reason, which is not said twice.
fn in_words(e: &anyhow::Error) -> String {
    let mut text = e.to_string();
    for cause in e.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(&format!(": {cause}"));
        }
    }
    text
}

fn is_broken_pipe(e: &anyhow::Error) -> bool {
    e.chain().any(|cause| {
        let kind = match cause.downcast_ref::<serde_json::Error>() {
            Some(e) => e.io_error_kind(),
            None => cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
        };
        kind == Some(std::io::ErrorKind::BrokenPipe)
    })
}
