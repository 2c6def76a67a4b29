//! Signing in, and submissions of one's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use longarm_types::counted;
use maud::{Markup, html};

use super::layout::state;
use super::own;
use crate::app::App;
use crate::clock::Moment;
use crate::http::{
    self, Action, Answer, Peer, Refusal, Who, first, session_cookie, spent_cookie, waiting,
};
use crate::model::{Method, Role, State as Stands, Submission};
use crate::secret::{Token, hash};

/// Seconds that a session lasts.
const SESSION: i64 = 12 * 3600;

type Fields = BTreeMap<String, String>;

/// Whether a form was made for this session.
pub(crate) fn check_form(who: &Who, fields: &Fields) -> Answer<()> {
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

pub(crate) fn hidden(who: &Who) -> Markup {
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
            // For what keeps passwords: accounts have no other name here.
            input type="text" name="username" value="token" autocomplete="username" aria-label="Kept as" hidden;
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
        p.lead { "You are " (account.role.called()) "." }
        h2 id="submissions" { @if judge { "All submissions" } @else { "Your submissions" } }
        @if submissions.is_empty() { p.empty { "None yet. " a href="/submit" { "How to submit" } } }
        @else {
            div.scroll tabindex="0" role="region" aria-labelledby="submissions" { table {
                thead { tr { th scope="col" { "Policy" } th scope="col" { "State" } th.n scope="col" { "Episodes" } th scope="col" { "By" } th scope="col" { "Came" } } }
                tbody { @for s in &submissions { tr {
                    th.name scope="row" { a href={ "/submissions/" (s.id) } { (s.description.policy_name) } }
                    td { (state(s.status)) }
                    td.n { (s.played) " of " (s.episodes) }
                    td { (s.submitter) }
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
        (progress(&app, &s))
        @if !s.problems.is_empty() {
            h2 { "What is wrong" }
            ul.problems { @for p in &s.problems { li { (p) } } }
        }
        @if !rows.is_empty() {
            h2 { "Rows" }
            ul { @for r in &rows { li {
                a href={ "/rows/" (r.row.id) } { (app.boards.get(&r.row.board).map_or(r.row.board.as_str(), |b| b.title.as_str())) }
                ": average " (format!("{:.1}", r.row.average)) ", " (counted(r.row.flagged, "episode")) " flagged "
                @if r.withdrawn { span.tag { "withdrawn" } }
            } } }
        }
        (actions(&s, &who))
    };
    Ok(own(&s.description.policy_name, &who, !s.status.is_final(), &body))
}

fn progress(app: &App, s: &Submission) -> Markup {
    let (what, done, of) = match s.status {
        Stands::Uploading => ("Bytes that have arrived", s.received, s.size),
        _ => ("Episodes played", s.played, s.episodes),
    };
    html! {
        p data-live=[(!s.status.is_final()).then(|| format!("/api/submissions/{}", s.id))] data-state=(s.status) {
            label for="progress" { (what) ": " span { (done) " of " (of) } }
            progress id="progress" max=(of.max(1)) value=(done) {}
        }
        @if !s.status.is_final() {
            p.soft role="status" { (waits(s)) noscript { " This page loads itself again every three seconds." } }
        }
        @if s.method == Method::DialOut && (!s.status.is_final() || s.status == Stands::Failed) {
            p { "This server asks over a connection that you make, from where your policy runs:" }
            pre tabindex="0" { code {
                "longarm submit --policy " (s.server.as_ref().map_or("openpi:localhost:8000", |p| p.policy.as_str()))
                " --resume " (s.id) " --server " (app.settings.public_url.as_deref().unwrap_or("SERVER")) " --name '" (s.description.policy_name) "' --token-file token"
            } }
        }
    }
}

/// What is waited for, in words.
fn waits(s: &Submission) -> &'static str {
    match (s.status, s.method) {
        (Stands::Uploading, _) => "The archive has not arrived completely.",
        (Stands::Queued, _) => "It waits for its turn.",
        (_, Method::Replay) => "Every episode is played again from its actions.",
        (_, Method::Remote | Method::DialOut) => {
            "The policy is asked, on seeds that nobody knew before."
        }
        (_, Method::Checkpoint) => "The model is run, on seeds that nobody knew before.",
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
