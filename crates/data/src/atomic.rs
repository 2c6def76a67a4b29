//! Files that appear under their name only when complete.

use crate::{Error, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file being written beside its target. Dropped without [`AtomicFile::commit`], it vanishes.
///
/// Guards against a process that stops half-way, not against power loss: there is no fsync, which
/// would dominate the cost of writing thousands of short episodes.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    file: Option<File>,
    temporary: PathBuf,
    target: PathBuf,
}

impl AtomicFile {
    pub(crate) fn create(target: &Path) -> Result<Self> {
        // The counter keeps two writers of one process apart, the process id two processes.
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let fail = |source| Error::Io { action: "create", path: target.to_owned(), source };
        let name = target.file_name().ok_or_else(|| {
            fail(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))
        })?;
        // Found out now rather than after an episode's worth of encoding.
        if target.is_dir() {
            return Err(fail(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
            hidden.push(format!(".{}-{unique}.tmp", std::process::id()));
            let temporary = target.with_file_name(hidden);
            let opened = File::options().read(true).write(true).create_new(true).open(&temporary);
            match opened {
                Ok(file) => {
                    return Ok(Self { file: Some(file), temporary, target: target.to_owned() });
                }
                // Left behind by a killed process that had the same id.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(fail(e)),
            }
        }
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Runs `write` on the open file; its error is reported under the target's name.
    pub(crate) fn with<T>(&mut self, write: impl FnOnce(&mut File) -> io::Result<T>) -> Result<T> {
        let fail = |source| Error::Io { action: "write", path: self.target.clone(), source };
        match &mut self.file {
            Some(file) => write(file).map_err(fail),
            None => Err(fail(io::Error::other("the file is closed"))),
        }
    }

    /// Gives the file its name, replacing what had it before.
    pub(crate) fn commit(mut self) -> Result<()> {
        // Windows cannot rename an open file.
        self.file = None;
        fs::rename(&self.temporary, &self.target).map_err(|source| {
            // Drop must still find the file to remove it.
            Error::Io { action: "rename to", path: self.target.clone(), source }
        })?;
        self.temporary = PathBuf::new();
        Ok(())
    }
}

/// Writes a whole file: it appears under its name complete or not at all.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.with(|f| io::Write::write_all(f, bytes))?;
    file.commit()
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        self.file = None;
        if !self.temporary.as_os_str().is_empty() {
            // Nobody is left to tell about a failure here.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
