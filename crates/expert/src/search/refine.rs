//! A stage that no script does: decided again every few control steps, within the episode.

use std::collections::VecDeque;

use longarm_sim::{Env, EnvCheckpoint};
use longarm_types::Action;

use super::Budget;
use super::crew::Crew;
use super::knots::{Knots, Scope};
use crate::ExpertError;

/// A search that goes along with an episode. It follows the episode in a world of its own; where that is disturbed
/// by what the search does not know of, it starts from what is there.
pub(crate) struct Refine {
    crew: Crew,
    knots: Knots,
    moment: EnvCheckpoint,
    tape: VecDeque<Action>,
    /// Decisions left.
    left: u32,
}

impl Refine {
    /// Begin at the moment an environment is in; `last` is what it was told last.
    pub(crate) fn new(env: &Env, last: Option<&Action>) -> Result<Self, ExpertError> {
        let budget = Budget::IN_HAND;
        let crew = Crew::new(env)?;
        let moment = crew.later(crew.start(), &[])?;
        let rng = crew.seed().stream(&format!("refine {}", env.report().step));
        let knots = Knots::new(&budget, crew.action_spec(), Scope::Fingers, last, rng);
        Ok(Self { crew, knots, moment, tape: VecDeque::new(), left: budget.decisions })
    }

    /// Return the next action, or none when all decisions are used up.
    pub(crate) fn act(&mut self, env: &Env) -> Result<Option<Action>, ExpertError> {
        if self.tape.is_empty() {
            if self.left == 0 {
                return Ok(None);
            }
            self.left -= 1;
            if self.moment.state_hash() != env.world().state_hash() {
                self.moment = self.crew.adopt(env)?;
            }
            let (take, steps) = self.knots.decide(&self.crew, &self.moment)?;
            self.tape.extend(&take.actions[..steps]);
            self.moment = self.crew.later(&self.moment, &take.actions[..steps])?;
        }
        Ok(self.tape.pop_front())
    }
}
