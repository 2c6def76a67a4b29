//! How to submit, by the program and from the page itself.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, html};

use super::account::hidden;
use super::layout::trust;
use super::shared;
use crate::app::App;
use crate::board::Board;
use crate::http::{Answer, Who};
use crate::model::{Method, Trust};

/// How to submit, and what it proves.
pub(crate) async fn how_to(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
) -> Answer {
    let body = || Ok(("Submit a policy".to_owned(), page(&app, &who)));
    shared(&app, &who, &headers, "/submit", body)
}

fn page(app: &App, who: &Who) -> Markup {
    html! {
        h1 { "Submit a policy" }
        p.lead { "Run your policy on a board's tasks and send the run: this server replays every episode from its actions. Or let it ask your policy itself. What is published, it has computed itself." }
        @if who.0.is_some() { (form(app, who)) (commands(app)) }
        @else {
            p { a href="/sign-in" { "Sign in" } " to submit from this page, or use the commands below." }
            (commands(app))
        }
        h2 id="boards" { "Boards" }
        ul { @for b in &app.boards.all { li {
            a href={ "/boards/" (b.name) } { (b.title) } ": " code { "longarm eval " (selector(b)) } ", " (counted(b.tasks.len(), "task")) " × " (counted(b.episodes as usize, "episode"))
        } } }
        h2 id="trust" { "How far a row can be trusted" }
        dl.facts { @for t in Trust::ALL { dt { (trust(*t)) } dd { (t.meaning()) } } }
        p { "This server publishes replayed, hosted and audited rows. Receipts are signed with the key " code { (app.keys.public()) } "." }
        h2 { "Programs" }
        p { "The API is described by " a href="/api/openapi.json" { "OpenAPI" } "." }
    }
}

/// What each way is called, and what it asks for.
const WAYS: [(Method, &str, &str); 4] = [
    (
        Method::Replay,
        "Send a run",
        "A tar of a run directory: run.toml, episodes.jsonl and traces. Every episode is played again.",
    ),
    (
        Method::Remote,
        "Let this server ask my policy",
        "Where this server reaches your policy server. Every episode is played once, on hidden seeds.",
    ),
    (
        Method::DialOut,
        "Connect from my side",
        "For policies behind a firewall. The next page says which command to run.",
    ),
    (
        Method::Checkpoint,
        "Upload a model",
        "An ONNX file and its manifest. This server runs it, on hidden seeds, without network.",
    ),
];

fn form(app: &App, who: &Who) -> Markup {
    let text = |name: &str, label: &str, most: &str, needed: bool| {
        html! { label { (label) input type="text" name=(name) maxlength=(most) required[needed]; } }
    };
    let choice = |name: &str, label: &str, options: &[(&str, &str)]| {
        html! { label { (label) select name=(name) { @for (value, text) in options { option value=(value) { (text) } } } } }
    };
    html! {
        form.submit action="/submit" method="post" enctype="multipart/form-data" {
            (hidden(who))
            fieldset {
                legend { "How" }
                @for (i, (way, title, about)) in WAYS.iter().enumerate() {
                    label.way for={ "way-" (way) } {
                        input type="radio" name="way" id={ "way-" (way) } value=(way) checked[i == 0];
                        span { b { (title) } br; small { (about) } }
                    }
                }
            }
            fieldset {
                legend { "What" }
                div.fields {
                    label.of-replay { "Run, as .tar or .tar.gz" input type="file" name="run" accept=".tar,.gz,.tgz"; }
                    label.of-asked { "Policy, as DIALECT:HOST:PORT" input type="text" name="policy" maxlength="1000" placeholder="openpi:HOST:8000"; }
                    label.of-checkpoint { "Model, as .onnx" input type="file" name="modelFile" accept=".onnx"; }
                    label.of-checkpoint { "Its manifest, as .toml" input type="file" name="manifest" accept=".toml"; }
                    label.of-board { "Board" select name="board" { @for b in &app.boards.all { option value=(b.name) { (b.title) } } } }
                }
            }
            fieldset {
                legend { "About the policy" }
                div.fields {
                    (text("policyName", "Its name on the board", "80", true))
                    (text("affiliation", "Your institution", "120", false))
                    (choice("openSource", "Weights and code are public", &[("no", "no"), ("yes", "yes")]))
                    (choice("memory", "It remembers what it saw", &[("", "not said"), ("yes", "yes"), ("no", "no")]))
                    label { "Parameters, in millions" input type="number" name="parameters" min="0" step="any"; }
                    (text("link", "Where to read more", "300", false))
                }
                label.wide { "Notes" textarea name="notes" maxlength="4000" rows="3" {} }
            }
            button type="submit" { "Submit" }
        }
    }
}

/// What `longarm eval` takes for a board.
fn selector(board: &Board) -> String {
    if longarm_suites::suite(&board.name).is_some() {
        return board.name.clone();
    }
    let mut words: Vec<String> = board.tasks.iter().take(4).map(ToString::to_string).collect();
    if board.tasks.len() > words.len() {
        words.push("… (its tasks are on its page)".to_owned());
    }
    format!("{} --episodes {}", words.join(" "), board.episodes)
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn commands(app: &App) -> Markup {
    let first = app.boards.all.first();
    let (example, eval) = first.map_or(("SUITE", "SUITE".into()), |b| (&*b.name, selector(b)));
    let server = app.settings.public_url.as_deref().unwrap_or("SERVER");
    html! {
        h2 id="commands" { "By command" }
        ol {
            li { "Ask an administrator of this server for an account. You get a token; put it in a file only you can read." }
            li { "Evaluate. Whole boards count: all tasks, the episodes of the protocol, test seeds; which is what happens without further options."
                pre tabindex="0" { code { "longarm eval " (eval) " --policy openpi:localhost:8000 --label my-policy --out run" } } }
            li { "Send a run."
                pre tabindex="0" { code { "longarm submit run --server " (server) " --name my-policy --token-file token" } }
                "Or without longarm:"
                pre tabindex="0" { code { "tar -czf run.tar.gz -C run run.toml episodes.jsonl traces\ncurl -H @header -F policyName=my-policy -F openSource=yes -F run=@run.tar.gz " (server) "/api/submissions" } }
                "where the file " code { "header" } " holds " code { "Authorization: Bearer TOKEN" } "." }
        }
        h3 id="asked" { "Or let this server ask your policy" }
        p { "On seeds that nobody knows before, one observation at a time. Serve the policy where this server reaches it, and name a board. Every episode is played once: one that breaks off after its first observation counts as it is." }
        pre tabindex="0" { code { "longarm submit --policy-server openpi:HOST:8000 --board " (example) " --server " (server) " --name my-policy --token-file token" } }
        p { "Where this server cannot reach your policy, connect to it from your side:" }
        pre tabindex="0" { code { "longarm submit --policy openpi:localhost:8000 --board " (example) " --server " (server) " --name my-policy --token-file token" } }
        p { "Or upload a model:" }
        pre tabindex="0" { code { "longarm submit --checkpoint model.onnx --board " (example) " --server " (server) " --name my-policy --token-file token" } }
    }
}
