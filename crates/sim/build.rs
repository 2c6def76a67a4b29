//! Puts the MuJoCo library where the linker looks for it.
//!
//! The library is the one in the `mujoco` wheel on PyPI, the only source that every machine with Python
//! can reach; its SHA-256 is checked wherever it comes from. It is taken from a Python that has the
//! package (a build of the wheel declares it, so nothing is downloaded there), else downloaded with pip,
//! with uv, or with the pip of a temporary virtual environment. A preset `MUJOCO_DYNAMIC_LINK_DIR` that
//! points elsewhere wins and nothing is looked for.

use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

const VERSION: &str = "3.17.0";
const LIBRARY: &str = "libmujoco.so.3.17.0";

struct Platform {
    arch: &'static str,
    tags: [&'static str; 2],
    sha256: &'static str,
}

const PLATFORMS: [Platform; 2] = [
    Platform {
        arch: "x86_64",
        tags: ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64"],
        sha256: "23496b023ee80fb61ab71167e94bc649f9941710fde96b18bb8204fb332523ad",
    },
    Platform {
        arch: "aarch64",
        tags: ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64"],
        sha256: "e2edd0204fb9229f75f332a4fcd1a32345bb9f90651dc0fddfa20ec0670db789",
    },
];

fn fail(what: &str) -> ! {
    println!("cargo::error={what}");
    exit(1);
}

fn main() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let ours = manifest.join("../../third_party/mujoco/lib");
    let preset = env::var_os("MUJOCO_DYNAMIC_LINK_DIR").map(PathBuf::from);
    let same = |p: &Path| p.canonicalize().ok() == ours.canonicalize().ok();
    let dir = preset.as_ref().unwrap_or(&ours);
    println!("cargo::metadata=library={}", dir.join(LIBRARY).display());
    if preset.as_deref().is_some_and(|p| !same(p)) {
        return;
    }
    let target = ours.join(LIBRARY);
    println!("cargo::rerun-if-changed={}", target.display());

    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let platform = match PLATFORMS.iter().find(|p| p.arch == arch) {
        Some(p) if os == "linux" => p,
        _ => fail(&format!(
            "no MuJoCo {VERSION} for {os} {arch} is fetched automatically; install it and set MUJOCO_DYNAMIC_LINK_DIR to the folder of its library"
        )),
    };
    if target.exists() {
        match sha256(&target) {
            Ok(h) if h == platform.sha256 => return,
            Ok(h) => println!(
                "cargo::warning={} has SHA-256 {h}, expected {}; fetching it again",
                target.display(),
                platform.sha256
            ),
            Err(e) => {
                println!("cargo::warning=cannot check {}: {e}; fetching it again", target.display())
            }
        }
    }
    fetch(platform, &target);
}

/// Find the library and put it in its place, or say everything that was tried.
fn fetch(platform: &Platform, target: &Path) {
    let work = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("mujoco-wheel");
    let _ = fs::remove_dir_all(&work);
    if let Err(e) = fs::create_dir_all(&work) {
        fail(&format!("cannot create {}: {e}", work.display()));
    }
    let pythons = pythons();
    let mut tried = Vec::new();
    if pythons.is_empty() {
        tried.push("there is no python3".to_owned());
    }
    let mut found =
        pythons.iter().filter_map(|p| installed(p)).find(|library| is_genuine(library, platform));
    let downloads = pythons
        .iter()
        .map(|p| Download::Pip(p.clone()))
        .chain([Download::Uv])
        .chain(pythons.iter().map(|p| Download::Venv(p.clone())));
    for download in downloads {
        if found.is_some() {
            break;
        }
        match download.run(platform, &work) {
            Ok(library) if is_genuine(&library, platform) => found = Some(library),
            Ok(library) => fail(&format!(
                "the downloaded {LIBRARY} has SHA-256 {}, expected {}; it is corrupt or was tampered with and was not used",
                sha256(&library).unwrap_or_else(|e| e.to_string()),
                platform.sha256
            )),
            Err(why) => tried.push(why),
        }
    }
    let Some(library) = found else {
        fail(&format!(
            "MuJoCo {VERSION} cannot be had: {}. Install python3-pip or uv and check the network, or unpack {LIBRARY} from the PyPI wheel mujoco {VERSION} into third_party/mujoco/lib by hand, or set MUJOCO_DYNAMIC_LINK_DIR to a folder that has libmujoco.so",
            tried.join("; ")
        ));
    };
    // Copy beside the target, then rename: a half-copied library is never seen.
    let part = target.with_extension(format!("part{}", std::process::id()));
    let placed = fs::copy(&library, &part).and_then(|_| fs::rename(&part, target));
    if let Err(e) = placed {
        let _ = fs::remove_file(&part);
        fail(&format!("cannot write {}: {e}", target.display()));
    }
    let _ = fs::remove_dir_all(&work);
}

/// Interpreters to ask, best first: the user's choice, the one a wheel is built for, the usual names.
/// Those that do not start are left out.
fn pythons() -> Vec<String> {
    let named = ["PYTHON", "PYO3_PYTHON", "PYTHON_SYS_EXECUTABLE"];
    let named = named.iter().filter_map(|name| env::var(name).ok());
    let mut pythons = Vec::new();
    for python in named.chain(["python3".to_owned(), "python".to_owned()]) {
        let starts = Command::new(&python).arg("--version").output();
        if !pythons.contains(&python) && starts.is_ok_and(|o| o.status.success()) {
            pythons.push(python);
        }
    }
    pythons
}

/// The library of the `mujoco` package that this Python has, of whatever version.
fn installed(python: &str) -> Option<PathBuf> {
    // Finds the package without importing it.
    let ask = "import importlib.util as u; s = u.find_spec('mujoco'); print(s.submodule_search_locations[0] if s else '')";
    let out = Command::new(python).args(["-c", ask]).output().ok()?;
    let folder = String::from_utf8(out.stdout).ok()?;
    let library = Path::new(folder.trim()).join(LIBRARY);
    (out.status.success() && library.is_file()).then_some(library)
}

/// A way to get the wheel from the package index.
enum Download {
    /// With the pip of this Python.
    Pip(String),
    /// With uv.
    Uv,
    /// With the pip that this Python puts into a new virtual environment.
    Venv(String),
}

impl Download {
    /// Download and unpack the wheel; return its library, or say in a few words why not.
    fn run(&self, platform: &Platform, work: &Path) -> Result<PathBuf, String> {
        let unpacked = work.join("unpacked");
        match self {
            Self::Pip(python) => pip(python, platform, work, &unpacked)?,
            Self::Uv => {
                let mut uv = Command::new("uv");
                uv.args(["pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"]);
                uv.args(["--python-version", "3.11", "--python-platform"]);
                uv.arg(format!("{}-manylinux_2_28", platform.arch));
                uv.arg("--target").arg(&unpacked).arg(format!("mujoco=={VERSION}"));
                finish("uv", &mut uv)?;
            }
            Self::Venv(python) => {
                let venv = work.join("venv");
                let name = format!("{python} -m venv");
                finish(&name, Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))?;
                pip(&venv.join("bin/python").to_string_lossy(), platform, work, &unpacked)?;
            }
        }
        let library = unpacked.join("mujoco").join(LIBRARY);
        match library.is_file() {
            true => Ok(library),
            false => Err(format!("the wheel mujoco {VERSION} has no {LIBRARY}")),
        }
    }
}

fn pip(python: &str, platform: &Platform, work: &Path, unpacked: &Path) -> Result<(), String> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
    pip.args(["--disable-pip-version-check", "--python-version", "3.11"]);
    for tag in platform.tags {
        pip.args(["--platform", tag]);
    }
    pip.arg(format!("mujoco=={VERSION}")).arg("--dest").arg(work);
    let name = format!("{python} -m pip download mujoco=={VERSION}");
    finish(&name, &mut pip)?;
    let files = fs::read_dir(work).into_iter().flatten().filter_map(Result::ok).map(|e| e.path());
    let wheel = files.into_iter().find(|p| p.extension().is_some_and(|x| x == "whl"));
    let wheel = wheel.ok_or_else(|| format!("{name} left no wheel"))?;
    let mut unzip = Command::new(python);
    unzip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(unpacked);
    finish(&format!("unpacking {}", wheel.display()), &mut unzip)
}

/// Run a command; say its name and its last line if it fails.
fn finish(name: &str, command: &mut Command) -> Result<(), String> {
    let out = command.output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("there is no {name}"),
        _ => format!("{name}: {e}"),
    })?;
    if out.status.success() {
        return Ok(());
    }
    let said =
        String::from_utf8_lossy(if out.stderr.is_empty() { &out.stdout } else { &out.stderr });
    let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message");
    Err(format!("{name}: {}", last.trim()))
}

fn is_genuine(library: &Path, platform: &Platform) -> bool {
    sha256(library).is_ok_and(|h| h == platform.sha256)
}

fn sha256(path: &Path) -> std::io::Result<String> {
    use sha2::{Digest, Sha256};
    let bytes = fs::read(path)?;
    Ok(Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect())
}
