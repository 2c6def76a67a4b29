//! Accounts, tokens, sessions and the audit log in SQL.

use super::sql::{Row, Sql, values};
use super::{Known, StoreError, Stored};
use crate::clock::Moment;
use crate::model::{Account, AuditEntry, Role, TokenInfo};

const ACCOUNT: &str = "a.id, a.name, a.role, a.created_at, a.disabled";

fn account(row: &Row) -> Stored<Account> {
    Ok(Account {
        id: row.int(0)?,
        name: row.text(1)?,
        role: row.word(2)?,
        created_at: row.moment(3)?,
        disabled: row.flag(4)?,
    })
}

fn get(c: &dyn Sql, id: i64) -> Stored<Account> {
    let sql = format!("SELECT {ACCOUNT} FROM accounts a WHERE id = ?1");
    let missing = || StoreError::Missing { what: "account", id: id.to_string() };
    account(&c.row(&sql, values![id])?.ok_or_else(missing)?)
}

pub(super) fn add(c: &dyn Sql, name: &str, role: Role, by: Option<i64>) -> Stored<Account> {
    if c.any("SELECT 1 FROM accounts WHERE name = ?1", values![name])? {
        return Err(StoreError::Conflict(format!("there is an account {name:?} already")));
    }
    let id = c.number(
        "INSERT INTO accounts (name, role, created_at) VALUES (?1, ?2, ?3) RETURNING id",
        values![name, role.word(), Moment::now()],
    )?;
    audit(c, by, "account.create", name, role.word())?;
    get(c, id)
}

pub(super) fn all(c: &dyn Sql) -> Stored<Vec<Account>> {
    let sql = format!("SELECT {ACCOUNT} FROM accounts a ORDER BY id");
    c.rows(&sql, &[])?.iter().map(account).collect()
}

pub(super) fn set(c: &dyn Sql, id: i64, role: Role, disabled: bool, by: i64) -> Stored<Account> {
    let before = get(c, id)?;
    c.run(
        "UPDATE accounts SET role = ?2, disabled = ?3 WHERE id = ?1",
        values![id, role.word(), disabled],
    )?;
    let sql = "SELECT COUNT(*) FROM accounts WHERE role = ?1 AND disabled = 0";
    if c.number(sql, values![Role::Administrator.word()])? == 0 {
        return Err(StoreError::Conflict("this is the last administrator".into()));
    }
    if disabled {
        c.run("DELETE FROM sessions WHERE account = ?1", values![id])?;
    }
    let detail = format!("{role}{}", if disabled { ", disabled" } else { "" });
    audit(c, Some(by), "account.change", &before.name, &detail)?;
    get(c, id)
}

fn token(row: &Row) -> Stored<TokenInfo> {
    Ok(TokenInfo {
        id: row.int(0)?,
        account: row.int(1)?,
        label: row.text(2)?,
        created_at: row.moment(3)?,
        revoked_at: row.maybe(4, Row::moment)?,
    })
}

pub(super) fn add_token(
    c: &dyn Sql,
    account: i64,
    hash: [u8; 32],
    label: &str,
    by: Option<i64>,
) -> Stored<TokenInfo> {
    let owner = get(c, account)?;
    let now = Moment::now();
    let id = c.number(
        "INSERT INTO tokens (account, hash, label, created_at) VALUES (?1, ?2, ?3, ?4) RETURNING id",
        values![account, hash, label, now],
    )?;
    audit(c, by, "token.create", &owner.name, label)?;
    Ok(TokenInfo { id, account, label: label.to_owned(), created_at: now, revoked_at: None })
}

pub(super) fn tokens(c: &dyn Sql, account: i64) -> Stored<Vec<TokenInfo>> {
    let sql = "SELECT id, account, label, created_at, revoked_at FROM tokens WHERE account = ?1 ORDER BY id";
    c.rows(sql, values![account])?.iter().map(token).collect()
}

pub(super) fn revoke(c: &dyn Sql, id: i64, by: i64, any: bool) -> Stored<()> {
    let owner = c.row("SELECT account FROM tokens WHERE id = ?1", values![id])?;
    let owner = owner.map(|r| r.int(0)).transpose()?;
    // Somebody else's token is as good as none.
    if owner.is_none_or(|o| o != by && !any) {
        return Err(StoreError::Missing { what: "token", id: id.to_string() });
    }
    c.run(
        "UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL",
        values![id, Moment::now().0],
    )?;
    c.run("DELETE FROM sessions WHERE token = ?1", values![id])?;
    audit(c, Some(by), "token.revoke", &id.to_string(), "")
}

pub(super) fn by_token(c: &dyn Sql, hash: [u8; 32]) -> Stored<Option<Known>> {
    let sql = format!(
        "SELECT {ACCOUNT}, t.id FROM tokens t JOIN accounts a ON a.id = t.account
         WHERE t.hash = ?1 AND t.revoked_at IS NULL AND a.disabled = 0"
    );
    let known = |r: Row| Ok(Known { account: account(&r)?, token: r.int(5)?, form: String::new() });
    c.row(&sql, values![hash])?.map(known).transpose()
}

pub(super) fn open_session(
    c: &dyn Sql,
    known: &Known,
    hash: [u8; 32],
    form: &str,
    until: Moment,
) -> Stored<()> {
    c.run("DELETE FROM sessions WHERE expires_at < ?1", values![Moment::now().0])?;
    c.run(
        "INSERT INTO sessions (hash, account, token, form, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        values![hash, known.account.id, known.token, form, until.0],
    )?;
    audit(c, Some(known.account.id), "session.open", &known.account.name, "")
}

pub(super) fn by_session(c: &dyn Sql, hash: [u8; 32], now: Moment) -> Stored<Option<Known>> {
    let sql = format!(
        "SELECT {ACCOUNT}, s.token, s.form FROM sessions s
         JOIN accounts a ON a.id = s.account JOIN tokens t ON t.id = s.token
         WHERE s.hash = ?1 AND s.expires_at > ?2 AND t.revoked_at IS NULL AND a.disabled = 0"
    );
    let known = |r: Row| Ok(Known { account: account(&r)?, token: r.int(5)?, form: r.text(6)? });
    c.row(&sql, values![hash, now])?.map(known).transpose()
}

pub(super) fn close_session(c: &dyn Sql, hash: [u8; 32]) -> Stored<()> {
    c.run("DELETE FROM sessions WHERE hash = ?1", values![hash])?;
    Ok(())
}

pub(super) fn audit(
    c: &dyn Sql,
    by: Option<i64>,
    action: &str,
    subject: &str,
    detail: &str,
) -> Stored<()> {
    c.run(
        "INSERT INTO audit (at, account, action, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
        values![Moment::now(), by, action, subject, detail],
    )?;
    Ok(())
}

pub(super) fn audit_log(c: &dyn Sql, most: u64) -> Stored<Vec<AuditEntry>> {
    let sql = "SELECT l.at, a.name, l.action, l.subject, l.detail FROM audit l
               LEFT JOIN accounts a ON a.id = l.account ORDER BY l.id DESC LIMIT ?1";
    let entry = |r: &Row| {
        Ok(AuditEntry {
            at: r.moment(0)?,
            account: r.maybe(1, Row::text)?,
            action: r.text(2)?,
            subject: r.text(3)?,
            detail: r.text(4)?,
        })
    };
    c.rows(sql, values![most])?.iter().map(entry).collect()
}
