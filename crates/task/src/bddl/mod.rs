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
mod said;
mod sexpr;
mod world;
mod write;

pub use compile::{Loaded, Options, compile, init_holds, load};
pub use parse::{parse, parse_bytes};
pub use problem::{At, BddlError, Fact, Goal, Instance, Problem, Region, Relation, Warning};
pub(crate) use said::said;
pub use write::write;
