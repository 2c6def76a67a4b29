//! Puts the MuJoCo library where the linker looks for it.
//!
//! The library comes out of the `mujoco` wheel on PyPI: the only source every machine with pip can
//! reach. A preset `MUJOCO_DYNAMIC_LINK_DIR` that points elsewhere wins and nothing is fetched.

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

fn fetch(platform: &Platform, target: &Path) {
    let work = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("mujoco-wheel");
    let _ = fs::remove_dir_all(&work);
    if let Err(e) = fs::create_dir_all(&work) {
        fail(&format!("cannot create {}: {e}", work.display()));
    }
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
    pip.args(["--python-version", "3.11"]);
    for tag in platform.tags {
        pip.args(["--platform", tag]);
    }
    pip.arg(format!("mujoco=={VERSION}")).arg("--dest").arg(&work);
    let by_hand = format!(
        "or unpack {LIBRARY} from the PyPI wheel mujoco {VERSION} into third_party/mujoco/lib by hand, or set MUJOCO_DYNAMIC_LINK_DIR to a folder that has libmujoco.so"
    );
    let out = match pip.output() {
        Ok(out) => out,
        Err(e) => {
            fail(&format!("cannot run {python}: {e}; install python3 and python3-pip, {by_hand}"))
        }
    };
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        if said.contains("No module named pip") {
            fail(&format!("{python} has no pip; install python3-pip, {by_hand}"));
        }
        let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message");
        fail(&format!(
            "pip could not download mujoco {VERSION} ({last}); check the network, {by_hand}"
        ));
    }
    let wheel = fs::read_dir(&work).ok().and_then(|d| {
        d.filter_map(Result::ok)
            .map(|e| e.path())
            .find(|p| p.extension().is_some_and(|x| x == "whl"))
    });
    let Some(wheel) = wheel else {
        fail(&format!("pip left no wheel in {}; {by_hand}", work.display()))
    };
    let unzip = Command::new(&python).args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&work).output();
    if !unzip.is_ok_and(|o| o.status.success()) {
        fail(&format!(
            "the downloaded {} does not unpack; build again, {by_hand}",
            wheel.display()
        ));
    }
    let library = work.join("mujoco").join(LIBRARY);
    match sha256(&library) {
        Ok(h) if h == platform.sha256 => {}
        Ok(h) => fail(&format!(
            "the downloaded {LIBRARY} has SHA-256 {h}, expected {}; it is corrupt or was tampered with and was not used",
            platform.sha256
        )),
        Err(e) => fail(&format!("the wheel has no readable {}: {e}; {by_hand}", library.display())),
    }
    // Copy beside the target, then rename: a half-copied library is never seen.
    let part = target.with_extension(format!("part{}", std::process::id()));
    let placed = fs::copy(&library, &part).and_then(|_| fs::rename(&part, target));
    if let Err(e) = placed {
        let _ = fs::remove_file(&part);
        fail(&format!("cannot write {}: {e}", target.display()));
    }
    let _ = fs::remove_dir_all(&work);
}

fn sha256(path: &Path) -> std::io::Result<String> {
    use sha2::{Digest, Sha256};
    let bytes = fs::read(path)?;
    Ok(Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect())
}
