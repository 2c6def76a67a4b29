//! Which database keeps a data folder's tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::store::{Sqlite, Store};
use crate::{DATABASE, ServeError};

/// Says, in a data folder, that its tables are in PostgreSQL.
pub(crate) const ELSEWHERE: &str = "postgres";

/// Where a PostgreSQL database is, which may hold a password and is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress {
    /// `postgres://USER:PASSWORD@HOST/NAME` or `host=… user=… dbname=…`.
    pub address: String,
    /// Certificates (PEM) to trust where the address asks for an encrypted connection.
    pub ca: Option<PathBuf>,
}

impl std::fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PostgresAddress(…)")
    }
}

/// Open the tables of a data folder; none are made in a folder whose tables are elsewhere.
pub(crate) fn open(
    data: &Path,
    postgres: Option<&PostgresAddress>,
) -> Result<Arc<dyn Store>, ServeError> {
    let refuse = |why: &str| ServeError::Io { path: data.to_owned(), why: why.into() };
    match postgres {
        None if data.join(ELSEWHERE).exists() => {
            Err(refuse("its tables are in PostgreSQL; give --postgres"))
        }
        None => Ok(Arc::new(Sqlite::open(&data.join(DATABASE))?)),
        Some(_) if data.join(DATABASE).exists() => Err(refuse(
            "its tables are in longarm.db; `longarm serve restore` moves them to PostgreSQL",
        )),
        #[cfg(feature = "postgres")]
        Some(at) => {
            let store = crate::store::Postgres::open(at)?;
            mark(data)?;
            Ok(Arc::new(store))
        }
        #[cfg(not(feature = "postgres"))]
        Some(_) => Err(refuse(WITHOUT)),
    }
}

/// What a program without PostgreSQL says.
#[cfg(not(feature = "postgres"))]
pub(crate) const WITHOUT: &str =
    "this program knows no PostgreSQL; use one built with --features postgres";

/// Note in a data folder that its tables are in PostgreSQL.
#[cfg(feature = "postgres")]
pub(crate) fn mark(data: &Path) -> Result<(), ServeError> {
    let path = data.join(ELSEWHERE);
    let text = "The tables of this folder are in PostgreSQL: serve it with --postgres.\n";
    std::fs::write(&path, text).map_err(|e| ServeError::Io { path, why: e.to_string() })
}
