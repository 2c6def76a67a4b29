//! SQLite in WAL mode: one thread writes, any number read.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::schema::MIGRATIONS;
use super::{
    Census, Hands, Job, Known, NewSubmission, Receipts, Standing, Store, StoreError, Stored,
    StoredRow, accounts, queue, rows, submissions,
};
use crate::clock::Moment;
use crate::model::{
    Account, AuditEntry, EpisodeJob, Judged, NewRow, Role, State, Submission, TokenInfo,
};

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

impl From<serde_json::Error> for StoreError {
    fn from(e: serde_json::Error) -> Self {
        Self::Database(format!("an entry cannot be read: {e}"))
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

    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Stored<T> + Send + 'static,
    ) -> Stored<T> {
        let gone = || StoreError::Database("it is being closed".into());
        let (tell, told) = channel();
        let job: Write = Box::new(move |connection| {
            let done = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(StoreError::from)
                .and_then(|t| {
                    let out = work(&t)?;
                    t.commit()?;
                    Ok(out)
                });
            // Whoever asked may have gone.
            let _ = tell.send(done);
        });
        self.writer.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())?;
        told.recv().map_err(|_| gone())?
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> Stored<T>) -> Stored<T> {
        let lock = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().pop();
        let mut connection = match kept {
            Some(kept) => kept,
            None => connect(&self.path, true)?,
        };
        // One moment for all that is read.
        let moment = connection.transaction()?;
        let out = work(&moment);
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
    if version > MIGRATIONS.len() {
        let text = format!(
            "it has version {version}, this program knows {}: start the newer longarm",
            MIGRATIONS.len()
        );
        return Err(StoreError::Database(text));
    }
    for migration in &MIGRATIONS[version..] {
        all.execute_batch(migration)?;
    }
    all.pragma_update(None, "user_version", MIGRATIONS.len())?;
    all.commit()?;
    Ok(())
}

impl Store for Sqlite {
    fn add_account(&self, name: &str, role: Role, by: Option<i64>) -> Stored<Account> {
        let name = name.to_owned();
        self.write(move |t| accounts::add(t, &name, role, by))
    }

    fn accounts(&self) -> Stored<Vec<Account>> {
        self.read(accounts::all)
    }

    fn set_account(&self, id: i64, role: Role, disabled: bool, by: i64) -> Stored<Account> {
        self.write(move |t| accounts::set(t, id, role, disabled, by))
    }

    fn add_token(
        &self,
        account: i64,
        hash: [u8; 32],
        label: &str,
        by: Option<i64>,
    ) -> Stored<TokenInfo> {
        let label = label.to_owned();
        self.write(move |t| accounts::add_token(t, account, hash, &label, by))
    }

    fn tokens(&self, account: i64) -> Stored<Vec<TokenInfo>> {
        self.read(|c| accounts::tokens(c, account))
    }

    fn revoke_token(&self, id: i64, by: i64, any: bool) -> Stored<()> {
        self.write(move |t| accounts::revoke(t, id, by, any))
    }

    fn by_token(&self, hash: [u8; 32]) -> Stored<Option<Known>> {
        self.read(|c| accounts::by_token(c, hash))
    }

    fn open_session(&self, known: &Known, hash: [u8; 32], form: &str, until: Moment) -> Stored<()> {
        let (known, form) = (known.clone(), form.to_owned());
        self.write(move |t| accounts::open_session(t, &known, hash, &form, until))
    }

    fn by_session(&self, hash: [u8; 32], now: Moment) -> Stored<Option<Known>> {
        self.read(|c| accounts::by_session(c, hash, now))
    }

    fn close_session(&self, hash: [u8; 32]) -> Stored<()> {
        self.write(move |t| accounts::close_session(t, hash))
    }

    fn audit(&self, by: Option<i64>, action: &str, subject: &str, detail: &str) -> Stored<()> {
        let (action, subject, detail) = (action.to_owned(), subject.to_owned(), detail.to_owned());
        self.write(move |t| accounts::audit(t, by, &action, &subject, &detail))
    }

    fn audit_log(&self, most: u64) -> Stored<Vec<AuditEntry>> {
        self.read(|c| accounts::audit_log(c, most))
    }

    fn add_submission(&self, new: NewSubmission) -> Stored<Submission> {
        self.write(move |t| submissions::add(t, &new))
    }

    fn submission(&self, id: &str) -> Stored<Submission> {
        self.read(|c| submissions::get(c, id))
    }

    fn submissions(&self, account: Option<i64>, most: u64) -> Stored<Vec<Submission>> {
        self.read(|c| submissions::list(c, account, most))
    }

    fn received(&self, id: &str, bytes: u64) -> Stored<Submission> {
        let id = id.to_owned();
        self.write(move |t| submissions::received(t, &id, bytes))
    }

    fn set_state(&self, id: &str, from: &[State], to: State, by: i64) -> Stored<Submission> {
        let (id, from) = (id.to_owned(), from.to_vec());
        self.write(move |t| submissions::set_state(t, &id, &from, to, by))
    }

    fn next_job(&self, until: Moment, most: u64, hands: Hands) -> Stored<Option<Job>> {
        // Asked for all the time while nothing waits: looked up without writing first.
        if !self.read(queue::has_work)? {
            return Ok(None);
        }
        self.write(move |t| queue::next_job(t, until, most, hands))
    }

    fn forget_leases(&self) -> Stored<()> {
        self.write(queue::forget_leases)
    }

    fn prepared(&self, id: &str, episodes: Result<Vec<EpisodeJob>, Vec<String>>) -> Stored<()> {
        let id = id.to_owned();
        self.write(move |t| queue::prepared(t, &id, &episodes))
    }

    fn begun(&self, id: &str, index: u64, until: Moment) -> Stored<bool> {
        let id = id.to_owned();
        self.write(move |t| queue::begun(t, &id, index, until))
    }

    fn away(&self, id: &str, why: &str) -> Stored<()> {
        let (id, why) = (id.to_owned(), why.to_owned());
        self.write(move |t| queue::away(t, &id, &why))
    }

    fn played(&self, id: &str, episodes: Vec<(u64, Judged)>) -> Stored<()> {
        let id = id.to_owned();
        self.write(move |t| queue::played(t, &id, &episodes))
    }

    fn told(&self, id: &str, worker: i64, episodes: Vec<(u64, String, bool)>) -> Stored<()> {
        let id = id.to_owned();
        self.write(move |t| queue::told(t, &id, worker, &episodes))
    }

    fn judged(&self, id: &str) -> Stored<Vec<Judged>> {
        self.read(|c| queue::judged(c, id))
    }

    fn finished(
        &self,
        id: &str,
        rows: Result<Vec<NewRow>, Vec<String>>,
        receipts: Option<Receipts>,
    ) -> Stored<()> {
        let id = id.to_owned();
        self.write(move |t| submissions::finished(t, &id, &rows, receipts.as_ref()))
    }

    fn publish(&self, id: &str, receipts: Receipts, by: Option<i64>) -> Stored<()> {
        let id = id.to_owned();
        self.write(move |t| submissions::publish(t, &id, &receipts, by))
    }

    fn rows_of(&self, submission: &str) -> Stored<Vec<StoredRow>> {
        self.read(|c| rows::rows_of(c, submission))
    }

    fn row(&self, id: &str) -> Stored<StoredRow> {
        self.read(|c| rows::row(c, id))
    }

    fn standings(&self, board: &str) -> Stored<Vec<Standing>> {
        self.read(|c| rows::standings(c, board))
    }

    fn version(&self) -> Stored<(u64, Moment)> {
        self.read(rows::version)
    }

    fn census(&self) -> Stored<Census> {
        self.read(submissions::census)
    }
}
