//! Repository chores: `cargo xtask test`, `cargo xtask wheel`, `cargo xtask interop` and others.

mod pairs;
mod wheel;

use std::process::{Command, exit};

use anyhow::{Context, Result, bail};
use xtask::python::run;

const HELP: &str = "\
cargo xtask test            all tests of the workspace, the Python package and datasets among them
cargo xtask fuzz [KIND] [SECONDS]
                            spoiled files against a reader for 300 seconds: bddl, toml, json, mjcf,
                            pickle, obj, stl, msh, png, model (whole MJCF), or compile: what passes the allow-list against MuJoCo's compiler, in a child
cargo xtask bddl DIR…        loads every .bddl file below the folders and prints what becomes of each
cargo xtask golden [ARG…] [SUITE…]
                            compares the golden table; --write writes it, --quick samples it
cargo xtask parity --recordings DIR --assets libero=DIR,robosuite=DIR [--standins DIR] [NAME…]
                            scenes of the originals against what the original stack recorded
cargo xtask sweep [N]       N seeds (50) of every task with expert, idle and random, release build
cargo xtask interop         against the real packages from PyPI: openpi-client and vla-eval, chat servers, the wheel,
                            lerobot-eval, Ray and submitit, LeRobotDataset
cargo xtask pairs OLD NEW [N]
                            longarm bench and a remote evaluation of two programs, N interleaved
                            pairs (10), median ratios
cargo xtask wheel [ARCH]    the manylinux wheel, checked and tried on every Python there is; one for
                            aarch64 wants `rustup target add aarch64-unknown-linux-gnu`
cargo xtask peers           longarm bench beside robosuite, in a venv of its own";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("test") => test(),
        Some("fuzz") => fuzz(&args[1..]),
        Some("bddl") => example("bddl_folder", &args[1..]),
        Some("golden") => example("golden", &args[1..]),
        Some("parity") => example("parity", &args[1..]),
        Some("sweep") => sweep(args.get(1).map_or("50", String::as_str)),
        Some("interop") => interop(),
        Some("pairs") => pairs::run(&args[1..]),
        Some("wheel") => wheel::wheel(args.get(1).map(String::as_str)),
        Some("peers") => run(Command::new("bash").arg("benchmarks/peers.sh")),
        _ => {
            eprintln!("{HELP}");
            exit(2);
        }
    }
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Some tests take a sample of all tasks; which one moves on with every commit.
const ROTATION: &str = "LONGARM_ROTATION";

fn rotation() -> String {
    let count = Command::new("git").args(["rev-list", "--count", "HEAD"]).output();
    let count = count.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    std::env::var(ROTATION).ok().or(count.ok()).filter(|n| !n.is_empty()).unwrap_or("0".into())
}

fn test() -> Result<()> {
    let rotation = rotation();
    println!("{ROTATION}={rotation} (set it to repeat this run's samples)");
    // Without examples: each is a program to link, and clippy sees that they compile.
    run(cargo().args(["test", "--workspace", "--tests"]).env(ROTATION, rotation))?;
    run(cargo().args(["test", "--workspace", "--doc"]))?;
    example("golden", &[])
}

fn fuzz(args: &[String]) -> Result<()> {
    let (kind, seconds) = match args {
        [] => ("bddl", "300"),
        [one] if one.parse::<u64>().is_ok() => ("bddl", one.as_str()),
        [kind] => (kind.as_str(), "300"),
        [kind, seconds, ..] => (kind.as_str(), seconds.as_str()),
    };
    let (package, example, own): (_, _, &[&str]) = match kind {
        "bddl" => ("longarm-suites", "fuzz_bddl", &[]),
        "toml" | "json" | "mjcf" => ("longarm-catalogue", "fuzz_files", &[kind]),
        "pickle" => ("longarm-data", "fuzz_pickle", &[]),
        "obj" | "stl" | "msh" | "png" | "model" => ("longarm-assets", "fuzz_source", &[kind]),
        "compile" => ("longarm-sim", "fuzz_compile", &[]),
        other => bail!("no reader {other:?}; `cargo xtask` lists them"),
    };
    run(cargo().args(["run", "-p", package, "--example", example, "--"]).args(own).arg(seconds))
}

/// Build an example of the workspace and return its program. The dev build gives the release build's bits. The
/// whole workspace is named so that its crates are not built again with fewer features.
fn built_example(name: &str) -> Result<std::path::PathBuf> {
    run(cargo().args(["build", "--quiet", "--workspace", "--example", name]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(std::path::Path::new(&target).join("debug/examples").join(name))
}

/// Build and run an example with its output.
fn example(name: &str, args: &[String]) -> Result<()> {
    let program = built_example(name)?;
    let status = Command::new(&program).args(args).status();
    let status = status.with_context(|| format!("cannot start {}", program.display()))?;
    match status.success() {
        true => Ok(()),
        false => exit(status.code().unwrap_or(2)),
    }
}

fn sweep(seeds: &str) -> Result<()> {
    run(cargo().args(["run", "--release", "--bin", "longarm", "--", "sweep", "--seeds", seeds]))
}

/// These tests install packages from PyPI, so nothing else runs them.
fn interop() -> Result<()> {
    // The whole workspace is named although few tests are meant: its crates are built already with these
    // features, and would be built again for one.
    for test in ["interop", "python", "datasets"] {
        let words = ["test", "--workspace", "--test", test, "--", "--ignored", "--test-threads=1"];
        run(cargo().args(words))?;
    }
    Ok(())
}
