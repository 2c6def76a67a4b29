//! Submissions, rows and boards.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Path, Query, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Json, Response};
use http_body_util::Limited;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::accounts::read;
use super::{Answer, BODY, Refusal, Who, form, upload, waiting};
use crate::app::App;
use crate::clock::Moment;
use crate::hosted;
use crate::model::{Description, Method, State as Stands, Submission, Trust};
use crate::ranking::Ranked;
use crate::secret::fresh_id;
use crate::store::{NewSubmission, StoredRow};
use crate::worker;

/// Submissions that are listed.
const LISTED: u64 = 200;

/// What is submitted, and how large the archive is that follows.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    #[serde(flatten)]
    description: Description,
    /// Bytes of the archive, where one follows.
    #[serde(default)]
    size: Option<u64>,
    /// Where the policy is to be asked, where no archive follows: `openpi:HOST:PORT?…`.
    #[serde(default)]
    policy: Option<String>,
    /// Whether you connect to this server, which asks over that connection (`longarm submit --policy`).
    #[serde(default)]
    dial_out: bool,
    /// Whether the archive is a model that this server runs (`longarm submit --checkpoint`).
    #[serde(default)]
    checkpoint: bool,
    /// The board on which it is asked.
    #[serde(default)]
    board: Option<String>,
}

/// A submission that was taken.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Created {
    submission_id: String,
    status: Stands,
    /// Where the archive goes.
    upload: String,
}

/// Submissions, the latest first.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Submissions {
    submissions: Vec<Submission>,
}

/// The published rows.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Leaderboard {
    updated_at: Moment,
    rows: Vec<Ranked>,
}

/// A board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BoardInfo {
    name: String,
    title: String,
    tasks: Vec<String>,
    episodes: u64,
    /// The seeds of each suite's tasks.
    seeds: BTreeMap<String, Vec<u64>>,
}

/// All boards.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BoardList {
    boards: Vec<BoardInfo>,
}

pub(super) async fn boards(State(app): State<Arc<App>>) -> Json<BoardList> {
    let info = |b: &crate::board::Board| BoardInfo {
        name: b.name.clone(),
        title: b.title.clone(),
        tasks: b.tasks.iter().map(ToString::to_string).collect(),
        episodes: b.episodes,
        seeds: b.seeds(),
    };
    Json(BoardList { boards: app.boards.all.iter().map(info).collect() })
}

/// Which rows are wanted.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    board: Option<String>,
    trust: Option<Trust>,
    open: Option<bool>,
}

pub(super) async fn leaderboard(
    State(app): State<Arc<App>>,
    wanted: Result<Query<Wanted>, axum::extract::rejection::QueryRejection>,
) -> Answer<Json<Leaderboard>> {
    let Query(wanted) = wanted.map_err(|e| Refusal::bad(e.body_text()))?;
    if let Some(name) = &wanted.board
        && app.boards.get(name).is_none()
    {
        return Err(Refusal::missing(format!("there is no board {name:?}")));
    }
    let mut rows = Vec::new();
    let updated_at = waiting(|| -> Answer<Moment> {
        for board in &app.boards.all {
            if wanted.board.as_ref().is_none_or(|b| *b == board.name) {
                rows.extend(app.ranking(board)?.iter().cloned());
            }
        }
        Ok(app.store.version()?.1)
    })?;
    rows.retain(|r| wanted.trust.is_none_or(|t| r.row.trust == t));
    rows.retain(|r| wanted.open.is_none_or(|o| r.row.description.open_source == o));
    Ok(Json(Leaderboard { updated_at, rows }))
}

/// A row that whoever asks may see: published, or their own.
pub(crate) fn visible(app: &App, who: &Who, id: &str) -> Answer<StoredRow> {
    let row = waiting(|| app.store.row(id))?;
    let published = row.row.published_at.is_some() && !row.withdrawn;
    match published || who.may(row.row.account) {
        true => Ok(row),
        false => Err(Refusal::missing(format!("there is no row {id}"))),
    }
}

pub(super) async fn row(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer<Json<serde_json::Value>> {
    let row = visible(&app, &who, &id)?;
    let results: serde_json::Value = serde_json::from_str(&row.results).unwrap_or_default();
    Ok(Json(json!({ "row": row.row, "results": results, "withdrawn": row.withdrawn })))
}

pub(super) async fn receipt(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer {
    let row = visible(&app, &who, &id)?;
    let receipt = row.receipt.ok_or_else(|| Refusal::missing("this row has no receipt yet"))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], receipt).into_response())
}

pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
) -> Answer<Json<Submissions>> {
    let account = who.known()?.account.id;
    let all = who.may(-1);
    let submissions = waiting(|| app.store.submissions((!all).then_some(account), LISTED))?;
    Ok(Json(Submissions { submissions }))
}

/// A submission that whoever asks may see.
pub(crate) fn own(app: &App, who: &Who, id: &str) -> Answer<Submission> {
    let s = waiting(|| app.store.submission(id))?;
    match who.may(s.account) {
        true => Ok(s),
        // Nobody learns which ids exist.
        false => Err(Refusal::missing(format!("there is no submission {id}"))),
    }
}

pub(super) async fn show(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer<Json<Submission>> {
    own(&app, &who, &id).map(Json)
}

pub(super) async fn create(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    request: Request,
) -> Answer {
    let account = who.known()?.account.id;
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
    if kind.is_some_and(|k| k.starts_with("multipart/form-data")) {
        let form = Multipart::from_request(request, &app).await;
        let form = form.map_err(|e| Refusal::bad(e.body_text()))?;
        return form::api(&app, account, form).await.map(created);
    }
    let request = request.map(|body| Body::new(Limited::new(body, BODY)));
    let body = axum::body::Bytes::from_request(request, &app).await;
    let body = body.map_err(|e| Refusal::new(e.status(), e.body_text()))?;
    let asked: Asked = read(&body)?;
    let s = match (asked.policy, asked.size) {
        (Some(policy), None) => {
            let method = if asked.dial_out { Method::DialOut } else { Method::Remote };
            host(&app, account, asked.description, &policy, method, asked.board)?
        }
        (None, Some(size)) if asked.checkpoint => {
            let board = board_named(&app, asked.board)?;
            add(&app, account, asked.description, size, Some(board))?
        }
        (None, Some(size)) => add(&app, account, asked.description, size, None)?,
        _ => {
            let what = "say either size, of an archive that follows, or policy, where it is asked";
            return Err(Refusal::bad(what));
        }
    };
    Ok(created(s))
}

/// The board that a policy is asked on; it need not be named where there is one only.
pub(super) fn board_named(app: &App, board: Option<String>) -> Answer<String> {
    let names = || app.boards.all.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", ");
    match (board, app.boards.all.as_slice()) {
        (Some(name), _) if app.boards.get(&name).is_some() => Ok(name),
        (None, [only]) => Ok(only.name.clone()),
        (Some(name), _) => Err(Refusal::bad(format!("board {name:?} is none of {}", names()))),
        (None, _) => Err(Refusal::bad(format!("board is missing: one of {}", names()))),
    }
}

/// Take a submission whose policy this server asks.
pub(super) fn host(
    app: &App,
    account: i64,
    description: Description,
    policy: &str,
    method: Method,
    board: Option<String>,
) -> Answer<Submission> {
    description.check().map_err(Refusal::bad)?;
    let board = board_named(app, board)?;
    if policy.len() > 1000 {
        return Err(Refusal::bad("policy has more than 1000 characters"));
    }
    let server = match method {
        Method::DialOut => hosted::tunnelled(policy),
        _ => waiting(|| hosted::pinned(policy, &app.settings.allowed)),
    };
    let server = server.map_err(Refusal::bad)?;
    let new = NewSubmission {
        id: fresh_id()?,
        account,
        description,
        method,
        asked: Some((board, server)),
        size: 0,
        per_day: app.settings.per_day,
    };
    let s = waiting(|| app.store.add_submission(new))?;
    app.bell.ring();
    Ok(s)
}

/// Take a submission whose archive is to follow: a run, or a model for a board.
pub(super) fn add(
    app: &App,
    account: i64,
    description: Description,
    size: u64,
    board: Option<String>,
) -> Answer<Submission> {
    description.check().map_err(Refusal::bad)?;
    upload::check_size(app, size)?;
    let new = NewSubmission {
        id: fresh_id()?,
        account,
        description,
        method: if board.is_some() { Method::Checkpoint } else { Method::Replay },
        asked: board.map(|board| (board, hosted::uploaded())),
        size,
        per_day: app.settings.per_day,
    };
    Ok(waiting(|| app.store.add_submission(new))?)
}

fn created(s: Submission) -> Response {
    let upload = format!("/api/submissions/{}/upload", s.id);
    let body = Created { submission_id: s.id, status: s.status, upload };
    (axum::http::StatusCode::CREATED, Json(body)).into_response()
}

/// What can be done to a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Cancel,
    Retry,
    Withdraw,
    Publish,
}

/// Do something to a submission.
pub(crate) fn act(app: &App, who: &Who, id: &str, action: Action) -> Answer<Submission> {
    let s = own(app, who, id)?;
    let by = who.known()?.account.id;
    let set = |from: &[Stands], to: Stands| waiting(|| app.store.set_state(&s.id, from, to, by));
    match action {
        Action::Cancel => {
            let s = set(&[Stands::Uploading, Stands::Queued, Stands::Running], Stands::Cancelled)?;
            app.discard(&s.id);
        }
        Action::Retry => {
            set(&[Stands::Failed], Stands::Queued)?;
            app.bell.ring();
        }
        Action::Withdraw => {
            set(&[Stands::Published, Stands::Completed], Stands::Withdrawn)?;
        }
        Action::Publish if s.account == by && !who.may(-1) => {
            return Err(Refusal::new(axum::http::StatusCode::FORBIDDEN, "this needs a judge"));
        }
        Action::Publish => waiting(|| worker::publish(app, &s.id, Some(by)))?,
    }
    own(app, who, id)
}

macro_rules! actions {
    ($($name:ident $action:ident),*) => {$(
        pub(super) async fn $name(
            State(app): State<Arc<App>>,
            Extension(who): Extension<Who>,
            Path(id): Path<String>,
        ) -> Answer<Json<Submission>> {
            act(&app, &who, &id, Action::$action).map(Json)
        }
    )*};
}

actions!(cancel Cancel, retry Retry, withdraw Withdraw, publish Publish);
