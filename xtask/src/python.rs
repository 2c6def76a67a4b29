//! Interpreters and virtual environments.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

/// LeRobot as `cargo xtask interop` tries it, and the Pythons it runs on.
const LEROBOT: (&str, [&str; 2]) = ("lerobot[training]==0.6.1", ["3.12", "3.13"]);
/// Names the interpreter of an environment that has it already.
const LEROBOT_PYTHON: &str = "LONGARM_LEROBOT_PYTHON";

/// Run a command; anything but success is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}");
    let status =
        without_package(command).status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown} failed ({status})");
    }
    Ok(())
}

/// Take away what Cargo tells the program it runs about its package: build scripts that look at it (ring's) would
/// run again in a Cargo started from here, and all that needs them would be compiled again.
fn without_package(command: &mut Command) -> &mut Command {
    let told = |name: &str| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(told)) {
        command.env_remove(name);
    }
    command
}

/// Return the interpreter of a version such as `3.12`: on the path, or one of pyenv's.
pub fn find(version: &str) -> Option<PathBuf> {
    let mut found = Vec::new();
    let name = format!("python{version}");
    if let Some(path) = env::var_os("PATH") {
        found.extend(env::split_paths(&path).map(|dir| dir.join(&name)));
    }
    let versions = PathBuf::from(env::var_os("HOME")?).join(".pyenv/versions");
    for dir in fs::read_dir(versions).into_iter().flatten().filter_map(Result::ok) {
        found.push(dir.path().join("bin").join(&name));
    }
    // A shim exists for every version and starts only some.
    let starts = |p: &PathBuf| {
        p.is_file() && Command::new(p).arg("--version").output().is_ok_and(|o| o.status.success())
    };
    found.into_iter().find(starts)
}

/// Return the user's interpreter: what `PYTHON` names, else `python3`.
pub fn system() -> Result<PathBuf> {
    let named = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    // The program itself: the name may be a script that looks for it on the path.
    let said = Command::new(&named).args(["-c", "import sys; print(sys.executable)"]).output();
    let said = said.with_context(|| format!("cannot start {}", named.display()))?;
    Ok(String::from_utf8(said.stdout)?.trim().into())
}

/// Return a command that installs packages into an interpreter's environment.
pub fn install(python: &Path) -> Result<Command> {
    let mut pip = Command::new(system()?);
    pip.args(["-m", "pip", "--python"]).arg(python);
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    Ok(pip)
}

/// Make an empty virtual environment and return its interpreter.
pub fn empty(python: &Path, venv: &Path) -> Result<PathBuf> {
    // Without pip of its own, so that Debian's python3-venv is not needed.
    run(Command::new(python).args(["-m", "venv", "--clear", "--without-pip"]).arg(venv))?;
    Ok(venv.join("bin/python"))
}

/// Make a virtual environment with these packages, unless it has them, and return its interpreter.
pub fn environment(python: &Path, venv: &Path, packages: &[&str]) -> Result<PathBuf> {
    let (done, wanted) = (venv.join("installed"), packages.join(" "));
    if !fs::read_to_string(&done).is_ok_and(|have| have == wanted) {
        run(install(&empty(python, venv)?)?.args(packages))?;
        fs::write(done, wanted)?;
    }
    Ok(venv.join("bin/python"))
}

/// Return an interpreter that has LeRobot, from an environment below `work` unless one is named.
pub fn with_lerobot(work: &Path) -> Result<PathBuf> {
    if let Some(python) = env::var_os(LEROBOT_PYTHON) {
        return Ok(python.into());
    }
    let (package, versions) = LEROBOT;
    let Some(python) = versions.iter().find_map(|v| find(v)) else {
        bail!(
            "{package} needs Python {}; install one, or name an interpreter that has LeRobot in {LEROBOT_PYTHON}",
            versions.join(" or ")
        );
    };
    environment(&python, &work.join("venv-lerobot"), &[package])
}
