//! Where the originals lie on a user's disk.

use std::path::{Path, PathBuf};

use longarm_assets::outside::OutsideError;
use longarm_assets::source::{AssetFolders, Library};

use super::OriginalError;
use super::release::Release;

/// Names of the folders with problems and stored states.
pub(super) const PROBLEMS: &str = "libero-problems";
pub(super) const STATES: &str = "libero-states";

/// Open the folders of a release and robosuite's, with problems and stored states beside the assets.
pub(super) fn open(given: &AssetFolders, release: &Release) -> Result<Library, OriginalError> {
    let of = |name: &'static str, what: &str| {
        let say =
            || OutsideError::new(name, format!("no folder was given: --assets {name}=DIR, {what}"));
        given.of(name).next_back().ok_or_else(say)
    };
    let robosuite = of("robosuite", "the package robosuite 1.4.0")?;
    let Some(fork) = &release.fork else {
        let libero = of("libero", "a checkout of LIBERO")?;
        let mut over: Vec<PathBuf> = given.of("libero").cloned().collect();
        over.pop();
        let mut out = library(libero, robosuite, &over)?;
        for (name, inside) in [(PROBLEMS, "bddl_files"), (STATES, "init_files")] {
            let beside = ["libero/libero", "libero", "", ".."];
            if let Some(folder) = below(libero, &beside, inside) {
                out.add(name, &folder.join(inside))?;
            }
        }
        return Ok(out);
    };
    let root = of(fork.folder, fork.what)?;
    let assets = below(root, fork.assets, "scenes");
    let assets = assets.ok_or_else(|| nowhere(root, "`assets` with a folder `scenes`"))?;
    // Files that the fork left as they were may be missing in it, or replaced: what LIBERO's folders have.
    let mut out = Library::default();
    out.add("libero", &assets)?;
    for libero in given.of("libero") {
        out.add("libero", &below(libero, ASSETS, "scenes").unwrap_or_else(|| libero.clone()))?;
    }
    add_robosuite(&mut out, robosuite)?;
    let problems = below(root, fork.problems, "bddl");
    out.add(PROBLEMS, &problems.ok_or_else(|| nowhere(root, "folder `bddl`"))?)?;
    Ok(out)
}

/// Where LIBERO's assets lie in its checkout.
const ASSETS: &[&str] = &["libero/libero/assets", "libero/assets", "assets", ""];

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
    let assets = below(libero, ASSETS, "scenes");
    out.add("libero", &assets.ok_or_else(|| nowhere(libero, "LIBERO's `assets` folder"))?)?;
    add_robosuite(&mut out, robosuite)?;
    Ok(out)
}

fn add_robosuite(library: &mut Library, folder: &Path) -> Result<(), OriginalError> {
    let own = ["robosuite/models/assets", "models/assets", ""];
    let assets = below(folder, &own, "base.xml");
    let assets = assets.ok_or_else(|| nowhere(folder, "robosuite's `models/assets`"))?;
    Ok(library.add("robosuite", &assets)?)
}

fn below(root: &Path, inside: &[&str], mark: &str) -> Option<PathBuf> {
    inside.iter().map(|i| root.join(i)).find(|p| p.join(mark).exists())
}

fn nowhere(root: &Path, what: &str) -> OriginalError {
    super::lacking(&root.display().to_string(), what)
}
