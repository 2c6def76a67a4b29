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
///
/// Dropping it unlocks the file. Closing it is not enough: the lock belongs to the
/// open file, of which a process that another thread starts at this moment has a copy from its fork
/// to its exec, and the lock would live as long as that copy.
#[derive(Debug)]
pub struct Lock {
    file: File,
    owner: u32,
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
        Ok(Self { file, owner: std::process::id() })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A fork that never execs (Python's multiprocessing) drops its copy while the owner works on.
        if self.owner == std::process::id() {
            // Nobody is left to tell; closing the file releases what this did not.
            let _ = self.file.unlock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_descriptor_does_not_keep_the_lock() {
        let dir = std::env::temp_dir().join(format!("longarm-lock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let lock = Lock::take(&dir).unwrap();
        // What a child process has between its fork and its exec.
        let copy = lock.file.try_clone().unwrap();
        assert!(matches!(Lock::take(&dir), Err(Error::Locked { .. })));
        drop(lock);
        Lock::take(&dir).unwrap();
        drop(copy);
        // The copy of a forked process lets go of nothing.
        let lock = Lock::take(&dir).unwrap();
        drop(Lock { file: lock.file.try_clone().unwrap(), owner: lock.owner ^ 1 });
        assert!(matches!(Lock::take(&dir), Err(Error::Locked { .. })));
        drop(lock);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
