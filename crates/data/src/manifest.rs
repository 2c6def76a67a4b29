//! Which files a finished dataset consists of, so that damage can be named.

use std::collections::BTreeMap;
use std::path::Path;

use longarm_types::Digest;
use serde::{Deserialize, Serialize};

use crate::{Error, Result, write_atomically};

/// A file as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Length.
    pub bytes: u64,
    /// Hash of its contents.
    pub hash: Digest,
}

/// Files by their path relative to the dataset, with forward slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The files.
    pub files: BTreeMap<String, Entry>,
}

impl Manifest {
    /// Adds a file that was just written.
    pub fn add(&mut self, dir: &Path, name: &str) -> Result<()> {
        let path = dir.join(name);
        let bytes = std::fs::read(&path).map_err(Error::io("read", &path))?;
        let entry = Entry { bytes: bytes.len() as u64, hash: Digest::of(&bytes) };
        self.files.insert(name.to_owned(), entry);
        Ok(())
    }

    /// Reads a manifest; `None` when there is none.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        match std::fs::read(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("read", path)(e)),
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| Error::Damaged {
                path: path.to_owned(),
                what: format!("it is not a list of files ({e})"),
            }),
        }
    }

    /// Writes the manifest whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(self).expect("a map of plain entries");
        text.push(b'\n');
        write_atomically(path, &text)
    }

    /// The files that are not as they were written, each with what is wrong.
    pub fn damage(&self, dir: &Path) -> Vec<(String, String)> {
        let wrong = |(name, entry): (&String, &Entry)| {
            let what = match std::fs::read(dir.join(name)) {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => "it is missing".to_owned(),
                Err(e) => format!("it cannot be read ({e})"),
                Ok(b) if b.len() as u64 != entry.bytes => {
                    format!("it has {} bytes instead of {}", b.len(), entry.bytes)
                }
                Ok(b) if Digest::of(&b) != entry.hash => {
                    "its contents do not match its hash".to_owned()
                }
                Ok(_) => return None,
            };
            Some((name.clone(), what))
        };
        self.files.iter().filter_map(wrong).collect()
    }
}
