//! Experts of other bodies than one arm at its usual scale.

mod scale;
mod two_arms;
