//! Where other people's files lie on a user's disk.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Named folders, written `NAME=DIR,NAME=DIR`. A name may be given several times: a file is then taken
/// from the first of its folders that has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssetFolders(Vec<(String, PathBuf)>);

/// What is wrong with a list of folders.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("assets are given as NAME=DIR,NAME=DIR; {0:?} is not NAME=DIR")]
pub struct AssetFoldersError(String);

impl AssetFolders {
    /// Return the folders of a name, in order.
    pub fn of(&self, name: &str) -> impl DoubleEndedIterator<Item = &PathBuf> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, dir)| dir)
    }

    /// Return all names and folders, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PathBuf)> {
        self.0.iter().map(|(name, dir)| (name.as_str(), dir))
    }

    /// Whether no folder was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Add a folder.
    pub fn push(&mut self, name: &str, dir: impl Into<PathBuf>) {
        self.0.push((name.to_owned(), dir.into()));
    }
}

impl FromStr for AssetFolders {
    type Err = AssetFoldersError;

    fn from_str(text: &str) -> Result<Self, AssetFoldersError> {
        let mut out = Self::default();
        for part in text.split(',').filter(|p| !p.trim().is_empty()) {
            match part.split_once('=') {
                Some((name, dir)) if !name.trim().is_empty() && !dir.trim().is_empty() => {
                    out.push(name.trim(), dir.trim());
                }
                _ => return Err(AssetFoldersError(part.trim().to_owned())),
            }
        }
        Ok(out)
    }
}

impl fmt::Display for AssetFolders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.0.iter().map(|(name, dir)| format!("{name}={}", dir.display()));
        f.write_str(&each.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_and_come_in_order() {
        let given: AssetFolders = "a=/x, b=y ,a=z,".parse().unwrap();
        assert_eq!(given.of("a").collect::<Vec<_>>(), [&PathBuf::from("/x"), &PathBuf::from("z")]);
        assert_eq!(given.to_string(), "a=/x,b=y,a=z");
        assert!("".parse::<AssetFolders>().unwrap().is_empty());
        for wrong in ["a", "a=", "=b", "a=b,c"] {
            let e = wrong.parse::<AssetFolders>().unwrap_err().to_string();
            assert!(e.contains("NAME=DIR"), "{e}");
        }
    }
}
