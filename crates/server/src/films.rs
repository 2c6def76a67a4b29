//! Films of submitted episodes: played again from their actions, by a thread that lets all others go first.
//!
//! A few episodes of each row are filmed, once its page was asked for or it was published. What is shown did
//! happen: a film whose replay ends in another state than its row says is thrown away. Films can be made again at
//! any time, so those of the rows that were filmed first go where they take more room than they may.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use longarm_eval::{ExecutionOptions, Film, Replayer, Watcher, trace_of};
use longarm_results::Row;
use longarm_sim::{Env, World};
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord};

use crate::app::App;
use crate::model::Judged;
use crate::store::{Stored, StoredRow};

/// Episodes of a row that are filmed.
const SHOWN: usize = 6;
/// Of them, those in which something moved oddly, and those that were not solved.
const ODD: usize = 2;
const UNSOLVED: usize = 3;
/// Rows that wait to be filmed.
const WAITING: usize = 500;

/// An episode that is filmed.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) row: Row,
    /// What is worth a second look in it.
    pub(crate) flags: Vec<String>,
    /// Whether its film can be seen.
    pub(crate) made: bool,
}

/// The rows that wait to be filmed, and what cannot be.
#[derive(Default)]
pub(crate) struct Films {
    waiting: Mutex<VecDeque<String>>,
    /// Episodes of rows that were tried in vain since the server started.
    refused: Mutex<BTreeSet<(String, u64)>>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Films {
    /// Have a row filmed at some time, or next: somebody looks at it.
    fn want(&self, row: &str, next: bool) {
        let mut waiting = lock(&self.waiting);
        if next {
            waiting.retain(|w| w != row);
            waiting.push_front(row.to_owned());
            waiting.truncate(WAITING);
        } else if waiting.len() < WAITING && !waiting.iter().any(|w| w == row) {
            waiting.push_back(row.to_owned());
        }
    }

    fn refused(&self, row: &str, index: u64) -> bool {
        lock(&self.refused).contains(&(row.to_owned(), index))
    }
}

fn folder(app: &App) -> PathBuf {
    app.settings.data.join("films")
}

/// Where the film or the filmstrip of an episode lies: `INDEX.mp4`, `INDEX.png`.
pub(crate) fn file(app: &App, row: &str, name: &str) -> Option<PathBuf> {
    let (index, kind) = name.split_once('.')?;
    let fine = index.parse::<u64>().is_ok_and(|i| i.to_string() == index);
    // Ids are letters and digits; nothing else is looked for.
    let plain = row.chars().all(|c| c.is_ascii_alphanumeric());
    (fine && plain && ["mp4", "png"].contains(&kind)).then(|| folder(app).join(row).join(name))
}

/// Return how many files there are of a row, which grows as it is filmed.
pub(crate) fn count(app: &App, row: &str) -> usize {
    std::fs::read_dir(folder(app).join(row)).map_or(0, Iterator::count)
}

/// Return the episodes of a row that are filmed, and have those filmed that are not yet.
pub(crate) fn shown(app: &App, found: &StoredRow) -> Stored<Vec<Shown>> {
    if app.settings.films == 0 {
        return Ok(Vec::new());
    }
    let id = &found.row.id;
    let all: Vec<Shown> = chosen(app, found)?;
    if all.iter().any(|s| !s.made && !app.films.refused(id, s.row.index)) {
        app.films.want(id, true);
        app.bell.ring();
    }
    let held = |s: &Shown| s.made || !app.films.refused(id, s.row.index);
    Ok(all.into_iter().filter(held).collect())
}

/// Have a row filmed, once there is time.
pub(crate) fn want(app: &App, row: &str) {
    if app.settings.films > 0 {
        app.films.want(row, false);
        app.bell.ring();
    }
}

fn chosen(app: &App, found: &StoredRow) -> Stored<Vec<Shown>> {
    let Some(board) = app.boards.get(&found.row.board) else { return Ok(Vec::new()) };
    let submission = app.store.submission(&found.row.submission)?;
    let seeds = app.seeds(&submission, board);
    let ours: BTreeSet<_> = board.work(&seeds).collect();
    let judged = app.store.judged(&submission.id)?;
    let episodes = judged.into_iter().filter_map(|Judged { row, sanity, .. }| {
        let row = row.filter(|r| r.trace.is_some() && r.episode.steps > 0)?;
        ours.contains(&(&row.episode.task, row.episode.seed)).then(|| (row, sanity.flags()))
    });
    let picked = pick(episodes.collect());
    let is_there = |name: String| file(app, &found.row.id, &name).is_some_and(|p| p.is_file());
    let shown = picked.into_iter().map(|(row, flags)| {
        let made = ["mp4", "png"].iter().all(|kind| is_there(format!("{}.{kind}", row.index)));
        Shown { row, flags, made }
    });
    Ok(shown.collect())
}

/// What is most worth a look: odd episodes, then failures of different tasks, then successes of others.
fn pick(episodes: Vec<(Row, Vec<String>)>) -> Vec<(Row, Vec<String>)> {
    let mut out: Vec<usize> = Vec::new();
    let solved = |i: usize| episodes[i].0.episode.outcome == EpisodeOutcome::Success;
    let odd = (0..episodes.len()).filter(|i| !episodes[*i].1.is_empty());
    out.extend(odd.take(ODD));
    for (success, most) in [(false, UNSOLVED), (true, SHOWN)] {
        let mut n = 0;
        for i in 0..episodes.len() {
            let task = &episodes[i].0.episode.task;
            let seen = |j: &usize| {
                episodes[*j].0.episode.task == *task && (solved(*j) == success || success)
            };
            if n < most && out.len() < SHOWN && solved(i) == success && !out.iter().any(seen) {
                out.push(i);
                n += 1;
            }
        }
    }
    // What room is left is for tasks not seen yet, then for more of the same.
    for again in [false, true] {
        for i in 0..episodes.len() {
            let task = &episodes[i].0.episode.task;
            let seen = out.iter().any(|j| episodes[*j].0.episode.task == *task);
            if out.len() < SHOWN && !out.contains(&i) && (again || !seen) {
                out.push(i);
            }
        }
    }
    out.sort_unstable();
    let mut all: Vec<Option<_>> = episodes.into_iter().map(Some).collect();
    out.into_iter().filter_map(|i| all[i].take()).collect()
}

/// Make films until told to stop; whoever else wants the processor has it first.
pub(crate) fn work(app: &App) {
    #[cfg(target_os = "linux")]
    if let Err(e) = rustix::process::setpriority_process(None, 19) {
        tracing::warn!(error = %e, "films are made at the priority of all else");
    }
    while !app.bell.stopped() {
        if !make_one(app) {
            app.bell.sleep();
        }
    }
}

/// Make one film that is waited for; whether there was one.
fn make_one(app: &App) -> bool {
    let Some(id) = lock(&app.films.waiting).pop_front() else { return false };
    let next = app.store.row(&id).and_then(|found| {
        let all = chosen(app, &found)?;
        let open = all.into_iter().find(|s| !s.made && !app.films.refused(&id, s.row.index));
        Ok(open.map(|s| (found, s.row)))
    });
    match next {
        Ok(Some((found, row))) => {
            if let Err(why) = make(app, &found, &row) {
                let (task, seed) = (&row.episode.task, row.episode.seed);
                tracing::warn!(row = id, %task, seed, why, "an episode cannot be filmed");
                lock(&app.films.refused).insert((id.clone(), row.index));
            }
            app.films.want(&id, true);
        }
        Ok(None) => {}
        Err(e) => tracing::error!(error = %e, "no film could be begun"),
    }
    true
}

/// Draws for as long as the server does not stop.
struct Unless<'a> {
    film: &'a mut Film,
    app: &'a App,
}

impl Watcher for Unless<'_> {
    fn control_step(&mut self, world: &World) {
        if !self.app.bell.stopped() {
            self.film.control_step(world);
        }
    }

    fn action(&mut self, action: &Action) {
        self.film.action(action);
    }

    fn after_action(&mut self, env: &mut Env, doing: &str) {
        if !self.app.bell.stopped() {
            self.film.after_action(env, doing);
        }
    }
}

fn make(app: &App, found: &StoredRow, row: &Row) -> Result<(), String> {
    let said = |e: std::io::Error| e.to_string();
    let task =
        app.boards.catalogue.task(&row.episode.task).ok_or("this server has no such task")?;
    let trace = trace_of(&app.run(&found.row.submission), row)?;
    let dir = folder(app).join(&found.row.id);
    let part = folder(app).join(format!(".{}.tmp", found.row.id));
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).map_err(said)?;
    std::fs::create_dir_all(&dir).map_err(said)?;
    let names = ["mp4", "png"].map(|kind| format!("{}.{kind}", row.index));
    let mut film = Film::brief(part.join(&names[0]), part.join(&names[1]));
    let mut watcher = Unless { film: &mut film, app };
    let limit = ExecutionOptions::default();
    let mut replayer = Replayer::default();
    let played = replayer.play(&task, &trace, &row.episode.policy, &limit, &mut watcher);
    let done = played.and_then(|played| {
        let same = |a: &EpisodeRecord, b: &EpisodeRecord| a.state_hash == b.state_hash;
        match same(&played, &row.episode) {
            _ if app.bell.stopped() => Err("the server stops".to_owned()),
            true => film.finish(),
            false => Err("it ends in another state than its row says".to_owned()),
        }
    });
    let moved = done.and_then(|()| {
        names.iter().try_for_each(|n| std::fs::rename(part.join(n), dir.join(n)).map_err(said))
    });
    let _ = std::fs::remove_dir_all(&part);
    make_room(&folder(app), &dir, app.settings.films);
    moved
}

/// Remove the films of rows until they take no more than this many bytes, the oldest first and `last` never.
fn make_room(films: &Path, last: &Path, most: u64) {
    let entries = |dir: &Path| std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut all = Vec::new();
    let mut total = 0;
    for dir in entries(films) {
        let files = entries(&dir.path()).filter_map(|f| f.metadata().ok());
        let size: u64 = files.map(|m| m.len()).sum();
        total += size;
        let when = dir.metadata().and_then(|m| m.modified()).ok();
        all.push((when, dir.path(), size));
    }
    all.sort();
    for (_, dir, size) in all {
        if total > most && dir != last && std::fs::remove_dir_all(&dir).is_ok() {
            total -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use longarm_types::Digest;

    use super::*;

    fn row(task: &str, seed: u64, outcome: EpisodeOutcome) -> Row {
        let none = Digest::of(b"");
        let record = EpisodeRecord {
            task: task.parse().unwrap(),
            seed,
            policy: "p".into(),
            outcome,
            reason: None,
            score: 0.0,
            stages: Vec::new(),
            steps: 0,
            clipped: 0,
            stood: None,
            state_hash: none,
            action_hash: none,
            task_hash: none,
            engine: String::new(),
            mujoco: String::new(),
        };
        Row::of(seed, record)
    }

    fn picked(episodes: Vec<(Row, Vec<String>)>) -> Vec<String> {
        pick(episodes)
            .iter()
            .map(|(r, _)| format!("{} {}", r.episode.task.name(), r.episode.seed))
            .collect()
    }

    #[test]
    fn tasks_come_before_more_of_the_same() {
        let fails = |task: &str| {
            let all = (0..3).map(|k| (row(task, k, EpisodeOutcome::TaskFailure), Vec::new()));
            all.collect::<Vec<_>>()
        };
        let mut many: Vec<_> =
            ["x/a", "x/b", "x/c", "x/d", "x/e", "x/f", "x/g"].into_iter().flat_map(fails).collect();
        many[20].1.push("odd".into());
        assert_eq!(picked(many), ["a 0", "b 0", "c 0", "d 0", "e 0", "g 2"]);
        let few: Vec<_> = ["x/a", "x/b"].into_iter().flat_map(fails).collect();
        assert_eq!(picked(few).len(), 6);
        let mut mixed = fails("x/a");
        mixed.push((row("x/b", 7, EpisodeOutcome::Success), Vec::new()));
        assert_eq!(picked(mixed), ["a 0", "a 1", "a 2", "b 7"]);
    }
}
