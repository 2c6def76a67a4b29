//! The console's pages.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use longarm_manual::Sheet;
use maud::{Markup, PreEscaped, html};

use super::Console;
use super::episode::Stage;
use super::run::Run;
use crate::app::App;
use crate::http::{Answer, Refusal, Who, waiting};
use crate::pages::{check_form, hidden, layout_page};
use crate::secret::fresh_id;

/// Pages of the console run one script of ours and talk to this server alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; media-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";
/// Initializations of a task on its page.
const SHOWN: u64 = 10;
/// Most episodes of a task in a run.
const MOST: u64 = 1000;

pub(super) fn page(title: &str, who: &Who, body: &Markup) -> Response {
    let body = html! {
        link rel="stylesheet" href="/console/style.css";
        (body)
    };
    let mut response = Html(layout_page(title, who, &body)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, header::HeaderValue::from_static(POLICY));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
}

fn text(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}

pub(crate) async fn script() -> Response {
    text("text/javascript; charset=utf-8", include_str!("console.js"))
}

pub(crate) async fn style() -> Response {
    text("text/css; charset=utf-8", include_str!("console.css"))
}

/// Tasks that can be judged: those of a suite that have phases.
fn choices(suite: &longarm_suites::Suite) -> Vec<(String, String)> {
    let lab = suite.lab.iter().filter_map(|t| Sheet::of_lab(suite.name, t));
    let lab = lab.map(|s| (s.id.to_string(), format!("{} (real only)", s.title)));
    let ids = suite.ids().into_iter().map(|id| {
        let name = id.split_once('/').map_or(id, |(_, n)| n);
        (id.to_owned(), name.replace('-', " "))
    });
    ids.chain(lab).collect()
}

fn status(console: &Console) -> Markup {
    let s = console.arm.status();
    html! {
        dl.facts {
            dt { "Bridge" } dd {
                (console.settings.bridge) " "
                @match (&s.hello, &s.trouble) {
                    (_, Some(why)) => span.tag.bad { "not connected: " (why) },
                    (Some(h), None) => span.tag.good { (h.robot) " · " (h.rate) " Hz · watchdog " (h.watchdog_ms) " ms" },
                    (None, None) => "",
                }
            }
            dt { "Policy" } dd { (console.settings.policy) }
        }
    }
}

pub(crate) async fn home(State(app): State<Arc<App>>, Extension(who): Extension<Who>) -> Answer {
    let console = app.console()?;
    let runs = waiting(|| {
        let desk = console.desk();
        let one = |r: &Run| {
            let closed = r.episodes.iter().filter(|e| e.stage == Stage::Closed).count();
            (
                r.id.clone(),
                r.config.policy.clone(),
                r.config.selectors.join(", "),
                closed,
                r.episodes.len(),
            )
        };
        desk.runs.values().rev().map(one).collect::<Vec<_>>()
    });
    let body = html! {
        h1 { "Operator console" }
        p.lead { "The same tasks on a real arm, judged phase by phase, into the same rows." }
        (status(console))
        h2 { "Runs" }
        @if runs.is_empty() { p.empty { "No run yet." } } @else {
            div.scroll { table {
                thead { tr { th { "Run" } th { "Tasks" } th { "Policy" } th.n { "Closed" } } }
                tbody { @for (id, policy, tasks, closed, all) in &runs {
                    tr { td { a href={ "/console/runs/" (id) } { (id) } } td { (tasks) } td { (policy) } td.n { (closed) " of " (all) } }
                } }
            } }
        }
        h2 { "A new run" }
        form.stack action="/console" method="post" {
            (hidden(&who))
            label for="tasks" { "Tasks (several: hold Ctrl, or one after the other on a tablet)" }
            select id="tasks" name="tasks" multiple size="10" required {
                @for suite in longarm_suites::SUITES {
                    optgroup label=(suite.title) {
                        @for (id, name) in choices(suite) { option value=(id) { (name) } }
                    }
                }
            }
            label { "Initializations of each" input type="number" name="episodes" min="1" max=(MOST) value="10" required; }
            label { "First seed" input type="number" name="seed" min="0" value="0" required; }
            button type="submit" { "Begin the run" }
        }
    };
    Ok(page("Operator console", &who, &body))
}

/// The pairs of a form, of which some come several times.
fn pairs(body: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(body);
    let plain = |t: &str| {
        let t = t.replace('+', " ");
        let (mut out, mut bytes) = (Vec::new(), t.bytes());
        while let Some(b) = bytes.next() {
            let hex = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
            let code = (b == b'%').then(|| {
                let mut ahead = bytes.clone();
                Some((hex(ahead.next())? * 16 + hex(ahead.next())?) as u8)
            });
            match code.flatten() {
                Some(code) => {
                    out.push(code);
                    let _ = bytes.nth(1);
                }
                None => out.push(b),
            }
        }
        String::from_utf8_lossy(&out).into_owned()
    };
    text.split('&').filter_map(|p| p.split_once('=')).map(|(k, v)| (plain(k), plain(v))).collect()
}

pub(crate) async fn new_run(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    body: Bytes,
) -> Answer {
    let console = app.console()?;
    let pairs = pairs(&body);
    let fields: BTreeMap<String, String> = pairs.iter().cloned().collect();
    check_form(&who, &fields)?;
    let wrong = |what: String| Refusal::bad(what).page();
    let number = |name: &str| fields.get(name).and_then(|v| v.parse::<u64>().ok());
    let episodes = number("episodes").filter(|n| (1..=MOST).contains(n));
    let episodes = episodes.ok_or_else(|| wrong(format!("initializations go from 1 to {MOST}")))?;
    let seed = number("seed").filter(|s| s.checked_add(episodes).is_some());
    let seed = seed.ok_or_else(|| wrong("the first seed is a number from 0 on".into()))?;
    let mut tasks: Vec<String> = Vec::new();
    for (_, id) in pairs.iter().filter(|(k, _)| k == "tasks") {
        let sheet = Sheet::find(id).filter(|s| !s.phases.is_empty());
        sheet.ok_or_else(|| wrong(format!("{id} has no phases to judge")))?;
        if !tasks.contains(id) {
            tasks.push(id.clone());
        }
    }
    if tasks.is_empty() {
        return Err(wrong("choose a task".into()));
    }
    // Sorted by day, and unlike any other.
    let id = format!("{}-{}", crate::Moment::now().day(), &fresh_id()?[..6]);
    let made = waiting(|| {
        let dir = console.folder.join("runs").join(&id);
        let run = Run::create(&dir, &tasks, &console.settings.policy, episodes, seed)?;
        console.desk().runs.insert(id.clone(), run);
        Ok::<_, String>(())
    });
    made.map_err(|why| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why).page())?;
    Ok(Redirect::to(&format!("/console/runs/{id}")).into_response())
}

fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::SetUp => "to be set up",
        Stage::Ready => "ready",
        Stage::Running => "running",
        Stage::Halted => "halted",
        Stage::Judging => "to be closed",
        Stage::Closed => "closed",
    }
}

pub(super) fn missing() -> Refusal {
    Refusal::missing("there is no such run").page()
}

pub(crate) async fn run(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer {
    let console = app.console()?;
    let body = waiting(|| {
        let desk = console.desk();
        let run = desk.runs.get(&id)?;
        let per = run.config.episodes as usize;
        Some(html! {
            p { a href="/console" { "All runs" } }
            h1 { "Run " (id) }
            p.lead { "Policy " (run.config.policy) ". In " code { (run.dir.display()) } "." }
            @for (t, sheet) in run.sheets.iter().enumerate() {
                h2 { (sheet.id) }
                p { (sheet.instruction) " " a href={ "/console/tasks/" (sheet.id) } { "The task’s page" } }
                ol.episodes {
                    @for k in t * per..(t + 1) * per {
                        @let e = &run.episodes[k];
                        li { a href={ "/console/runs/" (id) "/" (k) } {
                            b { "Initialization " (run.place(k).map_or(0, |p| p.seed)) }
                            span.tag.(if e.stage == Stage::Closed { "good" } else { "plain" }) { (word(e.stage)) }
                            @if e.stage == Stage::Closed { span { "score " (format!("{:.0}", e.verdict(sheet).score)) } }
                        } }
                    }
                }
            }
            @if run.episodes.iter().any(|e| e.stage == Stage::Closed) {
                p { a href={ "/console/runs/" (id) "/report" } { "The report so far" } }
            }
        })
    });
    Ok(page(&format!("Run {id}"), &who, &body.ok_or_else(missing)?))
}

pub(crate) async fn report(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let console = app.console()?;
    let read = waiting(|| {
        let dir = console.desk().runs.get(&id).map(|r| r.dir.clone())?;
        std::fs::read(dir.join(longarm_results::REPORT)).ok()
    });
    // It carries its style within itself.
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    ];
    Ok((headers, read.ok_or_else(missing)?).into_response())
}

/// The page of a task, which the code on paper leads to.
pub(crate) async fn task(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    Path((suite, name)): Path<(String, String)>,
) -> Answer {
    app.console()?;
    let id = format!("{suite}/{name}");
    let host = headers.get(header::HOST).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let scheme = if app.settings.encrypts() { "https" } else { "http" };
    let own = app.settings.public_url.as_deref().map(|u| u.trim_end_matches('/').to_owned());
    let base = own.unwrap_or_else(|| format!("{scheme}://{host}"));
    let address = format!("{base}/console/tasks/{id}");
    let sheet = waiting(|| Some(Sheet::find(&id)?.page(SHOWN, Some(&address))));
    let sheet = sheet.ok_or_else(|| Refusal::missing(format!("there is no task {id}")).page())?;
    let sheet =
        sheet.map_err(|e| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()).page())?;
    let body = html! {
        @if who.0.is_some() { p { a href="/console" { "Judge it: to the console" } } }
        div.manual { (PreEscaped(sheet)) }
    };
    Ok(page(&id, &who, &body))
}
