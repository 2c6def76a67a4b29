//! An agent as a value: its parts and their wiring, from a TOML file or by name.

use std::path::{Path, PathBuf};

use longarm_types::{hint, nearest};
use serde::{Deserialize, Serialize};

use crate::change;
use crate::chat::ChatSpec;
use crate::clock::ClockSpec;
use crate::memory::{MemorySpec, Nominator};

/// Who plans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Whether any part looks at pictures.
    pub fn sees(&self) -> bool {
        let shown = self.chats().any(|c| !c.cameras.is_empty());
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
mod tests {
    use super::*;

    #[test]
    fn ready_made_agents_are_agents() {
        for (name, _) in READY {
            let spec = ready(name).unwrap_or_else(|e| panic!("{name}: {e}"));
            let again = toml::to_string(&spec).unwrap();
            assert_eq!(AgentSpec::parse(&again).unwrap(), spec, "{name}");
            assert!(!spec.about.is_empty(), "{name}");
        }
        assert!(ready("par").unwrap().oracles().is_empty());
        assert_eq!(ready("par-oracle").unwrap().oracles(), ["planner", "actor"]);
        let e = ready("pars").unwrap_err().to_string();
        assert!(e.contains("did you mean par"), "{e}");
    }

    #[test]
    fn parts_and_fields_are_changed_behind_a_name() {
        let spec = ready("predimem?planner=oracle&actor=oracle&clock.planner=[3, 5]").unwrap();
        assert_eq!(spec.oracles(), ["planner", "actor"]);
        assert_eq!(spec.clock.planner, crate::clock::Latency::Table(vec![3, 5]));
        let bank = |changes: &str| ready(&format!("predimem-recall?{changes}")).unwrap().memory;
        assert_eq!(bank("memory.bank=").bank, None);
        assert_eq!(bank("memory.bank.cap=4&memory.recent=2").bank.unwrap().cap, Some(4));
        assert_eq!(bank("memory.bank.by=shuffled").bank.unwrap().by, Nominator::Shuffled);
        for (changes, want) in [
            ("planner=oracel", "did you mean oracle?"),
            ("clock.planer=3", "did you mean planner?"),
            ("about.planner=3", "about has no fields"),
            ("bank", "TABLE.FIELD=VALUE"),
            ("reporter=none", "lives on reports"),
        ] {
            let e = ready(&format!("par?{changes}")).unwrap_err().to_string();
            assert!(e.contains(want), "{changes}: {e}");
        }
    }

    #[test]
    fn prompts_stay_in_the_agents_folder() {
        let dir = std::env::temp_dir().join(format!("longarm-agent-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("mine")).unwrap();
        std::fs::write(dir.join("secret"), "a secret").unwrap();
        std::fs::write(dir.join("mine/prompt.md"), "Plan.").unwrap();
        let agent = |prompt: &str| {
            let file = dir.join("mine/agent.toml");
            let planner = "kind = \"chat\"\nendpoint = \"http://gpu1:8000/v1\"\nmodel = \"m\"";
            let text =
                format!("[planner]\n{planner}\nprompt = {prompt:?}\n[actor]\nkind = \"words\"");
            std::fs::write(&file, text).unwrap();
            AgentSpec::read(file.to_str().unwrap())
        };
        let PlannerSpec::Chat(chat) = agent("prompt.md").unwrap().planner else { panic!() };
        assert_eq!(chat.prompt_text.as_deref(), Some("Plan."));
        let secret = dir.join("secret");
        for outside in ["../secret", secret.to_str().unwrap()] {
            let e = agent(outside).unwrap_err().to_string();
            assert!(e.contains("outside the agent's folder"), "{e}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn mistakes_are_named() {
        let with = |planner: &str, more: &str| {
            let text = format!("[planner]\n{planner}\n[actor]\nkind = \"oracle\"\n{more}");
            AgentSpec::parse(&text).unwrap_err().to_string()
        };
        for (planner, more, want) in [
            ("kind = \"oracel\"", "", "did you mean oracle?"),
            ("kind = \"oracle\"\nsize = 3", "", "size"),
            ("kind = \"oracle\"", "[reportr]\nkind = \"none\"", "did you mean reporter?"),
            ("kind = \"oracle\"", "[clock]\nplaner = 3", "did you mean planner?"),
            ("kind = \"rules\"", "", "lives on reports"),
            ("kind = \"recall\"", "", "[memory]"),
            ("kind = \"oracle\"", "[memory]\nbank = { evict = \"eldest\" }", "oldest"),
        ] {
            let e = with(planner, more);
            assert!(e.contains(want), "{planner} {more}: {e}");
        }
    }
}
