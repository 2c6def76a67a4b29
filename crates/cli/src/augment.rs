//! More demonstrations out of few: played again in modified scenes, kept where they still succeed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use longarm_eval::demos::{DemoConfig, Elsewhere, Recording, Source};
use longarm_eval::holds_at_start;
use longarm_sim::{Env, EnvSettings};
use longarm_suites::{Base, Drawn};
use longarm_task::TaskSpec;
use longarm_types::Seed;

use crate::demos::play;
use crate::render::{RecordingArgs, native};
use crate::suite::{Family, draw};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Demonstrations of tasks that can be modified, recorded with `longarm demos --format native`.
    dir: PathBuf,
    /// Most modifications of a scene; scenes have 1, 2, … up to this number.
    #[arg(short = 'k', long, default_value_t = 3)]
    modifications: usize,
    /// Scenes of each skill and number of modifications; every demonstration is played in each.
    #[arg(long, value_name = "N", default_value_t = 2)]
    scenes: usize,
    /// Number of the first drawing.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    recording: RecordingArgs,
}

pub(crate) fn run(args: &Args, family: &Family) -> Result<()> {
    if args.modifications == 0 || args.scenes == 0 {
        bail!("--modifications and --scenes: at least one is needed of each");
    }
    let source = native(&args.dir)?;
    let mut tasks = Vec::new();
    let mut elsewhere = Elsewhere { dir: args.dir.clone(), tasks: BTreeMap::new() };
    let (mut attempts, mut unsettled) = (0, 0);
    for id in source.config.tasks.keys() {
        let Some(skill) = family.listed(id.as_str()) else {
            let (dir, name) = (args.dir.display(), family.name);
            bail!("{dir}: {id} is not a task that {name} can modify");
        };
        let rows = source.rows.iter().filter(|r| r.episode.task == *id);
        let seeds: BTreeSet<u64> = rows.map(|r| r.episode.seed).collect();
        for (scene, task) in scenes(args, family, &skill, &seeds)? {
            let task = source.config.variant().of_one(task)?;
            let good = settling(&scene, &task, &seeds)?;
            attempts += good.len() as u64;
            unsettled += seeds.len() - good.len();
            if !good.is_empty() {
                elsewhere.tasks.insert(task.id.clone(), (id.clone(), good));
                tasks.push(task);
            }
        }
    }
    if tasks.is_empty() {
        bail!("{}: there is nothing to play in modified scenes", args.dir.display());
    }
    if unsettled > 0 {
        tell!("left out {unsettled}: the scene does not come to rest as it should");
    }
    let again = source.again(&args.recording)?;
    let config = DemoConfig {
        policy: format!("{}, replayed in modified scenes", again.policy),
        episodes: attempts,
        attempts,
        keep_failures: false,
        tasks: DemoConfig::hashes(&tasks),
        ..again
    };
    let recording = Recording {
        config,
        tasks: &tasks,
        source: Source::Elsewhere(&elsewhere),
        workers: args.recording.workers,
    };
    play(&recording, &args.recording.out)?;
    Ok(())
}

/// Drawn scenes with 1, 2 … modifications; the first demonstration's comes to rest in each.
fn scenes(
    args: &Args,
    family: &Family,
    skill: &Base,
    seeds: &BTreeSet<u64>,
) -> Result<Vec<(Drawn, Arc<TaskSpec>)>> {
    let first: Vec<u64> = seeds.iter().copied().take(1).collect();
    let mut out = Vec::new();
    for k in 1..=args.modifications {
        let mut next = args.seed;
        for _ in 0..args.scenes {
            out.extend(draw(family, skill, k, &mut next, &first, &mut 0)?);
        }
    }
    Ok(out)
}

/// The seeds whose scene comes to rest as it should.
fn settling(scene: &Drawn, task: &Arc<TaskSpec>, seeds: &BTreeSet<u64>) -> Result<BTreeSet<u64>> {
    let mut env = Env::new(Arc::clone(task), EnvSettings::default())?;
    let mut settles =
        |seed: &u64| env.reset(Seed(*seed)).is_ok() && holds_at_start(&env, &scene.problem).is_ok();
    Ok(seeds.iter().copied().filter(|s| settles(s)).collect())
}
