//! What a task itself moves before the policy's eyes: a hand that swaps cups, a demonstrator.
//!
//! A [`Show`] moves objects along declared ways in a declared time. The robot is held still meanwhile and
//! nothing counts, so that no policy can meddle and nothing shown is scored. All of it is data of the task,
//! hence part of its hash; what is shown follows from the scene and the steps taken, without randomness of
//! its own.

mod play;

use longarm_types::hint;
use serde::{Deserialize, Serialize};

pub use play::{Guided, Shows};

use crate::{Given, SpecError, TaskSpec};

/// A motion of objects that the task makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Name.
    pub name: String,
    /// When it begins.
    #[serde(default)]
    pub cue: Cue,
    /// Seconds it takes.
    pub seconds: f64,
    /// What goes where, all at once; nothing for a pause.
    #[serde(default)]
    pub moves: Vec<Carry>,
    /// It is shown only where a variable has such a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Given>,
}

/// When a show begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Cue {
    /// When the one before it is over; the first one when the episode begins.
    #[default]
    Next,
    /// A number of seconds after a stage was completed.
    After {
        /// The stage.
        stage: String,
        /// The seconds.
        seconds: f64,
    },
}

/// Where an object is carried, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carry {
    /// The object, or an alias of it.
    pub object: String,
    /// Where it goes.
    pub to: CarryTo,
    /// By how much its way rises half way, metres.
    #[serde(default)]
    pub arch: f64,
    /// By how much its way bends to the left half way, metres.
    #[serde(default)]
    pub bend: f64,
    /// How far it is tilted about the world's x in the end, radians, against how it began the episode; as it is
    /// if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tilt: Option<f64>,
    /// What it covers or contains comes along.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contents: bool,
}

/// Where an object is carried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum CarryTo {
    /// To the place that another object has when the show begins.
    Place(String),
    /// Onto another object.
    Onto(String),
    /// Beside or above another object, by world metres from its origin.
    From {
        /// The object.
        object: String,
        /// World metres.
        by: [f64; 3],
    },
    /// To where it began the episode.
    Start,
    /// By world metres from where it is.
    By([f64; 3]),
}

/// Carry an object somewhere.
pub fn carry(object: impl Into<String>, to: CarryTo) -> Carry {
    Carry { object: object.into(), to, arch: 0.0, bend: 0.0, tilt: None, contents: false }
}

/// A motion that follows the one before it.
pub fn show<const N: usize>(name: impl Into<String>, seconds: f64, moves: [Carry; N]) -> Show {
    Show { name: name.into(), cue: Cue::Next, seconds, moves: moves.into(), when: None }
}

impl Carry {
    /// Let its way rise.
    pub fn arch(self, arch: f64) -> Self {
        Self { arch, ..self }
    }

    /// Let its way bend to the left.
    pub fn bend(self, bend: f64) -> Self {
        Self { bend, ..self }
    }

    /// Tilt it about the world's x, against how it began the episode.
    pub fn tilt(self, radians: f64) -> Self {
        Self { tilt: Some(radians), ..self }
    }

    /// Take along what it covers or contains.
    pub fn with_contents(self) -> Self {
        Self { contents: true, ..self }
    }
}

impl Show {
    /// Begin some seconds after a stage was completed.
    pub fn after(self, stage: impl Into<String>, seconds: f64) -> Self {
        Self { cue: Cue::After { stage: stage.into(), seconds }, ..self }
    }

    /// Show it only where a variable has such a value.
    pub fn when(self, given: Given) -> Self {
        Self { when: Some(given), ..self }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.moves.iter().flat_map(|m| {
            let other = match &m.to {
                CarryTo::Place(o) | CarryTo::Onto(o) | CarryTo::From { object: o, .. } => Some(o),
                CarryTo::Start | CarryTo::By(_) => None,
            };
            [Some(&m.object), other].into_iter().flatten().map(String::as_str)
        })
    }
}

impl TaskSpec {
    /// Move objects before the policy's eyes.
    pub fn show(mut self, show: Show) -> Self {
        self.shows.push(show);
        self
    }

    /// Everything that is wrong with what is shown.
    pub(crate) fn show_problems(&self) -> Vec<SpecError> {
        let mut found = Vec::new();
        let task = || self.id.to_string();
        let mut unknown = |kind, name: &str, known: Vec<&str>| {
            let hint = hint(name, known);
            found.push(SpecError::Unknown { task: task(), kind, name: name.to_owned(), hint });
        };
        let stages = self.stage_names();
        for show in &self.shows {
            for name in show.names() {
                if self.object(name).is_none() && !self.aliases.contains_key(name) {
                    let objects = self.objects.iter().map(|o| o.name.as_str());
                    unknown(
                        "object",
                        name,
                        objects.chain(self.aliases.keys().map(String::as_str)).collect(),
                    );
                }
            }
            if let Cue::After { stage, .. } = &show.cue
                && !stages.contains(stage)
            {
                unknown("stage", stage, stages.iter().map(String::as_str).collect());
            }
            if let Some(given) =
                show.when.as_ref().filter(|g| !self.variables.contains_key(&g.variable))
            {
                unknown(
                    "variable",
                    &given.variable,
                    self.variables.keys().map(String::as_str).collect(),
                );
            }
        }
        for show in &self.shows {
            if !(show.seconds > 0.0 && show.seconds <= 60.0) {
                let what = format!("the seconds of the show {:?}", show.name);
                let (value, wanted) = (show.seconds.to_string(), "more than 0 and at most 60");
                found.push(SpecError::BadNumber { task: task(), what, value, wanted });
            }
        }
        found
    }
}
