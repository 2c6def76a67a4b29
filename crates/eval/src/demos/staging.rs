//! Attempts on their way into a dataset.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use longarm_data::keyframes::Keyframe;
use longarm_data::manifest::Manifest;
use longarm_data::{Pack, write_atomically};
use longarm_types::{Digest, EpisodeRecord};
use serde::{Deserialize, Serialize};

use super::assemble::shards;
use super::work::Plan;
use super::{DROPPED, DemoConfig, DemoError, EPISODES, OWN, read_rows};

/// An attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoRow {
    /// Which attempt of its task.
    pub attempt: u64,
    /// Whether it is in the dataset.
    pub kept: bool,
    /// Frames.
    pub frames: u64,
    /// The instruction.
    pub instruction: String,
    /// What was being done, in the order in which it was first done.
    pub subtasks: Vec<String>,
    /// When they change: first frame and which of them.
    pub subtask_changes: Vec<(u64, usize)>,
    /// Moments worth remembering.
    pub keyframes: Vec<Keyframe>,
    /// Bytes of the longest clip.
    pub(super) clip_bytes: u64,
    /// What clips must have in common to share a file.
    pub(super) clip_kinds: Vec<Digest>,
    /// How it went.
    #[serde(flatten)]
    pub episode: EpisodeRecord,
}

/// Task and attempt.
pub(super) type Key = (usize, u64);

/// The folder of attempts, and what is in it.
pub(super) struct Staging {
    dir: PathBuf,
    rows: BTreeMap<Key, DemoRow>,
    /// Files of the finished dataset that this one continues.
    before: Option<Manifest>,
}

/// The list of those files.
const BEFORE: &str = "before.list";

fn folder(out: &Path) -> PathBuf {
    out.join(OWN).join("staging")
}

/// Forgets which files were put together: others will be.
pub(super) fn forget_shards(out: &Path) -> Result<(), DemoError> {
    let dir = folder(out);
    for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "shard") {
            std::fs::remove_file(&path).map_err(DemoError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Those of `files` that the list does not have, and that this is so.
pub(super) fn missing(
    files: impl Iterator<Item = String>,
    manifest: &Manifest,
) -> Vec<(String, String)> {
    let unlisted = files.filter(|f| !manifest.files.contains_key(f));
    unlisted.map(|f| (f, "the list of files does not have it".to_owned())).collect()
}

impl Staging {
    /// That of a finished dataset, which has none: nothing is made.
    pub(super) fn finished(out: &Path) -> Self {
        Self { dir: folder(out), rows: BTreeMap::new(), before: None }
    }

    /// Takes stock of what an earlier recording left. What is not whole is forgotten.
    pub(super) fn open(out: &Path, plan: &Plan, config: &DemoConfig) -> Result<Self, DemoError> {
        let format = config.format;
        let dir = folder(out);
        std::fs::create_dir_all(&dir).map_err(DemoError::io("create", &dir))?;
        // One that cannot be read is as good as none: its episodes are recorded again.
        let before = Manifest::read(&dir.join(BEFORE)).unwrap_or_default();
        let mut found = Self { dir, rows: BTreeMap::new(), before };
        for entry in std::fs::read_dir(&found.dir).map_err(DemoError::io("read", &found.dir))? {
            let path = entry.map_err(DemoError::io("read", &found.dir))?.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            if name.ends_with(".tmp") {
                // Half a file of a process that was killed.
                let _ = std::fs::remove_file(&path);
                continue;
            }
            let Some(key) = key_of(name).filter(|(t, _)| *t < plan.tasks.len()) else { continue };
            let row = std::fs::read(&path).ok().and_then(|b| serde_json::from_slice(&b).ok());
            if let Some(row) = row {
                found.rows.insert(key, row);
            }
        }
        let finished = found.finished_shards(out);
        let broken: Vec<Key> = found
            .rows
            .iter()
            .filter(|(key, row)| {
                let numbers = !row.kept || Pack::read(&found.path(**key, "numbers")).is_ok();
                let pictures = !row.kept
                    || !format.pictures()
                    || finished.contains(*key)
                    || Pack::read(&found.path(**key, "pictures")).is_ok();
                !(numbers && pictures || found.stands(out, plan, config, **key, row))
            })
            .map(|(key, _)| *key)
            .collect();
        for key in broken {
            found.forget(key)?;
        }
        Ok(found)
    }

    /// Whether an episode's files are those of the dataset that is continued.
    fn stands(
        &self,
        out: &Path,
        plan: &Plan,
        config: &DemoConfig,
        key: Key,
        row: &DemoRow,
    ) -> bool {
        let Some(before) = self.before.as_ref().filter(|_| config.format.apart()) else {
            return false;
        };
        let Ok(shards) = shards(plan, config, &[(key, row)]) else { return false };
        let files = shards.iter().flat_map(|s| &s.files);
        let known = |f: &String| Some((f.clone(), before.files.get(f)?.clone()));
        let known: Option<BTreeMap<_, _>> = files.map(known).collect();
        known.is_some_and(|files| Manifest { files }.damage(out).is_empty())
    }

    /// Takes over the episodes of a finished dataset whose files stay.
    pub(super) fn adopt(
        &mut self,
        out: &Path,
        plan: &Plan,
        manifest: &Manifest,
    ) -> Result<(), DemoError> {
        manifest.write(&self.dir.join(BEFORE))?;
        self.before = Some(manifest.clone());
        for row in [read_rows(out, EPISODES)?, read_rows(out, DROPPED)?].into_iter().flatten() {
            let task = plan.tasks.iter().position(|t| t.spec.id == row.episode.task);
            if let Some(task) = task {
                let key = (task, row.attempt);
                Self::store(&self.dir, key, &row, None)?;
                self.rows.insert(key, row);
            }
        }
        Ok(())
    }

    /// Files of the dataset that is continued.
    pub(super) fn before(&self) -> Option<&Manifest> {
        self.before.as_ref()
    }

    fn path(&self, (task, attempt): Key, kind: &str) -> PathBuf {
        self.dir.join(format!("{task:04}-{attempt:08}.{kind}"))
    }

    /// Attempts of which every file of the dataset is there already.
    fn finished_shards(&self, out: &Path) -> BTreeSet<Key> {
        let mut finished = BTreeSet::new();
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|e| e != "shard") {
                continue;
            }
            let done: Option<Shard> =
                std::fs::read(&path).ok().and_then(|b| serde_json::from_slice(&b).ok());
            if let Some(done) = done.filter(|d| d.manifest.damage(out).is_empty()) {
                finished.extend(done.keys);
            }
        }
        finished
    }

    fn forget(&mut self, key: Key) -> Result<(), DemoError> {
        self.rows.remove(&key);
        let path = self.path(key, "json");
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(DemoError::io("remove", &path)(e))
            }
            _ => Ok(()),
        }
    }

    /// Stores an attempt; its row comes last and makes it count. Called by workers.
    pub(super) fn store(
        dir: &Path,
        key: Key,
        row: &DemoRow,
        packs: Option<(&Pack, &Pack)>,
    ) -> Result<(), DemoError> {
        let staging = Self { dir: dir.to_owned(), rows: BTreeMap::new(), before: None };
        if let Some((numbers, pictures)) = packs {
            numbers.write(&staging.path(key, "numbers"))?;
            if pictures.columns().next().is_some() {
                pictures.write(&staging.path(key, "pictures"))?;
            }
        }
        let text = serde_json::to_vec(row).map_err(|e| DemoError::Config(e.to_string()))?;
        Ok(write_atomically(&staging.path(key, "json"), &text)?)
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn add(&mut self, key: Key, row: DemoRow) {
        self.rows.insert(key, row);
    }

    pub(super) fn kept(&self) -> u64 {
        self.rows.values().filter(|r| r.kept).count() as u64
    }

    /// Rows of a task: attempt and whether it was kept.
    pub(super) fn of_task(&self, task: usize) -> impl Iterator<Item = (u64, bool)> {
        self.rows.range((task, 0)..(task + 1, 0)).map(|((_, k), r)| (*k, r.kept))
    }

    /// Kept attempts in the order of the dataset.
    pub(super) fn episodes(&self) -> Vec<(Key, &DemoRow)> {
        self.rows.iter().filter(|(_, r)| r.kept).map(|(k, r)| (*k, r)).collect()
    }

    /// Rows of kept and of dropped attempts.
    pub(super) fn rows(&self) -> (Vec<DemoRow>, Vec<DemoRow>) {
        self.rows.values().cloned().partition(|r| r.kept)
    }

    pub(super) fn numbers(&self, key: Key) -> Result<Pack, DemoError> {
        Ok(Pack::read(&self.path(key, "numbers"))?)
    }

    pub(super) fn pictures(&self, key: Key) -> Result<Pack, DemoError> {
        Ok(Pack::read(&self.path(key, "pictures"))?)
    }

    /// A shard whose files are complete, if they are.
    pub(super) fn shard(&self, out: &Path, index: usize, keys: &[Key]) -> Option<Manifest> {
        let bytes = std::fs::read(self.dir.join(format!("{index:06}.shard"))).ok()?;
        let done: Shard = serde_json::from_slice(&bytes).ok()?;
        (done.keys == keys && done.manifest.damage(out).is_empty()).then_some(done.manifest)
    }

    /// Notes that a shard is complete; its pictures need not stay here any longer.
    pub(super) fn finish_shard(
        &self,
        index: usize,
        keys: &[Key],
        manifest: &Manifest,
    ) -> Result<(), DemoError> {
        let shard = Shard { keys: keys.to_vec(), manifest: manifest.clone() };
        let text = serde_json::to_vec(&shard).map_err(|e| DemoError::Config(e.to_string()))?;
        write_atomically(&self.dir.join(format!("{index:06}.shard")), &text)?;
        for key in keys {
            let _ = std::fs::remove_file(self.path(*key, "pictures"));
        }
        Ok(())
    }

    /// Takes over the rows of a finished dataset; `false`, and none, if they are of other tasks.
    fn take_rows(&mut self, out: &Path, plan: &Plan) -> Result<bool, DemoError> {
        self.rows.clear();
        for row in [read_rows(out, EPISODES)?, read_rows(out, DROPPED)?].into_iter().flatten() {
            let Some(task) = plan.tasks.iter().position(|t| t.spec.id == row.episode.task) else {
                self.rows.clear();
                return Ok(false);
            };
            self.rows.insert((task, row.attempt), row);
        }
        Ok(true)
    }

    /// Files that the episodes of a finished dataset need and its list of files does not have.
    pub(super) fn unlisted(
        &mut self,
        out: &Path,
        plan: &Plan,
        config: &DemoConfig,
        manifest: &Manifest,
    ) -> Result<Vec<(String, String)>, DemoError> {
        self.take_rows(out, plan)?;
        let shards = shards(plan, config, &self.episodes())?;
        Ok(missing(shards.into_iter().flat_map(|s| s.files), manifest))
    }

    /// Prepares to record the episodes of damaged files again. `false` when more than those must be:
    /// then nothing of what is there is of use.
    pub(super) fn repair(
        &mut self,
        out: &Path,
        plan: &Plan,
        config: &DemoConfig,
        damage: &[(String, String)],
    ) -> Result<bool, DemoError> {
        self.rows.clear();
        let own = |name: &str| damage.iter().any(|(f, _)| *f == format!("{OWN}/{name}"));
        if own(EPISODES) || own(DROPPED) || !self.take_rows(out, plan)? {
            return Ok(false);
        }
        let shards = shards(plan, config, &self.episodes())?;
        let wrong = |f: &String| damage.iter().any(|(d, _)| d == f);
        let known = shards.iter().flat_map(|s| &s.files).filter(|f| wrong(f)).count();
        if known < damage.len() {
            self.rows.clear();
            return Ok(false);
        }
        let again: Vec<Key> = shards
            .iter()
            .filter(|s| s.files.iter().any(wrong))
            .flat_map(|s| s.keys.clone())
            .collect();
        for key in again {
            self.rows.remove(&key);
        }
        Ok(true)
    }

    /// Removes the folder.
    pub(super) fn remove(self) -> Result<(), DemoError> {
        std::fs::remove_dir_all(&self.dir).map_err(DemoError::io("remove", &self.dir))
    }
}

#[derive(Serialize, Deserialize)]
struct Shard {
    keys: Vec<Key>,
    manifest: Manifest,
}

fn key_of(name: &str) -> Option<Key> {
    let (task, attempt) = name.strip_suffix(".json")?.split_once('-')?;
    Some((task.parse().ok()?, attempt.parse().ok()?))
}
