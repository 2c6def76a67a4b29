//! Puts the MuJoCo library beside the extension, where the wheel takes it and the loader finds it.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let from = PathBuf::from(env::var_os("DEP_LONGARM_MUJOCO_LIBRARY").unwrap_or_default());
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed={}", from.display());
    println!("cargo::rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
    let Some(name) = from.file_name() else { return };
    let to = manifest.join("../../python/longarm").join(name);
    println!("cargo::rerun-if-changed={}", to.display());
    let size = |p: &Path| fs::metadata(p).map(|m| m.len()).ok();
    if size(&from).is_some() && size(&from) == size(&to) {
        return;
    }
    // Copy beside the target, then rename: a half-copied library is never packed.
    let part = to.with_extension("part");
    if let Err(e) = fs::copy(&from, &part).and_then(|_| fs::rename(&part, &to)) {
        println!("cargo::error=cannot copy {} to {}: {e}", from.display(), to.display());
    }
}
