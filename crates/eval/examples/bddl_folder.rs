//! `bddl_folder DIR…`: load every `.bddl` file below the folders and print what becomes of each.
//!
//! A file is read, compiled, drawn for three seeds and let come to rest for one. The folders may also
//! be given in `LONGARM_BDDL`, separated as in `PATH`. The exit code is 1 if a file was refused.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

use longarm_eval::settles;
use longarm_task::bddl::{Options, load, parse_bytes};
use longarm_task::prelude::rect;
use longarm_task::{TaskSpec, sample};
use longarm_types::Seed;

/// Drawn for these seeds; the first one is also simulated.
const SEEDS: [u64; 3] = [0, 1, 2];

fn main() -> ExitCode {
    let mut folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if let Some(more) = std::env::var_os("LONGARM_BDDL") {
        folders.extend(std::env::split_paths(&more));
    }
    let mut files = Vec::new();
    for folder in &folders {
        if let Err(e) = collect(folder, &mut files) {
            eprintln!("error: cannot read {}: {e}", folder.display());
            return ExitCode::from(2);
        }
    }
    files.sort();
    if files.is_empty() {
        eprintln!("error: no .bddl files; usage: bddl_folder DIR…, or LONGARM_BDDL=DIR:DIR…");
        return ExitCode::from(2);
    }
    let (mut refused, mut warned, mut unsettled) = (0, 0, 0);
    for file in &files {
        let name = file.display();
        match try_out(file) {
            Err(why) => {
                refused += 1;
                println!("refused\t{name}\t{why}");
            }
            Ok(told) => {
                warned += usize::from(!told.warnings.is_empty());
                unsettled += usize::from(told.unsettled.is_some());
                println!("loaded\t{name}\t{}", told.like);
                told.warnings.iter().for_each(|w| println!("  warning\t{w}"));
                told.unsettled.iter().for_each(|w| println!("  unsettled\t{w}"));
            }
        }
    }
    println!(
        "{} files: {} loaded, {warned} of them with warnings, {unsettled} of them not at rest as they say, {refused} refused",
        files.len(),
        files.len() - refused
    );
    if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "bddl") {
            out.push(path);
        }
    }
    Ok(())
}

struct Told {
    warnings: Vec<String>,
    unsettled: Option<String>,
    /// The task of a suite that it is.
    like: String,
}

fn try_out(file: &Path) -> Result<Told, String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let problem = parse_bytes(&bytes).map_err(|e| e.to_string())?;
    let loaded = load(&problem, &Options::new("bddl/file")).map_err(|e| e.to_string())?;
    for seed in SEEDS {
        sample(&loaded.task, Seed(seed)).map_err(|e| e.to_string())?;
    }
    let like = like(&loaded.task).unwrap_or_else(|| "-".to_owned());
    let unsettled = settles(&Arc::new(loaded.task), &problem, Seed(SEEDS[0])).err();
    Ok(Told {
        warnings: loaded.warnings.iter().map(ToString::to_string).collect(),
        unsettled: unsettled.map(|e| e.to_string()),
        like,
    })
}

/// The id of the suites' task with the same scene and goal; told sentence, horizon and interest apart.
fn like(task: &TaskSpec) -> Option<String> {
    static KNOWN: LazyLock<Vec<(String, TaskSpec)>> = LazyLock::new(|| {
        longarm_suites::tasks().map(|t| (t.id.to_string(), bare(&t, &t))).collect()
    });
    let own = bare(task, task);
    KNOWN.iter().find(|(_, t)| bare(t, task) == own).map(|(id, _)| id.clone())
}

fn bare(task: &TaskSpec, named: &TaskSpec) -> TaskSpec {
    let mut out = TaskSpec {
        id: named.id.clone(),
        instruction: String::new(),
        horizon: 0,
        source: named.source.clone(),
        labels: Vec::new(),
        interest: Vec::new(),
        ..task.clone()
    };
    out.objects.sort_by(|a, b| a.name.cmp(&b.name));
    out.init.places.sort_by(|a, b| a.object.cmp(&b.object));
    // Regions that nothing starts in and no stage asks for, and the last digits of their corners.
    let used = format!("{:?} {:?}", out.init.places, out.stages);
    out.regions.retain(|r| used.contains(&format!("{:?}", r.name)));
    out.regions.sort_by(|a, b| a.name.cmp(&b.name));
    for r in &mut out.regions {
        r.yaw = r.yaw.map(round);
        for q in &mut r.rects {
            *q = rect([round(q.0), round(q.1)], [round(q.2), round(q.3)]);
        }
    }
    out
}

fn round(v: f64) -> f64 {
    (v * 1e9).round() / 1e9
}
