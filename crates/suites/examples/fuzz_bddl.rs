//! `cargo xtask fuzz [SECONDS]`: mutated BDDL files against the reader until the time is over.
//!
//! A file that makes it panic is left as `fuzz-panic.bddl`.

#[path = "support/fuzz.rs"]
mod fuzz;
#[path = "support/mutate.rs"]
mod mutate;

fn main() {
    let asked = fuzz::asked(0, "fuzz_bddl");
    let corpus = mutate::corpus();
    let make = |rng: &mut longarm_types::Rng| mutate::mutate(&corpus, rng);
    fuzz::fuzz("bddl", "tasks", asked, make, |bytes, _| mutate::try_out(bytes));
}
