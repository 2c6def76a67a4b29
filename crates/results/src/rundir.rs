use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use longarm_data::write_atomically;
use longarm_types::TaskId;

use crate::lock::Lock;
use crate::{
    Error, Reader, Result, Results, Row, RowSummary, RunConfig, Trace, summarize, trace_name,
};

/// The configuration's file.
pub const RUN: &str = "run.toml";
/// The rows' file.
pub const EPISODES: &str = "episodes.jsonl";
/// The summary's file.
pub const RESULTS: &str = "results.json";
/// The report's file.
pub const REPORT: &str = "report.html";
/// The traces' folder.
pub const TRACES: &str = "traces";

/// Rows reach the disk at least this often while rows are being added.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A torn last line that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    path: PathBuf,
    line: u64,
    bytes: u64,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: the last line was not written to its end ({} bytes); it was cut off and its episode will run again",
            self.path.display(),
            self.line,
            self.bytes
        )
    }
}

/// A run directory open for writing, by this process alone.
///
/// # What survives what
/// A row is handed to the system in one write before [`append`](Self::append) returns: the process
/// may be killed at any instant and no row that was appended is lost. Against power loss the file is
/// synced by the first append at least a second after the last sync, by [`finish`](Self::finish) and
/// on drop; what a power cut tears off runs again at the next resume.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    config: RunConfig,
    repaired: Option<Repair>,
    rows: Mutex<Rows>,
    _lock: Lock,
}

#[derive(Debug)]
struct Rows {
    file: File,
    length: u64,
    finished: BTreeSet<(TaskId, u64)>,
    synced: Instant,
    dirty: bool,
    broken: bool,
}

impl RunDir {
    /// Starts a run in a new or empty directory.
    pub fn create(path: &Path, config: &RunConfig) -> Result<Self> {
        let lock = Self::lock(path)?;
        if path.join(RUN).exists() || path.join(EPISODES).exists() {
            return Err(Error::Exists { path: path.to_owned() });
        }
        Self::start(path, config, lock)
    }

    /// Continues a run: the configuration must be the one it was started with, but may ask for more
    /// episodes. Starts it where there is none yet.
    pub fn open_resume(path: &Path, config: &RunConfig) -> Result<Self> {
        let lock = Self::lock(path)?;
        let (run, episodes) = (path.join(RUN), path.join(EPISODES));
        if !run.exists() {
            if episodes.exists() {
                return Err(Error::NotARun { path: path.to_owned(), missing: RUN });
            }
            return Self::start(path, config, lock);
        }
        let stored = RunConfig::read(&run)?;
        // Places of the work list do not depend on how many episodes follow.
        let episodes_then = stored.episodes.max(config.episodes);
        let grown = RunConfig { episodes: episodes_then, ..stored.clone() };
        let differences = match episodes_then == config.episodes {
            true => grown.differences(config),
            false => stored.differences(config),
        };
        if !differences.is_empty() {
            let more = differences.len().saturating_sub(3);
            let mut what = differences.into_iter().take(3).collect::<Vec<_>>().join("; ");
            if more > 0 {
                what.push_str(&format!("; and {more} more"));
            }
            return Err(Error::ConfigDiffers { path: path.to_owned(), what });
        }
        if stored != *config {
            write_atomically(&run, config.to_toml().as_bytes())?;
        }
        let mut out = Self::open(path, config, lock)?;
        out.load()?;
        sweep(path);
        Ok(out)
    }

    fn lock(path: &Path) -> Result<Lock> {
        std::fs::create_dir_all(path).map_err(Error::io("create", path))?;
        Lock::take(path)
    }

    fn start(path: &Path, config: &RunConfig, lock: Lock) -> Result<Self> {
        write_atomically(&path.join(RUN), config.to_toml().as_bytes())?;
        Self::open(path, config, lock)
    }

    fn open(path: &Path, config: &RunConfig, lock: Lock) -> Result<Self> {
        let episodes = path.join(EPISODES);
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&episodes)
            .map_err(Error::io("open", &episodes))?;
        let rows = Rows {
            file,
            length: 0,
            finished: BTreeSet::new(),
            synced: Instant::now(),
            dirty: false,
            broken: false,
        };
        Ok(Self {
            path: path.to_owned(),
            config: config.clone(),
            repaired: None,
            rows: Mutex::new(rows),
            _lock: lock,
        })
    }

    /// Reads what is there and cuts off a torn last line.
    fn load(&mut self) -> Result<()> {
        let path = self.path.join(EPISODES);
        let mut reader = Reader::open(&path)?;
        let mut lines: BTreeMap<(TaskId, u64), u64> = BTreeMap::new();
        let rows = self.rows.get_mut().unwrap_or_else(PoisonError::into_inner);
        while let Some((row, offset, length)) = reader.next_row()? {
            let line = reader.line();
            let task = check_row(&self.config, &row, &path, line)?;
            if let Some(first) = lines.insert((task, row.seed), line) {
                return Err(Error::Duplicate {
                    path,
                    line,
                    first,
                    task: row.task.to_string(),
                    seed: row.seed,
                });
            }
            rows.length = offset + length;
        }
        rows.finished = lines.into_keys().collect();
        if let Some(torn) = reader.torn() {
            rows.file.set_len(torn.offset).map_err(Error::io("repair", &path))?;
            rows.dirty = true;
            self.repaired = Some(Repair { path, line: torn.line, bytes: torn.bytes });
        }
        Ok(())
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The configuration.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// What was repaired on opening, to warn about.
    pub fn repaired(&self) -> Option<&Repair> {
        self.repaired.as_ref()
    }

    /// The episodes that have a row, as (task, seed).
    pub fn finished(&self) -> BTreeSet<(TaskId, u64)> {
        self.rows().finished.clone()
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a row; it survives the process from here on. May be called from any thread.
    pub fn append(&self, row: &Row) -> Result<()> {
        let key = (row.episode.task.clone(), row.episode.seed);
        let known = self.config.tasks.get(&key.0).map(|t| t.hash);
        if known != Some(row.episode.task_hash) {
            let what = match known {
                None => "it is not a task of this run".to_owned(),
                Some(hash) => format!("its task has hash {}, not {hash}", row.episode.task_hash),
            };
            return Err(Error::Row { task: key.0.to_string(), seed: key.1, what });
        }
        let line = row.to_line()?;
        let path = self.path.join(EPISODES);
        let mut rows = self.rows();
        if rows.broken {
            return Err(Error::Broken { path });
        }
        if rows.finished.contains(&key) {
            return Err(Error::Recorded { task: key.0.to_string(), seed: key.1 });
        }
        if let Err(e) = rows.file.write_all(&line) {
            // A full disk may have taken half of the line: take it back, or stop for good.
            rows.broken = rows.file.set_len(rows.length).is_err();
            return Err(Error::io("write", &path)(e));
        }
        rows.length += line.len() as u64;
        rows.dirty = true;
        rows.finished.insert(key);
        if rows.synced.elapsed() >= SYNC_EVERY {
            rows.sync().map_err(Error::io("sync", &path))?;
        }
        Ok(())
    }

    /// Where an episode's trace belongs, relative to the directory: for [`Row::trace`].
    pub fn trace_name(&self, task: &TaskId, seed: u64) -> String {
        trace_name(task, seed)
    }

    /// Writes an episode's actions; do so before its row. Returns the name for [`Row::trace`].
    pub fn write_trace(&self, trace: &Trace) -> Result<String> {
        let name = trace_name(&trace.task, trace.seed);
        trace.write(&self.path.join(&name))?;
        Ok(name)
    }

    /// Drops rows, so that their episodes run again: harness errors, usually. Returns how many.
    pub fn forget(&self, drop: impl Fn(&RowSummary) -> bool) -> Result<u64> {
        let path = self.path.join(EPISODES);
        let mut rows = self.rows();
        let text = std::fs::read(&path).map_err(Error::io("read", &path))?;
        let (mut kept, mut gone) = (Vec::with_capacity(text.len()), BTreeSet::new());
        let mut reader = Reader::open(&path)?;
        while let Some((row, offset, length)) = reader.next_row()? {
            if drop(&row) {
                gone.insert((row.task.to_string(), row.seed));
            } else {
                kept.extend_from_slice(&text[offset as usize..(offset + length) as usize]);
            }
        }
        if gone.is_empty() {
            return Ok(0);
        }
        write_atomically(&path, &kept)?;
        rows.file =
            OpenOptions::new().append(true).open(&path).map_err(Error::io("open", &path))?;
        rows.length = kept.len() as u64;
        rows.dirty = true;
        rows.finished.retain(|(t, s)| !gone.contains(&(t.as_str().to_owned(), *s)));
        Ok(gone.len() as u64)
    }

    /// Syncs the rows, summarizes them and writes `results.json`. The run may go on after it.
    pub fn finish(&self) -> Result<Results> {
        let path = self.path.join(EPISODES);
        let mut rows = self.rows();
        rows.sync().map_err(Error::io("sync", &path))?;
        let (summaries, _) = Reader::all(&path)?;
        drop(rows);
        let results = summarize(&self.config, &summaries);
        results.write(&self.path)?;
        Ok(results)
    }
}

impl Rows {
    fn sync(&mut self) -> std::io::Result<()> {
        if self.dirty {
            self.file.sync_data()?;
            self.dirty = false;
        }
        self.synced = Instant::now();
        Ok(())
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        // Nobody is left to tell; the rows are with the system already.
        let _ = self.sync();
    }
}

/// Removes what a killed process left half written. Nobody else writes here while we have the lock;
/// what cannot be removed does no harm.
fn sweep(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => sweep(&path),
            Ok(_) if name.starts_with('.') && name.ends_with(".tmp") => {
                let _ = std::fs::remove_file(&path);
            }
            _ => {}
        }
    }
}

/// A row must be of a task of its run, as that run knew the task.
pub(crate) fn check_row(
    config: &RunConfig,
    row: &RowSummary,
    path: &Path,
    line: u64,
) -> Result<TaskId> {
    let wrong = |what: String| Error::Line { path: path.to_owned(), line, what };
    let task: TaskId = row.task.parse().map_err(|e| wrong(format!("{e}")))?;
    match config.tasks.get(&task) {
        None => Err(wrong(format!("{task} is not a task of this run"))),
        Some(entry) if entry.hash != row.task_hash => Err(wrong(format!(
            "{task} has hash {} there and {} in run.toml",
            row.task_hash.short(),
            entry.hash.short()
        ))),
        Some(_) => Ok(task),
    }
}
