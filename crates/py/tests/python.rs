//! The tests of the Python package, run by Python, on the library that this build made.
//!
//! `cargo test` runs those that need light packages only; `cargo xtask interop` the others:
//! `cargo test -p longarm-py --test python -- --ignored --test-threads=1`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn work() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("cannot start {command:?}: {e}"));
    assert!(status.success(), "{command:?} failed ({status})");
}

fn system_python() -> Command {
    Command::new(env::var_os("PYTHON").unwrap_or_else(|| "python3".into()))
}

/// The interpreter of an environment with these packages; made on first use.
fn python_with(name: &str, packages: &[&str]) -> PathBuf {
    let venv = work().join(format!("venv-{name}"));
    let python = venv.join("bin/python");
    let (done, wanted) = (venv.join("installed"), packages.join(" "));
    if fs::read_to_string(&done).is_ok_and(|have| have == wanted) {
        return python;
    }
    // Without pip of its own, so that Debian's python3-venv is not needed.
    run(system_python().args(["-m", "venv", "--clear", "--without-pip"]).arg(&venv));
    run(install(&python).args(packages));
    fs::write(done, wanted).unwrap();
    python
}

fn install(python: &Path) -> Command {
    let mut pip = system_python();
    pip.args(["-m", "pip", "--python"]).arg(python);
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    pip
}

/// The package as this build made it, ready for `PYTHONPATH`.
fn package() -> PathBuf {
    let here = work().join("package");
    let (from, to) = (root().join("python/longarm"), here.join("longarm"));
    let _ = fs::remove_dir_all(&to);
    copy(&from, &to);
    let built = env::current_exe().unwrap().with_file_name("lib_native.so");
    fs::copy(&built, to.join("_native.abi3.so"))
        .unwrap_or_else(|e| panic!("{}: {e}", built.display()));
    here
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|e| e.unwrap().path()) {
        let target = to.join(entry.file_name().unwrap());
        if entry.is_file() {
            fs::copy(&entry, target).unwrap();
        } else if entry.file_name() != Some(OsStr::new("__pycache__")) {
            copy(&entry, &target);
        }
    }
}

fn script(python: &Path, paths: &[&Path], words: &[&str]) {
    let mut command = Command::new(python);
    command.current_dir(root()).env("PYTHONPATH", env::join_paths(paths).unwrap());
    run(command.env("PYTHONDONTWRITEBYTECODE", "1").args(words));
}

#[test]
fn the_package() {
    let python = python_with("longarm", &["gymnasium==1.4.0", "numpy", "pytest"]);
    let words = ["-m", "pytest", "-p", "no:cacheprovider", "python/tests"];
    script(&python, &[&package()], &words);
}

#[test]
#[ignore = "builds a wheel and installs it"]
fn the_wheel_needs_nothing_else() {
    let python = python_with("wheel", &["pytest"]);
    // The profile of the tests, so that nothing is compiled twice.
    run(install(&python)
        .args(["--force-reinstall", "."])
        .current_dir(root())
        .env("MATURIN_PEP517_ARGS", "--profile dev"));
    let words = ["-m", "pytest", "-p", "no:cacheprovider", "python/tests"];
    script(&python, &[], &words);
}

#[test]
#[ignore = "installs Ray and submitit from PyPI"]
fn ray_and_submitit_give_the_same_rows() {
    let packages = ["gymnasium==1.4.0", "numpy", "ray==2.60.0", "submitit==1.5.4"];
    let python = python_with("launch", &packages);
    script(&python, &[&package()], &["python/interop/launchers.py"]);
}

#[test]
#[ignore = "installs LeRobot and PyTorch from PyPI, gigabytes"]
fn lerobot_evaluates_a_policy_on_a_task() {
    // An environment that has LeRobot 0.4.4 already may be named.
    let python = match env::var_os("LONGARM_LEROBOT_PYTHON") {
        Some(python) => python.into(),
        None => python_with("lerobot", &["lerobot==0.4.4"]),
    };
    let plugin = work().join("plugin");
    let _ = fs::remove_dir_all(&plugin);
    run(install(&python)
        .arg("--no-deps")
        .arg("--target")
        .arg(&plugin)
        .arg(root().join("python/lerobot")));
    script(&python, &[&package(), &plugin], &["python/interop/lerobot_eval.py"]);
}
