//! Spoiled files against a reader until the time is over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use longarm_types::{Rng, Seed};

/// Seconds and seed as a user gives them, after `first` other words; usage and the end when they are none.
pub fn asked(first: usize, usage: &str) -> (u64, u64) {
    let args: Vec<String> = std::env::args().skip(1 + first).collect();
    let number = |i: usize, otherwise: u64| args.get(i).map_or(Some(otherwise), |a| a.parse().ok());
    if let (Some(seconds), Some(seed)) = (number(0, 300), number(1, 0)) {
        return (seconds, seed);
    }
    eprintln!("usage: {usage} [SECONDS [SEED]]");
    std::process::exit(2);
}

/// Make files and read them until the time is over, and say how many were `good`. One that makes `read` panic
/// is left as `fuzz-panic.KIND` and ends the program.
pub fn fuzz(
    kind: &str,
    good: &str,
    (seconds, seed): (u64, u64),
    mut make: impl FnMut(&mut Rng) -> Vec<u8>,
    mut read: impl FnMut(&[u8], &mut Rng) -> bool,
) {
    let mut rng = Seed(seed).stream("fuzz");
    let started = Instant::now();
    let (mut files, mut accepted) = (0u64, 0u64);
    while started.elapsed() < Duration::from_secs(seconds) {
        let bytes = make(&mut rng);
        files += 1;
        match catch_unwind(AssertUnwindSafe(|| read(&bytes, &mut rng))) {
            Ok(yes) => accepted += u64::from(yes),
            Err(_) => {
                let name = format!("fuzz-panic.{kind}");
                let _ = std::fs::write(&name, &bytes);
                eprintln!("file {files} panics; left as {name}");
                std::process::exit(1);
            }
        }
    }
    println!("{files} {kind} files in {seconds} s, {accepted} of them {good}; no panic");
}
