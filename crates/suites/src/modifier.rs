//! Generators of modified scenes.

use longarm_task::bddl::{Fact, Problem};

use crate::boss::ramg;
pub use crate::boss::ramg::{Modification, Rule};

/// A task whose surroundings can be modified.
#[derive(Clone)]
pub struct Base {
    /// Its id.
    pub id: String,
    /// The unmodified problem.
    pub problem: Problem,
    /// Rectangles of the table that are free: x and y from, x and y to.
    pub free: &'static [[f64; 4]],
}

impl Base {
    /// Its single modifications.
    pub fn modifications(&self) -> Vec<Modification> {
        ramg::modifications(&self.problem, self.free)
    }

    /// The problem with facts changed one after the other.
    pub fn with<'a>(&self, facts: impl IntoIterator<Item = &'a Fact>) -> Problem {
        let start = self.problem.clone();
        facts.into_iter().fold(start, |p, f| ramg::with(&p, f, self.free))
    }

    /// Whether a modification leaves the scene as it is.
    pub fn changes_nothing(&self, m: &Modification) -> bool {
        ramg::changes_nothing(&self.problem, m)
    }
}

/// A drawing of several modifications of one task.
pub struct Drawn {
    /// The id under which the suite knows the modified task.
    pub id: String,
    /// The modified problem.
    pub problem: Problem,
    /// What was modified.
    pub modifications: Vec<Modification>,
}

/// What a suite says about its generator.
#[derive(Clone, Copy)]
pub struct Modifier {
    /// What its commands do, in one line.
    pub about: &'static str,
    /// Its tasks that can be modified, in order.
    pub bases: fn() -> Vec<Base>,
    /// A task of this name that can be modified; more than are listed.
    pub base: fn(&str) -> Option<Base>,
    /// The n-th drawing of k modifications of a listed task.
    pub draw: fn(&Base, usize, u64) -> Option<Drawn>,
}
