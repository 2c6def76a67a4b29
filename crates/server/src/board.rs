//! Boards: which episodes a policy must play to stand beside others.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use longarm_eval::entry;
use longarm_results::{NamedSeeds, RunConfig, RunOptions, Shard};
use longarm_suites::SUITES;
use longarm_task::TaskSpec;
use longarm_types::{Digest, ENGINE_VERSION, Protocol, SeedRange, Split, TaskId};
use serde::{Deserialize, Serialize};

use crate::ServeError;
use crate::model::Submission;

/// The file with a lab's own boards, in the data folder.
pub const BOARDS: &str = "boards.toml";

/// The engine's tasks by id, made once each.
#[derive(Default)]
pub struct Catalogue(Mutex<BTreeMap<TaskId, Arc<TaskSpec>>>);

impl Catalogue {
    /// Return a task of this engine's suites.
    pub fn task(&self, id: &TaskId) -> Option<Arc<TaskSpec>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = known.get(id) {
            return Some(Arc::clone(task));
        }
        let task = Arc::new(longarm_suites::task(id.as_str())?);
        known.insert(id.clone(), Arc::clone(&task));
        Some(task)
    }
}

/// The seeds of the tasks of each suite, one for each episode.
pub type BoardSeeds = BTreeMap<String, Vec<u64>>;

/// A board. Every suite is one, with all of its tasks and the episodes of its protocol.
pub struct Board {
    /// Name in addresses.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Its tasks by id.
    pub tasks: Vec<TaskId>,
    /// Episodes of each task: the first test seeds of the task's suite.
    pub episodes: u64,
    /// The protocols of the suites its tasks come from.
    pub protocols: BTreeMap<String, Protocol>,
    catalogue: Arc<Catalogue>,
    config: OnceLock<RunConfig>,
}

impl Board {
    fn new(
        name: &str,
        title: &str,
        mut tasks: Vec<TaskId>,
        episodes: Option<u64>,
        catalogue: &Arc<Catalogue>,
    ) -> Result<Self, String> {
        tasks.sort();
        tasks.dedup();
        let mut by_suite: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for id in &tasks {
            by_suite.entry(id.suite()).or_default().push(id.as_str());
        }
        let mut protocols = BTreeMap::new();
        for (suite, ids) in by_suite {
            let known = longarm_suites::suite(suite)
                .ok_or_else(|| format!("board {name:?}: there is no suite {suite:?}"))?;
            protocols.insert(suite.to_owned(), known.protocol_of(ids));
        }
        let asked = protocols.values().map(|p: &Protocol| p.episodes).max();
        let episodes = episodes.or(asked).unwrap_or_default();
        let range = |p: &Protocol| p.splits.range(Split::Test);
        let enough = |r: SeedRange| r.nth(r.first, episodes.saturating_sub(1)).is_some();
        if tasks.is_empty() || episodes == 0 || !protocols.values().all(|p| enough(range(p))) {
            return Err(format!(
                "board {name:?} has {} tasks and {episodes} episodes; it needs some of each, and as many test seeds",
                tasks.len()
            ));
        }
        let (name, title) = (name.to_owned(), title.to_owned());
        let catalogue = Arc::clone(catalogue);
        Ok(Self { name, title, tasks, episodes, protocols, catalogue, config: OnceLock::new() })
    }

    /// Return the seed of an episode of a task.
    fn seed(&self, task: &TaskId, episode: u64) -> u64 {
        let range = self.protocols.get(task.suite()).map(|p| p.splits.range(Split::Test));
        range.and_then(|r| r.nth(r.first, episode)).unwrap_or(episode)
    }

    /// Return the episodes of the board on some seeds, by task and seed.
    pub fn work<'a>(&'a self, seeds: &'a BoardSeeds) -> impl Iterator<Item = (&'a TaskId, u64)> {
        let of = |t: &TaskId| seeds.get(t.suite()).into_iter().flatten().copied();
        self.tasks.iter().flat_map(move |t| of(t).map(move |seed| (t, seed)))
    }

    /// Return the test seeds of each suite, which everybody knows.
    pub fn seeds(&self) -> BoardSeeds {
        let of = |t: &TaskId| (0..self.episodes).map(|k| self.seed(t, k)).collect();
        self.tasks.iter().map(|t| (t.suite().to_owned(), of(t))).collect()
    }

    /// Return the configuration of a run over the board, of a policy without a name.
    pub fn config(&self) -> &RunConfig {
        self.config.get_or_init(|| {
            let entries = self.tasks.iter().filter_map(|id| {
                let task = self.catalogue.task(id)?;
                Some((id.clone(), entry(&task)))
            });
            let range = |(s, p): (&String, &Protocol)| (s.clone(), p.splits.range(Split::Test));
            let suites: BTreeMap<_, _> = self.protocols.iter().map(range).collect();
            RunConfig {
                format: RunConfig::FORMAT,
                selectors: vec![self.name.clone()],
                policy: String::new(),
                episodes: self.episodes,
                seed: suites.values().next().map_or(0, |r| r.first),
                shard: Shard::WHOLE,
                engine: ENGINE_VERSION.to_owned(),
                mujoco: longarm_sim::mujoco_version().to_owned(),
                evidence: longarm_results::Evidence::Simulated,
                options: RunOptions::default(),
                runtime: toml::Table::new(),
                tasks: entries.collect(),
                seeds: Some(NamedSeeds { split: Split::Test, suites }),
                trained_on: Vec::new(),
                protocols: self.protocols.clone(),
                assets: BTreeMap::new(),
            }
        })
    }

    /// Return the configuration of a submission's run over the board.
    pub fn config_of(&self, submission: &Submission) -> RunConfig {
        let mut config = self.config().clone();
        config.policy.clone_from(&submission.description.policy_name);
        if let (true, Some(seeds)) = (submission.method.asks(), &mut config.seeds) {
            seeds.suites.clear();
        }
        config
    }

    /// Return the hash over tasks and episodes: rows of another one are not comparable.
    pub fn hash(&self) -> Digest {
        let tasks = self.config().tasks.iter().map(|(id, t)| format!("{id} {}\n", t.hash));
        let text: String = tasks.chain([format!("{}", self.episodes)]).collect();
        Digest::of(text.as_bytes())
    }
}

/// A board of a lab's own as its file has it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(default)]
    title: String,
    /// Suites, tasks, or patterns over tasks, as `longarm eval` takes them.
    tasks: Vec<String>,
    episodes: Option<u64>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct WrittenBoards {
    /// Whether every suite of the engine is a board, too.
    #[serde(default = "yes")]
    suites: bool,
    #[serde(default)]
    board: Vec<Written>,
}

fn yes() -> bool {
    true
}

/// Return the engine's own tasks that a lab names; those of files are known to nobody else.
fn meant(selectors: &[String], catalogue: &Catalogue) -> Result<Vec<TaskId>, String> {
    let found = longarm_catalogue::Catalogue::default().select(selectors);
    let ids = found.map_err(|e| e.to_string())?.into_iter().map(|f| f.task.id.clone());
    let own = |id: TaskId| match catalogue.task(&id) {
        Some(_) => Ok(id),
        None => Err(format!("this engine has no task {id}")),
    };
    ids.map(own).collect()
}

/// All boards of a server.
pub struct Boards {
    /// In the order in which they are shown.
    pub all: Vec<Board>,
    /// The tasks.
    pub catalogue: Arc<Catalogue>,
}

impl Boards {
    /// Read a lab's own boards and add the suites.
    pub fn open(data: &Path) -> Result<Self, ServeError> {
        let path = data.join(BOARDS);
        let wrong = |why: String| ServeError::Io { path: path.clone(), why };
        let written = match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|e| wrong(e.message().to_owned()))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                WrittenBoards { suites: true, board: Vec::new() }
            }
            Err(e) => return Err(wrong(e.to_string())),
        };
        let catalogue = Arc::new(Catalogue::default());
        let mut all: Vec<Board> = Vec::new();
        if written.suites {
            for suite in SUITES {
                let ids = suite.ids().into_iter().filter_map(|id| id.parse().ok()).collect();
                let title = (suite.protocol)().title;
                let title = if title.is_empty() { suite.name.to_owned() } else { title };
                all.push(Board::new(suite.name, &title, ids, None, &catalogue).map_err(wrong)?);
            }
        }
        for b in written.board {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if b.name.is_empty() || b.name.len() > 40 || !b.name.chars().all(plain) {
                let text =
                    format!("{:?} cannot name a board: use small letters, digits and -", b.name);
                return Err(wrong(text));
            }
            if all.iter().any(|a| a.name == b.name) {
                return Err(wrong(format!("there are two boards {:?}", b.name)));
            }
            let tasks = meant(&b.tasks, &catalogue)
                .map_err(|why| wrong(format!("board {:?}: {why}", b.name)))?;
            let title = if b.title.is_empty() { &b.name } else { &b.title };
            let board = Board::new(&b.name, title, tasks, b.episodes, &catalogue);
            all.push(board.map_err(wrong)?);
        }
        Ok(Self { all, catalogue })
    }

    /// Return a board.
    pub fn get(&self, name: &str) -> Option<&Board> {
        self.all.iter().find(|b| b.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Catalogue, meant};

    #[test]
    fn a_board_names_tasks_as_an_evaluation_does() {
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            meant(&names, &Catalogue::default())
        };
        let all = of(&["longbench"]).unwrap();
        assert_eq!(all.len(), 10);
        assert_eq!(of(&["longbench/*"]).unwrap(), all);
        assert_eq!(of(&["longbench/*", all[3].as_str()]).unwrap(), all);
        let unknown = of(&["longbench/stack-blok"]).unwrap_err();
        assert!(unknown.contains("longbench/stack-block"), "{unknown}");
        assert!(of(&["longbench/nothing-*"]).is_err());
    }
}
