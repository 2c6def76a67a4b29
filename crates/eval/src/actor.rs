use longarm_expert::{Budget, Expert, Memory};
use longarm_policy::{Idle, Policy, Random, Replay};
use longarm_render::Channels;
use longarm_sim::ImageSettings;
use longarm_types::{Action, nearest};

use crate::agent::AgentActor;
use crate::expert::ExpertSpec;

/// Names of the built-in policies.
pub const POLICIES: [&str; 5] = ["expert", "reactive", "search", "idle", "random"];

/// Who acts in an episode.
pub enum Actor {
    /// Sees observations only.
    Policy(Box<dyn Policy>),
    /// Sees the simulation's state.
    Expert(Box<Expert>),
    /// Sees observations, and the truth where one of its parts is an oracle.
    Agent(Box<AgentActor>),
}

/// A policy name that means nothing.
#[derive(Debug, thiserror::Error)]
#[error("no policy {name:?}{hint}")]
pub struct UnknownPolicy {
    name: String,
    hint: String,
}

impl Actor {
    /// The built-in policy of this name.
    pub fn named(name: &str) -> Result<Self, UnknownPolicy> {
        if let Some(spec) = ExpertSpec::of(name) {
            let wrong = |hint: String| UnknownPolicy { name: name.to_owned(), hint };
            return spec.map(|s| Self::Expert(Box::new(s.expert()))).map_err(wrong);
        }
        Ok(match name {
            "search" => Self::Expert(Box::new(Expert::searching(Budget::default(), Vec::new()))),
            "idle" => Self::Policy(Box::new(Idle::default())),
            "random" => Self::Policy(Box::new(Random::default())),
            _ => {
                let agents = longarm_agent::READY.map(|(name, _)| name);
                let near = nearest(name, POLICIES.into_iter().chain(agents));
                let hint = match near.first() {
                    Some(n) => format!("; did you mean {n}?"),
                    None => format!(
                        "; there are {}, replay:FILE, nearest:DIR, and servers such as openpi:HOST:PORT",
                        POLICIES.join(", ")
                    ),
                };
                return Err(UnknownPolicy { name: name.to_owned(), hint });
            }
        })
    }

    /// Plays back actions, then stands still.
    pub fn replay(actions: Vec<Action>) -> Self {
        Self::Policy(Box::new(Replay::new(actions)))
    }

    /// Whether it needs pictures.
    pub fn sees(&self) -> bool {
        match self {
            Self::Policy(p) => p.sees(),
            Self::Expert(e) => e.sees(),
            Self::Agent(a) => a.sees(),
        }
    }
}

/// The pictures a built-in policy needs: the memoryless expert judges by what it can see, one that perceives
/// grasps measures it.
pub fn images_for(policy: &str) -> Option<ImageSettings> {
    let spec = ExpertSpec::of(policy)?.ok()?;
    let depth = spec.perception.is_some();
    let channels = Channels { segment: true, depth, ..Channels::NONE };
    let looks = depth || spec.memory == Memory::None;
    looks.then(|| ImageSettings { channels, shadows: false, ..ImageSettings::default() })
}
