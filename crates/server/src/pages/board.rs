//! One board.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use longarm_types::counted;
use maud::{Markup, html};

use super::layout::{bar, interval, trust};
use super::{columns, shared};
use crate::app::App;
use crate::board::Board;
use crate::http::{Answer, Refusal, Who};
use crate::model::Trust;
use crate::ranking::Ranked;

/// Rows of a page.
pub(super) const ROWS: usize = 100;

/// What is chosen in an address; what means nothing is left out.
pub(super) type Choice = BTreeMap<String, String>;

pub(crate) async fn board(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(name): Path<String>,
    Query(choice): Query<Choice>,
    headers: HeaderMap,
) -> Answer {
    let found =
        app.boards.get(&name).ok_or_else(|| Refusal::missing(format!("There is no board {name}")));
    let board = found.map_err(Refusal::page)?;
    let asked = address(board, &choice, &[]);
    let make = || {
        let rows = app.ranking(board)?;
        Ok((board.title.clone(), one(board, &rows, &choice)))
    };
    shared(&app, &who, &headers, &asked, make).map_err(Refusal::page)
}

/// Whether a row is wanted.
fn wanted(row: &Ranked, choice: &Choice) -> bool {
    let of = |name: &str| choice.get(name).map(String::as_str).filter(|v| !v.is_empty());
    let d = &row.row.description;
    let yes = |name: &str, is: Option<bool>| match of(name) {
        Some("yes") => is == Some(true),
        Some("no") => is == Some(false),
        _ => true,
    };
    let size = match (of("size"), d.parameters) {
        (Some("small"), p) => p.is_some_and(|p| p < 1000.0),
        (Some("large"), p) => p.is_some_and(|p| p >= 1000.0),
        _ => true,
    };
    let level = of("trust").and_then(|t| t.parse::<Trust>().ok());
    level.is_none_or(|t| row.row.trust == t)
        && yes("open", Some(d.open_source))
        && yes("memory", d.memory)
        && size
}

fn one(board: &Board, rows: &[Ranked], choice: &Choice) -> Markup {
    let mut shown: Vec<&Ranked> = rows.iter().filter(|r| wanted(r, choice)).collect();
    let pages = shown.len().div_ceil(ROWS).max(1);
    let page =
        choice.get("page").and_then(|p| p.parse::<usize>().ok()).unwrap_or(1).clamp(1, pages);
    let views = columns::held(board, rows);
    let asked = choice.get("view").map_or("", String::as_str);
    let view = views.iter().find(|v| v.name == asked);
    if let Some(view) = view {
        columns::sort(board, view, choice, &mut shown);
    }
    let here = |more: &[(&str, &str)]| address(board, choice, more);
    let part = &shown[(page - 1) * ROWS..(page * ROWS).min(shown.len())];
    html! {
        h1 { (board.title) }
        p.lead {
            (counted(board.tasks.len() as u64, "task")) ", " (counted(board.episodes, "episode")) " each: replayed rows on the test seeds, hosted rows on hidden ones. "
            "Places are ranges: a policy stands where it may stand given its episodes, at 95 % over all pairs. "
            "Policies that share a letter cannot be told apart."
        }
        @if !views.is_empty() {
            nav.views aria-label="Views" {
                a href=(here(&[("view", ""), ("sort", "")])) aria-current=[view.is_none().then_some("page")] { "Overall" }
                @for v in &views {
                    a href=(here(&[("view", &v.name), ("sort", "")])) aria-current=[(v.name == asked).then_some("page")] { (v.title) }
                }
            }
        }
        (filters(board, choice))
        @if shown.is_empty() {
            p.empty { @if rows.is_empty() { "No policy has been published here yet." } @else { "No policy is like that." } }
        } @else {
            @if let Some(view) = view { (columns::legend(board, view)) }
            div.scroll tabindex="0" role="region" aria-label={ "Policies on " (board.title) } {
                @match view { Some(view) => (columns::table(board, part, view, choice)), None => (ranked(part)) }
            }
            @if pages > 1 {
                nav.views aria-label="Pages" {
                    @for p in 1..=pages {
                        a href=(here(&[("page", &p.to_string())])) aria-current=[(p == page).then_some("page")] { (p) }
                    }
                }
            }
            @if part.len() > 1 { (chooser(part)) }
        }
    }
}

pub(super) fn place(r: &Ranked) -> Markup {
    html! {
        @if !r.current { span title="played on an earlier version of the tasks" { "–" } }
        @else if r.best == r.worst { (r.best) }
        @else { (r.best) "–" (r.worst) }
    }
}

fn ranked(rows: &[&Ranked]) -> Markup {
    html! {
        table {
            thead { tr {
                th.n scope="col" { "Place" } th scope="col" { "Policy" } th scope="col" { "Success, %" }
                th.n scope="col" { "Score" } th.n scope="col" { "Average" } th scope="col" { "Same as" } th scope="col" { "By" } th scope="col" { "Trust" } th scope="col" { "Published" }
            } }
            tbody {
                @for r in rows {
                    tr.past[!r.current] {
                        td.n { (place(r)) }
                        td.name {
                            a href={ "/rows/" (r.row.id) } { (r.row.description.policy_name) }
                            @if r.row.description.open_source { " " span.tag { "open" } }
                            @if r.row.flagged > 0 { " " span.tag.bad title="a judge looked at episodes in which something moved oddly" { (r.row.flagged) " flagged" } }
                        }
                        td.w { (interval(r.row.success, 100.0)) (bar(r.row.success, 1.0)) }
                        td.n { (format!("{:.1}", r.row.score.mean)) }
                        td.n title=[r.row.range.map(|i| format!("{:.1} to {:.1}", i.lo, i.hi))] { (format!("{:.1}", r.row.average)) }
                        td { (r.letters) }
                        td { (r.row.submitter) @if !r.row.description.affiliation.is_empty() { br; small.soft { (r.row.description.affiliation) } } }
                        td { (trust(r.row.trust)) }
                        td { small { (r.row.published_at.unwrap_or_default().day()) } }
                    }
                }
            }
        }
    }
}

/// Two policies to put side by side.
fn chooser(rows: &[&Ranked]) -> Markup {
    let select = |name: &str, label: &str, chosen: usize| {
        html! {
            label { (label)
                select name=(name) {
                    @for (i, r) in rows.iter().enumerate() {
                        option value=(r.row.id) selected[i == chosen] { (r.row.description.policy_name) }
                    }
                }
            }
        }
    };
    html! {
        form.filters action="/compare" method="get" {
            (select("a", "Compare", 0)) (select("b", "with", 1))
            button.quiet type="submit" { "Side by side" }
        }
    }
}

fn filters(board: &Board, choice: &Choice) -> Markup {
    let select = |name: &str, label: &str, options: &[(&str, &str)]| {
        let chosen = choice.get(name).map_or("", String::as_str);
        html! {
            label { (label)
                select name=(name) {
                    @for (value, text) in options { option value=(value) selected[*value == chosen] { (text) } }
                }
            }
        }
    };
    let yes_no = [("", "any"), ("yes", "yes"), ("no", "no")];
    let levels: Vec<(&str, &str)> = std::iter::once(("", "any"))
        .chain(Trust::ALL.iter().map(|t| (t.word(), t.word())))
        .collect();
    html! {
        form.filters action={ "/boards/" (board.name) } method="get" {
            @for name in ["view", "sort"] {
                @if let Some(kept) = choice.get(name) { input type="hidden" name=(name) value=(kept); }
            }
            (select("trust", "Trust", &levels))
            (select("open", "Open source", &yes_no))
            (select("memory", "Memory", &yes_no))
            (select("size", "Size", &[("", "any"), ("small", "below 1 B"), ("large", "1 B and more")]))
            button.quiet type="submit" { "Filter" }
        }
    }
}

/// The address of this page with other choices.
pub(super) fn address(board: &Board, choice: &Choice, other: &[(&str, &str)]) -> String {
    let mut all: BTreeMap<&str, &str> =
        choice.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    all.extend(other.iter().copied());
    let known = ["view", "sort", "trust", "open", "memory", "size", "page"];
    let plain = |v: &str| v.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let pairs: Vec<String> = all
        .into_iter()
        .filter(|(k, v)| known.contains(k) && !v.is_empty() && plain(v))
        .map(|(k, v)| format!("{k}={v}"))
        .collect();
    format!("/boards/{}?{}", board.name, pairs.join("&"))
}
