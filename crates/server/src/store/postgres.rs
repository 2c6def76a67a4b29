//! PostgreSQL: one connection writes, several read.
//!
//! The server stays one process. Whoever writes holds a lock of the database for as long as it is connected, so
//! transactions that change something follow one another, as they do in SQLite; readers see one moment each.

mod link;
mod tls;
mod types;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use self::link::Link;
use self::tls::Encrypted;
use super::schema::{MIGRATIONS, dialect, known};
use super::sql::{Database, Sql, Value};
use super::{StoreError, Stored};
use crate::keeping::PostgresAddress;

/// Connections for reading that are kept open.
const READERS: usize = 4;
/// What is locked by the process that writes: "long" in letters, and the schema, of which a database may have several.
const LOCK: i64 = 0x6c_6f_6e_67;
const LOCKED: &str =
    "SELECT CAST(pg_try_advisory_lock(CAST(?1 AS INT), hashtext(current_schema())) AS INT)";
/// How long a predecessor may take to let go: a killed server's connection ends a moment after it.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// A PostgreSQL database.
pub struct Postgres {
    /// Drives connections; none only while it is being closed.
    runtime: Option<Runtime>,
    config: Config,
    encrypted: Option<Encrypted>,
    /// None before the first use and after a connection broke.
    writer: Mutex<Option<Link>>,
    readers: Mutex<Vec<Link>>,
}

impl Postgres {
    /// Connect to a database, bring its tables up to date, and keep every other process from writing to them.
    pub fn open(at: &PostgresAddress) -> Stored<Self> {
        let store = Self::connect(at)?;
        store.write(migrate)?;
        Ok(store)
    }

    /// Connect only to look.
    pub fn look(at: &PostgresAddress) -> Stored<Self> {
        let store = Self::connect(at)?;
        let version = store.read(version)?;
        match known(version)?.len() {
            0 => Ok(store),
            _ => Err(StoreError::Database(format!(
                "it has version {version} of the tables; `longarm serve` brings it to {}",
                MIGRATIONS.len()
            ))),
        }
    }

    fn connect(at: &PostgresAddress) -> Stored<Self> {
        // The address may hold a password: it is not repeated.
        let mut config: Config = at.address.trim().parse().map_err(|_| {
            StoreError::Database(
                "the address of the PostgreSQL database cannot be read; it is \
                 postgres://USER:PASSWORD@HOST/NAME or host=… user=… dbname=…"
                    .into(),
            )
        })?;
        if config.get_application_name().is_none() {
            config.application_name("longarm");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|e| StoreError::Database(e.to_string()))?;
        let (writer, readers) = (Mutex::default(), Mutex::default());
        let encrypted = match config.get_ssl_mode() {
            SslMode::Require => Some(Encrypted::new(at.ca.as_deref())?),
            _ => None,
        };
        Ok(Self { runtime: Some(runtime), config, encrypted, writer, readers })
    }

    fn link(&self) -> Stored<Link> {
        let gone = || StoreError::Database("it is being closed".into());
        Link::open(
            self.runtime.as_ref().ok_or_else(gone)?.handle(),
            &self.config,
            self.encrypted.clone(),
        )
    }

    /// Open the one connection that writes.
    fn writer(&self) -> Stored<Link> {
        let link = self.link()?;
        for _ in 0..TRIES {
            if link.number(LOCKED, &[Value::Int(LOCK)])? == 1 {
                return Ok(link);
            }
            std::thread::sleep(PAUSE);
        }
        Err(StoreError::Conflict("another process serves this PostgreSQL database".into()))
    }
}

impl Database for Postgres {
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Sql) -> Stored<T> + Send + 'static,
    ) -> Stored<T> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let link = match writer.take().filter(Link::lives) {
            Some(link) => link,
            None => self.writer()?,
        };
        let done = link.within("BEGIN", work);
        *writer = Some(link).filter(Link::lives);
        done
    }

    fn read<T>(&self, work: impl FnOnce(&dyn Sql) -> Stored<T>) -> Stored<T> {
        let lock = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = {
            let mut readers = lock();
            readers.retain(Link::lives);
            readers.pop()
        };
        let link = match kept {
            Some(kept) => kept,
            None => self.link()?,
        };
        let done = link.within("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work);
        let mut readers = lock();
        if link.lives() && readers.len() < READERS {
            readers.push(link);
        }
        done
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Wherever this is dropped, it must not wait for itself.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn version(c: &dyn Sql) -> Stored<usize> {
    if c.columns("longarm_schema")?.is_empty() {
        return Ok(0);
    }
    let found = c.row("SELECT version FROM longarm_schema", &[])?;
    Ok(found.map(|r| r.count(0)).transpose()?.unwrap_or(0) as usize)
}

fn migrate(t: &dyn Sql) -> Stored<()> {
    t.run("CREATE TABLE IF NOT EXISTS longarm_schema (version BIGINT NOT NULL)", &[])?;
    for migration in known(version(t)?)? {
        for statement in dialect(migration).split(';').filter(|s| !s.trim().is_empty()) {
            t.run(statement, &[])?;
        }
    }
    t.run("DELETE FROM longarm_schema", &[])?;
    t.run("INSERT INTO longarm_schema (version) VALUES (?1)", &[(MIGRATIONS.len() as i64).into()])?;
    Ok(())
}
