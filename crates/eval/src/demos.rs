//! Recording demonstrations.
//!
//! Workers record attempts in parallel, each into files of its own under `longarm/staging`; when
//! enough are kept they are put together, in the order of tasks and seeds, into the dataset. Every
//! file appears whole or not at all, and nothing depends on the number of workers, so a recording
//! that was interrupted anywhere and begun again ends with the same bytes. A finished dataset has a
//! list of its files with their hashes; one that was damaged is repaired by recording the episodes
//! of the damaged files again.

mod assemble;
mod config;
mod layout;
mod recorder;
mod schedule;
mod segments;
mod sink;
mod staging;
mod summary;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use longarm_data::manifest::Manifest;
use longarm_results::Lock;
use longarm_task::TaskSpec;
use longarm_types::TaskId;

pub use config::{DemoConfig, Format, Modality, seed_of};
pub use recorder::Timing;
pub use staging::DemoRow;
pub use summary::Summary;

use crate::PolicyPool;
use staging::Staging;
use summary::summary;

/// Frames of a window that a high-level model sees at once.
pub const WINDOW: usize = 5;

/// Folder of what is ours in a dataset.
pub const OWN: &str = "longarm";
/// The configuration, in [`OWN`].
pub const CONFIG: &str = "demos.toml";
/// Kept episodes, in [`OWN`].
pub const EPISODES: &str = "episodes.jsonl";
/// Attempts that were not kept, in [`OWN`].
pub const DROPPED: &str = "dropped.jsonl";
/// Files with their hashes, in [`OWN`]; there when the dataset is complete.
pub const FILES: &str = "files.json";

/// Why demonstrations could not be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// A file could not be written or read.
    #[error(transparent)]
    Data(#[from] longarm_data::Error),
    /// A trace or the lock.
    #[error(transparent)]
    Results(#[from] longarm_results::Error),
    /// An invalid configuration.
    #[error("{0}")]
    Config(String),
    /// Tasks that do not fit into one dataset.
    #[error("{first} and {second} have different {what}; record them into datasets of their own")]
    Mixed {
        /// A task.
        first: TaskId,
        /// Another.
        second: TaskId,
        /// What differs.
        what: &'static str,
    },
    /// Something else is there.
    #[error("{} holds demonstrations recorded otherwise ({what}); choose another --out", path.display())]
    Differs {
        /// The folder.
        path: PathBuf,
        /// Which keys, with both values.
        what: String,
    },
    /// The folder holds files that are no demonstrations.
    #[error("{} is not empty and holds no demonstrations; choose another --out", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// No demonstrations there.
    #[error("{} holds no demonstrations: it has no longarm/{missing}", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
        /// The file that is missing.
        missing: &'static str,
    },
    /// A file of ours does not say what it should.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// An episode could not be recorded.
    #[error("{task} seed {seed} could not be recorded: {what}")]
    Episode {
        /// Task.
        task: TaskId,
        /// Seed.
        seed: u64,
        /// Why.
        what: String,
    },
}

impl DemoError {
    pub(crate) fn io<'a>(
        action: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| longarm_data::Error::io(action, path)(source).into()
    }
}

/// Where actions come from.
pub enum Source<'a> {
    /// A policy, on the seeds of the configuration.
    Policy(&'a PolicyPool),
    /// The traces of a native dataset; everything in it is played again.
    Traces(&'a Path),
    /// The traces of a native dataset, played in other scenes; what fails there is dropped.
    Elsewhere(&'a Elsewhere),
}

/// Demonstrations to be played where they were not recorded.
pub struct Elsewhere {
    /// A native dataset.
    pub dir: PathBuf,
    /// By the task they are played in: the task they were recorded in, and their seeds.
    pub tasks: BTreeMap<TaskId, (TaskId, BTreeSet<u64>)>,
}

/// What is to be recorded.
pub struct Recording<'a> {
    /// Everything the dataset depends on.
    pub config: DemoConfig,
    /// The tasks of the configuration.
    pub tasks: &'a [Arc<TaskSpec>],
    /// Who acts.
    pub source: Source<'a>,
    /// Worker threads.
    pub workers: usize,
}

/// What happens while recording.
pub enum Event<'a> {
    /// A message for people.
    Note(&'a str),
    /// How many episodes are kept already, and how many will be.
    Begin {
        /// Kept.
        kept: u64,
        /// Wanted.
        wanted: u64,
    },
    /// An attempt is over.
    Attempt(&'a DemoRow, Timing),
    /// All are recorded; files are put together.
    Assembling,
}

/// Records demonstrations into a folder, or completes or repairs those that are there. Setting `stop`
/// ends it after the episodes under way; `None` then.
pub fn record(
    recording: &Recording<'_>,
    out: &Path,
    stop: &AtomicBool,
    mut tell: impl FnMut(Event<'_>),
) -> Result<Option<Summary>, DemoError> {
    let config = &recording.config;
    config.check()?;
    let plan = work::Plan::new(recording)?;
    let own = out.join(OWN);
    let grows = prepare(out, &own, config)?;
    let lock = Lock::take(&own)?;
    if grows {
        staging::forget_shards(out)?;
    }
    let mut staging = Staging::open(out, &plan, config)?;
    let mut repairing = false;
    let manifest = read_manifest(&own, &mut tell);
    if grows {
        let had = manifest.is_some();
        let whole = manifest.filter(|m| m.damage(out).is_empty());
        match whole.filter(|_| config.format.apart()) {
            // What is there stays as it is.
            Some(manifest) => staging.adopt(out, &plan, &manifest)?,
            // Files hold several episodes: those are recorded again, to the same bytes.
            None if had => tell(Event::Note(
                "files of this format hold several episodes: those that are there are recorded again",
            )),
            None => {}
        }
        let path = own.join(FILES);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(DemoError::io("remove", &path)(e));
            }
            _ => {}
        }
        write_config(&own, config)?;
    } else if let Some(manifest) = manifest {
        let mut damage = manifest.damage(out);
        if !damage.iter().any(|(file, _)| file.starts_with(OWN)) {
            damage.extend(staging.unlisted(out, &plan, config, &manifest)?);
        }
        if damage.is_empty() {
            let (kept, dropped) = (read_rows(out, EPISODES)?, read_rows(out, DROPPED)?);
            close(staging, lock, &own)?;
            return Ok(Some(summary(&plan, &kept, &dropped, &manifest)));
        }
        for (file, what) in &damage {
            tell(Event::Note(&format!("{} is damaged: {what}", out.join(file).display())));
        }
        repairing = staging.repair(out, &plan, config, &damage)?;
        let again = match repairing {
            true => "recording the episodes of damaged files again",
            false => "recording everything again",
        };
        tell(Event::Note(again));
        if !repairing {
            let path = own.join(FILES);
            std::fs::remove_file(&path).map_err(DemoError::io("remove", &path))?;
        }
    }
    tell(Event::Begin { kept: staging.kept(), wanted: plan.wanted() });
    if !work::run(recording, &plan, &mut staging, stop, &mut tell)? {
        return Ok(None);
    }
    tell(Event::Assembling);
    let manifest = assemble::assemble(out, &plan, config, &staging, repairing)?;
    let (kept, dropped) = staging.rows();
    let summary = summary(&plan, &kept, &dropped, &manifest);
    close(staging, lock, &own)?;
    Ok(Some(summary))
}

/// Leaves nothing behind that is not part of the dataset.
fn close(staging: Staging, lock: Lock, own: &Path) -> Result<(), DemoError> {
    staging.remove()?;
    drop(lock);
    let _ = std::fs::remove_file(own.join("run.lock"));
    Ok(())
}

/// A list of files that cannot be read is as good as none.
fn read_manifest(own: &Path, tell: &mut impl FnMut(Event<'_>)) -> Option<Manifest> {
    match Manifest::read(&own.join(FILES)) {
        Ok(found) => found,
        Err(e) => {
            tell(Event::Note(&format!("{e}; recording everything again")));
            None
        }
    }
}

fn write_config(own: &Path, config: &DemoConfig) -> Result<(), DemoError> {
    let text = toml::to_string(config).map_err(|e| DemoError::Config(e.to_string()))?;
    Ok(longarm_data::write_atomically(&own.join(CONFIG), text.as_bytes())?)
}

/// Makes the folder, or checks that what is there was recorded as is asked now; whether it is to grow.
fn prepare(out: &Path, own: &Path, config: &DemoConfig) -> Result<bool, DemoError> {
    let path = own.join(CONFIG);
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let there: DemoConfig = toml::from_str(&text).map_err(|e| DemoError::Damaged {
                path: path.clone(),
                what: format!("{}; delete {} to begin again", e.message(), out.display()),
            })?;
            let there = there.complete();
            match there == *config {
                true => Ok(false),
                false if there.grows_to(config) => Ok(true),
                false => {
                    let what = config.differences(&there);
                    Err(DemoError::Differs { path: out.to_owned(), what })
                }
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let occupied = std::fs::read_dir(out)
                .is_ok_and(|mut d| d.any(|e| e.is_ok_and(|e| e.file_name() != OWN)));
            if occupied {
                return Err(DemoError::Occupied { path: out.to_owned() });
            }
            std::fs::create_dir_all(own).map_err(DemoError::io("create", own))?;
            write_config(own, config)?;
            Ok(false)
        }
        Err(e) => Err(DemoError::io("read", &path)(e)),
    }
}

/// The configuration of a dataset.
pub fn read_config(dir: &Path) -> Result<DemoConfig, DemoError> {
    let path = dir.join(OWN).join(CONFIG);
    let text = match std::fs::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(DemoError::Missing { path: dir.to_owned(), missing: CONFIG });
        }
        read => read.map_err(DemoError::io("read", &path))?,
    };
    toml::from_str(&text)
        .map(DemoConfig::complete)
        .map_err(|e| DemoError::Damaged { path, what: e.message().to_owned() })
}

/// Rows of a dataset.
pub fn read_rows(dir: &Path, file: &'static str) -> Result<Vec<DemoRow>, DemoError> {
    let path = dir.join(OWN).join(file);
    let text = match std::fs::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(DemoError::Missing { path: dir.to_owned(), missing: file });
        }
        read => read.map_err(DemoError::io("read", &path))?,
    };
    let parse = |(i, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|e| DemoError::Damaged {
            path: path.clone(),
            what: format!("line {} is not an episode ({e})", i + 1),
        })
    };
    text.lines().enumerate().map(parse).collect()
}

/// The files of a finished dataset that are not as they were written or that its list does not have, each
/// with what is wrong. What episodes need is known where their tasks are those of this version.
pub fn check(dir: &Path) -> Result<Vec<(PathBuf, String)>, DemoError> {
    let config = read_config(dir)?;
    let path = dir.join(OWN).join(FILES);
    let manifest = Manifest::read(&path)?
        .ok_or_else(|| DemoError::Missing { path: dir.to_owned(), missing: FILES })?;
    let mut damage = manifest.damage(dir);
    if !damage.iter().any(|(file, _)| file.starts_with(OWN)) {
        damage.extend(unlisted(dir, config, &manifest)?);
    }
    Ok(damage.into_iter().map(|(f, what)| (dir.join(f), what)).collect())
}

/// Files that a finished dataset needs and its list of files does not have.
fn unlisted(
    dir: &Path,
    config: DemoConfig,
    manifest: &Manifest,
) -> Result<Vec<(String, String)>, DemoError> {
    let own = [EPISODES, DROPPED, CONFIG].map(|f| format!("{OWN}/{f}"));
    let mut found = staging::missing(own.into_iter(), manifest);
    let tasks: Option<Vec<_>> =
        config.tasks.keys().map(|id| config.task(id).map(Arc::new)).collect();
    let Some(tasks) = tasks else { return Ok(found) };
    let recording = Recording { config, tasks: &tasks, source: Source::Traces(dir), workers: 1 };
    // Tasks of another version have another hash.
    if let Some(plan) = work::Plan::new(&recording).ok().filter(|p| !p.tasks.is_empty()) {
        found.extend(Staging::finished(dir).unlisted(dir, &plan, &recording.config, manifest)?);
    }
    Ok(found)
}
