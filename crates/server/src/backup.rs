//! A copy of everything, taken while the server runs.

use std::path::Path;

use crate::app::{runs, uploads};
use crate::board::BOARDS;
use crate::keeping::{ELSEWHERE, PostgresAddress};
use crate::secret::SEEDS_KEY;
use crate::store::Sqlite;
use crate::{DATABASE, SIGNING_KEY, ServeError};

/// Copy a data folder into a new one, which can be served as it is. Tables in PostgreSQL are copied as they are at
/// one moment into SQLite; [`restore`] brings them back.
pub fn backup(
    data: &Path,
    out: &Path,
    postgres: Option<&PostgresAddress>,
) -> Result<(), ServeError> {
    let io = |path: &Path, e: std::io::Error| ServeError::Io {
        path: path.to_owned(),
        why: e.to_string(),
    };
    let refuse = |why: String| Err(ServeError::Io { path: data.to_owned(), why });
    match (data.join(ELSEWHERE).exists(), postgres) {
        (true, None) => return refuse("its tables are in PostgreSQL; give --postgres".into()),
        (false, Some(_)) => return refuse("its tables are not in PostgreSQL".into()),
        (false, None) if !data.join(DATABASE).is_file() => {
            return refuse(format!("it holds no {DATABASE}; no server has run here"));
        }
        _ => {}
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
    match postgres {
        None => Sqlite::backup(&data.join(DATABASE), &part.join(DATABASE))?,
        Some(at) => from_postgres(at, &part.join(DATABASE))?,
    }
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

#[cfg(feature = "postgres")]
fn from_postgres(at: &PostgresAddress, to: &Path) -> Result<(), ServeError> {
    Ok(crate::store::copy(&crate::store::Postgres::look(at)?, &Sqlite::open(to)?)?)
}

#[cfg(not(feature = "postgres"))]
fn from_postgres(_: &PostgresAddress, to: &Path) -> Result<(), ServeError> {
    Err(ServeError::Io { path: to.to_owned(), why: crate::keeping::WITHOUT.into() })
}

/// Move the tables of a folder, a copy or one that was served with SQLite, into an empty PostgreSQL database.
#[cfg(feature = "postgres")]
pub fn restore(data: &Path, postgres: &PostgresAddress) -> Result<(), ServeError> {
    let refuse = |path: &Path, why: String| ServeError::Io { path: path.to_owned(), why };
    let database = data.join(DATABASE);
    if !database.is_file() {
        let why = format!("it holds no {DATABASE}; nothing can be restored from it");
        return Err(refuse(data, why));
    }
    let _lock = longarm_results::Lock::take(data).map_err(|_| ServeError::Busy(data.to_owned()))?;
    {
        let from = Sqlite::open(&database)?;
        crate::store::copy(&from, &crate::store::Postgres::open(postgres)?)?;
    }
    crate::keeping::mark(data)?;
    // Kept, under a name that nobody serves.
    let kept = data.join(format!("{DATABASE}.restored"));
    std::fs::rename(&database, &kept).map_err(|e| refuse(&kept, e.to_string()))
}

/// Say that there is no PostgreSQL.
#[cfg(not(feature = "postgres"))]
pub fn restore(data: &Path, _: &PostgresAddress) -> Result<(), ServeError> {
    Err(ServeError::Io { path: data.to_owned(), why: crate::keeping::WITHOUT.into() })
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
