//! What lasts: accounts, submissions, episodes, rows, the audit log.
//!
//! [`Store`] says what the server asks of a database, in its own words. Every method is one transaction: it
//! happens whole or not at all, whoever is killed meanwhile. Tables and statements are written once, in what
//! databases have in common (`sql`); [`Sqlite`] is the one of a single host, [`Postgres`] one of its own.

mod accounts;
mod copy;
#[cfg(feature = "postgres")]
mod postgres;
mod queue;
mod rows;
mod schema;
pub mod sql;
mod sqlite;
mod submissions;
mod tables;

pub use copy::copy;
#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use sqlite::Sqlite;

use crate::clock::Moment;
use crate::model::{
    Account, AuditEntry, BoardRow, Description, EpisodeJob, Judged, Method, NewRow, PolicyServer,
    Role, State, Submission, TokenInfo,
};

/// Why the store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no such entry.
    #[error("there is no {what} {id}")]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// By which name.
        id: String,
    },
    /// It is not as the request supposes.
    #[error("{0}")]
    Conflict(String),
    /// Too much was asked for today.
    #[error("{0}")]
    Quota(String),
    /// The database failed.
    #[error("the database: {0}")]
    Database(String),
}

impl From<serde_json::Error> for StoreError {
    fn from(e: serde_json::Error) -> Self {
        Self::Database(format!("an entry cannot be read: {e}"))
    }
}

/// What the store says.
pub type Stored<T> = Result<T, StoreError>;

/// A submission that arrives.
#[derive(Clone, Debug)]
pub struct NewSubmission {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub account: i64,
    /// What is said of the policy.
    pub description: Description,
    /// How it shows what the policy does.
    pub method: Method,
    /// The board, and how the policy is asked; none where a run is uploaded.
    pub asked: Option<(String, PolicyServer)>,
    /// Bytes that will be uploaded; 0 where nothing is.
    pub size: u64,
    /// Most submissions of an account within a day; uploads that failed or were cancelled do not
    /// count, policies that were asked do.
    pub per_day: u64,
}

/// What a worker may do next.
#[derive(Clone, Debug)]
pub enum Job {
    /// Look at what was uploaded and list its episodes.
    Prepare(Submission),
    /// Play these episodes.
    Play(Submission, Vec<EpisodeJob>),
    /// Put together what was played.
    Finish(Submission),
}

/// Whose hands a job is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hands {
    /// A thread of this server.
    Own,
    /// A thread of this server that leaves replaying to others and looks at what they say.
    Checking,
    /// A worker on another machine: it is given episodes to replay and nothing else.
    Elsewhere,
}

/// Signed receipts by row id, and the moment they name.
#[derive(Clone, Debug)]
pub struct Receipts {
    /// By row id.
    pub by_row: Vec<(String, String)>,
    /// When the rows are published.
    pub at: Moment,
}

/// How many of what there are, for metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Submissions by state.
    pub submissions: Vec<(State, u64)>,
    /// Episodes that were played.
    pub played: u64,
    /// Episodes that wait.
    pub waiting: u64,
    /// Published rows.
    pub rows: u64,
}

/// Who is asking, found by a token or a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The account.
    pub account: Account,
    /// The token that opened the door.
    pub token: i64,
    /// What forms of this session must carry; empty for tokens.
    pub form: String,
}

/// A published or waiting row with what pages and receipts need.
#[derive(Clone, Debug)]
pub struct StoredRow {
    /// The row.
    pub row: BoardRow,
    /// `results.json` of its episodes.
    pub results: String,
    /// What a receipt will say of it, without when it was published.
    pub claims: String,
    /// The signed receipt, once published.
    pub receipt: Option<String>,
    /// Whether it was taken off the board.
    pub withdrawn: bool,
}

/// A row of a board with what tells two apart.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The row.
    pub row: BoardRow,
    /// Hash over its seeds.
    pub seeds_hash: String,
    /// Whether each episode succeeded.
    pub outcomes: Vec<u8>,
}

/// What the server asks of a database.
pub trait Store: Send + Sync {
    /// Add an account.
    fn add_account(&self, name: &str, role: Role, by: Option<i64>) -> Stored<Account>;
    /// Return all accounts.
    fn accounts(&self) -> Stored<Vec<Account>>;
    /// Change what an account may do, or whether it may do anything.
    fn set_account(&self, id: i64, role: Role, disabled: bool, by: i64) -> Stored<Account>;
    /// Add a token of an account by its hash.
    fn add_token(
        &self,
        account: i64,
        hash: [u8; 32],
        label: &str,
        by: Option<i64>,
    ) -> Stored<TokenInfo>;
    /// Return the tokens of an account.
    fn tokens(&self, account: i64) -> Stored<Vec<TokenInfo>>;
    /// Refuse a token and its sessions from now on; an account's own, unless `any`.
    fn revoke_token(&self, id: i64, by: i64, any: bool) -> Stored<()>;
    /// Find whose token has this hash, if it is not revoked nor its account disabled.
    fn by_token(&self, hash: [u8; 32]) -> Stored<Option<Known>>;
    /// Open a session for the owner of a token.
    fn open_session(&self, known: &Known, hash: [u8; 32], form: &str, until: Moment) -> Stored<()>;
    /// Find whose session has this hash.
    fn by_session(&self, hash: [u8; 32], now: Moment) -> Stored<Option<Known>>;
    /// End a session.
    fn close_session(&self, hash: [u8; 32]) -> Stored<()>;
    /// Write down what was done.
    fn audit(&self, by: Option<i64>, action: &str, subject: &str, detail: &str) -> Stored<()>;
    /// Return the latest entries of the audit log.
    fn audit_log(&self, most: u64) -> Stored<Vec<AuditEntry>>;

    /// Add a submission that waits for its upload.
    fn add_submission(&self, new: NewSubmission) -> Stored<Submission>;
    /// Return a submission.
    fn submission(&self, id: &str) -> Stored<Submission>;
    /// Return the latest submissions, of an account or of all.
    fn submissions(&self, account: Option<i64>, most: u64) -> Stored<Vec<Submission>>;
    /// Note how many bytes have arrived; with the last one it is queued.
    fn received(&self, id: &str, bytes: u64) -> Stored<Submission>;
    /// Move a submission from one of some states to another.
    fn set_state(&self, id: &str, from: &[State], to: State, by: i64) -> Stored<Submission>;

    /// Take the next job, until a moment after which others may take it; at most this many episodes.
    fn next_job(&self, until: Moment, most: u64, hands: Hands) -> Stored<Option<Job>>;
    /// Give back all leases: nobody works when a server starts.
    fn forget_leases(&self) -> Stored<()>;
    /// Note what became of looking at a submission: its episodes, or why there are none.
    fn prepared(&self, id: &str, episodes: Result<Vec<EpisodeJob>, Vec<String>>) -> Stored<()>;
    /// Note that a policy is shown an episode, and until when nobody else may take it; whether it may go on.
    fn begun(&self, id: &str, index: u64, until: Moment) -> Stored<bool>;
    /// End a submission whose policy cannot be asked; it can go on later.
    fn away(&self, id: &str, why: &str) -> Stored<()>;
    /// Note what became of episodes; what is known of one already stays.
    fn played(&self, id: &str, episodes: Vec<(u64, Judged)>) -> Stored<()>;
    /// Note what the worker of an account says of episodes, as the text of a [`Judged`], and whether this server
    /// plays them, too. Where it sees something else then, all that the worker told of the submission is played again.
    fn told(&self, id: &str, worker: i64, episodes: Vec<(u64, String, bool)>) -> Stored<()>;
    /// Return all episodes that were played, in order.
    fn judged(&self, id: &str) -> Stored<Vec<Judged>>;
    /// End a submission: rows, or what is wrong. Rows with receipts are published in the same moment.
    fn finished(
        &self,
        id: &str,
        rows: Result<Vec<NewRow>, Vec<String>>,
        receipts: Option<Receipts>,
    ) -> Stored<()>;
    /// Publish the rows of a completed submission with their receipts.
    fn publish(&self, id: &str, receipts: Receipts, by: Option<i64>) -> Stored<()>;

    /// Return the rows of a submission.
    fn rows_of(&self, submission: &str) -> Stored<Vec<StoredRow>>;
    /// Return a row.
    fn row(&self, id: &str) -> Stored<StoredRow>;
    /// Return a board: of each policy of an account the row that was published last.
    fn standings(&self, board: &str) -> Stored<Vec<Standing>>;
    /// Return a number that changes whenever a board does, and when it did last.
    fn version(&self) -> Stored<(u64, Moment)>;
    /// Count.
    fn census(&self) -> Stored<Census>;
}
