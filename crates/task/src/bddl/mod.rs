//! BDDL as LIBERO uses it: reading, writing, and what it means as a task.
//!
//! ```text
//! text ─parse→ Problem ─compile→ TaskSpec
//!        ←write┘
//! ```

mod compile;
mod parse;
mod plan;
mod problem;
mod sexpr;
mod write;

pub use compile::{Options, compile, init_holds};
pub use parse::{parse, parse_bytes};
pub use problem::{At, BddlError, Fact, Goal, Instance, Problem, Region, Relation};
pub use write::write;
