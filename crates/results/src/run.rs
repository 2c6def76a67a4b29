use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use longarm_types::counted;

use crate::report::Picture;
use crate::rundir::check_row;
use crate::{EPISODES, Error, RUN, Reader, Result, Results, RowSummary, RunConfig, summarize};

/// A run as read for a report or a comparison.
#[derive(Clone, Debug)]
pub struct Run {
    /// What to call it: the directory's name, unless changed.
    pub name: String,
    /// Its configuration.
    pub config: RunConfig,
    /// Its rows, by task and seed.
    pub rows: Vec<RowSummary>,
    /// Their summary.
    pub results: Results,
    /// Filmstrips to embed, by task and seed; [`Run::read`] loads those that the report will show.
    pub pictures: BTreeMap<(String, u64), Picture>,
    /// Put before the relative paths of videos: where the run lies as seen from the report.
    pub link_prefix: String,
    /// What a reader should know: torn lines, missing episodes.
    pub notes: Vec<String>,
}

impl Run {
    /// From rows in memory.
    pub fn new(name: &str, config: RunConfig, mut rows: Vec<RowSummary>) -> Self {
        rows.sort_by(|a, b| (&a.task, a.seed).cmp(&(&b.task, b.seed)));
        let results = summarize(&config, &rows);
        let mut notes = Vec::new();
        if !results.complete {
            let c = results.counts;
            notes.push(format!("{} of {} episodes have run so far.", c.rows, c.expected));
        }
        notes.extend(judged(&config, &rows));
        notes.extend(results.training.as_ref().map(crate::Training::in_words));
        Self {
            name: name.to_owned(),
            config,
            rows,
            results,
            pictures: BTreeMap::new(),
            link_prefix: String::new(),
            notes,
        }
    }

    /// Reads a run directory. Takes no lock and changes nothing: a run may be looked at while it is
    /// running, and a line that is just being written is left out.
    pub fn read(dir: &Path) -> Result<Self> {
        Self::read_with(dir, |_| {})
    }

    /// The same with a configuration that is completed before it is summarized: runs of earlier
    /// versions name no protocols.
    pub fn read_with(dir: &Path, complete: impl FnOnce(&mut RunConfig)) -> Result<Self> {
        let (run, episodes) = (dir.join(RUN), dir.join(EPISODES));
        for (path, missing) in [(&run, RUN), (&episodes, EPISODES)] {
            if !path.exists() {
                return Err(Error::NotARun { path: dir.to_owned(), missing });
            }
        }
        let mut config = RunConfig::read(&run)?;
        complete(&mut config);
        let mut reader = Reader::open(&episodes)?;
        let (mut rows, mut lines): (Vec<RowSummary>, BTreeSet<_>) = (Vec::new(), BTreeSet::new());
        while let Some((row, ..)) = reader.next_row()? {
            check_row(&config, &row, &episodes, reader.line())?;
            if !lines.insert((row.task.clone(), row.seed)) {
                let same = |r: &RowSummary| r.task == row.task && r.seed == row.seed;
                let first = rows.iter().position(same).unwrap_or(0) as u64 + 1;
                return Err(Error::Duplicate {
                    path: episodes,
                    line: reader.line(),
                    first,
                    task: row.task.to_string(),
                    seed: row.seed,
                });
            }
            rows.push(row);
        }
        let canonical = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        let name = canonical.file_name().map_or_else(String::new, |n| n.to_string_lossy().into());
        let mut out = Self::new(&name, config, rows);
        if let Some(torn) = reader.torn() {
            out.notes.push(format!(
                "Line {} of {EPISODES} was not written to its end and is left out.",
                torn.line
            ));
        }
        out.load_pictures(dir);
        Ok(out)
    }

    /// Embeds the filmstrips that the report will show; those that cannot be read are left out.
    fn load_pictures(&mut self, dir: &Path) {
        for row in crate::report::chosen_episodes(&self.rows) {
            let Some(name) = row.filmstrip.as_deref().filter(|n| is_plain_path(n)) else {
                continue;
            };
            if let Some(p) = std::fs::read(dir.join(name)).ok().and_then(Picture::new) {
                self.pictures.insert((row.task.to_string(), row.seed), p);
            }
        }
    }
}

/// Whether a path from a row stays inside its run directory.
pub(crate) fn is_plain_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', ':', '\0'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// What a reader must know of a run that people judged.
fn judged(config: &RunConfig, rows: &[RowSummary]) -> Option<String> {
    if config.evidence.is_simulated() {
        return None;
    }
    let all = || rows.iter().filter_map(|r| r.judged.as_deref());
    let robots: BTreeSet<&str> = all().map(|j| j.robot.as_str()).collect();
    let mut text = "Real: judged by people on a real arm".to_owned();
    if !robots.is_empty() {
        text += &format!(" ({})", robots.into_iter().collect::<Vec<_>>().join(", "));
    }
    let two = || all().filter(|j| j.judges.len() > 1);
    if two().next().is_some() {
        let phases: usize = two().map(|j| j.judges[0].phases.len()).sum();
        let apart: usize = two().map(|j| j.disagreed.len()).sum();
        let n = counted(two().count() as u64, "episode");
        text += &format!("; two judges in {n} agree on {} of {phases} phases", phases - apart);
    }
    let resets: usize = all().map(|j| j.resets.len()).sum();
    match resets {
        0 => {}
        1 => text += "; 1 attempt was broken off, its scene set up again",
        n => text += &format!("; {n} attempts were broken off, their scenes set up again"),
    }
    Some(
        text + ". Nothing of it can be replayed, and no episode of it is paired with a simulated one.",
    )
}
