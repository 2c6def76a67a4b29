//! Where a user keeps other people's files: what is given, a variable, or the configuration file.

use std::path::{Path, PathBuf};

use longarm_assets::source::AssetFolders;

use crate::{CatalogueError, Result};

/// Environment variable with folders of other people's files, written `NAME=DIR,NAME=DIR`.
pub const ASSETS: &str = "LONGARM_ASSETS";
/// Environment variable with the path of the configuration file.
pub const CONFIG: &str = "LONGARM_CONFIG";
/// What is given in place of folders for tasks as they are, whatever else says where files lie.
pub const OFF: &str = "off";

/// Folders of other people's files that tasks are to be played in, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedFolders {
    /// The folders, with whole paths.
    pub folders: AssetFolders,
    /// Where they were written, unless they were given.
    pub from: Option<String>,
}

/// Return the folders that are meant: those given, else those of [`ASSETS`], else those under `[assets]`
/// in the configuration file, which is `longarm/config.toml` in the user's configuration folder, or
/// what [`CONFIG`] names. `None` where nobody says, or `off` is given.
pub fn asset_folders(given: Option<&str>) -> Result<Option<AskedFolders>> {
    let wrong =
        |what: &str, e: &dyn std::fmt::Display| CatalogueError::File(format!("{what}: {e}"));
    let asked = |text: &str, from: Option<String>| {
        let name = from.as_deref().unwrap_or("--assets");
        let folders: AssetFolders = text.parse().map_err(|e| wrong(name, &e))?;
        let folders = whole(&folders).map_err(|e| wrong(name, &e))?;
        Ok(Some(AskedFolders { folders, from }).filter(|a| !a.folders.is_empty()))
    };
    if let Some(text) = given {
        return if text == OFF { Ok(None) } else { asked(text, None) };
    }
    if let Some(text) = std::env::var_os(ASSETS).filter(|v| !v.is_empty()) {
        return asked(&text.to_string_lossy(), Some(ASSETS.to_owned()));
    }
    match config_file() {
        Some(path) if path.is_file() => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(&path).map_err(|e| wrong(&name, &e))?;
            let folders = configured(&text).map_err(|e| wrong(&name, &e))?;
            asked(&folders, Some(name))
        }
        _ => Ok(None),
    }
}

fn whole(folders: &AssetFolders) -> std::io::Result<AssetFolders> {
    let mut out = AssetFolders::default();
    for (name, dir) in folders.iter() {
        out.push(name, std::path::absolute(dir)?);
    }
    Ok(out)
}

fn config_file() -> Option<PathBuf> {
    let path = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let beside = |folder: &Path| folder.join("longarm/config.toml");
    path(CONFIG)
        .or_else(|| path("XDG_CONFIG_HOME").map(|p| beside(&p)))
        .or_else(|| path("HOME").map(|p| beside(&p.join(".config"))))
}

/// The `[assets]` of a configuration, as they would be given.
fn configured(text: &str) -> std::result::Result<String, String> {
    let table: toml::Table = toml::from_str(text).map_err(|e| e.message().to_owned())?;
    let Some(assets) = table.get("assets") else { return Ok(String::new()) };
    let assets = assets.as_table().ok_or("`assets` is not a table of folders")?;
    let mut out = Vec::new();
    for (name, dirs) in assets {
        let dirs = match dirs {
            toml::Value::Array(of) => of.clone(),
            one => vec![one.clone()],
        };
        for dir in dirs {
            let dir = dir.as_str().ok_or_else(|| format!("assets.{name} is not a folder"))?;
            out.push(format!("{name}={dir}"));
        }
    }
    Ok(out.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_given_or_configured() {
        assert_eq!(asset_folders(Some(OFF)).unwrap(), None);
        let asked = asset_folders(Some("a=/x,b=y")).unwrap().unwrap();
        assert!(asked.from.is_none() && asked.folders.of("b").all(|p| p.is_absolute()));
        let e = asset_folders(Some("/x")).unwrap_err().to_string();
        assert!(e.contains("--assets") && e.contains("NAME=DIR"), "{e}");
        let text = "[assets]\na = \"/x\"\nb = [\"/over\", \"/y\"]\n";
        assert_eq!(configured(text).unwrap(), "a=/x,b=/over,b=/y");
        assert_eq!(configured("other = 1").unwrap(), "");
        assert!(configured("assets = 3").unwrap_err().contains("folders"));
        assert!(configured("[assets]\na = 3").unwrap_err().contains("assets.a"));
    }
}
