//! Datasets read by the real Python packages, installed from PyPI into virtual environments under the
//! target directory: light ones by every `cargo test`, LeRobot by `cargo xtask interop`.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::python;

const TASKS: [&str; 2] = ["longbench/stack-block", "longbench/swap-blocks"];

fn work() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn run(program: &Path, words: &[&str]) {
    let status = Command::new(program).args(words).status();
    assert!(status.is_ok_and(|s| s.success()), "{} {words:?} failed", program.display());
}

/// One recording in every format.
fn recorded(size: &str) -> PathBuf {
    let root = work().join(format!("datasets-{size}"));
    let _ = std::fs::remove_dir_all(&root);
    let longarm = Path::new(env!("CARGO_BIN_EXE_longarm"));
    let place = |name: &str| root.join(name).to_str().expect("UTF-8").to_owned();
    let native = place("native");
    let words = ["demos", TASKS[0], TASKS[1], "--episodes", "2", "--format", "native", "--out"];
    run(longarm, &[&words[..], &[&native]].concat());
    for (name, format) in [
        ("v3", "lerobot"),
        ("v21", "lerobot-v2.1"),
        ("hdf5", "hdf5"),
        ("subtasks", "hdf5-subtasks"),
        ("jsonl", "jsonl"),
        ("npy", "npy"),
    ] {
        let out = place(name);
        run(longarm, &["render", &native, "--format", format, "--size", size, "--out", &out]);
    }
    root
}

fn script(python: &Path, name: &str, root: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop").join(name);
    let words = [script.to_str().expect("UTF-8"), root.to_str().expect("UTF-8")];
    run(python, &words);
}

#[test]
fn light_readers() {
    let packages = ["pyarrow", "pandas", "datasets>=4,<5", "av", "h5py", "numpy", "pillow"];
    let (system, venv) = (python::system().unwrap(), work().join("venv-datasets"));
    let python = python::environment(&system, &venv, &packages).unwrap();
    script(&python, "datasets_light.py", &recorded("64"));
}

#[test]
#[ignore = "installs lerobot and PyTorch from PyPI"]
fn heavy_lerobot() {
    let python = python::with_lerobot(work()).unwrap();
    script(&python, "lerobot_load.py", &recorded("256"));
}
