use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use longarm_eval::demos::{
    self, DemoConfig, Format, Recording, Source, check, read_config, read_rows,
};
use longarm_types::{Digest, ENGINE_VERSION};

use crate::demos::{Keyframes, Pictures, play};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Demonstrations recorded with `longarm demos --format native`.
    dir: PathBuf,
    /// Where the dataset goes.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// lerobot (v3.0), lerobot-v2.1 (openpi's keys), hdf5 (LIBERO's layout), npy.
    #[arg(long, default_value = "lerobot")]
    format: Format,
    /// Worker threads. The dataset does not depend on their number.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    #[command(flatten)]
    pictures: Pictures,
    #[command(flatten)]
    keyframes: Keyframes,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let source = read_config(&args.dir)?;
    if source.format != Format::Native {
        bail!(
            "{} is {}; only native demonstrations hold what is needed to render them again",
            args.dir.display(),
            source.format
        );
    }
    if let Some((file, what)) = check(&args.dir)?.first() {
        bail!("{} is damaged: {what}", file.display());
    }
    for (name, theirs, ours) in [
        ("engine", source.engine.as_str(), ENGINE_VERSION),
        ("MuJoCo", source.mujoco.as_str(), longarm_sim::mujoco_version()),
    ] {
        if theirs != ours {
            eprintln!("warning: recorded with {name} {theirs}, this is {ours}: replays may differ");
        }
    }
    let find = |id: &longarm_types::TaskId| {
        longarm_suites::task(id.as_str()).map(Arc::new).with_context(|| format!("no task {id}"))
    };
    let tasks = source.tasks.keys().map(find).collect::<Result<Vec<_>>>()?;
    let rows = read_rows(&args.dir, demos::EPISODES)?;
    let path = args.dir.join(demos::OWN).join(demos::EPISODES);
    let episodes =
        std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let config = DemoConfig {
        version: DemoConfig::VERSION,
        engine: ENGINE_VERSION.to_owned(),
        mujoco: longarm_sim::mujoco_version().to_owned(),
        format: args.format,
        episodes: rows.len().max(1) as u64,
        attempts: rows.len().max(1) as u64,
        keep_failures: true,
        size: args.pictures.size(args.format)?,
        cameras: args.pictures.cameras(),
        modalities: args.pictures.modalities(),
        source: Some(Digest::of(&episodes)),
        keyframes: args.keyframes.rule(),
        ..source
    };
    let recording = Recording {
        config,
        tasks: &tasks,
        source: Source::Traces(&args.dir),
        workers: args.workers,
    };
    play(&recording, &args.out)?;
    Ok(())
}
