//! Starting the program and listening to it.
#![allow(dead_code, missing_docs, reason = "each test file uses some of it")]

pub mod browser;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What every record of an episode carries.
pub const RECORD: [&str; 9] =
    ["task", "seed", "policy", "outcome", "score", "stages", "steps", "state_hash", "action_hash"];

pub fn command(args: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_longarm"));
    c.args(args);
    c
}

pub fn longarm(args: &[&str]) -> Output {
    command(args).output().expect("the program starts")
}

pub fn said(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

/// What it prints, having succeeded.
pub fn works(args: &[&str]) -> String {
    let o = longarm(args);
    assert!(o.status.success(), "{args:?}: {}", said(&o));
    String::from_utf8_lossy(&o.stdout).into_owned()
}

/// Exit code 2 and one sentence that contains all of `words`.
pub fn refused(args: &[&str], words: &[&str]) {
    let o = longarm(args);
    let said = said(&o);
    assert_eq!(o.status.code(), Some(2), "{args:?}: {said}");
    for w in words {
        assert!(said.contains(w), "{args:?} said {said:?}, without {w:?}");
    }
    assert_eq!(said.trim().lines().count(), 1, "{said:?}");
    assert!(!said.contains("panicked"), "{said}");
}

/// An empty folder of this test's own.
pub fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}
