//! Signing in, submissions of one's own, and how to submit.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::layout::{state, trust};
use super::own;
use crate::app::App;
use crate::clock::Moment;
use crate::http::{
    self, Action, Answer, Peer, Refusal, Who, first, session_cookie, spent_cookie, waiting,
};
use crate::model::{Role, State as Stands, Submission, Trust};
use crate::secret::{Token, hash};

/// Seconds that a session lasts.
const SESSION: i64 = 12 * 3600;

type Fields = BTreeMap<String, String>;

/// Whether a form was made for this session.
fn check_form(who: &Who, fields: &Fields) -> Answer<()> {
    let known = who.known()?;
    let sent = fields.get("form").map(|f| hash(f));
    match !known.form.is_empty() && sent == Some(hash(&known.form)) {
        true => Ok(()),
        false => {
            let what = "this form is of another session; load the page again";
            Err(Refusal::new(StatusCode::FORBIDDEN, what).page())
        }
    }
}

fn hidden(who: &Who) -> Markup {
    let form = who.0.as_ref().map_or("", |k| k.form.as_str());
    html! { input type="hidden" name="form" value=(form); }
}

pub(crate) async fn setup(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Query(asked): Query<Fields>,
) -> Answer {
    let open = app.setup.lock().is_ok_and(|s| s.is_some());
    if !open {
        return Err(Refusal::missing("this server has an administrator already").page());
    }
    let body = html! {
        h1 { "The first administrator" }
        p.lead { "The code is on the server's console and works once." }
        form.stack action="/setup" method="post" {
            label { "Code" input type="password" name="code" required autocomplete="off" value=(asked.get("code").map_or("", String::as_str)); }
            label { "Your name" input type="text" name="name" required maxlength="80"; }
            button type="submit" { "Make the account" }
        }
    };
    Ok(own("Set up", &who, false, &body))
}

pub(crate) async fn set_up(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Extension(peer): Extension<Peer>,
    Form(fields): Form<Fields>,
) -> Answer {
    let of = |name: &str| fields.get(name).map_or("", String::as_str);
    let made = first(&app, peer, of("code"), of("name")).map_err(Refusal::page)?;
    let body = html! {
        h1 { "Welcome, " (made.account.name) }
        p.lead { "This is your token. It is shown this once; keep it where you keep passwords." }
        pre tabindex="0" { code id="token" { (made.token) } }
        p { "Put it in a file that only you can read, or in the variable " code { "LONGARM_TOKEN" } ", for " code { "longarm submit" } "; " a href="/sign-in" { "sign in with it" } " here." }
    };
    Ok(own("Your token", &who, false, &body))
}

pub(crate) async fn sign_in(Extension(who): Extension<Who>) -> Response {
    let body = html! {
        h1 { "Sign in" }
        p.lead { "With a token of your account. An administrator of this server makes accounts." }
        form.stack action="/sign-in" method="post" {
            label { "Token" input type="password" name="token" required autocomplete="current-password"; }
            button type="submit" { "Sign in" }
        }
    };
    own("Sign in", &who, false, &body)
}

pub(crate) async fn signed_in(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Answer {
    let wrong = |status, what: &str| Err(Refusal::new(status, what).page());
    let token = fields.get("token").map_or("", |t| t.trim());
    let Some(known) = waiting(|| app.store.by_token(hash(token)))? else {
        if !app.rates.may_guess(peer.0) {
            let what = "too many wrong tokens from this address; wait a minute";
            return wrong(StatusCode::TOO_MANY_REQUESTS, what);
        }
        return wrong(StatusCode::FORBIDDEN, "this token is not known, or was revoked");
    };
    // A session of its own, whatever cookie the browser brought.
    let (session, form) = (Token::new()?, Token::new()?);
    waiting(|| {
        if let (_, Some(old)) = spent_cookie(&headers) {
            app.store.close_session(old)?;
        }
        let until = Moment::now().plus_seconds(SESSION);
        app.store.open_session(&known, session.hash(), form.text(), until)
    })?;
    let cookie = session_cookie(&app, session.text(), SESSION);
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/account")).into_response())
}

pub(crate) async fn sign_out(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Answer {
    check_form(&who, &fields)?;
    let (cookie, old) = spent_cookie(&headers);
    if let Some(old) = old {
        waiting(|| app.store.close_session(old))?;
    }
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

pub(crate) async fn account(State(app): State<Arc<App>>, Extension(who): Extension<Who>) -> Answer {
    let account = &who.known()?.account;
    let judge = account.role >= Role::Judge;
    let submissions = waiting(|| app.store.submissions((!judge).then_some(account.id), 200))?;
    let body = html! {
        h1 { (account.name) }
        p.lead { "You are a " (account.role.word()) "." }
        h2 id="submissions" { @if judge { "All submissions" } @else { "Your submissions" } }
        @if submissions.is_empty() { p.empty { "None yet. " a href="/submit" { "How to submit" } } }
        @else {
            div.scroll tabindex="0" role="region" aria-labelledby="submissions" { table {
                thead { tr { th { "Policy" } th { "By" } th { "State" } th.n { "Episodes" } th { "Came" } } }
                tbody { @for s in &submissions { tr {
                    td.name { a href={ "/submissions/" (s.id) } { (s.description.policy_name) } }
                    td { (s.submitter) }
                    td { (state(s.status)) }
                    td.n { (s.played) " of " (s.episodes) }
                    td { small { (s.created_at.day()) } }
                } } }
            } }
        }
        h2 { "Session" }
        form action="/sign-out" method="post" { (hidden(&who)) button.quiet type="submit" { "Sign out" } }
    };
    Ok(own(&account.name, &who, false, &body))
}

pub(crate) async fn submission(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer {
    let s = http::own(&app, &who, &id).map_err(Refusal::page)?;
    let rows = waiting(|| app.store.rows_of(&id))?;
    let body = html! {
        h1 { (s.description.policy_name) }
        p.lead { "Submission " code { (s.id) } " by " (s.submitter) " " (state(s.status)) }
        (progress(&s))
        @if !s.problems.is_empty() {
            h2 { "What is wrong" }
            ul.problems { @for p in &s.problems { li { (p) } } }
        }
        @if !rows.is_empty() {
            h2 { "Rows" }
            ul { @for r in &rows { li {
                a href={ "/rows/" (r.row.id) } { (app.boards.get(&r.row.board).map_or(r.row.board.as_str(), |b| b.title.as_str())) }
                ": average " (format!("{:.1}", r.row.average)) ", " (r.row.flagged) " episodes flagged "
                @if r.withdrawn { span.tag { "withdrawn" } }
            } } }
        }
        (actions(&s, &who))
    };
    Ok(own(&s.description.policy_name, &who, !s.status.is_final(), &body))
}

fn progress(s: &Submission) -> Markup {
    let (what, done, of) = match s.status {
        Stands::Uploading => ("Bytes that have arrived", s.received, s.size),
        _ => ("Episodes played", s.played, s.episodes),
    };
    html! {
        p role="status" {
            label for="progress" { (what) ": " (done) " of " (of) }
            progress id="progress" max=(of.max(1)) value=(done) {}
        }
        @if !s.status.is_final() { p.soft { "This page loads itself again every three seconds." } }
    }
}

fn actions(s: &Submission, who: &Who) -> Markup {
    let judge = who.may(-1);
    let offered: &[(&str, &str)] = match s.status {
        Stands::Uploading | Stands::Queued | Stands::Running => &[("cancel", "Cancel")],
        Stands::Failed => &[("retry", "Try it again")],
        Stands::Completed if judge => &[("publish", "Publish"), ("withdraw", "Withdraw")],
        Stands::Completed | Stands::Published => &[("withdraw", "Withdraw")],
        Stands::Cancelled | Stands::Withdrawn => &[],
    };
    html! {
        @for (action, label) in offered {
            form.inline action={ "/submissions/" (s.id) "/" (action) } method="post" {
                (hidden(who)) button.quiet type="submit" { (label) }
            }
        }
    }
}

pub(crate) async fn act(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path((id, action)): Path<(String, String)>,
    Form(fields): Form<Fields>,
) -> Answer {
    check_form(&who, &fields)?;
    let action = match action.as_str() {
        "cancel" => Action::Cancel,
        "retry" => Action::Retry,
        "withdraw" => Action::Withdraw,
        "publish" => Action::Publish,
        _ => return Err(Refusal::missing("there is no such action").page()),
    };
    http::act(&app, &who, &id, action).map_err(Refusal::page)?;
    Ok(Redirect::to(&format!("/submissions/{id}")).into_response())
}

/// How to submit.
pub(super) fn how_to(app: &App) -> Markup {
    let example = app.boards.all.first().map_or("SUITE", |b| b.name.as_str());
    html! {
        h1 { "Submit a policy" }
        p.lead { "Run your policy on a board's tasks and send the run: this server replays every episode from its actions. Or let it ask your policy itself. What is published, it has computed itself." }
        ol {
            li { "Ask an administrator of this server for an account. You get a token; put it in a file only you can read." }
            li { "Evaluate. Whole boards count: all tasks, the episodes of the protocol, test seeds; which is what happens without further options."
                pre tabindex="0" { code { "longarm eval " (example) " --policy openpi:localhost:8000 --label my-policy --out run" } } }
            li { "Send a run."
                pre tabindex="0" { code { "longarm submit run --server SERVER --name my-policy --token-file token" } }
                "Or without longarm:"
                pre tabindex="0" { code { "tar -czf run.tar.gz -C run run.toml episodes.jsonl traces\ncurl -H @header -F policyName=my-policy -F openSource=yes -F run=@run.tar.gz SERVER/api/submissions" } }
                "where the file " code { "header" } " holds " code { "Authorization: Bearer TOKEN" } "." }
        }
        h2 id="asked" { "Or let this server ask your policy" }
        p { "On seeds that nobody knows before, one observation at a time. Serve the policy where this server reaches it, and name a board. Every episode is played once: one that breaks off after its first observation counts as it is." }
        pre tabindex="0" { code { "longarm submit --policy-server openpi:HOST:8000 --board " (example) " --server SERVER --name my-policy --token-file token" } }
        p { "Where this server cannot reach your policy, connect to it from your side:" }
        pre tabindex="0" { code { "longarm submit --policy openpi:localhost:8000 --board " (example) " --server SERVER --name my-policy --token-file token" } }
        h2 id="boards" { "Boards" }
        ul { @for b in &app.boards.all { li {
            a href={ "/boards/" (b.name) } { (b.title) } ": " code { "longarm eval " (b.name) } ", " (b.tasks.len()) " tasks × " (b.episodes) " episodes"
        } } }
        h2 id="trust" { "How far a row can be trusted" }
        dl.facts { @for t in Trust::ALL { dt { (trust(*t)) } dd { (t.meaning()) } } }
        p { "This server publishes replayed and hosted rows. Receipts are signed with the key " code { (app.keys.public()) } "." }
        h2 { "Programs" }
        p { "The API is described by " a href="/api/openapi.json" { "OpenAPI" } "." }
    }
}
