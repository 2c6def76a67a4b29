use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use longarm_data::write_atomically;

use crate::lock::Lock;
use crate::run::is_plain_path;
use crate::rundir::check_row;
use crate::{
    EPISODES, Error, RUN, Reader, Result, Results, RowSummary, RunConfig, Shard, summarize,
};

/// What a merge did.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The summary, also written as `results.json`.
    pub results: Results,
    /// Episodes that more than one directory had, with the same result.
    pub repeated: u64,
    /// Shards that no directory held.
    pub missing_shards: Vec<Shard>,
    /// Torn last lines, which were left out.
    pub torn: Vec<PathBuf>,
    /// Traces, videos and filmstrips that rows name and that were not there.
    pub missing_files: u64,
}

struct Entry {
    row: RowSummary,
    source: usize,
    offset: u64,
    length: u64,
}

/// Makes one run of several shards of it, in a new directory.
///
/// Rows are copied byte for byte, in the order of the work list; traces, videos and filmstrips are
/// linked, or copied where they cannot be. An episode that several directories hold is taken once
/// if they agree and refused if they do not. The inputs are locked meanwhile: a run that is still
/// going is refused. The result appears under its name only when it is complete.
pub fn merge(dirs: &[PathBuf], out: &Path) -> Result<Merged> {
    let first = dirs.first().ok_or(Error::NothingToMerge)?;
    if out.exists() {
        return Err(Error::Exists { path: out.to_owned() });
    }
    for (i, dir) in dirs.iter().enumerate() {
        let real = |d: &PathBuf| std::fs::canonicalize(d).unwrap_or_else(|_| d.clone());
        if let Some(same) = dirs[..i].iter().find(|d| real(d) == real(dir)) {
            let what = "they are the same directory".to_owned();
            return Err(Error::Merge { first: same.clone(), second: dir.clone(), what });
        }
    }
    let mut locks = Vec::new();
    let mut configs: Vec<RunConfig> = Vec::new();
    for dir in dirs {
        if !dir.join(RUN).exists() {
            return Err(Error::NotARun { path: dir.clone(), missing: RUN });
        }
        locks.push(Lock::take(dir)?);
        configs.push(RunConfig::read(&dir.join(RUN))?);
    }
    let whole =
        |c: &RunConfig| RunConfig { shard: Shard::WHOLE, runtime: toml::Table::new(), ..c.clone() };
    let config = whole(&configs[0]);
    for (dir, c) in dirs.iter().zip(&configs) {
        if let Some(what) = config.differences(&whole(c)).into_iter().next() {
            let what = what.replacen(" was ", " is ", 1).replacen(", now ", " there and ", 1);
            return Err(Error::Merge { first: first.clone(), second: dir.clone(), what });
        }
    }
    let (entries, torn) = read_all(dirs, &config)?;
    let before = entries.len();
    let entries = unique(entries, dirs)?;
    let repeated = (before - entries.len()) as u64;

    let parent = match out.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    let name = out.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let work = Scratch(parent.join(format!(".{name}.merging-{}", std::process::id())));
    std::fs::create_dir_all(&work.0).map_err(Error::io("create", &work.0))?;
    copy_rows(&entries, dirs, &work.0.join(EPISODES))?;
    let missing_files = link_files(&entries, dirs, &work.0)?;
    let rows: Vec<RowSummary> = entries.into_iter().map(|e| e.row).collect();
    let results = summarize(&config, &rows);
    results.write(&work.0)?;
    write_atomically(&work.0.join(RUN), config.to_toml().as_bytes())?;
    std::fs::rename(&work.0, out).map_err(Error::io("create", out))?;

    let count = configs.iter().map(|c| c.shard.count()).max().unwrap_or(1);
    let held: BTreeSet<(u64, u64)> =
        configs.iter().map(|c| (c.shard.index(), c.shard.count())).collect();
    let missing_shards = (1..=count)
        .filter(|i| !held.contains(&(*i, count)))
        .filter_map(|i| Shard::new(i, count).ok())
        .collect();
    Ok(Merged { results, repeated, missing_shards, torn, missing_files })
}

/// Reads all rows, a thread per processor; entries come in the order of the directories.
fn read_all(dirs: &[PathBuf], config: &RunConfig) -> Result<(Vec<Entry>, Vec<PathBuf>)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = dirs.len().div_ceil(threads).max(1);
    let parts: Vec<Result<_>> = std::thread::scope(|scope| {
        let work: Vec<_> = dirs
            .chunks(share)
            .enumerate()
            .map(|(part, chunk)| scope.spawn(move || read_some(chunk, part * share, config)))
            .collect();
        work.into_iter()
            .map(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let (mut entries, mut torn) = (Vec::new(), Vec::new());
    for part in parts {
        let (some, cut) = part?;
        entries.extend(some);
        torn.extend(cut);
    }
    Ok((entries, torn))
}

fn read_some(
    dirs: &[PathBuf],
    first: usize,
    config: &RunConfig,
) -> Result<(Vec<Entry>, Vec<PathBuf>)> {
    let (mut entries, mut torn) = (Vec::new(), Vec::new());
    for (i, dir) in dirs.iter().enumerate() {
        let path = dir.join(EPISODES);
        if !path.exists() {
            return Err(Error::NotARun { path: dir.clone(), missing: EPISODES });
        }
        let mut reader = Reader::open(&path)?;
        while let Some((row, offset, length)) = reader.next_row()? {
            check_row(config, &row, &path, reader.line())?;
            entries.push(Entry { row, source: first + i, offset, length });
        }
        if reader.torn().is_some() {
            torn.push(path);
        }
    }
    Ok((entries, torn))
}

/// In the order of the work list, each episode once.
fn unique(mut entries: Vec<Entry>, dirs: &[PathBuf]) -> Result<Vec<Entry>> {
    entries.sort_by(|x, y| {
        let key = |e: &Entry| (e.row.task.clone(), e.row.seed, e.source);
        key(x).cmp(&key(y))
    });
    for pair in entries.windows(2) {
        let [x, y] = pair else { continue };
        if x.row.task != y.row.task || x.row.seed != y.row.seed {
            continue;
        }
        let conflict = |what: &str| Error::Merge {
            first: dirs[x.source].clone(),
            second: dirs[y.source].clone(),
            what: format!("{} seed {} is in both, {what}", x.row.task, x.row.seed),
        };
        if x.source == y.source {
            return Err(conflict("twice in one file"));
        }
        if !x.row.same_episode(&y.row) {
            return Err(conflict("with different results"));
        }
    }
    entries.dedup_by(|y, x| x.row.task == y.row.task && x.row.seed == y.row.seed);
    entries.sort_by(|x, y| {
        (x.row.index, &x.row.task, x.row.seed).cmp(&(y.row.index, &y.row.task, y.row.seed))
    });
    Ok(entries)
}

fn copy_rows(entries: &[Entry], dirs: &[PathBuf], target: &Path) -> Result<()> {
    let mut sources = Vec::new();
    for dir in dirs {
        let path = dir.join(EPISODES);
        sources.push((File::open(&path).map_err(Error::io("open", &path))?, path));
    }
    let file = File::create(target).map_err(Error::io("create", target))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let mut line = Vec::new();
    for e in entries {
        let (file, path) = &mut sources[e.source];
        line.resize(e.length as usize, 0);
        file.seek(SeekFrom::Start(e.offset))
            .and_then(|_| file.read_exact(&mut line))
            .map_err(Error::io("read", path))?;
        out.write_all(&line).map_err(Error::io("write", target))?;
    }
    let file = out.into_inner().map_err(|e| Error::io("write", target)(e.into_error()))?;
    file.sync_data().map_err(Error::io("sync", target))
}

/// Brings along what the rows name; returns how many files were not there.
fn link_files(entries: &[Entry], dirs: &[PathBuf], target: &Path) -> Result<u64> {
    let mut missing = 0;
    let mut made = BTreeSet::new();
    for e in entries {
        let named = [&e.row.trace, &e.row.video, &e.row.filmstrip];
        for name in named.into_iter().flatten().filter(|n| is_plain_path(n)) {
            let (from, to) = (dirs[e.source].join(&**name), target.join(&**name));
            if !from.is_file() {
                missing += 1;
                continue;
            }
            if let Some(dir) = to.parent()
                && made.insert(dir.to_owned())
            {
                std::fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
            }
            if std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to).map_err(Error::io("copy to", &to))?;
            }
        }
    }
    Ok(missing)
}

/// A folder that vanishes unless it got its final name.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // Gone already when all went well; nobody is left to tell otherwise.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
