//! Where the originals lie on a user's disk.

use std::path::{Path, PathBuf};

use longarm_assets::outside::OutsideError;
use longarm_assets::source::{AssetFolders, Library};

use super::OriginalError;

/// Names of the folders with problems and stored states.
pub(super) const PROBLEMS: &str = "libero-problems";
pub(super) const STATES: &str = "libero-states";

/// Open LIBERO's and robosuite's folders with the problems and stored states beside LIBERO's assets.
pub(super) fn open(given: &AssetFolders) -> Result<Library, OriginalError> {
    let main = |name: &'static str| {
        let say = || OutsideError::new(name, format!("no folder was given: --assets {name}=DIR"));
        given.of(name).next_back().ok_or_else(say)
    };
    let (libero, robosuite) = (main("libero")?, main("robosuite")?);
    let mut over: Vec<PathBuf> = given.of("libero").cloned().collect();
    over.pop();
    let mut out = library(libero, robosuite, &over)?;
    for (name, inside) in [(PROBLEMS, "bddl_files"), (STATES, "init_files")] {
        let beside = ["libero/libero", "libero", "", ".."];
        if let Some(folder) = below(libero, &beside, inside) {
            out.add(name, &folder.join(inside))?;
        }
    }
    Ok(out)
}

/// Open LIBERO's and robosuite's folders. Each may be the checkout or package, or what lies inside it
/// down to the assets; `over` are folders whose files replace LIBERO's assets of the same path.
pub fn library(
    libero: &Path,
    robosuite: &Path,
    over: &[PathBuf],
) -> Result<Library, OriginalError> {
    let mut out = Library::default();
    for folder in over {
        out.add("libero", folder)?;
    }
    let assets = below(libero, &["libero/libero/assets", "libero/assets", "assets", ""], "scenes");
    out.add("libero", &assets.ok_or_else(|| nowhere(libero, "LIBERO's `assets` folder"))?)?;
    let own = ["robosuite/models/assets", "models/assets", ""];
    let assets = below(robosuite, &own, "base.xml");
    out.add(
        "robosuite",
        &assets.ok_or_else(|| nowhere(robosuite, "robosuite's `models/assets`"))?,
    )?;
    Ok(out)
}

fn below(root: &Path, inside: &[&str], mark: &str) -> Option<PathBuf> {
    inside.iter().map(|i| root.join(i)).find(|p| p.join(mark).exists())
}

fn nowhere(root: &Path, what: &str) -> OriginalError {
    super::lacking(&root.display().to_string(), what)
}
