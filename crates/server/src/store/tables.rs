//! What the server asks for, as transactions on whichever database there is.

use super::sql::Database;
use super::{
    Census, Hands, Job, Known, NewSubmission, Receipts, Standing, Store, Stored, StoredRow,
    accounts, queue, rows, submissions,
};
use crate::clock::Moment;
use crate::model::{
    Account, AuditEntry, EpisodeJob, Judged, NewRow, Role, State, Submission, TokenInfo,
};

impl<D: Database> Store for D {
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
