//! Being asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// What the shell expects of a program stopped with Ctrl-C.
pub(crate) const EXIT: u8 = 130;

/// The user stopped the work; what was done is kept.
#[derive(Debug)]
pub(crate) struct Interrupted(pub String);

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Interrupted {}

/// A flag that Ctrl-C (or a request to terminate) sets; the second one ends the program at once.
pub(crate) fn flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            tell!("stopped at once; add --resume to run the rest");
            std::process::exit(EXIT.into());
        }
        tell!("stopping after the episodes under way; once more to stop at once");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}
