//! A run on a real arm, in an ordinary run directory with a log of what happened.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use longarm_manual::Sheet;
use longarm_results::{
    Evidence, REPORT, RUN, Row, RunConfig, RunDir, RunOptions, Shard, TaskEntry, Trace, report,
};
use longarm_types::{
    Digest, ENGINE_VERSION, EpisodeOutcome, EpisodeRecord, RunningHash, StageRecord, TaskId,
};

use super::episode::{Entry, Episode, Event};
use crate::clock::Moment;

/// The log's file.
const LOG: &str = "console.jsonl";

/// A run.
pub(crate) struct Run {
    pub id: String,
    pub dir: PathBuf,
    pub config: RunConfig,
    /// The tasks in order, each with its sheet.
    pub sheets: Vec<Sheet>,
    pub episodes: Vec<Episode>,
    pub entries: Vec<Entry>,
    log: File,
}

/// Which episode of which task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub task: usize,
    pub seed: u64,
}

type Result<T> = std::result::Result<T, String>;

fn io<'a>(path: &'a Path, what: &'a str) -> impl FnOnce(std::io::Error) -> String + 'a {
    move |e| format!("cannot {what} {}: {e}", path.display())
}

impl Run {
    /// Begin one in a new folder.
    pub(crate) fn create(
        dir: &Path,
        tasks: &[String],
        policy: &str,
        episodes: u64,
        seed: u64,
    ) -> Result<Self> {
        let mut entries = BTreeMap::new();
        let mut protocols = BTreeMap::new();
        for id in tasks {
            let sheet = Sheet::find(id).ok_or_else(|| format!("there is no task {id}"))?;
            let (stages, titles): (Vec<_>, Vec<_>) =
                sheet.phases.iter().map(|p| (p.name.clone(), p.title.clone())).unzip();
            let entry = TaskEntry {
                hash: sheet.hash,
                labels: sheet.labels.clone(),
                titles: if titles == stages { Vec::new() } else { titles },
                stages,
                horizon: sheet.horizon.unwrap_or_default(),
                instruction: sheet.instruction.clone(),
                file: None,
            };
            let suite = sheet.id.suite().to_owned();
            if let Some(s) = longarm_suites::suite(&suite) {
                protocols.insert(suite, s.protocol_of(tasks.iter().map(String::as_str)));
            }
            entries.insert(sheet.id.clone(), entry);
        }
        let config = RunConfig {
            format: RunConfig::FORMAT,
            selectors: tasks.to_vec(),
            policy: policy.to_owned(),
            episodes,
            seed,
            shard: Shard::WHOLE,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: "none".into(),
            evidence: Evidence::Real,
            options: RunOptions::default(),
            runtime: toml::Table::new(),
            tasks: entries,
            seeds: None,
            trained_on: Vec::new(),
            protocols,
            assets: BTreeMap::new(),
        };
        // Its files are there before anything else is.
        RunDir::create(dir, &config).map_err(|e| e.to_string())?;
        Self::open(dir)
    }

    /// Read one with all that happened.
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        let config = RunConfig::read(&dir.join(RUN)).map_err(|e| e.to_string())?;
        let sheet = |id: &TaskId| {
            let sheet = Sheet::find(id.as_str());
            let known = sheet.filter(|s| config.tasks.get(id).is_some_and(|t| t.hash == s.hash));
            known.ok_or_else(|| format!("{id} is another task in this version"))
        };
        let sheets = config.tasks.keys().map(sheet).collect::<Result<Vec<_>>>()?;
        let path = dir.join(LOG);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(io(&path, "read")(e)),
        };
        let log = OpenOptions::new().create(true).append(true).open(&path);
        let log = log.map_err(io(&path, "write"))?;
        let n = sheets.len() as u64 * config.episodes;
        let mut run = Self {
            id: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            dir: dir.to_owned(),
            episodes: (0..n)
                .map(|k| Episode::new(&sheets[(k / config.episodes) as usize]))
                .collect(),
            sheets,
            config,
            entries: Vec::new(),
            log,
        };
        // A line that a power cut tore off is cut off.
        let whole = text.rfind('\n').map_or(0, |i| i + 1);
        if whole < text.len() {
            run.log.set_len(whole as u64).map_err(io(&path, "repair"))?;
        }
        for line in text[..whole].lines() {
            let entry: Entry = serde_json::from_str(line)
                .map_err(|e| format!("{}: a line is not an event: {e}", path.display()))?;
            run.take(entry);
        }
        Ok(run)
    }

    fn take(&mut self, entry: Entry) {
        if let Some(e) = self.episodes.get_mut(entry.episode as usize) {
            e.apply(&entry);
            self.entries.push(entry);
        }
    }

    pub(crate) fn place(&self, episode: usize) -> Option<Place> {
        let per = self.config.episodes.max(1);
        let (task, k) = (episode as u64 / per, episode as u64 % per);
        let task = usize::try_from(task).ok().filter(|t| *t < self.sheets.len())?;
        Some(Place { task, seed: self.config.seed.wrapping_add(k) })
    }

    pub(crate) fn sheet(&self, episode: usize) -> Option<&Sheet> {
        self.sheets.get(self.place(episode)?.task)
    }

    /// Write down what happened; it has happened when this returns.
    pub(crate) fn record(&mut self, episode: usize, by: &str, event: Event) -> Result<()> {
        let entry =
            Entry { at: Moment::now().0, by: by.to_owned(), episode: episode as u64, event };
        let mut line = serde_json::to_vec(&entry).map_err(|e| e.to_string())?;
        line.push(b'\n');
        let path = self.dir.join(LOG);
        self.log
            .write_all(&line)
            .and_then(|()| self.log.sync_data())
            .map_err(io(&path, "write"))?;
        self.take(entry);
        Ok(())
    }

    /// Write an episode's row.
    pub(crate) fn close(
        &mut self,
        episode: usize,
        by: &str,
        void: Option<String>,
        actions: Option<&[Vec<f32>]>,
    ) -> Result<()> {
        let place = self.place(episode).ok_or("there is no such episode")?;
        let (e, sheet) = (&self.episodes[episode], &self.sheets[place.task]);
        let verdict = e.verdict(sheet);
        let outcome = match (&void, verdict.success, e.policy_error) {
            (Some(_), ..) => EpisodeOutcome::HarnessError,
            (_, true, _) => EpisodeOutcome::Success,
            (_, _, true) => EpisodeOutcome::PolicyError,
            _ => EpisodeOutcome::TaskFailure,
        };
        let first = e.judges.first();
        let stages = sheet.phases.iter().enumerate().map(|(i, p)| StageRecord {
            name: p.name.clone(),
            completed: verdict.counted[i],
            step: first
                .and_then(|j| j.phases[i])
                .filter(|_| verdict.counted[i])
                .map(|s| u32::try_from(s.step).unwrap_or(u32::MAX)),
            margins: Vec::new(),
        });
        let broken: Vec<&str> = (sheet.forbidden.iter().zip(&verdict.forbidden))
            .filter_map(|(f, seen)| seen.then_some(f.name.as_str()))
            .collect();
        let reason = match (&void, broken.is_empty(), verdict.success) {
            (Some(why), ..) => Some(format!("does not count: {why}")),
            (_, false, _) => Some(format!("forbidden: {}", broken.join("; "))),
            (_, _, true) => None,
            _ => e.ended.clone(),
        };
        let mut hash = RunningHash::default();
        actions.into_iter().flatten().for_each(|a| hash.singles(a));
        let record = EpisodeRecord {
            task: sheet.id.clone(),
            seed: place.seed,
            policy: self.config.policy.clone(),
            outcome,
            reason,
            score: verdict.score,
            stages: stages.collect(),
            steps: u32::try_from(e.step).unwrap_or(u32::MAX),
            clipped: e.clipped,
            stood: None,
            // There is no state to hash.
            state_hash: Digest::of(b""),
            action_hash: hash.digest(),
            task_hash: sheet.hash,
            engine: self.config.engine.clone(),
            mujoco: self.config.mujoco.clone(),
        };
        let dir = RunDir::open_resume(&self.dir, &self.config).map_err(|e| e.to_string())?;
        let mut row = Row::of(episode as u64, record);
        row.evidence = Evidence::Real;
        row.judged = Some(e.judged(sheet, &verdict));
        row.video.clone_from(&e.video);
        row.wall_s = (e.done - e.began) as f64 / 1000.0;
        if let Some(all) = actions.filter(|a| !a.is_empty()) {
            let mut trace = Trace::new(sheet.id.clone(), place.seed, all[0].len());
            for a in all {
                trace.push(a);
            }
            row.trace = Some(dir.write_trace(&trace).map_err(|e| e.to_string())?);
        }
        let written = dir.finished().contains(&(sheet.id.clone(), place.seed));
        // A crash between the row and the log leaves a row: it stays as it was.
        if !written {
            dir.append(&row).map_err(|e| e.to_string())?;
        }
        dir.finish().map_err(|e| e.to_string())?;
        drop(dir);
        self.record(episode, by, Event::Closed { void })?;
        self.report()
    }

    /// Write the page for people.
    pub(crate) fn report(&self) -> Result<()> {
        let run = longarm_results::Run::read(&self.dir).map_err(|e| e.to_string())?;
        let path = self.dir.join(REPORT);
        longarm_data::write_atomically(&path, report::render(&[run]).as_bytes())
            .map_err(|e| e.to_string())
    }
}
