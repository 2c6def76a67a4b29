//! What is recorded, and how it is written.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use longarm_data::keyframes::Rule;
use longarm_results::TaskFile;
use longarm_task::TaskSpec;
use longarm_types::{ControlMode, Digest, Hints, SeedRange, Split, TaskId, counted, nearest};
use serde::{Deserialize, Serialize};

use super::DemoError;
use crate::{Seeds, SetupError, Variant, seeds_of};

/// How demonstrations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Format {
    /// LeRobot v3.0.
    Lerobot,
    /// LeRobot v2.1 under the keys of openpi's training examples: `image`, `wrist_image`, `state`, `actions`.
    LerobotV21,
    /// HDF5 as robomimic reads it, one file per task.
    Hdf5,
    /// Actions and seeds only; `longarm render` makes the rest of it again.
    Native,
    /// Arrays of pictures, depths and segments, one file each.
    Npy,
    /// HDF5 with one file per subtask of an episode, in folders by what a task measures.
    Hdf5Subtasks,
    /// Chat messages with pictures to train a high-level model on, one line per window of frames.
    Jsonl,
}

impl Format {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Lerobot, "lerobot"),
        (Self::LerobotV21, "lerobot-v2.1"),
        (Self::Hdf5, "hdf5"),
        (Self::Native, "native"),
        (Self::Npy, "npy"),
        (Self::Hdf5Subtasks, "hdf5-subtasks"),
        (Self::Jsonl, "jsonl"),
    ];

    /// Whether pictures are stored.
    pub fn pictures(self) -> bool {
        self != Self::Native
    }

    /// Whether every episode has files of its own, and no file is about all of them.
    pub(super) fn apart(self) -> bool {
        matches!(self, Self::Native | Self::Npy | Self::Hdf5Subtasks | Self::Jsonl)
    }

    /// Whether files are HDF5, whose vectors are of double precision.
    pub(super) fn hdf5(self) -> bool {
        matches!(self, Self::Hdf5 | Self::Hdf5Subtasks)
    }

    /// Whether pictures are stored as video.
    pub fn video(self) -> bool {
        matches!(self, Self::Lerobot | Self::LerobotV21)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|(x, _)| x == self).map_or("", |(_, n)| n))
    }
}

impl FromStr for Format {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let names = Self::ALL.iter().map(|(_, n)| *n);
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(x, _)| *x).ok_or_else(|| {
            let hint = match nearest(name, names.clone()).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
            };
            format!("no format {name:?}; {hint}")
        })
    }
}

impl TryFrom<String> for Format {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Format> for String {
    fn from(f: Format) -> Self {
        f.to_string()
    }
}

/// The seed of an attempt, within a range if there is one; `None` beyond the last there is.
pub fn seed_of(range: Option<SeedRange>, first: u64, attempt: u64) -> Option<u64> {
    range.unwrap_or(SeedRange::from(0)).nth(first, attempt)
}

/// What of a picture is stored as arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Modality {
    /// Colours.
    Rgb,
    /// Metres along the optical axis.
    Depth,
    /// Tracked body of each pixel.
    Segmentation,
}

impl FromStr for Modality {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "rgb" => Ok(Self::Rgb),
            "depth" => Ok(Self::Depth),
            "segmentation" => Ok(Self::Segmentation),
            _ => Err(format!("no modality {name:?}; there are rgb, depth and segmentation")),
        }
    }
}

/// Everything a dataset depends on. Equal configurations give equal datasets, to the byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DemoConfig {
    /// Version of this file.
    pub version: u32,
    /// Engine version.
    pub engine: String,
    /// Physics version.
    pub mujoco: String,
    /// How it is written.
    pub format: Format,
    /// Who acts, as named on the command line.
    pub policy: String,
    /// Episodes to keep of each task.
    pub episodes: u64,
    /// First seed of each task.
    pub seed: u64,
    /// Which part of the seeds, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// The seeds of that part, as the tasks' suites declare them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<SeedRange>,
    /// Most episodes tried of each task.
    pub attempts: u64,
    /// Keep episodes that failed, too.
    pub keep_failures: bool,
    /// What actions command; what each task does by default when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlMode>,
    /// Choices among the options that the tasks' suites declare.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// What the policy is told besides.
    #[serde(default, skip_serializing_if = "Hints::is_none")]
    pub hints: Hints,
    /// Noise on the actions taken, as a share of half their range; none when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// Width and height of pictures; the rig's own when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[usize; 2]>,
    /// Cameras; all that policies see when empty.
    pub cameras: Vec<String>,
    /// What of pictures is stored, where there is a choice.
    pub modalities: Vec<Modality>,
    /// The recording that is rendered again: the hash of its episodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Digest>,
    /// What makes a keyframe.
    pub keyframes: Rule,
    /// Frames from one window to the next, where windows of frames are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_every: Option<u32>,
    /// The tasks with the hashes of their specifications.
    pub tasks: BTreeMap<TaskId, Digest>,
    /// The files of tasks that are none of a suite's, whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<TaskId, TaskFile>,
}

impl DemoConfig {
    /// Version of the configuration this engine writes.
    pub const VERSION: u32 = 1;

    /// Return a task as it was recorded; `None` if this engine does not know it.
    pub fn task(&self, id: &TaskId) -> Option<TaskSpec> {
        self.variant().stored(crate::task_from(self.files.get(id), id)?)
    }

    /// How its tasks differ from what they are by default.
    pub fn variant(&self) -> Variant {
        Variant { options: self.options.clone(), control: self.control }
    }

    /// First seed, split and its range, of a recording in these tasks: train seeds, unless the user
    /// names another split, or gives the first seed literally. With both it is the first of the split
    /// that is taken.
    pub fn seeds(
        tasks: &[Arc<TaskSpec>],
        first: Option<u64>,
        split: Option<Split>,
    ) -> Result<(u64, Option<Split>, Option<SeedRange>), SetupError> {
        // A split wins over the first seed here, which then says where in it to begin.
        let literal = first.filter(|_| split.is_none());
        match Seeds::asked(literal, None, split, Split::Train) {
            Seeds::From { first, .. } => Ok((first, None, None)),
            Seeds::Split(split) => {
                let range = seeds_of(tasks, split)?;
                let first = first.unwrap_or(0).max(range.first);
                Ok((first, Some(split), Some(range)))
            }
        }
    }

    /// Whether what was recorded as this is the beginning of what is wanted.
    pub(super) fn grows_to(&self, wanted: &Self) -> bool {
        let (episodes, attempts) = (wanted.episodes, wanted.attempts);
        self.source.is_none()
            && episodes >= self.episodes
            && attempts >= self.attempts
            && Self { episodes, attempts, ..self.clone() } == *wanted
    }

    /// Hashes of tasks by their ids.
    pub fn hashes(tasks: &[Arc<TaskSpec>]) -> BTreeMap<TaskId, Digest> {
        tasks.iter().map(|t| (t.id.clone(), t.hash())).collect()
    }

    /// Fills in the seeds of a split that an earlier version wrote by name only: it divided the seeds
    /// of every suite by parity.
    pub(super) fn complete(mut self) -> Self {
        self.seeds = self.seeds.or(self.split.map(|split| match split {
            Split::Train => SeedRange::from(0).every(2),
            Split::Validation => SeedRange::between(1, 9_999).every(2),
            Split::Test => SeedRange::from(10_001).every(2),
        }));
        if let Some(range) = self.seeds {
            self.seed = self.seed.max(range.first);
        }
        self
    }

    /// Refuses what means nothing.
    pub fn check(&self) -> Result<(), DemoError> {
        let wrong = |what: String| Err(DemoError::Config(what));
        if self.episodes == 0 || self.tasks.is_empty() {
            return wrong("there is nothing to record".into());
        }
        if self.attempts < self.episodes {
            let (n, k) = (counted(self.episodes, "episode"), counted(self.attempts, "attempt"));
            return wrong(format!("{n} cannot come out of at most {k}"));
        }
        if self.source.is_none() && seed_of(self.seeds, self.seed, self.episodes - 1).is_none() {
            let (n, s) = (self.episodes, self.seed);
            return wrong(format!("from seed {s} there are no {n} seeds in this split"));
        }
        if let Some(noise) = self.noise.filter(|n| !(0.0..=1.0).contains(n)) {
            return wrong(format!("noise {noise}: a share from 0 to 1 is needed"));
        }
        let k = &self.keyframes;
        if !(k.slow >= 0.0 && k.slow.is_finite() && (0.0..=180.0).contains(&k.turn)) {
            return wrong("keyframes need a speed of 0 or more and an angle of 0 to 180°".into());
        }
        if self.window_every == Some(0) {
            return wrong("windows of frames 0 frames apart never end; take 1 or more".into());
        }
        if let Some([w, h]) = self.size
            && !((16..=2160).contains(&w) && (16..=2160).contains(&h))
        {
            return wrong(format!("pictures of {w}x{h}: each side takes 16 to 2160 pixels"));
        }
        if self.format != Format::Npy && self.modalities != [Modality::Rgb] {
            return wrong(format!(
                "{} stores colours only; --format npy stores the rest",
                self.format
            ));
        }
        Ok(())
    }

    /// What differs, with both values.
    pub(super) fn differences(&self, other: &Self) -> String {
        let table = |c: &Self| toml::Table::try_from(c).unwrap_or_default();
        let (ours, theirs) = (table(self), table(other));
        let text = |v: Option<&toml::Value>| match v {
            None => "nothing".to_owned(),
            Some(toml::Value::Table(_)) => "other values".to_owned(),
            Some(v) => v.to_string(),
        };
        let keys: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        let each = keys.into_iter().filter(|k| ours.get(*k) != theirs.get(*k));
        let each =
            each.map(|k| format!("{k} {} there, {} now", text(theirs.get(k)), text(ours.get(k))));
        each.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_come_from_their_range() {
        let odd = Some(SeedRange::between(1, 9_999).every(2));
        let seeds = |range, first| -> Vec<u64> {
            (0..3).filter_map(|k| seed_of(range, first, k)).collect()
        };
        assert_eq!(seeds(None, 7), [7, 8, 9]);
        assert_eq!(seeds(odd, 0), [1, 3, 5]);
        assert_eq!(seeds(odd, 9_998), [9_999]);
        assert_eq!(seed_of(None, u64::MAX, 1), None);
    }
}
