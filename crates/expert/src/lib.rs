//! Scripted experts. They see the simulation's state and act through the policy's action space.
//!
//! A task carries its plan as data; this crate knows how to move. Each operator has a skill (`skills`)
//! that asks the scene as it is seen now (`scene`) and the geometry of the limb that acts (`limb`), and
//! answers with a queue of motions (`motion`). Its effect is checked afterwards, and what failed is tried
//! again a bounded number of times (`episode`). The expert without memory is the same, except that it
//! chooses each operator from what the cameras show at that moment.

mod arm;
mod cheapest;
mod delay;
mod drive;
mod episode;
mod limb;
mod motion;
mod mover;
mod oracle;
mod scene;
mod search;
mod sight;
mod skills;
mod traffic;

pub use longarm_grasp::Perception;
use longarm_sim::{Env, SimError};
use longarm_task::speech::SpeechError;
use longarm_task::{Snapshot, SpecError};
use longarm_types::{Action, DVec3};

use delay::Delay;
use episode::Episode;
use oracle::Oracle;
pub use oracle::pick_place;
pub use search::{Budget, Cheat, Exploit, Exploited, Found, Level, exploit};
use search::{Search, Variation};
use sight::Sight;
pub use sight::{Perceived, perceive, reaches};

/// What an expert remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Which step of the plan it is at.
    Whole,
    /// Nothing: it acts on what it sees now.
    None,
}

/// Why an expert cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ExpertError {
    /// The plan does not fit the scene.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An operator without a skill.
    #[error("the expert does not know how to {0}")]
    Unknown(String),
    /// A sentence that means nothing here.
    #[error(transparent)]
    Speech(#[from] SpeechError),
    /// Grasps cannot be perceived here.
    #[error("grasps cannot be perceived here: {0}")]
    Blind(String),
    /// A world to search in failed.
    #[error("the search stopped: {0}")]
    Search(#[from] SimError),
}

/// A scripted expert.
pub struct Expert {
    memory: Memory,
    delay: Delay,
    episode: Option<Episode>,
    /// Acts instead where actions are whole pick-and-places.
    oracle: Option<Oracle>,
    variation: Variation,
    /// Looks ahead instead of acting at once.
    search: Option<Search>,
    /// Does what it is told and sees everything.
    led: bool,
    /// Takes grasps from what the cameras show.
    perception: Option<Perception>,
}

impl Expert {
    /// Make an expert with or without memory.
    pub fn new(memory: Memory) -> Self {
        Self {
            memory,
            delay: Delay::default(),
            episode: None,
            oracle: None,
            variation: Variation::default(),
            search: None,
            led: false,
            perception: None,
        }
    }

    /// Make it take grasps from what the cameras show in place of those that assets bring along.
    pub fn perceiving(self, perception: Perception) -> Self {
        Self { perception: Some(perception), ..self }
    }

    /// Make one that does what it is [told](Self::tell), sentence by sentence: it has no plan of its own, and
    /// sees everything.
    pub fn led() -> Self {
        Self { led: true, ..Self::new(Memory::None) }
    }

    /// Tell one that is led what to do from now on.
    pub fn tell(&mut self, sentence: &str) {
        if let Some(oracle) = &mut self.oracle {
            oracle.tell(sentence);
        } else if let Some(episode) = &mut self.episode {
            episode.tell(sentence);
        }
    }

    /// Make one that searches before an episode begins for actions that succeed, and plays them: the
    /// script's where it succeeds, else what is found on saved worlds. Where actions that were found before
    /// are given and still succeed, these.
    pub fn searching(budget: Budget, known: Vec<Action>) -> Self {
        Self { search: Some(Search::new(budget, known)), ..Self::new(Memory::Whole) }
    }

    /// Return what the search of this episode came to; `None` for one that does not search.
    pub fn found(&self) -> Option<&Found> {
        self.search.as_ref()?.found.as_ref()
    }

    fn varied(self, variation: Variation) -> Self {
        Self { variation, ..self }
    }

    /// Make it see everything but its own hand a number of control steps late.
    pub fn late(self, steps: u32) -> Self {
        Self { delay: Delay::new(steps), ..self }
    }

    /// Whether it needs the cameras.
    pub fn sees(&self) -> bool {
        self.memory == Memory::None && !self.led
    }

    /// Prepare for the episode the environment was just reset to.
    pub fn begin(&mut self, env: &mut Env) -> Result<(), ExpertError> {
        self.delay.clear();
        if let Some(search) = &mut self.search {
            return search.begin(env);
        }
        if env.action_spec().whole_motions() {
            if self.perception.is_some() {
                return Err(ExpertError::Blind("whole motions take what lies on top".into()));
            }
            self.oracle = Some(Oracle::new(env)?);
            return Ok(());
        }
        self.oracle = None;
        let mut episode = Episode::new(env, self.memory, self.variation.pace)?;
        episode.led = self.led;
        episode.sight = self.perception.map(|p| Sight::open(p, env)).transpose()?;
        self.episode = Some(episode);
        Ok(())
    }

    /// Return the sentence of what it is doing.
    pub fn doing(&self) -> &str {
        if let Some(search) = &self.search {
            return match search.found.map(|f| f.level) {
                Some(Level::Known) => "what was found before",
                Some(Level::Script) => "the script",
                Some(Level::Variant) => "a variant of the script",
                Some(Level::Knots) => "what was found by search",
                None => "",
            };
        }
        match &self.oracle {
            Some(oracle) => oracle.doing(),
            None => self.episode.as_ref().map_or("", |e| &e.doing),
        }
    }

    /// Return the next action.
    ///
    /// # Panics
    /// Before [`Expert::begin`].
    pub fn act(&mut self, env: &mut Env) -> Result<Action, ExpertError> {
        if let Some(search) = &mut self.search {
            return Ok(search.act(env));
        }
        if let Some(oracle) = &mut self.oracle {
            return oracle.act(env);
        }
        let episode = self.episode.as_mut().expect("begin comes before act");
        let mut seen = self.delay.see(env.snapshot());
        if self.variation.shift != DVec3::ZERO {
            shift(seen.get_or_insert_with(|| env.snapshot().clone()), self.variation.shift);
        }
        episode.act(env, seen.as_ref(), self.delay.steps)
    }
}

/// Move everything that is not held.
fn shift(seen: &mut Snapshot, by: DVec3) {
    for (i, body) in seen.bodies.iter_mut().enumerate() {
        if !seen.hands.iter().any(|h| h.holds[i]) {
            body.pose.pos += by;
        }
    }
}

#[cfg(test)]
mod fixture;
