//! Accounts, tokens and the audit log.

use std::sync::{Arc, PoisonError};

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Json;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Answer, Peer, Refusal, Who, waiting};
use crate::app::App;
use crate::model::{Account, AuditEntry, Role, TokenInfo};
use crate::secret::{Token, hash};

/// Entries of the audit log that are shown.
const ENTRIES: u64 = 500;

/// The code from the console, and a name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    code: String,
    #[schemars(length(min = 1))]
    name: String,
}

/// A new account.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAccount {
    #[schemars(length(min = 1))]
    name: String,
    role: Role,
}

/// What becomes of an account.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountChange {
    role: Role,
    #[serde(default)]
    disabled: bool,
}

/// What a token is for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenLabel {
    #[schemars(length(min = 1))]
    label: String,
}

/// A token, shown this once.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NewToken {
    pub(crate) account: Account,
    pub(crate) token: String,
}

/// An account with its tokens.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OwnAccount {
    account: Account,
    tokens: Vec<TokenInfo>,
}

/// All accounts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Accounts {
    accounts: Vec<Account>,
}

/// The latest entries of the audit log, the latest first.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Audit {
    entries: Vec<AuditEntry>,
}

/// It was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Done {
    pub(super) done: bool,
}

/// Read JSON of a request; what is wrong with it is said.
pub(super) fn read<T: DeserializeOwned>(body: &Bytes) -> Answer<T> {
    serde_json::from_slice(body).map_err(|e| Refusal::bad(format!("the body: {e}")))
}

/// Refuse names that cannot be shown.
fn named(what: &str, name: &str) -> Answer<String> {
    let name = name.trim();
    let count = name.chars().count();
    match (1..=80).contains(&count) && !name.chars().any(char::is_control) {
        true => Ok(name.to_owned()),
        false => {
            Err(Refusal::bad(format!("{what} has 1 to 80 characters and no control characters")))
        }
    }
}

/// Make the first administrator; the code works once.
pub(crate) fn first(app: &App, peer: Peer, code: &str, name: &str) -> Answer<NewToken> {
    let name = named("name", name)?;
    let mut setup = app.setup.lock().unwrap_or_else(PoisonError::into_inner);
    if setup.is_none() || *setup != Some(hash(code.trim())) {
        if !app.rates.may_guess(peer.0) {
            let what = "too many wrong codes from this address; wait a minute";
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, what));
        }
        let what = "this code is not the one on the server's console, or was used";
        return Err(Refusal::new(StatusCode::FORBIDDEN, what));
    }
    let made = waiting(|| with_token(app, &name, Role::Administrator, None))?;
    *setup = None;
    Ok(made)
}

fn with_token(app: &App, name: &str, role: Role, by: Option<i64>) -> Answer<NewToken> {
    let account = app.store.add_account(name, role, by)?;
    let token = Token::new()?;
    app.store.add_token(account.id, token.hash(), "first token", by)?;
    Ok(NewToken { account, token: token.text().to_owned() })
}

pub(super) async fn setup(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    body: Bytes,
) -> Answer<Json<NewToken>> {
    let asked: Setup = read(&body)?;
    first(&app, peer, &asked.code, &asked.name).map(Json)
}

pub(super) async fn own(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
) -> Answer<Json<OwnAccount>> {
    let account = who.known()?.account.clone();
    let tokens = waiting(|| app.store.tokens(account.id))?;
    Ok(Json(OwnAccount { account, tokens }))
}

pub(super) async fn add_token(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    body: Bytes,
) -> Answer<Json<NewToken>> {
    let asked: TokenLabel = read(&body)?;
    let label = named("label", &asked.label)?;
    let account = who.known()?.account.clone();
    let token = Token::new()?;
    waiting(|| app.store.add_token(account.id, token.hash(), &label, Some(account.id)))?;
    Ok(Json(NewToken { account, token: token.text().to_owned() }))
}

/// The number in a path.
fn number(id: &str) -> Answer<i64> {
    id.parse().map_err(|_| Refusal::missing(format!("there is no entry {id:?}")))
}

pub(super) async fn revoke(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer<Json<Done>> {
    let by = &who.known()?.account;
    let id = number(&id)?;
    waiting(|| app.store.revoke_token(id, by.id, by.role == Role::Administrator))?;
    Ok(Json(Done { done: true }))
}

pub(super) async fn list(State(app): State<Arc<App>>) -> Answer<Json<Accounts>> {
    Ok(Json(Accounts { accounts: waiting(|| app.store.accounts())? }))
}

pub(super) async fn create(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    body: Bytes,
) -> Answer<Json<NewToken>> {
    let asked: NewAccount = read(&body)?;
    let name = named("name", &asked.name)?;
    let by = who.known()?.account.id;
    waiting(|| with_token(&app, &name, asked.role, Some(by))).map(Json)
}

pub(super) async fn change(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    body: Bytes,
) -> Answer<Json<Account>> {
    let asked: AccountChange = read(&body)?;
    let (by, id) = (who.known()?.account.id, number(&id)?);
    Ok(Json(waiting(|| app.store.set_account(id, asked.role, asked.disabled, by))?))
}

pub(super) async fn audit(State(app): State<Arc<App>>) -> Answer<Json<Audit>> {
    Ok(Json(Audit { entries: waiting(|| app.store.audit_log(ENTRIES))? }))
}
