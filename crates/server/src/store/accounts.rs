//! Accounts, tokens, sessions and the audit log in SQL.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Known, StoreError, Stored};
use crate::clock::Moment;
use crate::model::{Account, AuditEntry, Role, TokenInfo};

/// A word of the database as the value it stands for.
pub(super) fn word<T: std::str::FromStr<Err = String>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    text.parse().map_err(|e: String| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, e.into())
    })
}

pub(super) fn moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Moment> {
    row.get(column).map(Moment)
}

const ACCOUNT: &str = "a.id, a.name, a.role, a.created_at, a.disabled";

fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account {
        id: row.get(0)?,
        name: row.get(1)?,
        role: word(row, 2)?,
        created_at: moment(row, 3)?,
        disabled: row.get(4)?,
    })
}

fn get(c: &Connection, id: i64) -> Stored<Account> {
    let sql = format!("SELECT {ACCOUNT} FROM accounts a WHERE id = ?1");
    let found = c.prepare_cached(&sql)?.query_row([id], account).optional()?;
    found.ok_or_else(|| StoreError::Missing { what: "account", id: id.to_string() })
}

pub(super) fn add(c: &Connection, name: &str, role: Role, by: Option<i64>) -> Stored<Account> {
    let taken: bool = c.prepare_cached("SELECT 1 FROM accounts WHERE name = ?1")?.exists([name])?;
    if taken {
        return Err(StoreError::Conflict(format!("there is an account {name:?} already")));
    }
    c.execute(
        "INSERT INTO accounts (name, role, created_at) VALUES (?1, ?2, ?3)",
        params![name, role.word(), Moment::now().0],
    )?;
    let id = c.last_insert_rowid();
    audit(c, by, "account.create", name, role.word())?;
    get(c, id)
}

pub(super) fn all(c: &Connection) -> Stored<Vec<Account>> {
    let sql = format!("SELECT {ACCOUNT} FROM accounts a ORDER BY id");
    Ok(c.prepare_cached(&sql)?.query_map([], account)?.collect::<Result<_, _>>()?)
}

pub(super) fn set(c: &Connection, id: i64, role: Role, disabled: bool, by: i64) -> Stored<Account> {
    let before = get(c, id)?;
    c.execute(
        "UPDATE accounts SET role = ?2, disabled = ?3 WHERE id = ?1",
        params![id, role.word(), disabled],
    )?;
    let left: u64 = c.query_row(
        "SELECT COUNT(*) FROM accounts WHERE role = ?1 AND NOT disabled",
        [Role::Administrator.word()],
        |r| r.get(0),
    )?;
    if left == 0 {
        return Err(StoreError::Conflict("this is the last administrator".into()));
    }
    if disabled {
        c.execute("DELETE FROM sessions WHERE account = ?1", [id])?;
    }
    let detail = format!("{role}{}", if disabled { ", disabled" } else { "" });
    audit(c, Some(by), "account.change", &before.name, &detail)?;
    get(c, id)
}

fn token(row: &Row<'_>) -> rusqlite::Result<TokenInfo> {
    Ok(TokenInfo {
        id: row.get(0)?,
        account: row.get(1)?,
        label: row.get(2)?,
        created_at: moment(row, 3)?,
        revoked_at: row.get::<_, Option<i64>>(4)?.map(Moment),
    })
}

pub(super) fn add_token(
    c: &Connection,
    account: i64,
    hash: [u8; 32],
    label: &str,
    by: Option<i64>,
) -> Stored<TokenInfo> {
    let owner = get(c, account)?;
    let now = Moment::now();
    c.execute(
        "INSERT INTO tokens (account, hash, label, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![account, hash, label, now.0],
    )?;
    let id = c.last_insert_rowid();
    audit(c, by, "token.create", &owner.name, label)?;
    Ok(TokenInfo { id, account, label: label.to_owned(), created_at: now, revoked_at: None })
}

pub(super) fn tokens(c: &Connection, account: i64) -> Stored<Vec<TokenInfo>> {
    let sql = "SELECT id, account, label, created_at, revoked_at FROM tokens WHERE account = ?1 ORDER BY id";
    Ok(c.prepare_cached(sql)?.query_map([account], token)?.collect::<Result<_, _>>()?)
}

pub(super) fn revoke(c: &Connection, id: i64, by: i64, any: bool) -> Stored<()> {
    let owner: Option<i64> =
        c.query_row("SELECT account FROM tokens WHERE id = ?1", [id], |r| r.get(0)).optional()?;
    // Somebody else's token is as good as none.
    if owner.is_none_or(|o| o != by && !any) {
        return Err(StoreError::Missing { what: "token", id: id.to_string() });
    }
    c.execute(
        "UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL",
        params![id, Moment::now().0],
    )?;
    c.execute("DELETE FROM sessions WHERE token = ?1", [id])?;
    audit(c, Some(by), "token.revoke", &id.to_string(), "")
}

pub(super) fn by_token(c: &Connection, hash: [u8; 32]) -> Stored<Option<Known>> {
    let sql = format!(
        "SELECT {ACCOUNT}, t.id FROM tokens t JOIN accounts a ON a.id = t.account
         WHERE t.hash = ?1 AND t.revoked_at IS NULL AND NOT a.disabled"
    );
    let known =
        |r: &Row<'_>| Ok(Known { account: account(r)?, token: r.get(5)?, form: String::new() });
    Ok(c.prepare_cached(&sql)?.query_row([hash], known).optional()?)
}

pub(super) fn open_session(
    c: &Connection,
    known: &Known,
    hash: [u8; 32],
    form: &str,
    until: Moment,
) -> Stored<()> {
    c.execute("DELETE FROM sessions WHERE expires_at < ?1", [Moment::now().0])?;
    c.execute(
        "INSERT INTO sessions (hash, account, token, form, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![hash, known.account.id, known.token, form, until.0],
    )?;
    audit(c, Some(known.account.id), "session.open", &known.account.name, "")
}

pub(super) fn by_session(c: &Connection, hash: [u8; 32], now: Moment) -> Stored<Option<Known>> {
    let sql = format!(
        "SELECT {ACCOUNT}, s.token, s.form FROM sessions s
         JOIN accounts a ON a.id = s.account JOIN tokens t ON t.id = s.token
         WHERE s.hash = ?1 AND s.expires_at > ?2 AND t.revoked_at IS NULL AND NOT a.disabled"
    );
    let known = |r: &Row<'_>| Ok(Known { account: account(r)?, token: r.get(5)?, form: r.get(6)? });
    Ok(c.prepare_cached(&sql)?.query_row(params![hash, now.0], known).optional()?)
}

pub(super) fn close_session(c: &Connection, hash: [u8; 32]) -> Stored<()> {
    c.execute("DELETE FROM sessions WHERE hash = ?1", [hash])?;
    Ok(())
}

pub(super) fn audit(
    c: &Connection,
    by: Option<i64>,
    action: &str,
    subject: &str,
    detail: &str,
) -> Stored<()> {
    c.prepare_cached(
        "INSERT INTO audit (at, account, action, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![Moment::now().0, by, action, subject, detail])?;
    Ok(())
}

pub(super) fn audit_log(c: &Connection, most: u64) -> Stored<Vec<AuditEntry>> {
    let sql = "SELECT l.at, a.name, l.action, l.subject, l.detail FROM audit l
               LEFT JOIN accounts a ON a.id = l.account ORDER BY l.id DESC LIMIT ?1";
    let entry = |r: &Row<'_>| {
        Ok(AuditEntry {
            at: moment(r, 0)?,
            account: r.get(1)?,
            action: r.get(2)?,
            subject: r.get(3)?,
            detail: r.get(4)?,
        })
    };
    Ok(c.prepare_cached(sql)?.query_map([most], entry)?.collect::<Result<_, _>>()?)
}
