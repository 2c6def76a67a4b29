use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use longarm_eval::demos::{
    self, DemoConfig, DemoRow, Format, Recording, Source, check, read_config, read_rows,
};
use longarm_types::{Digest, ENGINE_VERSION};

use crate::demos::{Keyframes, Pictures, play};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Demonstrations recorded with `longarm demos --format native`.
    dir: PathBuf,
    #[command(flatten)]
    recording: RecordingArgs,
}

/// How demonstrations are recorded again.
#[derive(clap::Args)]
pub(crate) struct RecordingArgs {
    /// Where the dataset goes.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// lerobot (v3.0), lerobot-v2.1 (openpi's keys), hdf5 (LIBERO's layout), native, npy.
    #[arg(long, default_value = "lerobot")]
    format: Format,
    /// Worker threads. The dataset does not depend on their number.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    pub(crate) workers: usize,
    #[command(flatten)]
    pictures: Pictures,
    #[command(flatten)]
    keyframes: Keyframes,
}

/// Demonstrations that can be played again.
pub(crate) struct Native {
    pub(crate) config: DemoConfig,
    pub(crate) rows: Vec<DemoRow>,
    /// Hash of the episodes.
    pub(crate) hash: Digest,
}

/// Reads native demonstrations; refuses others, and damaged ones.
pub(crate) fn native(dir: &Path) -> Result<Native> {
    let config = read_config(dir)?;
    if config.format != Format::Native {
        bail!(
            "{} is {}; only native demonstrations hold what is needed to play them again",
            dir.display(),
            config.format
        );
    }
    if let Some((file, what)) = check(dir)?.first() {
        bail!("{} is damaged: {what}", file.display());
    }
    for (name, theirs, ours) in [
        ("engine", config.engine.as_str(), ENGINE_VERSION),
        ("MuJoCo", config.mujoco.as_str(), longarm_sim::mujoco_version()),
    ] {
        if theirs != ours {
            tell!("warning: recorded with {name} {theirs}, this is {ours}: replays may differ");
        }
    }
    let rows = read_rows(dir, demos::EPISODES)?;
    let path = dir.join(demos::OWN).join(demos::EPISODES);
    let episodes =
        std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Native { config, rows, hash: Digest::of(&episodes) })
}

impl Native {
    /// The configuration of a dataset made of these.
    pub(crate) fn again(self, args: &RecordingArgs) -> Result<DemoConfig> {
        let RecordingArgs { format, pictures, keyframes, .. } = args;
        let n = self.rows.len().max(1) as u64;
        Ok(DemoConfig {
            version: DemoConfig::VERSION,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: longarm_sim::mujoco_version().to_owned(),
            format: *format,
            episodes: n,
            attempts: n,
            keep_failures: true,
            size: pictures.size(*format)?,
            cameras: pictures.cameras(),
            modalities: pictures.modalities(),
            source: Some(self.hash),
            keyframes: keyframes.rule(),
            window_every: keyframes.window_every(*format),
            ..self.config
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let source = native(&args.dir)?;
    let find = |id: &longarm_types::TaskId| {
        source.config.task(id).map(Arc::new).with_context(|| format!("no task {id}"))
    };
    let tasks = source.config.tasks.keys().map(find).collect::<Result<Vec<_>>>()?;
    let config = source.again(&args.recording)?;
    let recording = Recording {
        config,
        tasks: &tasks,
        source: Source::Traces(&args.dir),
        workers: args.recording.workers,
    };
    play(&recording, &args.recording.out)?;
    Ok(())
}
