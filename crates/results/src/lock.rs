//! One writer per run directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::{Error, Result};

const NAME: &str = "run.lock";

/// An exclusive lock, held until dropped.
///
/// The system's own file lock: it ends with the process however that ends, SIGKILL included, so a
/// dead holder leaves nothing to clean up. The file itself stays, for removing it would let two
/// processes lock two different files of that name; its text only tells people who holds it.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a directory, or says who has it.
    pub fn take(dir: &Path) -> Result<Self> {
        let path = dir.join(NAME);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Where a lock forbids reading too, the holder stays nameless.
                let _ = file.read_to_string(&mut text);
                let holder = match text.trim() {
                    "" => "another process".to_owned(),
                    known => known.to_owned(),
                };
                return Err(Error::Locked { path: dir.to_owned(), holder });
            }
            Err(TryLockError::Error(e)) => return Err(Error::io("lock", &path)(e)),
        }
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let on =
            if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
        let line = format!("process {}{on}\n", std::process::id());
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.set_len(0))
            .and_then(|()| file.write_all(line.as_bytes()))
            .map_err(Error::io("write", &path))?;
        Ok(Self { _file: file })
    }
}
