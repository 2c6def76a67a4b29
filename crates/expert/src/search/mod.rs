//! Searching for what the script does not find, on saved worlds, before the first action is taken.
//!
//! Four levels, each tried only where the one before it failed: the script; variants of the script;
//! the cross-entropy method over a variant's numbers; and, from the last stage that was completed,
//! model-predictive path integral control over knots of raw actions, the script taking over again
//! whenever a stage was completed. What a sample is worth is the dense reward of the task, so every task
//! with one can be searched. Budgets are numbers of samples, noise comes from the episode's seed, actions
//! are rounded before they are tried: the same seed finds the same actions, on any number of threads.

mod crew;
mod exploit;
mod knots;
mod refine;
mod turning;
mod variants;

use longarm_sim::Env;
use longarm_types::Action;

use crate::ExpertError;
use crew::{Crew, Take};
pub use exploit::{Cheat, Exploit, Exploited, exploit};
pub(crate) use refine::Refine;
pub(crate) use turning::Turning;
pub(crate) use variants::Variation;

/// How much a search may try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Variants of the script in each generation.
    pub variants: u32,
    /// Generations of variants: the first is drawn about the script, later ones about the best.
    pub generations: u32,
    /// Sequences of raw actions tried for each decision.
    pub samples: u32,
    /// Control steps each of them looks ahead.
    pub horizon: u32,
    /// Control steps between two decisions.
    pub every: u32,
    /// Decisions per stage before it is given up.
    pub decisions: u32,
}

impl Budget {
    /// What it takes to turn an object in a hand.
    pub(crate) const IN_HAND: Self =
        Self { variants: 0, generations: 0, samples: 48, horizon: 12, every: 2, decisions: 150 };
}

impl Default for Budget {
    fn default() -> Self {
        Self { variants: 8, generations: 3, samples: 48, horizon: 18, every: 3, decisions: 40 }
    }
}

/// How a search found what it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Actions that were found before and still succeed.
    Known,
    /// The script as it is.
    Script,
    /// A variant of the script.
    Variant,
    /// Raw actions, for a part of the episode at least.
    Knots,
}

/// What a search came to.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The highest level that was needed.
    pub level: Level,
    /// It ends in success.
    pub success: bool,
    /// The dense reward it ends with.
    pub dense: f64,
    /// Control steps that were simulated to find it.
    pub simulated: u64,
}

/// A search within one episode: found before it begins, played back in it.
pub(crate) struct Search {
    budget: Budget,
    /// Actions to try before anything else.
    known: Vec<Action>,
    tape: Vec<Action>,
    at: usize,
    pub(crate) found: Option<Found>,
}

impl Search {
    pub(crate) fn new(budget: Budget, known: Vec<Action>) -> Self {
        Self { budget, known, tape: Vec::new(), at: 0, found: None }
    }

    /// Search from the moment the environment is in, which stays as it is.
    pub(crate) fn begin(&mut self, env: &Env) -> Result<(), ExpertError> {
        let crew = Crew::new(env)?;
        let (take, level) = self.find(&crew)?;
        self.found = Some(Found {
            level,
            success: take.success,
            dense: take.dense,
            simulated: crew.simulated(),
        });
        (self.tape, self.at) = (take.actions, 0);
        Ok(())
    }

    fn find(&self, crew: &Crew) -> Result<(Take, Level), ExpertError> {
        if !self.known.is_empty() {
            let take = crew.replay(crew.start(), &self.known)?;
            if take.success {
                return Ok((take, Level::Known));
            }
        }
        let script = crew.script(crew.start(), Variation::default())?;
        if script.success {
            return Ok((script, Level::Script));
        }
        let best = match script.actions.is_empty() {
            // Nothing to vary: there is no plan, or no skill for what it begins with.
            true => script,
            false => variants::best(crew, &self.budget, script)?,
        };
        // Knots of whole motions would be poses between two places.
        if best.success || crew.action_spec().whole_motions() {
            return Ok((best, Level::Variant));
        }
        Ok((self.on_from(crew, best)?, Level::Knots))
    }

    /// Go on from the last stage that was completed: with knots until the next one is, then with the
    /// script, as far as it gets.
    fn on_from(&self, crew: &Crew, mut best: Take) -> Result<Take, ExpertError> {
        let mut so_far = best.actions[..best.staged].to_vec();
        for round in 0u32.. {
            let found = knots::stage(crew, &self.budget, &so_far, round, None)?;
            so_far.extend(&found.actions);
            let staged = found.staged > 0;
            if found.dense > best.dense || found.success {
                best = Take { actions: so_far.clone(), ..found };
            }
            if best.success || !staged {
                break;
            }
            let from = crew.later(crew.start(), &so_far)?;
            let script = crew.script(&from, Variation::default())?;
            let staged = script.staged;
            if script.success || script.dense > best.dense {
                let actions = [so_far.as_slice(), &script.actions].concat();
                best = Take { actions, ..script.clone() };
            }
            if best.success {
                break;
            }
            so_far.extend(&script.actions[..staged]);
        }
        Ok(best)
    }

    /// Return the next action of what was found; stand still after it.
    pub(crate) fn act(&mut self, env: &Env) -> Action {
        let action = self.tape.get(self.at).copied();
        self.at += 1;
        action.unwrap_or_else(|| env.action_spec().idle())
    }
}
