//! A copy of everything, taken while the server runs.

use std::path::Path;

use crate::app::{runs, uploads};
use crate::board::BOARDS;
use crate::secret::SEEDS_KEY;
use crate::store::Sqlite;
use crate::{DATABASE, SIGNING_KEY, ServeError};

/// Copy a data folder into a new one, which can be served as it is.
pub fn backup(data: &Path, out: &Path) -> Result<(), ServeError> {
    let io = |path: &Path, e: std::io::Error| ServeError::Io {
        path: path.to_owned(),
        why: e.to_string(),
    };
    if !data.join(DATABASE).is_file() {
        let why = format!("it holds no {DATABASE}; no server has run here");
        return Err(ServeError::Io { path: data.to_owned(), why });
    }
    if out.exists() {
        return Err(ServeError::Io { path: out.to_owned(), why: "it exists already".into() });
    }
    // It appears whole or not at all.
    let mut part = out.as_os_str().to_owned();
    part.push(".tmp");
    let part = Path::new(&part);
    let _ = std::fs::remove_dir_all(part);
    std::fs::create_dir_all(part).map_err(|e| io(part, e))?;
    Sqlite::backup(&data.join(DATABASE), &part.join(DATABASE))?;
    for name in [SIGNING_KEY, SEEDS_KEY, BOARDS] {
        let from = data.join(name);
        if from.is_file() {
            std::fs::copy(&from, part.join(name)).map_err(|e| io(&from, e))?;
        }
    }
    // An archive becomes a run when it is unpacked: whichever it is meanwhile, it is in one of the two.
    for (from, to) in [(uploads(data), uploads(part)), (runs(data), runs(part))] {
        copy(&from, &to)?;
    }
    std::fs::rename(part, out).map_err(|e| io(out, e))
}

fn copy(from: &Path, to: &Path) -> Result<(), ServeError> {
    let io = |e: std::io::Error| ServeError::Io { path: from.to_owned(), why: e.to_string() };
    std::fs::create_dir_all(to).map_err(io)?;
    for entry in std::fs::read_dir(from).map_err(io)? {
        let entry = entry.map_err(io)?;
        let (path, into) = (entry.path(), to.join(entry.file_name()));
        let done = match entry.file_type().map_err(io)?.is_dir() {
            true => copy(&path, &into),
            false => std::fs::copy(&path, &into).map(drop).map_err(io),
        };
        // What was cancelled meanwhile is gone, and not missed.
        if path.exists() {
            done?;
        }
    }
    Ok(())
}
