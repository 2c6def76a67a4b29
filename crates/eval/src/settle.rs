//! Whether the scene of a problem comes to rest as the problem says it begins.

use std::sync::Arc;

use longarm_sim::{Env, EnvSettings, SimError};
use longarm_task::bddl::{BddlError, Problem, init_holds};
use longarm_task::stage::When;
use longarm_task::{Margins, SpecError, TaskSpec};
use longarm_types::Seed;

/// Why a scene is not what its problem says.
#[derive(Debug, thiserror::Error)]
pub enum Unsettled {
    /// It cannot be drawn, or does not come to rest.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The problem makes no sense.
    #[error(transparent)]
    Bddl(#[from] BddlError),
    /// Its names do not resolve.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A fact of its beginning is not so.
    #[error("({fact}) does not hold once the scene is at rest: {why}")]
    Init {
        /// The fact.
        fact: String,
        /// What was measured.
        why: String,
    },
    /// There is nothing left to do.
    #[error("the goal holds from the start")]
    Reached,
}

/// Draws the scene of a seed, lets it come to rest, and checks that every fact of the problem's
/// beginning holds and its goal does not.
pub fn settles(task: &Arc<TaskSpec>, problem: &Problem, seed: Seed) -> Result<(), Unsettled> {
    let mut env = Env::new(task.clone(), EnvSettings::default())?;
    env.reset(seed)?;
    holds_at_start(&env, problem)
}

/// The same for an environment that was just reset to a scene of the problem.
pub fn holds_at_start(env: &Env, problem: &Problem) -> Result<(), Unsettled> {
    for (fact, predicate) in init_holds(problem)? {
        let mut margins = Margins::default();
        if !env.bound().predicate(&predicate)?.check(env.snapshot(), &mut margins) {
            return Err(Unsettled::Init { fact: fact.to_string(), why: margins.text() });
        }
    }
    let stages = env.task().stage_list(Some((env.bound(), env.scene())))?;
    let mut reached = true;
    for s in &stages {
        reached &= match &s.when {
            When::Holds(p) => env.bound().predicate(p)?.holds(env.snapshot()),
            When::Times { .. } => false,
        };
    }
    if reached { Err(Unsettled::Reached) } else { Ok(()) }
}
