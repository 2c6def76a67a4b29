//! A stage that no script does: decided again every few control steps, within the episode.

use std::collections::VecDeque;

use longarm_sim::{Env, EnvCheckpoint};
use longarm_types::Action;

use super::Budget;
use super::crew::Crew;
use super::knots::{Knots, Scope};
use super::turning::Turning;
use crate::ExpertError;

/// Control steps for which an effect must last before the search ends.
const HELD: u32 = 10;

/// A search that goes along with an episode. It follows the episode in a world of its own; where that is disturbed
/// by what the search does not know of, it starts from what is there.
pub(crate) struct Refine {
    crew: Crew,
    knots: Knots,
    aim: Turning,
    moment: EnvCheckpoint,
    tape: VecDeque<Action>,
    /// Control steps for which the object has been where it should.
    held: u32,
    /// Decisions left.
    left: u32,
}

impl Refine {
    /// Begin at the moment an environment is in.
    pub(crate) fn new(env: &Env, aim: Turning) -> Result<Self, ExpertError> {
        let budget = Budget::IN_HAND;
        let crew = Crew::new(env)?;
        let moment = crew.later(crew.start(), &[])?;
        let rng = crew.seed().stream(&format!("refine {}", env.report().step));
        let knots = Knots::new(&budget, crew.action_spec(), Scope::Fingers, None, rng);
        Ok(Self {
            crew,
            knots,
            aim,
            moment,
            tape: VecDeque::new(),
            held: 0,
            left: budget.decisions,
        })
    }

    /// Whether all that was decided has been done, and its effect has been there for a while.
    pub(crate) fn settled(&self) -> bool {
        self.tape.is_empty() && self.held >= HELD
    }

    /// Return the next action, or none when all decisions are used up.
    pub(crate) fn act(&mut self, env: &Env) -> Result<Option<Action>, ExpertError> {
        self.held = if self.aim.reached(env.snapshot()) { self.held + 1 } else { 0 };
        if self.tape.is_empty() {
            if self.left == 0 {
                return Ok(None);
            }
            self.left -= 1;
            if self.moment.state_hash() != env.world().state_hash() {
                self.moment = self.crew.adopt(env)?;
            }
            let (take, steps) = self.knots.decide(&self.crew, &self.moment, Some(&self.aim))?;
            self.tape.extend(&take.actions[..steps]);
            self.moment = self.crew.later(&self.moment, &take.actions[..steps])?;
        }
        Ok(self.tape.pop_front())
    }
}
