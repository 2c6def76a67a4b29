//! What a model's inputs are fed with and what its outputs mean, as a small TOML file says it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Most numbers of one input.
const MOST: usize = 1 << 26;

/// Type of an input's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Number {
    /// Single precision.
    #[default]
    F32,
    /// Bytes.
    U8,
    /// Integers; the model's own may be 32 or 64 bits wide.
    #[serde(alias = "i64")]
    I32,
}

/// Order of a picture's axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Rows, columns, channels.
    #[default]
    Hwc,
    /// Channels, rows, columns.
    Chw,
}

/// How an instruction becomes numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Words {
    /// Its bytes, then zeros.
    Bytes,
    /// A number of the manifest's table for each word, then zeros; 1 for words that are not in it.
    Tokens,
}

/// An input of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the model calls it.
    pub name: String,
    /// Fields of the observation: one picture, or vectors in a row.
    #[serde(default)]
    pub fields: Vec<String>,
    /// The instruction, in place of fields.
    #[serde(default)]
    pub instruction: Option<Words>,
    /// Numbers of an instruction.
    #[serde(default)]
    pub length: Option<usize>,
    /// Type of its numbers.
    #[serde(default, rename = "type")]
    pub number: Number,
    /// Order of a picture's axes.
    #[serde(default)]
    pub layout: Order,
    /// Rows and columns that a colour picture is resized to, with black bars where the shapes differ.
    #[serde(default)]
    pub size: Option<[usize; 2]>,
    /// Each number is multiplied by it first.
    #[serde(default)]
    pub scale: Option<f64>,
    /// Subtracted then: one number for all, for each channel of a picture or for each of a vector.
    #[serde(default)]
    pub mean: Vec<f64>,
    /// Divided by then, likewise.
    #[serde(default)]
    pub std: Vec<f64>,
    /// Shape as the model takes it; a 1 and the shape of what feeds it otherwise.
    #[serde(default)]
    pub shape: Option<Vec<usize>>,
}

/// What the model keeps from answer to answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// The input that takes it; zeros when an episode begins.
    pub input: String,
    /// The output that becomes the next answer's input.
    pub output: String,
    /// Shape.
    pub shape: Vec<usize>,
    /// Type of its numbers.
    #[serde(default, rename = "type")]
    pub number: Number,
}

/// The output that is the action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionOutput {
    /// What the model calls it. Its last axis is the action's numbers, those before it are a chunk.
    pub output: String,
    /// How many actions of a chunk are taken before the model is asked again; all otherwise.
    #[serde(default)]
    pub execute: Option<usize>,
    /// Each number is multiplied by it: one for all, or one for each of the action's.
    #[serde(default)]
    pub std: Vec<f64>,
    /// Added then, likewise.
    #[serde(default)]
    pub mean: Vec<f64>,
}

/// The file beside a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Inputs that observations feed.
    #[serde(default, rename = "input")]
    pub inputs: Vec<Input>,
    /// Outputs that become inputs.
    #[serde(default)]
    pub memory: Vec<Memory>,
    /// The action.
    pub action: ActionOutput,
    /// Numbers of words, from 2 on.
    #[serde(default)]
    pub tokens: BTreeMap<String, i32>,
}

impl Manifest {
    /// Read a manifest; what is wrong with it otherwise.
    pub fn parse(text: &str) -> Result<Self, String> {
        let manifest: Self = toml::from_str(text).map_err(|e| {
            let place = e.span().map(|s| text[..s.start.min(text.len())].lines().count().max(1));
            let place = place.map(|line| format!("line {line}: ")).unwrap_or_default();
            format!("{place}{}", e.message())
        })?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), String> {
        let mut names: Vec<&str> = self.inputs.iter().map(|i| i.name.as_str()).collect();
        names.extend(self.memory.iter().map(|m| m.input.as_str()));
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
            return Err(format!("input {:?} is fed twice", twice[0]));
        }
        self.inputs.iter().try_for_each(|i| self.check_input(i))?;
        for m in &self.memory {
            volume(&m.shape).map_err(|e| format!("memory {:?}: {e}", m.input))?;
        }
        if self.action.execute == Some(0) {
            return Err("action: execute is 0; at least one action is taken".into());
        }
        finite("action", &[&self.action.std, &self.action.mean])
    }

    fn check_input(&self, input: &Input) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("input {:?}: {what}", input.name));
        match (input.instruction, input.fields.is_empty(), input.length) {
            (None, true, _) => return wrong("give fields, or instruction"),
            (Some(_), false, _) => return wrong("give fields or instruction, not both"),
            (Some(_), true, None) => return wrong("an instruction needs a length"),
            (None, false, Some(_)) => return wrong("length is that of an instruction"),
            (Some(Words::Tokens), ..) if self.tokens.is_empty() => {
                return wrong("tokens needs the table [tokens] with the numbers of words");
            }
            (Some(_), true, Some(n)) => {
                volume(&[n]).map_err(|e| format!("input {:?}: {e}", input.name))?;
            }
            (None, false, None) => {}
        }
        if input.instruction.is_some() && (input.size.is_some() || input.layout == Order::Chw) {
            return wrong("size and layout are those of a picture");
        }
        if let Some([rows, columns]) = input.size {
            volume(&[rows, columns, 3]).map_err(|e| format!("input {:?}: {e}", input.name))?;
        }
        if let Some(shape) = &input.shape {
            volume(shape).map_err(|e| format!("input {:?}: {e}", input.name))?;
        }
        if input.std.contains(&0.0) {
            return wrong("std holds a 0, by which nothing can be divided");
        }
        let scale: Vec<f64> = input.scale.into_iter().collect();
        finite(&format!("input {:?}", input.name), &[&scale, &input.mean, &input.std])
    }
}

fn finite(of: &str, all: &[&[f64]]) -> Result<(), String> {
    match all.iter().all(|list| list.iter().all(|v| v.is_finite())) {
        true => Ok(()),
        false => Err(format!("{of}: scale, mean and std are finite numbers")),
    }
}

/// Numbers in a shape; refused where they are none or too many.
pub(crate) fn volume(shape: &[usize]) -> Result<usize, String> {
    let n = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= MOST);
    match n {
        Some(n) if n > 0 => Ok(n),
        _ => Err(format!("shape {shape:?} has no number, or more than {MOST}")),
    }
}
