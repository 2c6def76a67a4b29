//! How a benchmark is run and what is reported of it, as a value.
//!
//! A suite declares its protocol, a run writes it down, and results and reports draw what it
//! declares: they know no benchmark by name.

mod published;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use published::{MemoryClaim, Published, PublishedRow};

/// The protocol of a suite. The default is that of tasks that belong to none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Protocol {
    /// The benchmark's name as people write it; empty where there is none.
    pub title: String,
    /// Episodes of each task.
    pub episodes: u64,
    /// What one step of an episode is.
    pub step: StepUnit,
    /// Which seeds are for training, validation and test.
    pub splits: Splits,
    /// Labels that belong together, in the benchmark's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<LabelGroup>,
    /// Tasks against labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Matrix>,
    /// What is reported of each label, of each group and of the whole; the score if none is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Metric>,
    /// Tasks that are made of others, by id. A run keeps those of its own tasks.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, Role>,
    /// What others have published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            title: String::new(),
            episodes: 50,
            step: StepUnit::default(),
            splits: Splits::default(),
            groups: Vec::new(),
            matrix: None,
            metrics: Vec::new(),
            roles: BTreeMap::new(),
            published: None,
        }
    }
}

impl Protocol {
    /// A label with its group, and its place among all labels.
    pub fn label(&self, label: &str) -> Option<(usize, &LabelGroup, &Label)> {
        let all = self.groups.iter().flat_map(|g| g.labels.iter().map(move |l| (g, l)));
        all.enumerate().find(|(_, (_, l))| l.label == label).map(|(i, (g, l))| (i, g, l))
    }

    /// Whether tasks with these labels need what is no longer seen; `None` where nothing is claimed.
    pub fn needs_context(&self, labels: &[String]) -> Option<bool> {
        let claims = labels.iter().filter_map(|l| self.label(l)?.1.needs_context);
        claims.reduce(|a, b| a || b)
    }

    /// The measures that are reported of labels and groups.
    pub fn measures(&self) -> Vec<Measure> {
        let mut out: Vec<Measure> = Vec::new();
        for m in &self.metrics {
            if !out.contains(&m.measure) {
                out.push(m.measure);
            }
        }
        if out.is_empty() { vec![Measure::Score] } else { out }
    }

    /// What a measure is called: as the protocol does, where it declares several.
    pub fn measure_name(&self, measure: Measure) -> &str {
        let declared = self.metrics.iter().find(|m| m.measure == measure);
        match (declared, measure) {
            (Some(m), _) if self.measures().len() > 1 => &m.name,
            (_, Measure::Success) => "success",
            (_, Measure::Score) => "score",
            (_, Measure::Composite) => "half success, half score",
        }
    }

    /// The key under which a measure of a task, label or group is published.
    pub fn published_key(&self, of: &str, measure: Measure) -> String {
        match self.measures().len() {
            1 => of.to_owned(),
            _ => format!("{of} {}", self.measure_name(measure)),
        }
    }
}

/// What one step of an episode is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepUnit {
    /// One step of the controller.
    #[default]
    ControlStep,
    /// A whole action, such as a pick and place.
    Action,
}

impl StepUnit {
    /// In words, for several of them.
    pub fn plural(self) -> &'static str {
        match self {
            Self::ControlStep => "control steps",
            Self::Action => "actions",
        }
    }
}

/// A part of the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// To learn from.
    Train,
    /// To choose by.
    #[serde(alias = "val")]
    Validation,
    /// To report.
    Test,
}

impl Split {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Train, Self::Validation, Self::Test];
}

impl FromStr for Split {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "train" => Ok(Self::Train),
            "validation" | "val" => Ok(Self::Validation),
            "test" => Ok(Self::Test),
            _ => Err(format!("no split {name:?}; there are train, validation and test")),
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        })
    }
}

/// Seeds from `first` to `last`, `stride` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeedRange {
    /// The first seed.
    pub first: u64,
    /// The last seed there may be; none where the range is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// How far successive seeds are apart, at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub stride: u64,
}

fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(n: &u64) -> bool {
    *n == 1
}

impl SeedRange {
    /// Every seed from `first` on.
    pub const fn from(first: u64) -> Self {
        Self { first, last: None, stride: 1 }
    }

    /// The seeds from `first` to `last`.
    pub const fn between(first: u64, last: u64) -> Self {
        Self { first, last: Some(last), stride: 1 }
    }

    /// Every `stride`-th of these seeds.
    pub const fn every(self, stride: u64) -> Self {
        Self { stride, ..self }
    }

    /// The `k`-th seed of the range that is not below `from`; `None` beyond the last.
    pub fn nth(&self, from: u64, k: u64) -> Option<u64> {
        let stride = self.stride.max(1);
        let skipped = from.saturating_sub(self.first).div_ceil(stride);
        let seed = self.first.checked_add(skipped.checked_add(k)?.checked_mul(stride)?)?;
        self.last.is_none_or(|last| seed <= last).then_some(seed)
    }

    /// Whether a seed belongs to it.
    pub fn contains(&self, seed: u64) -> bool {
        self.nth(seed, 0) == Some(seed)
    }
}

impl fmt::Display for SeedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            None => write!(f, "from {}", self.first)?,
            Some(last) => write!(f, "{} to {last}", self.first)?,
        }
        if self.stride > 1 { write!(f, ", {} apart", self.stride) } else { Ok(()) }
    }
}

/// Which seeds are for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Splits {
    /// To learn from.
    pub train: SeedRange,
    /// To choose by.
    pub validation: SeedRange,
    /// To report.
    pub test: SeedRange,
}

impl Splits {
    /// The seeds of a split.
    pub fn range(&self, split: Split) -> SeedRange {
        match split {
            Split::Train => self.train,
            Split::Validation => self.validation,
            Split::Test => self.test,
        }
    }

    /// The split that a seed belongs to, if any.
    pub fn of(&self, seed: u64) -> Option<Split> {
        Split::ALL.into_iter().find(|s| self.range(*s).contains(seed))
    }
}

/// Test seeds come first, so that a run from seed 0 is one on test seeds. Train seeds have no end: a
/// seed drawn at random, as training environments do, is one of them.
impl Default for Splits {
    fn default() -> Self {
        Self {
            train: SeedRange::from(20_000),
            validation: SeedRange::between(10_000, 19_999),
            test: SeedRange::between(0, 9_999),
        }
    }
}

/// Labels that belong together: mechanisms of a regime, categories, the levels of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LabelGroup {
    /// What it is called.
    pub name: String,
    /// Whether tasks with one of these labels need what is no longer seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_context: Option<bool>,
    /// Its labels, in the benchmark's order.
    pub labels: Vec<Label>,
}

impl LabelGroup {
    /// A group of labels with their names.
    pub fn new(name: &str, labels: &[(&str, &str)]) -> Self {
        let labels = labels
            .iter()
            .map(|(label, name)| Label { label: (*label).to_owned(), name: (*name).to_owned() });
        Self { name: name.to_owned(), needs_context: None, labels: labels.collect() }
    }

    /// The same with a claim about what its tasks need.
    pub fn needs_context(self, yes: bool) -> Self {
        Self { needs_context: Some(yes), ..self }
    }
}

/// A label of tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// As tasks carry it.
    pub label: String,
    /// In words.
    pub name: String,
}

/// Tasks against the labels they carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Matrix {
    /// What the columns are, in the plural: `capabilities`.
    pub heading: String,
    /// Labels that are columns.
    pub columns: Vec<String>,
    /// Labels that divide the tasks into parts.
    pub parts: Vec<String>,
}

impl Matrix {
    /// Whether a label only counts the columns of a task: `2-capabilities`.
    pub fn counts(&self, label: &str) -> bool {
        let count = label.strip_suffix(&self.heading).and_then(|rest| rest.strip_suffix('-'));
        count.is_some_and(|n| n.parse::<u32>().is_ok())
    }
}

/// What is measured of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Whether it was solved, in percent.
    Success,
    /// Share of its stages that were completed, in percent.
    Score,
    /// Half of each.
    Composite,
}

/// What a mean is over. Tasks always weigh the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeanOver {
    /// All tasks of the suite.
    Tasks,
    /// The label groups, each of which is a mean of its tasks; undefined until all were run.
    Groups,
}

/// A number that the benchmark reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Metric {
    /// What it is called.
    pub name: String,
    /// How it comes about, in words.
    pub title: String,
    /// What is measured.
    pub measure: Measure,
    /// What the mean is over.
    pub over: MeanOver,
}

/// How a task is made of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Role {
    /// A task in modified surroundings.
    Modified {
        /// Id of the plain task.
        plain: String,
        /// How many modifications.
        count: u32,
        /// The part of the benchmark it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        challenge: Option<String>,
        /// What tells its scene from the plain one, in words.
        title: String,
    },
    /// Tasks one after the other.
    Chain {
        /// Their ids, in order.
        parts: Vec<String>,
    },
}
