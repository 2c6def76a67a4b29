//! Tests of the task language through its public interface.

mod bulk;
mod plans;
mod predicates;
mod reward;
mod sampling;
mod soft;
mod tasks;
mod tracking;
mod validation;
mod world;
