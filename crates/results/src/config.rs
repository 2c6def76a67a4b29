use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use longarm_types::{Digest, Protocol, SeedRange, Split, TaskId};
use serde::{Deserialize, Serialize};

use crate::{Error, Evidence, Result, RunOptions, TrainedOn};

/// Part `index` of `count`, written `2/7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The whole work.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// Part `index`, counted from 1, of `count`.
    pub fn new(index: u64, count: u64) -> Result<Self, String> {
        if (1..=count).contains(&index) {
            Ok(Self { index, count })
        } else {
            Err(format!(
                "{index}/{count} is not a shard; shards of {count} go from 1/{count} to {count}/{count}"
            ))
        }
    }

    /// Counted from 1.
    pub fn index(self) -> u64 {
        self.index
    }

    /// How many there are.
    pub fn count(self) -> u64 {
        self.count
    }

    /// Whether an entry of the work list is this shard's: round robin.
    pub fn owns(self, work: u64) -> bool {
        work % self.count == self.index - 1
    }

    /// How many of `total` entries are this shard's.
    pub fn share(self, total: u64) -> u64 {
        (total + self.count - self.index) / self.count
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let parts = s.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let (i, n) = parts
            .ok_or_else(|| format!("{s:?} is not a shard; write 2/7 for the second of seven"))?;
        Self::new(i, n)
    }
}

impl From<Shard> for String {
    fn from(s: Shard) -> Self {
        s.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = String;
    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

/// What a run knows of one of its tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskEntry {
    /// Hash of the resolved specification.
    pub hash: Digest,
    /// Labels, in the words of the suite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Names of the stages.
    #[serde(default)]
    pub stages: Vec<String>,
    /// What a reader is told of the stages, where it is not their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub titles: Vec<String>,
    /// Most control steps.
    #[serde(default)]
    pub horizon: u32,
    /// What the policy is told.
    #[serde(default)]
    pub instruction: String,
    /// The file it was read from, if it is none of a suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<TaskFile>,
}

/// A file with a task, whole, so that a run can be replayed and resumed without it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskFile {
    /// Its name without folders; the ending says what it is written in.
    pub name: String,
    /// Hash of its text.
    pub hash: Digest,
    /// Its text, which needs no other file.
    pub text: String,
    /// Files of the user's that it was made from (models, meshes, pictures), with their hashes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outside: BTreeMap<String, Digest>,
}

impl TaskFile {
    /// A file of this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let outside = BTreeMap::new();
        Self { name: name.into(), hash: Digest::of(text.as_bytes()), text, outside }
    }
}

/// The named range that the seeds of a run come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedSeeds {
    /// Its name.
    pub split: Split,
    /// Its seeds, by suite, as their protocols declare them.
    pub suites: BTreeMap<String, SeedRange>,
}

impl NamedSeeds {
    /// Whether all suites have the same seeds.
    fn is_one(&self) -> bool {
        let mut all = self.suites.values();
        let first = all.next();
        all.all(|r| Some(r) == first)
    }
}

/// The whole configuration of a run: `run.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// Version of this layout.
    pub format: u32,
    /// What was asked for.
    pub selectors: Vec<String>,
    /// Policy as named on the command line.
    pub policy: String,
    /// Episodes of each task.
    pub episodes: u64,
    /// Seed of the first episode; episode k uses `seed + k`, or as many times the stride of the
    /// options. Where suites have seeds of their own, [`seeds`](Self::seeds) says which.
    #[serde(with = "wide")]
    pub seed: u64,
    /// Which part of the work.
    #[serde(default)]
    pub shard: Shard,
    /// Engine version.
    pub engine: String,
    /// Physics version.
    pub mujoco: String,
    /// What its rows rest on.
    #[serde(default, skip_serializing_if = "Evidence::is_simulated")]
    pub evidence: Evidence,
    /// Everything else that may change a result: chunking, latency, noise, limits.
    #[serde(default, skip_serializing_if = "RunOptions::is_empty")]
    pub options: RunOptions,
    /// What cannot change a result and may differ at a resume: workers, machine, videos.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub runtime: toml::Table,
    /// The tasks by id.
    pub tasks: BTreeMap<TaskId, TaskEntry>,
    /// The named range that the seeds come from; none where they were given literally.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<NamedSeeds>,
    /// What the policy learned from, as far as the user says: how results are read.
    #[serde(default, rename = "trained-on", skip_serializing_if = "Vec::is_empty")]
    pub trained_on: Vec<TrainedOn>,
    /// The protocols of their suites by name: how results are read, not what is run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub protocols: BTreeMap<String, Protocol>,
    /// Files of other people's that its tasks are played in, with their hashes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assets: BTreeMap<String, Digest>,
}

impl RunConfig {
    /// The layout written by this version.
    pub const FORMAT: u32 = 1;

    /// How many episodes this run, or this shard of it, is to have.
    pub fn expected(&self) -> u64 {
        self.shard.share(self.tasks.len() as u64 * self.episodes)
    }

    /// The protocol of a suite; the default where the run says nothing of it.
    pub fn protocol(&self, suite: &str) -> Cow<'_, Protocol> {
        match self.protocols.get(suite) {
            Some(p) => Cow::Borrowed(p),
            None => Cow::Owned(Protocol::default()),
        }
    }

    /// What a reader is told of a stage of a task.
    pub fn stage_title<'a>(&'a self, task: &str, stage: &'a str) -> &'a str {
        let entry = self.tasks.iter().find(|(id, _)| id.as_str() == task).map(|(_, e)| e);
        let title = entry.and_then(|e| {
            let i = e.stages.iter().position(|s| s == stage)?;
            e.titles.get(i).map(String::as_str)
        });
        title.unwrap_or(stage)
    }

    /// The seed of an episode of each task of a suite.
    pub fn seed_of(&self, suite: &str, episode: u64) -> u64 {
        let literal = self.seed.wrapping_add(episode.wrapping_mul(self.options.seed_stride));
        let range = self.seeds.as_ref().and_then(|s| s.suites.get(suite));
        range.and_then(|r| r.nth(r.first, episode)).unwrap_or(literal)
    }

    /// The seeds in words, suite by suite where they differ: `test seeds 0 to 49`.
    pub fn seeds_in_words(&self) -> String {
        let last = self.episodes.saturating_sub(1);
        let of = |suite: &str| {
            let (first, last) = (self.seed_of(suite, 0), self.seed_of(suite, last));
            match self.seed_of(suite, 1).wrapping_sub(first) {
                _ if first == last => format!("{first}"),
                1 => format!("{first} to {last}"),
                k => format!("{first} to {last}, {k} apart"),
            }
        };
        let word = if self.episodes == 1 { "seed" } else { "seeds" };
        match &self.seeds {
            None => format!("{word} {}", of("")),
            // A leaderboard's own, which no range describes.
            Some(n) if n.suites.is_empty() => format!("hidden {word}"),
            Some(n) if n.is_one() => {
                let suite = n.suites.keys().next().map_or("", String::as_str);
                format!("{} {word} {}", n.split, of(suite))
            }
            Some(n) => {
                let each = n.suites.keys().map(|s| format!("{} of {s}", of(s)));
                format!("{} {word} {}", n.split, each.collect::<Vec<_>>().join(" and "))
            }
        }
    }

    /// As TOML.
    pub fn to_toml(&self) -> String {
        // Only maps with odd keys and numbers beyond i64 could fail, and there are none.
        toml::to_string(self).unwrap_or_default()
    }

    /// Reads `run.toml`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
        let wrong = |what: String| Error::Config { path: path.to_owned(), what };
        let config: Self = toml::from_str(&text).map_err(|e| wrong(e.message().to_owned()))?;
        if config.format != Self::FORMAT {
            return Err(wrong(format!(
                "it has format {}, this version reads {}",
                config.format,
                Self::FORMAT
            )));
        }
        Ok(config)
    }

    /// The keys in which two configurations differ, with both values; what changes no result is left
    /// out.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let value = |c: &Self| {
            let mut v = toml::Value::try_from(c).unwrap_or(toml::Value::Boolean(false));
            if let Some(t) = v.as_table_mut() {
                t.remove("runtime");
                t.remove("protocols");
                t.remove("trained-on");
                let tasks = t.get_mut("tasks").and_then(toml::Value::as_table_mut);
                for (_, entry) in tasks.into_iter().flatten() {
                    entry.as_table_mut().and_then(|e| e.remove("titles"));
                }
                // The same seeds under a name are the same seeds.
                if c.seeds.as_ref().is_none_or(NamedSeeds::is_one) {
                    t.remove("seeds");
                }
            }
            v
        };
        let mut out = Vec::new();
        differ("", Some(&value(self)), Some(&value(other)), &mut out);
        out
    }
}

fn differ(path: &str, old: Option<&toml::Value>, new: Option<&toml::Value>, out: &mut Vec<String>) {
    if old == new {
        return;
    }
    if let (Some(toml::Value::Table(a)), Some(toml::Value::Table(b))) = (old, new) {
        let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
        for key in keys {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            differ(&path, a.get(key), b.get(key), out);
        }
        return;
    }
    let show = |v: Option<&toml::Value>| {
        v.map_or("nothing".to_owned(), |v| match v {
            toml::Value::Table(_) => "set".to_owned(),
            toml::Value::String(s) if s.contains('\n') => "another text".to_owned(),
            v => v.to_string(),
        })
    };
    out.push(format!("{path} was {}, now {}", show(old), show(new)));
}

/// TOML's integers end at 2⁶³: larger seeds are written as text.
pub(crate) mod wide {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(v: &u64, s: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(*v) {
            Ok(small) => s.serialize_i64(small),
            Err(_) => s.serialize_str(&v.to_string()),
        }
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u64),
        Text(String),
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
        match Either::deserialize(d)? {
            Either::Number(n) => Ok(n),
            Either::Text(t) => t.parse().map_err(D::Error::custom),
        }
    }
}
