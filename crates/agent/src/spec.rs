//! An agent as a value: its parts and their wiring, from a TOML file or by name.

use std::path::{Path, PathBuf};

use longarm_types::{hint, nearest};
use serde::{Deserialize, Serialize};

use crate::change;
use crate::chat::ChatSpec;
use crate::clock::ClockSpec;
use crate::memory::{MemorySpec, Nominator};

/// Who plans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PlannerSpec {
    /// The true subtask of the moment.
    Oracle {},
    /// The plan's sentences one after the other, as far as the notes of the remembered keyframes say that
    /// they were done: an oracle whose only memory is the agent's.
    Recall {},
    /// A parser and a symbolic planner over the instruction and the reporter's words.
    Rules {},
    /// A language or vision-language model.
    Chat(Box<ChatSpec>),
    /// A program behind a WebSocket.
    Socket {
        /// Address: `ws://HOST:PORT`, with options as after `--policy`.
        server: String,
        /// Cameras whose pictures are sent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cameras: Vec<String>,
    },
}

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ActorSpec {
    /// The expert's skill for the sentence.
    Oracle {},
    /// The sentence resolved to pick and place poses from what the cameras show.
    Words {},
    /// A policy server; the sentence is its prompt.
    Remote {
        /// Address, as after `--policy`.
        server: String,
    },
}

/// Who reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReporterSpec {
    /// Nobody.
    #[default]
    None,
    /// True sentences.
    Oracle {},
    /// What colours, depth and segments of the cameras show.
    Detector {},
    /// A vision-language model.
    Chat(Box<ChatSpec>),
}

/// An agent: its parts and how they are wired.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSpec {
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Who plans.
    pub planner: PlannerSpec,
    /// Who acts.
    pub actor: ActorSpec,
    /// Who reports.
    #[serde(default)]
    pub reporter: ReporterSpec,
    /// What is remembered.
    #[serde(default)]
    pub memory: MemorySpec,
    /// When questions are asked and answers are due.
    #[serde(default)]
    pub clock: ClockSpec,
}

/// Why there is no such agent, or it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum AgentError {
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: String },
    #[error("{0}")]
    Text(String),
    #[error("no agent {name:?}{hint}")]
    Name { name: String, hint: String },
}

/// The agents that are ready-made: name and file.
pub const READY: [(&str, &str); 9] = [
    ("par", include_str!("../agents/par.toml")),
    ("par-image", include_str!("../agents/par-image.toml")),
    ("par-oracle", include_str!("../agents/par-oracle.toml")),
    ("par-oracle-planner", include_str!("../agents/par-oracle-planner.toml")),
    ("par-report", include_str!("../agents/par-report.toml")),
    ("par-state", include_str!("../agents/par-state.toml")),
    ("predimem", include_str!("../agents/predimem.toml")),
    ("predimem-oracle", include_str!("../agents/predimem-oracle.toml")),
    ("predimem-recall", include_str!("../agents/predimem-recall.toml")),
];

/// Return the ready-made agent of a name, which changes may follow: `par?planner=oracle`.
pub fn ready(name: &str) -> Result<AgentSpec, AgentError> {
    let (name, changes) = name.split_once('?').unwrap_or((name, ""));
    match READY.iter().find(|(n, _)| *n == name) {
        Some((_, text)) => AgentSpec::changed(text, changes),
        None => {
            let (name, names) = (name.to_owned(), READY.map(|(n, _)| n));
            let hint = hint(&name, names);
            Err(AgentError::Name { name, hint })
        }
    }
}

impl AgentSpec {
    /// Read an agent from the text of its file.
    pub fn parse(text: &str) -> Result<Self, AgentError> {
        let spec: Self =
            toml::from_str(text).map_err(|e| AgentError::Text(with_hint(&e.to_string())))?;
        spec.check().map_err(AgentError::Text)?;
        Ok(spec)
    }

    /// Read an agent from the text of its file, with changes such as `planner=oracle&clock.planner=20`.
    pub fn changed(text: &str, changes: &str) -> Result<Self, AgentError> {
        if changes.is_empty() {
            return Self::parse(text);
        }
        let mut table: toml::Table =
            toml::from_str(text).map_err(|e| AgentError::Text(e.to_string()))?;
        change::apply(&mut table, changes).map_err(AgentError::Text)?;
        let spec: Self =
            table.try_into().map_err(|e| AgentError::Text(with_hint(&e.to_string())))?;
        spec.check().map_err(AgentError::Text)?;
        Ok(spec)
    }

    /// Read an agent from its file, whose name changes may follow behind a `?`.
    pub fn read(path: &str) -> Result<Self, AgentError> {
        let (path, changes) = path.split_once('?').unwrap_or((path, ""));
        let path = Path::new(path);
        let wrong = |why: String| AgentError::File { path: path.to_owned(), why };
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        let mut spec = Self::changed(&text, changes).map_err(|e| wrong(e.to_string()))?;
        let read = |chat: &mut ChatSpec| {
            let text = chat.prompt.as_ref().map(|prompt| beside(path, prompt));
            chat.prompt_text = text.transpose().map_err(wrong)?;
            Ok(())
        };
        if let PlannerSpec::Chat(chat) = &mut spec.planner {
            read(chat)?;
        }
        if let ReporterSpec::Chat(chat) = &mut spec.reporter {
            read(chat)?;
        }
        Ok(spec)
    }

    /// Whether its parts fit together.
    fn check(&self) -> Result<(), String> {
        let sparse = matches!(self.reporter, ReporterSpec::None | ReporterSpec::Chat(_));
        if self.planner == (PlannerSpec::Rules {}) && sparse {
            return Err(
                "a planner of kind \"rules\" lives on reports that say where everything is: give it a \
                        reporter of kind \"detector\" or \"oracle\""
                    .into(),
            );
        }
        let named = self.servers().find_map(|(part, server)| {
            let (_, options) = server.split_once('?')?;
            let keeps =
                |o: &&str| ["api-key-file", "header-file."].iter().any(|k| o.starts_with(k));
            Some((part, options.split('&').find(keeps)?))
        });
        if let Some((part, option)) = named {
            let option = option.split('=').next().unwrap_or_default();
            return Err(format!(
                "[{part}] server: {option}: an agent names no keys; put a proxy of yours that adds it between"
            ));
        }
        let recalls = self.planner == PlannerSpec::Recall {};
        if recalls && self.memory.bank.is_none() && self.memory.recent == 0 {
            return Err("a planner of kind \"recall\" knows only what is remembered: give \
                        [memory] recent frames or a bank"
                .into());
        }
        Ok(())
    }

    /// Its parts, each with its kind, in the order planner, actor, reporter, memory.
    pub fn parts(&self) -> [(&'static str, &'static str); 4] {
        let planner = match self.planner {
            PlannerSpec::Oracle {} => "oracle",
            PlannerSpec::Recall {} => "recall",
            PlannerSpec::Rules {} => "rules",
            PlannerSpec::Chat(_) => "chat",
            PlannerSpec::Socket { .. } => "socket",
        };
        let actor = match self.actor {
            ActorSpec::Oracle {} => "oracle",
            ActorSpec::Words {} => "words",
            ActorSpec::Remote { .. } => "remote",
        };
        let reporter = match &self.reporter {
            ReporterSpec::None => "none",
            ReporterSpec::Oracle {} => "oracle",
            ReporterSpec::Detector {} => "detector",
            ReporterSpec::Chat(_) => "chat",
        };
        let memory = match self.memory.bank.map(|b| b.by) {
            Some(Nominator::Oracle) => "oracle",
            Some(Nominator::Shuffled) => "shuffled",
            Some(Nominator::Planner) => "bank",
            None if self.memory.recent > 0 => "recent",
            None if self.memory.summary => "summary",
            None => "none",
        };
        [("planner", planner), ("actor", actor), ("reporter", reporter), ("memory", memory)]
    }

    /// The parts that are told the truth.
    pub fn oracles(&self) -> Vec<&'static str> {
        let told = ["oracle", "recall", "shuffled"];
        self.parts().iter().filter(|(_, kind)| told.contains(kind)).map(|(part, _)| *part).collect()
    }

    /// Return the agent in one line: `planner rules, actor words, …`.
    pub fn line(&self) -> String {
        self.parts().map(|(part, kind)| format!("{part} {kind}")).join(", ")
    }

    /// The models that are asked.
    pub fn chats(&self) -> impl Iterator<Item = &ChatSpec> {
        let planner = match &self.planner {
            PlannerSpec::Chat(chat) => Some(&**chat),
            _ => None,
        };
        let reporter = match &self.reporter {
            ReporterSpec::Chat(chat) => Some(&**chat),
            _ => None,
        };
        planner.into_iter().chain(reporter)
    }

    /// Tell models that have no prompt of the agent's own these words.
    pub fn prompt(&mut self, planner: &str, reporter: &str) {
        if let PlannerSpec::Chat(chat) = &mut self.planner {
            chat.prompt_text.get_or_insert_with(|| planner.to_owned());
        }
        if let ReporterSpec::Chat(chat) = &mut self.reporter {
            chat.prompt_text.get_or_insert_with(|| reporter.to_owned());
        }
    }

    /// The servers that are asked, with the part that asks.
    fn servers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let planner = match &self.planner {
            PlannerSpec::Socket { server, .. } => Some(("planner", server.as_str())),
            _ => None,
        };
        let actor = match &self.actor {
            ActorSpec::Remote { server } => Some(("actor", server.as_str())),
            _ => None,
        };
        planner.into_iter().chain(actor)
    }

    /// Whether any part looks at pictures.
    pub fn sees(&self) -> bool {
        let sent =
            matches!(&self.planner, PlannerSpec::Socket { cameras, .. } if !cameras.is_empty());
        let shown = sent || self.chats().any(|c| !c.cameras.is_empty());
        shown || self.reads_scene() || matches!(self.actor, ActorSpec::Remote { .. })
    }

    /// Whether a part needs depth and segments besides colours.
    pub fn reads_scene(&self) -> bool {
        self.actor == (ActorSpec::Words {}) || self.reporter == ReporterSpec::Detector {}
    }
}

/// Read a file that an agent's file names, which must lie in its folder.
fn beside(agent: &Path, file: &Path) -> Result<String, String> {
    let inside = || {
        let folder = agent.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new("."));
        let (folder, file) = (folder.canonicalize()?, folder.join(file).canonicalize()?);
        Ok::<_, std::io::Error>(file.starts_with(&folder).then_some(file))
    };
    let at = file.display();
    match inside().map_err(|e| format!("{at}: {e}"))? {
        Some(file) => std::fs::read_to_string(file).map_err(|e| format!("{at}: {e}")),
        None => Err(format!("{at} lies outside the agent's folder")),
    }
}

/// Add what was meant to what the parser says of an unknown name.
fn with_hint(message: &str) -> String {
    let message = message.trim_end();
    let Some((_, rest)) = message.split_once("unknown ") else { return message.to_owned() };
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let Some(name) = quoted.next() else { return message.to_owned() };
    match nearest(name, quoted).first() {
        Some(near) => format!("{message}; did you mean {near}?"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests;
