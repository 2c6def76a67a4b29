//! SQLite in WAL mode: one thread writes, any number read.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, TransactionBehavior, params_from_iter};

use super::schema::{MIGRATIONS, known};
use super::sql::{Database, Row, Sql, Value};
use super::{StoreError, Stored};

type Write = Box<dyn FnOnce(&mut Connection) + Send>;

/// Readers that are kept open.
const READERS: usize = 8;

/// A database in one file.
pub struct Sqlite {
    path: PathBuf,
    /// None only while it is being closed.
    writer: Option<Sender<Write>>,
    thread: Option<JoinHandle<()>>,
    readers: Mutex<Vec<Connection>>,
}

impl From<rusqlite::Error> for StoreError {
    fn from(e: rusqlite::Error) -> Self {
        Self::Database(e.to_string())
    }
}

impl Sqlite {
    /// Open a database, make it where there is none, and bring its tables up to date.
    pub fn open(path: &Path) -> Stored<Self> {
        let mut connection = connect(path, false)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A published row must survive a power cut, not only a kill.
        connection.pragma_update(None, "synchronous", "FULL")?;
        migrate(&mut connection)?;
        let (writer, jobs) = channel::<Write>();
        let thread = std::thread::spawn(move || {
            for job in jobs {
                job(&mut connection);
            }
        });
        let readers = Mutex::default();
        Ok(Self { path: path.to_owned(), writer: Some(writer), thread: Some(thread), readers })
    }

    /// Copy the database while it is in use, whole, into a file that must not exist.
    pub fn backup(from: &Path, to: &Path) -> Stored<()> {
        if to.exists() {
            return Err(StoreError::Conflict(format!("{} exists already", to.display())));
        }
        let connection = connect(from, true)?;
        connection.execute("VACUUM INTO ?1", [to.display().to_string()])?;
        Ok(())
    }
}

impl Database for Sqlite {
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Sql) -> Stored<T> + Send + 'static,
    ) -> Stored<T> {
        let gone = || StoreError::Database("it is being closed".into());
        let (tell, told) = channel();
        let job: Write = Box::new(move |connection| {
            let done = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(StoreError::from)
                .and_then(|t| {
                    let out = work(&*t)?;
                    t.commit()?;
                    Ok(out)
                });
            // Whoever asked may have gone.
            let _ = tell.send(done);
        });
        self.writer.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())?;
        told.recv().map_err(|_| gone())?
    }

    fn read<T>(&self, work: impl FnOnce(&dyn Sql) -> Stored<T>) -> Stored<T> {
        let lock = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().pop();
        let mut connection = match kept {
            Some(kept) => kept,
            None => connect(&self.path, true)?,
        };
        // One moment for all that is read.
        let moment = connection.transaction()?;
        let out = work(&*moment);
        drop(moment);
        let mut readers = lock();
        if readers.len() < READERS {
            readers.push(connection);
        }
        out
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.writer = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn connect(path: &Path, only_read: bool) -> Stored<Connection> {
    let flags = match only_read {
        true => OpenFlags::SQLITE_OPEN_READ_ONLY,
        false => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    } | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(|e| StoreError::Database(format!("{}: {e}", path.display())))?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> Stored<()> {
    let all = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    let version: usize = all.pragma_query_value(None, "user_version", |r| r.get(0))?;
    for migration in known(version)? {
        all.execute_batch(migration)?;
    }
    all.pragma_update(None, "user_version", MIGRATIONS.len())?;
    all.commit()?;
    Ok(())
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(v) => ValueRef::Integer(*v),
            Self::Text(v) => ValueRef::Text(v.as_bytes()),
            Self::Bytes(v) => ValueRef::Blob(v),
        }))
    }
}

impl Sql for Connection {
    fn run(&self, sql: &str, values: &[Value]) -> Stored<u64> {
        Ok(self.prepare_cached(sql)?.execute(params_from_iter(values))? as u64)
    }

    fn rows(&self, sql: &str, values: &[Value]) -> Stored<Vec<Row>> {
        let mut statement = self.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut found = statement.query(params_from_iter(values))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let value = |i| {
                Ok(match row.get_ref(i)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(v) => Value::Int(v),
                    ValueRef::Text(v) => Value::Text(String::from_utf8_lossy(v).into_owned()),
                    ValueRef::Blob(v) => Value::Bytes(v.to_vec()),
                    ValueRef::Real(v) => {
                        return Err(StoreError::Database(format!("{v} is not a whole number")));
                    }
                })
            };
            rows.push(Row((0..columns).map(value).collect::<Stored<_>>()?));
        }
        Ok(rows)
    }

    fn columns(&self, table: &str) -> Stored<Vec<String>> {
        let sql = "SELECT name FROM pragma_table_info(?1) ORDER BY cid";
        self.rows(sql, &[table.into()])?.iter().map(|r| r.text(0)).collect()
    }

    fn count_on(&self, _: &str) -> Stored<()> {
        // It always does.
        Ok(())
    }
}
