//! `cargo xtask parity --recordings DIR --assets libero=DIR,robosuite=DIR [--standins DIR]`: scenes of the
//! originals against what the original stack recorded.
//!
//! For every folder with a recording: the compiled model against the recorded numbers, the stored state
//! as placed, tool, objects and success after each recorded action. One row per recording, one summary
//! line last; exit code 1 where a target is missed.

mod compare;
mod model;
mod observed;
mod pictures;
mod recording;
mod run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use longarm_assets::source::AssetFolders;
use longarm_suites::libero::originals::{self, Physics};

use recording::Recording;
use run::{Outcome, Scenes};

struct Args {
    recordings: PathBuf,
    libero: PathBuf,
    robosuite: PathBuf,
    standins: Vec<PathBuf>,
    sheets: Option<PathBuf>,
    only: Vec<String>,
}

const USAGE: &str = "usage: cargo xtask parity --recordings DIR --assets libero=DIR,robosuite=DIR \
                     [--standins DIR] [--sheets DIR] [NAME…]";

fn args() -> Result<Args, String> {
    let (mut recordings, mut libero, mut robosuite) = (None, None, None);
    let (mut standins, mut only, mut sheets) = (Vec::new(), Vec::new(), None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--recordings" => recordings = Some(PathBuf::from(value()?)),
            "--sheets" => sheets = Some(PathBuf::from(value()?)),
            "--standins" => standins.push(PathBuf::from(value()?)),
            "--assets" => {
                for part in value()?.split(',') {
                    match part.split_once('=') {
                        Some(("libero", dir)) => libero = Some(PathBuf::from(dir)),
                        Some(("robosuite", dir)) => robosuite = Some(PathBuf::from(dir)),
                        _ => {
                            return Err(format!(
                                "--assets: {part:?} is not libero=DIR or robosuite=DIR"
                            ));
                        }
                    }
                }
            }
            name if !name.starts_with('-') => only.push(name.to_owned()),
            _ => return Err(format!("no option {word}\n{USAGE}")),
        }
    }
    let need =
        |value: Option<PathBuf>, what: &str| value.ok_or(format!("{what} is missing\n{USAGE}"));
    Ok(Args {
        recordings: need(recordings, "--recordings")?,
        libero: need(libero, "--assets libero=DIR")?,
        robosuite: need(robosuite, "--assets robosuite=DIR")?,
        standins,
        sheets,
        only,
    })
}

/// Folders with recordings, in order.
fn folders(args: &Args) -> std::io::Result<Vec<PathBuf>> {
    let mut out: Vec<PathBuf> = std::fs::read_dir(&args.recordings)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.join("model.json").is_file())
        .filter(|p| args.only.is_empty() || args.only.iter().any(|o| p.ends_with(o)))
        .collect();
    out.sort();
    Ok(out)
}

fn recordings_of(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut out: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path().join("recording.json")))
        .filter(|p| p.is_file())
        .collect();
    out.sort();
    Ok(out)
}

fn all(args: &Args) -> Result<Vec<Outcome>, String> {
    let library = originals::library(&args.libero, &args.robosuite, &args.standins)
        .map_err(|e| e.to_string())?;
    let mut assets = AssetFolders::default();
    for folder in args.standins.iter().chain([&args.libero]) {
        assets.push("libero", folder);
    }
    assets.push("robosuite", &args.robosuite);
    let sheets = args.sheets.clone();
    let scenes = Scenes { library: &library, libero: &args.libero, sheets, folders: assets };
    let mut out = Vec::new();
    println!("{}", Outcome::HEAD);
    for folder in folders(args).map_err(|e| format!("{}: {e}", args.recordings.display()))? {
        for file in recordings_of(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let recording = Recording::read(&file)?;
            let physics = if recording.is_current() { Physics::Current } else { Physics::Earlier };
            let outcome = scenes.run(&folder, &recording, physics)?;
            println!("{outcome}");
            out.push(outcome);
        }
    }
    Ok(out)
}

fn main() -> ExitCode {
    let outcomes = match args().and_then(|a| all(&a)) {
        Ok(outcomes) if !outcomes.is_empty() => outcomes,
        Ok(_) => {
            eprintln!("no recordings");
            return ExitCode::from(2);
        }
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    let missed: Vec<&Outcome> = outcomes.iter().filter(|o| !o.missed.is_empty()).collect();
    for o in &missed {
        println!("missed: {} {}: {}", o.name, o.version, o.missed.join("; "));
    }
    println!(
        "parity: {} of {} recordings within their targets",
        outcomes.len() - missed.len(),
        outcomes.len()
    );
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
