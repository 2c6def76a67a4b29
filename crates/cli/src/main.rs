//! The `longarm` program.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    let program = std::env::current_exe().map_or(name, OsString::from);
    ExitCode::from(longarm_cli::run(&[program], words))
}
