//! The tests of the Python package, run by Python, on the library that this build made.
//!
//! `cargo test` runs those that need light packages only; `cargo xtask interop` the others:
//! `cargo test -p longarm-py --test python -- --ignored --test-threads=1`.

mod bridge;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use xtask::python;

/// What the package's own tests need.
const PACKAGES: &[&str] = &["gymnasium==1.4.0", "numpy", "pytest", "trustme"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn work() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn run(command: &mut Command) {
    python::run(command).unwrap();
}

/// The interpreter of an environment with these packages; made on first use.
fn python_with(name: &str, packages: &[&str]) -> PathBuf {
    let venv = work().join(format!("venv-{name}"));
    python::environment(&python::system().unwrap(), &venv, packages).unwrap()
}

fn install(python: &Path) -> Command {
    python::install(python).unwrap()
}

/// The package as this build made it, ready for `PYTHONPATH`.
fn package() -> &'static Path {
    static MADE: LazyLock<PathBuf> = LazyLock::new(|| {
        let here = work().join("package");
        let (from, to) = (root().join("python/longarm"), here.join("longarm"));
        let _ = fs::remove_dir_all(&to);
        copy(&from, &to);
        let built = env::current_exe().unwrap().with_file_name("lib_native.so");
        fs::copy(&built, to.join("_native.abi3.so"))
            .unwrap_or_else(|e| panic!("{}: {e}", built.display()));
        here
    });
    &MADE
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
    let python = python_with("longarm", PACKAGES);
    let words = ["-m", "pytest", "-p", "no:cacheprovider", "python/tests"];
    script(&python, &[package()], &words);
}

#[test]
fn its_sources_are_clean() {
    let packages = ["gymnasium==1.4.0", "mypy==2.4.1", "numpy", "ruff==0.17.5"];
    let python = python_with("lint", &packages);
    script(&python, &[], &["-m", "ruff", "check", "--no-cache", "python"]);
    script(&python, &[], &["-m", "ruff", "format", "--no-cache", "--check", "python"]);
    let cache = work().join("mypy");
    script(&python, &[], &["-m", "mypy", "--cache-dir", cache.to_str().unwrap()]);
}

#[test]
#[ignore = "builds a wheel and installs it"]
fn the_wheel_needs_nothing_else() {
    let python = python_with("wheel", &["pytest", "trustme"]);
    // The profile of the tests, so that nothing is compiled twice.
    run(install(&python)
        .args(["--force-reinstall", "."])
        .current_dir(root())
        .env("MATURIN_PEP517_ARGS", "--profile dev"));
    let words = ["-m", "pytest", "-p", "no:cacheprovider", "python/tests"];
    script(&python, &[], &words);
}

/// A command that builds the package as users do, on this build's target directory and profile, so that
/// only the workspace is compiled again.
fn builder(program: &Path) -> Command {
    let mut command = Command::new(program);
    // Cargo tells its tests where our own MuJoCo is; a user's machine has none.
    command.env_remove("MUJOCO_DYNAMIC_LINK_DIR").env_remove("LD_LIBRARY_PATH");
    command.env("CARGO_TARGET_DIR", work().parent().unwrap());
    command.env("MATURIN_PEP517_ARGS", "--profile dev");
    command
}

/// The command that was installed beside this interpreter works.
fn try_command(longarm: &Path) {
    let mut command = Command::new(longarm);
    command.env_remove("MUJOCO_DYNAMIC_LINK_DIR").env_remove("LD_LIBRARY_PATH");
    run(command.args(["run", "longbench/stack-block", "--policy", "expert"]).current_dir(work()));
}

#[test]
#[ignore = "installs uv and pipx, and builds the package four times"]
fn every_installer_builds_the_sources() {
    let bin = python_with("installers", &["uv", "pipx", "maturin>=1.9.4,<2"]);
    let bin = bin.parent().unwrap();
    // Outside of the repository, whose settings Cargo would find.
    let place = env::temp_dir().join("longarm-installers");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    let clone = place.join("clone");
    let library = clone.join("third_party/mujoco/lib/libmujoco.so.3.17.0");
    run(Command::new("git").args(["clone", "--quiet"]).arg(root()).arg(&clone));
    assert!(!library.exists(), "a clone has no MuJoCo");
    let venv = |name: &str| {
        let python = python::empty(&python::system().unwrap(), &place.join(name)).unwrap();
        python.parent().unwrap().to_owned()
    };

    let uv = venv("uv");
    run(builder(&bin.join("uv"))
        .args(["pip", "install", "--quiet", "--python"])
        .args([uv.join("python").as_path(), &clone]));
    try_command(&uv.join("longarm"));

    fs::remove_file(&library).unwrap();
    let (home, pipx) = (place.join("pipx"), place.join("pipx-bin"));
    run(builder(&bin.join("pipx"))
        .env("PIPX_HOME", home)
        .env("PIPX_BIN_DIR", &pipx)
        .arg("install")
        .arg(&clone));
    try_command(&pipx.join("longarm"));

    let pip = |name: &str, what: &str| {
        let bin = venv(name);
        let python = bin.join("python");
        let mut pip = builder(&python::system().unwrap());
        pip.args(["-m", "pip", "--python"]).arg(python);
        run(pip.args(["install", "--quiet", "--disable-pip-version-check", what]));
        try_command(&bin.join("longarm"));
    };
    pip("git", &format!("git+file://{}", clone.canonicalize().unwrap().display()));

    let sdist = place.join("archive");
    run(builder(&bin.join("maturin")).args(["sdist", "--out"]).arg(&sdist).current_dir(&clone));
    let archive = fs::read_dir(sdist).unwrap().next().unwrap().unwrap().path();
    pip("sdist", archive.to_str().unwrap());
}

#[test]
#[ignore = "installs Ray and submitit from PyPI"]
fn ray_and_submitit_give_the_same_rows() {
    let packages = ["gymnasium==1.4.0", "numpy", "ray==2.60.0", "submitit==1.5.4"];
    let python = python_with("launch", &packages);
    script(&python, &[package()], &["python/interop/launchers.py"]);
}

#[test]
#[ignore = "installs openpi-client from PyPI"]
fn openpis_own_client_is_served() {
    let python = python_with("served", &["gymnasium==1.4.0", "openpi-client==0.1.2"]);
    script(&python, &[package()], &["python/interop/openpi_asks.py"]);
}

#[test]
#[ignore = "installs LeRobot and PyTorch from PyPI, gigabytes"]
fn lerobot_trains_and_gets_our_numbers() {
    let python = python::with_lerobot(work()).unwrap();
    let plugin = work().join("plugin");
    let _ = fs::remove_dir_all(&plugin);
    run(install(&python)
        .arg("--no-deps")
        .arg("--target")
        .arg(&plugin)
        .arg(root().join("python/lerobot")));
    script(&python, &[package(), &plugin], &["python/interop/lerobot_eval.py"]);
}
