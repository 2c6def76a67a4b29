//! `cargo xtask fuzz [SECONDS]`: mutated BDDL files against the reader until the time is over.
//!
//! A file that makes it panic is left as `fuzz-panic.bddl`.

#[path = "support/mutate.rs"]
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use longarm_types::Seed;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |otherwise: u64| match args.next().map(|a| (a.parse::<u64>(), a)) {
        None => otherwise,
        Some((Ok(n), _)) => n,
        Some((Err(_), a)) => {
            eprintln!("{a:?} is not a number; usage: fuzz_bddl [SECONDS [SEED]]");
            std::process::exit(2);
        }
    };
    let (seconds, seed) = (number(300), number(0));
    let corpus = mutate::corpus();
    let mut rng = Seed(seed).stream("fuzz");
    let started = Instant::now();
    let (mut files, mut tasks) = (0u64, 0u64);
    while started.elapsed() < Duration::from_secs(seconds) {
        let bytes = mutate::mutate(&corpus, &mut rng);
        files += 1;
        match catch_unwind(AssertUnwindSafe(|| mutate::try_out(&bytes))) {
            Ok(task) => tasks += u64::from(task),
            Err(_) => {
                let _ = std::fs::write("fuzz-panic.bddl", &bytes);
                eprintln!("file {files} panics; left as fuzz-panic.bddl");
                std::process::exit(1);
            }
        }
    }
    println!("{files} files in {seconds} s, {tasks} of them tasks; no panic");
}
