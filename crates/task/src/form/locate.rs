//! Where in a file something is wrong.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Format;
use crate::{SpecError, TaskSpec};

/// Largest text that is read.
const LARGEST: usize = 64 << 20;

/// What is wrong with a task file, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct FormError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for FormError {}

/// A text that is a document of its format.
pub(super) struct Document<'a> {
    text: &'a str,
    format: Format,
    keys: Vec<String>,
}

/// Rigs that must be known before a specification is read.
#[derive(Deserialize)]
struct Rigs {
    #[serde(default)]
    rigs: BTreeMap<String, serde_json::Value>,
}

/// What `longarm show --json` prints.
#[derive(Deserialize)]
struct Printed {
    spec: TaskSpec,
    #[serde(default)]
    scene: Option<PrintedScene>,
}

#[derive(Deserialize)]
struct PrintedScene {
    #[serde(default)]
    seed: Option<u64>,
}

impl<'a> Document<'a> {
    pub fn new(text: &'a str, format: Format) -> Result<Self, FormError> {
        let mut doc = Self { text, format, keys: Vec::new() };
        if text.len() > LARGEST {
            let message = format!("the file is larger than {} MB", LARGEST >> 20);
            return Err(FormError { line: 1, column: 1, message });
        }
        doc.keys = match format {
            Format::Toml => doc.parse::<toml::Table>()?.keys().cloned().collect(),
            Format::Json => {
                doc.parse::<serde_json::Map<String, serde_json::Value>>()?.keys().cloned().collect()
            }
        };
        Ok(doc)
    }

    /// Whether it is a specification as the engine prints it, rather than as people write it.
    pub fn is_spec(&self) -> bool {
        let has = |key: &str| self.keys.iter().any(|k| k == key);
        has("spec") || (has("init") && has("stages"))
    }

    /// The specification, and the seed of the scene beside it.
    pub fn spec(&self) -> Result<(TaskSpec, Option<u64>), FormError> {
        if self.keys.iter().any(|k| k == "spec") {
            for (name, rig) in self.parse::<Rigs>()?.rigs {
                super::rig::register_carried(&name, rig).map_err(|e| self.at(&name, e))?;
            }
            let printed: Printed = self.parse_printed()?;
            return Ok((printed.spec, printed.scene.and_then(|s| s.seed)));
        }
        Ok((self.parse_printed()?, None))
    }

    /// Parse what the engine prints. It prints JSON, so TOML takes the way through it: a second reader
    /// of a whole specification would be a tenth of the program.
    fn parse_printed<T: DeserializeOwned>(&self) -> Result<T, FormError> {
        if self.format == Format::Json {
            return self.parse();
        }
        let text = serde_json::to_string(&self.parse::<toml::Table>()?)
            .map_err(|e| self.error(0, e.to_string()))?;
        let json = Document { text: &text, format: Format::Json, keys: Vec::new() };
        // The message quotes the name that is wrong; where it stands is looked up.
        json.parse().map_err(|e| match e.message.split('`').nth(1) {
            Some(name) => self.at(name, e.message.clone()),
            None => self.error(0, e.message),
        })
    }

    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, FormError> {
        match self.format {
            Format::Toml => toml::from_str(self.text).map_err(|e| {
                let at = e.span().map_or(0, |s| s.start);
                self.error(at, e.message().to_owned())
            }),
            Format::Json => serde_json::from_str(self.text).map_err(|e| {
                let (line, column) = (e.line().max(1), e.column().max(1));
                let message = e.to_string();
                let tail = format!(" at line {} column {}", e.line(), e.column());
                let message = message.strip_suffix(&tail).unwrap_or(&message).to_owned();
                FormError { line, column, message }
            }),
        }
    }

    fn error(&self, offset: usize, message: String) -> FormError {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
        FormError { line, column, message }
    }

    /// An error about a name, where the text last has it as a word of its own: it is declared
    /// before it is used.
    pub fn at(&self, name: &str, message: String) -> FormError {
        self.error(self.find(name).unwrap_or(0), message)
    }

    /// An error of validation.
    pub fn about(&self, e: &SpecError) -> FormError {
        let message = e.to_string();
        // The task is named by the file.
        let message = message.split_once(": ").map_or(message.clone(), |(_, m)| m.to_owned());
        let names = e.names();
        let at = names.iter().find_map(|n| self.find(n)).unwrap_or(0);
        self.error(at, message)
    }

    fn find(&self, name: &str) -> Option<usize> {
        if name.is_empty() {
            return None;
        }
        let part_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let word = |at: usize| {
            let before = self.text[..at].chars().next_back();
            let after = self.text[at + name.len()..].chars().next();
            !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
        };
        let all = self.text.match_indices(name).map(|(at, _)| at);
        let whole = all.clone().filter(|at| word(*at)).last();
        whole
            .or(all.last())
            .or_else(|| name.rsplit('/').next().filter(|n| *n != name).and_then(|n| self.find(n)))
    }
}
