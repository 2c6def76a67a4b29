//! From what a user asks for to the configuration of a run, the same for the command line and Python.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use longarm_assets::ControlError;
use longarm_assets::outside::OutsideError;
use longarm_assets::source::AssetFoldersError;
use longarm_results::{
    ExecutionError, NamedSeeds, REPORT, Run, RunConfig, RunOptions, Shard, TaskEntry, TaskFile,
    TrainedOn, report,
};
use longarm_suites::OptionError;
use longarm_task::{SampleError, TaskSpec, sample};
use longarm_types::{
    ControlModeError, Digest, ENGINE_VERSION, Protocol, SeedRange, Split, TaskId, counted,
};

use crate::demos::{self, DemoError};
use crate::variant::ASSETS;
use crate::{PolicySpec, Variant, entry, work_list};

/// Which seeds the episodes of each task have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// These, taken literally.
    From {
        /// The first.
        first: u64,
        /// How far they are apart.
        stride: u64,
    },
    /// The first of a split, as the suites' protocols declare it.
    Split(Split),
}

impl Seeds {
    /// What a user means: a first seed or a stride is taken literally, a split as declared, and without
    /// either it is the split that is `usual` for the command: train to record, test to evaluate.
    pub fn asked(
        first: Option<u64>,
        stride: Option<u64>,
        split: Option<Split>,
        usual: Split,
    ) -> Self {
        match (first, stride, split) {
            (None, None, split) => Self::Split(split.unwrap_or(usual)),
            (first, stride, _) => {
                Self::From { first: first.unwrap_or(0), stride: stride.unwrap_or(1) }
            }
        }
    }
}

/// Everything a user may say about a run.
pub struct RunSetup {
    /// What was asked for.
    pub selectors: Vec<String>,
    /// The tasks that this means, each once.
    pub tasks: Vec<Arc<TaskSpec>>,
    /// The files that some of them come from.
    pub files: BTreeMap<TaskId, TaskFile>,
    /// Policy as a user names it.
    pub policy: String,
    /// What to call it in results instead.
    pub label: Option<String>,
    /// Episodes of each task; as many as the suites' protocols ask for otherwise.
    pub episodes: Option<u64>,
    /// Their seeds.
    pub seeds: Seeds,
    /// Which part of the work.
    pub shard: Shard,
    /// What may change a result; the seed stride and the choices among suites' options are filled in.
    pub options: RunOptions,
    /// Choices among the options that suites declare, name and value.
    pub choices: Vec<(String, String)>,
    /// Data sets that the policy learned from.
    pub trained_on: Vec<PathBuf>,
    /// What cannot change a result.
    pub runtime: toml::Table,
}

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Nothing to do.
    #[error("{0}")]
    Nothing(&'static str),
    /// Seeds that repeat or go beyond the largest.
    #[error(
        "seed {first}, seed stride {stride} and {} do not give as many different seeds",
        counted(*.episodes, "episode")
    )]
    Seeds {
        /// The first.
        first: u64,
        /// How far they are apart.
        stride: u64,
        /// How many are needed.
        episodes: u64,
    },
    /// Suites that divide seeds in different ways.
    #[error(
        "{a} and {b} have different {split} seeds; take them one by one, or give --seed yourself"
    )]
    Splits {
        /// One suite.
        a: String,
        /// Another.
        b: String,
        /// What was asked for.
        split: Split,
    },
    /// A split with fewer seeds than episodes.
    #[error("the {split} seeds, {range}, are fewer than {episodes}")]
    Few {
        /// What was asked for.
        split: Split,
        /// Its seeds.
        range: SeedRange,
        /// How many are needed.
        episodes: u64,
    },
    /// Episodes cannot be played so.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// A control mode that does not exist.
    #[error(transparent)]
    ControlMode(#[from] ControlModeError),
    /// A control mode that a rig does not offer.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// A suite's option.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Folders of other people's files that are not written as such.
    #[error(transparent)]
    Folders(#[from] AssetFoldersError),
    /// A file of other people's.
    #[error(transparent)]
    Files(#[from] OutsideError),
    /// A choice that is not written as one.
    #[error("-o {0}: options are given as name=value")]
    Choice(String),
    /// The data that the policy learned from.
    #[error("--trained-on: {0}")]
    Data(Box<DemoError>),
    /// A scene of the run that cannot be drawn.
    #[error("the run would break: {0}")]
    Scene(#[from] SampleError),
}

/// A run that can begin.
pub struct Prepared {
    /// Its configuration.
    pub config: RunConfig,
    /// Its tasks under the suites' options, by id.
    pub tasks: Vec<Arc<TaskSpec>>,
}

impl RunSetup {
    /// Checks everything that can be known before the first episode, every scene among it.
    pub fn prepare(self) -> Result<Prepared, SetupError> {
        if self.tasks.is_empty() {
            return Err(SetupError::Nothing("no tasks were chosen: there is nothing to run"));
        }
        self.options.execution.check()?;
        let mut tasks = with_choices(self.tasks, &self.choices, self.options.control.as_deref())?;
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        tasks.dedup_by(|a, b| a.id == b.id);
        let protocols = protocols(tasks.iter().map(|t| &t.id));
        let most = tasks.iter().map(|t| protocol_of(&protocols, t).episodes).max();
        let episodes = self.episodes.or(most).unwrap_or_default();
        let ((seed, stride), seeds) = match self.seeds {
            Seeds::Split(split) => {
                let named = named(&tasks, split, episodes)?;
                let first = tasks.first().and_then(|t| named.suites.get(t.id.suite()));
                (first.map_or((0, 1), |r| (r.first, r.stride)), Some(named))
            }
            literal => (literal.resolve(&tasks, episodes)?, None),
        };
        let trained_on = trained_on(&self.policy, &self.trained_on, &tasks)?;
        let agent = match self.policy.parse() {
            Ok(PolicySpec::Agent(spec)) => {
                let spec = crate::agent::prompted(&spec, tasks.iter().map(|t| &t.id));
                Some(crate::agent::described(&spec))
            }
            _ => None,
        };
        let mut options = RunOptions { seed_stride: stride, agent, ..self.options };
        let mut runtime = self.runtime;
        for (name, value) in &self.choices {
            // Where files lie changes nothing; their hashes are written down.
            match name == ASSETS {
                true => drop(runtime.insert(name.clone(), value.as_str().into())),
                false => options.choose(name, value),
            }
        }
        let files = self.files;
        let row = |t: &Arc<TaskSpec>| {
            (t.id.clone(), TaskEntry { file: files.get(&t.id).cloned(), ..entry(t) })
        };
        if self.label.is_some() {
            runtime.insert("policy".into(), self.policy.as_str().into());
            // The label stands for where the policy is, not for how it is spoken to.
            options.policy = self.policy.split_once('?').map(|(_, how)| how.to_owned());
        }
        let config = RunConfig {
            format: RunConfig::FORMAT,
            selectors: self.selectors,
            policy: self.label.unwrap_or(self.policy),
            episodes,
            seed,
            shard: self.shard,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: longarm_sim::mujoco_version().to_owned(),
            evidence: longarm_results::Evidence::Simulated,
            options,
            runtime,
            tasks: tasks.iter().map(row).collect(),
            seeds,
            trained_on,
            protocols,
            assets: files_of(&tasks),
        };
        for work in work_list(&config) {
            sample(&tasks[work.task], work.seed)?;
        }
        Ok(Prepared { config, tasks })
    }
}

/// Files of other people's that tasks are played in, with their hashes.
pub(crate) fn files_of(tasks: &[Arc<TaskSpec>]) -> BTreeMap<String, Digest> {
    let all = tasks.iter().filter_map(|t| t.files.as_ref());
    all.flat_map(|f| f.used().iter().map(|(name, hash)| (name.clone(), *hash))).collect()
}

impl Seeds {
    /// First seed and stride of this many episodes.
    pub fn resolve(self, tasks: &[Arc<TaskSpec>], episodes: u64) -> Result<(u64, u64), SetupError> {
        if episodes == 0 {
            return Err(SetupError::Nothing("0 episodes: there is nothing to run"));
        }
        match self {
            Self::From { first, stride } => {
                let last = (episodes - 1).checked_mul(stride).and_then(|k| first.checked_add(k));
                if last.is_none() || stride == 0 {
                    return Err(SetupError::Seeds { first, stride, episodes });
                }
                Ok((first, stride))
            }
            Self::Split(split) => {
                let range = seeds_of(tasks, split)?;
                enough(split, range, episodes)?;
                Ok((range.first, range.stride))
            }
        }
    }
}

fn enough(split: Split, range: SeedRange, episodes: u64) -> Result<(), SetupError> {
    if episodes == 0 {
        return Err(SetupError::Nothing("0 episodes: there is nothing to run"));
    }
    match range.nth(range.first, episodes - 1) {
        Some(_) => Ok(()),
        None => Err(SetupError::Few { split, range, episodes }),
    }
}

/// The seeds of a split, suite by suite.
fn named(tasks: &[Arc<TaskSpec>], split: Split, episodes: u64) -> Result<NamedSeeds, SetupError> {
    let protocols = protocols(tasks.iter().map(|t| &t.id));
    let mut suites = BTreeMap::new();
    for task in tasks {
        let range = protocol_of(&protocols, task).splits.range(split);
        enough(split, range, episodes)?;
        suites.insert(task.id.suite().to_owned(), range);
    }
    Ok(NamedSeeds { split, suites })
}

/// What a policy learned from: what the user says, and what it declares itself.
fn trained_on(
    policy: &str,
    given: &[PathBuf],
    tasks: &[Arc<TaskSpec>],
) -> Result<Vec<TrainedOn>, SetupError> {
    let mut dirs: Vec<PathBuf> = given.to_vec();
    if let Ok(PolicySpec::Nearest(spec)) = policy.parse() {
        dirs.push(spec.data().to_owned());
    }
    dirs.sort();
    dirs.dedup();
    let read = |dir: PathBuf| -> Result<TrainedOn, DemoError> {
        demos::read_config(&dir)?;
        let rows = demos::read_rows(&dir, demos::EPISODES)?;
        let path = dir.join(demos::OWN).join(demos::EPISODES);
        let text = std::fs::read(&path).map_err(DemoError::io("read", &path))?;
        let each = rows.iter().map(|r| (&r.episode.task, r.episode.seed));
        let ours = |id: &TaskId| tasks.iter().any(|t| t.id == *id);
        Ok(TrainedOn::new(dir.display().to_string(), Digest::of(&text), each, ours))
    };
    dirs.into_iter().map(|d| read(d).map_err(|e| SetupError::Data(Box::new(e)))).collect()
}

/// The seeds of a split, on which the suites of these tasks must agree.
pub fn seeds_of(tasks: &[Arc<TaskSpec>], split: Split) -> Result<SeedRange, SetupError> {
    let protocols = protocols(tasks.iter().map(|t| &t.id));
    let range = |t: &Arc<TaskSpec>| protocol_of(&protocols, t).splits.range(split);
    let Some(first) = tasks.first() else {
        return Err(SetupError::Nothing("no tasks were chosen: there are no seeds"));
    };
    match tasks.iter().find(|t| range(t) != range(first)) {
        None => Ok(range(first)),
        Some(other) => {
            let (a, b) = (first.id.suite().to_owned(), other.id.suite().to_owned());
            Err(SetupError::Splits { a, b, split })
        }
    }
}

/// Tasks under choices among their suites' options and in a control mode.
pub fn with_choices(
    tasks: Vec<Arc<TaskSpec>>,
    choices: &[(String, String)],
    control: Option<&str>,
) -> Result<Vec<Arc<TaskSpec>>, SetupError> {
    let control = control.map(str::parse).transpose()?;
    Variant { options: choices.iter().cloned().collect(), control }.of(tasks)
}

fn protocol_of<'a>(
    protocols: &'a BTreeMap<String, Protocol>,
    task: &TaskSpec,
) -> std::borrow::Cow<'a, Protocol> {
    match protocols.get(task.id.suite()) {
        Some(p) => std::borrow::Cow::Borrowed(p),
        None => std::borrow::Cow::Owned(Protocol::default()),
    }
}

/// The protocols of the suites of some tasks, with the roles of these tasks.
fn protocols<'a>(ids: impl Iterator<Item = &'a TaskId>) -> BTreeMap<String, Protocol> {
    let mut by_suite: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in ids {
        by_suite.entry(id.suite()).or_default().push(id.as_str());
    }
    let known = by_suite.into_iter().filter_map(|(name, ids)| {
        Some((name.to_owned(), longarm_suites::suite(name)?.protocol_of(ids)))
    });
    known.collect()
}

/// Fills in the protocols of suites of which a run of an earlier version says nothing.
pub fn complete_protocols(config: &mut RunConfig) {
    let missing = protocols(config.tasks.keys());
    for (suite, protocol) in missing {
        config.protocols.entry(suite).or_insert(protocol);
    }
}

/// Reads a run directory, also one of an earlier version.
pub fn read_run(dir: &Path) -> longarm_results::Result<Run> {
    Run::read_with(dir, complete_protocols)
}

/// Writes the page about a run into its directory.
pub fn write_report(dir: &Path) -> longarm_results::Result<()> {
    let page = report::render(&[read_run(dir)?]);
    Ok(longarm_data::write_atomically(&dir.join(REPORT), page.as_bytes())?)
}
