//! One policy on one board, and two side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse};
use longarm_results::{Results, RowSummary, Run, TaskResult, report as reports};
use maud::{Markup, html};

use super::layout::{bar, interval, trust};
use super::{own, shared};
use crate::app::App;
use crate::http::{Answer, Refusal, Who, visible, waiting};
use crate::model::BoardRow;
use crate::store::StoredRow;

pub(crate) async fn row(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let found = visible(&app, &who, &id).map_err(Refusal::page)?;
    let title = found.row.description.policy_name.clone();
    let make = || {
        let results: Results = serde_json::from_str(&found.results)
            .map_err(|e| Refusal::from(crate::store::StoreError::from(e)))?;
        Ok((title, about(&app, &found, &results)))
    };
    match found.row.published_at.is_some() && !found.withdrawn {
        true => shared(&app, &who, &headers, &format!("/rows/{id}"), make),
        // Nobody else may see it: it is not kept.
        false => make().map(|(title, body)| own(&title, &who, false, &body)),
    }
    .map_err(Refusal::page)
}

fn about(app: &App, found: &StoredRow, results: &Results) -> Markup {
    let r = &found.row;
    let d = &r.description;
    let board = app.boards.get(&r.board);
    let title = board.map_or(r.board.as_str(), |b| b.title.as_str());
    html! {
        h1 { (d.policy_name) " on " a href={ "/boards/" (r.board) } { (title) } }
        p.lead { "By " (r.submitter) @if !d.affiliation.is_empty() { ", " (d.affiliation) } ", " (r.source_label) ". " (trust(r.trust)) }
        @if found.withdrawn { p.problems { "This row was withdrawn." } }
        @else if r.published_at.is_none() { p.problems { "This row waits for a judge and is not on the board." } }
        dl.facts {
            dt { "Average" } dd { span.number { (format!("{:.1}", r.average)) } " " small.soft { "the benchmark's own number, 0–100" } }
            dt { "Success" } dd { (interval(r.success, 100.0)) " %" (bar(r.success, 1.0)) }
            dt { "Score" } dd { (interval(r.score, 1.0)) (bar(r.score, 100.0)) }
            dt { "Episodes" } dd { (r.n) @if r.flagged > 0 { ", " (r.flagged) " flagged: something moved faster or deeper than honest episodes do" } }
            @if let Some(m) = d.memory { dt { "Memory" } dd { @if m { "yes" } @else { "no" } } }
            @if let Some(p) = d.parameters { dt { "Parameters" } dd { (p) " M" } }
            @if !d.link.is_empty() { dt { "More" } dd { a href=(d.link) rel="nofollow noopener" { (d.link) } } }
            @if !d.notes.is_empty() { dt { "Notes" } dd { (d.notes) } }
            dt { "Engine" } dd { (r.engine) ", MuJoCo " (r.mujoco) ", tasks " code { (r.tasks_hash.get(..8).unwrap_or_default()) } }
            @if let Some(at) = r.published_at { dt { "Published" } dd { (at.day()) } }
        }
        p { a href={ "/rows/" (r.id) "/report" } { "The whole report" } " · " a href={ "/api/rows/" (r.id) "/receipt" } { "Signed receipt" } " · " a href={ "/api/rows/" (r.id) } { "JSON" } }
        (labels(results))
        (tasks(results))
        @if found.receipt.is_some() { (checking(r, app)) }
    }
}

fn labels(results: &Results) -> Markup {
    let Some(m) = results.mechanisms.as_ref().filter(|m| !m.labels.is_empty()) else {
        return html! {};
    };
    let grouped = m.labels.iter().any(|l| l.regime.is_some());
    html! {
        section aria-labelledby="labels" {
            h2 id="labels" { "What it is good at" }
            div.scroll tabindex="0" role="region" aria-labelledby="labels" { table {
                thead { tr { th { "Tasks that measure" } @if grouped { th { "Group" } } th.n { "Tasks" } th { "Score" } th.n { "Success, %" } } }
                tbody { @for l in &m.labels { tr {
                    td { (l.name) }
                    @if grouped { td { (l.regime.as_deref().unwrap_or("")) } }
                    td.n { (l.tasks.len()) }
                    td.w { @match &l.intervals { Some(i) => { (interval(i.score, 1.0)) (bar(i.score, 100.0)) }, None => (format!("{:.1}", l.mean)) } }
                    td.n { (format!("{:.1}", l.success)) }
                } } }
            } }
        }
    }
}

/// The stage at which most failed episodes ended.
fn worst(t: &TaskResult) -> Option<(&str, u64)> {
    let stage = t.stages.iter().max_by_key(|s| s.died).filter(|s| s.died > 0)?;
    Some((&stage.name, stage.died))
}

fn tasks(results: &Results) -> Markup {
    html! {
        section aria-labelledby="tasks" {
            h2 id="tasks" { "Tasks" }
            div.scroll tabindex="0" role="region" aria-labelledby="tasks" { table {
                thead { tr { th { "Task" } th.n { "Solved" } th { "Success, %" } th.n { "Score" } th { "Fails most often at" } } }
                tbody { @for t in &results.tasks { tr {
                    td.name { (t.task.split_once('/').map_or(t.task.as_str(), |(_, n)| n)) }
                    td.n { (t.successes) " of " (t.n) }
                    td.w { (interval(t.success, 100.0)) (bar(t.success, 1.0)) }
                    td.n { (format!("{:.1}", t.score.mean)) }
                    td { @if let Some((stage, n)) = worst(t) { (stage) " " small.soft { (n) " of " (t.n - t.successes) } } }
                } } }
            } }
        }
    }
}

fn checking(r: &BoardRow, app: &App) -> Markup {
    html! {
        section aria-labelledby="check" {
            h2 id="check" { "Check it yourself" }
            p { "The receipt is signed with this server's key. With it, nobody has to ask the server again:" }
            pre tabindex="0" { code {
                "curl -O SERVER/api/rows/" (r.id) "/receipt\n"
                "longarm verify --receipt receipt --key " (app.keys.public()) " [RUN DIRECTORY]"
            } }
        }
    }
}

/// The report of a row's episodes, as `longarm report` writes it.
pub(crate) async fn report(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer {
    let found = visible(&app, &who, &id).map_err(Refusal::page)?;
    let page = waiting(|| -> Answer<String> {
        let board = app.boards.get(&found.row.board);
        let board = board.ok_or_else(|| Refusal::missing("this board is gone").page())?;
        let judged = app.store.judged(&found.row.submission)?;
        let submission = app.store.submission(&found.row.submission)?;
        let seeds = app.seeds(&submission, board);
        let ours: std::collections::BTreeSet<_> = board.work(&seeds).collect();
        let rows = judged.iter().filter_map(|j| j.row.as_ref());
        let rows = rows.filter(|r| ours.contains(&(&r.episode.task, r.episode.seed)));
        let run = Run::new(
            &submission.description.policy_name,
            board.config_of(&submission),
            rows.map(RowSummary::from).collect(),
        );
        Ok(reports::render(&[run]))
    })
    .map_err(Refusal::page)?;
    // It carries its style within itself.
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
    Ok(([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response())
}

/// Two rows of one board, episode by episode.
pub(crate) async fn compare(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Query(asked): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Answer {
    let of = |name: &str| {
        let id = asked.get(name).map(String::as_str).unwrap_or_default();
        visible(&app, &who, id).map_err(Refusal::page)
    };
    let (a, b) = (of("a")?, of("b")?);
    if a.row.board != b.row.board {
        return Err(Refusal::bad("these two rows are on different boards").page());
    }
    let key = format!("/compare {} {}", a.row.id, b.row.id);
    let make = || {
        let (x, y) = (episodes(&app, &a.row)?, episodes(&app, &b.row)?);
        Ok(("Side by side".to_owned(), side_by_side(&app, [&a.row, &b.row], [&x, &y])))
    };
    shared(&app, &who, &headers, &key, make).map_err(Refusal::page)
}

/// Episodes by task, each with its seed, whether it succeeded, and its score.
type Episodes = BTreeMap<String, BTreeMap<u64, (bool, f64)>>;

fn episodes(app: &App, row: &BoardRow) -> Answer<Episodes> {
    let mut out = Episodes::new();
    let Some(board) = app.boards.get(&row.board) else { return Ok(out) };
    let seeds = app.seeds(&app.store.submission(&row.submission)?, board);
    let ours: std::collections::BTreeSet<_> = board.work(&seeds).collect();
    let rows = app.store.judged(&row.submission)?.into_iter().filter_map(|j| j.row);
    for r in rows.filter(|r| ours.contains(&(&r.episode.task, r.episode.seed))) {
        let success = r.episode.outcome == longarm_types::EpisodeOutcome::Success;
        let of = out.entry(r.episode.task.to_string()).or_default();
        of.insert(r.episode.seed, (success, r.episode.score));
    }
    Ok(out)
}

fn side_by_side(app: &App, rows: [&BoardRow; 2], episodes: [&Episodes; 2]) -> Markup {
    let board = app.boards.get(&rows[0].board);
    let tasks: Vec<String> =
        board.map(|b| b.tasks.iter().map(ToString::to_string).collect()).unwrap_or_default();
    let marks = |of: &Episodes, task: &str| -> (String, String) {
        let all: Vec<bool> =
            of.get(task).into_iter().flat_map(|e| e.values().map(|v| v.0)).collect();
        let solved = all.iter().filter(|s| **s).count();
        let marks = all.iter().map(|s| if *s { '●' } else { '○' }).collect();
        (format!("{solved} of {}", all.len()), marks)
    };
    let (mut only, mut both, mut neither) = ([0, 0], 0, 0);
    for task in &tasks {
        let (Some(x), Some(y)) = (episodes[0].get(task), episodes[1].get(task)) else { continue };
        for (seed, (a, _)) in x {
            match (a, y.get(seed).map(|v| v.0)) {
                (true, Some(true)) => both += 1,
                (true, Some(false)) => only[0] += 1,
                (false, Some(true)) => only[1] += 1,
                (false, Some(false)) => neither += 1,
                (_, None) => {}
            }
        }
    }
    let [a, b] = rows;
    let name = |r: &BoardRow| r.description.policy_name.clone();
    html! {
        h1 { a href={ "/rows/" (a.id) } { (name(a)) } " beside " a href={ "/rows/" (b.id) } { (name(b)) } }
        p.lead { "On " a href={ "/boards/" (a.board) } { (board.map_or(a.board.as_str(), |b| b.title.as_str())) } ". Each mark is an episode in the order of seeds: ● solved, ○ not." }
        @if both + only[0] + only[1] + neither == 0 {
            p.empty { "They were played on different seeds: rates can be compared, episodes cannot." }
        } @else { dl.facts {
            dt { "Both solved" } dd { (both) }
            dt { "Only " (name(a)) } dd { (only[0]) }
            dt { "Only " (name(b)) } dd { (only[1]) }
            dt { "Neither" } dd { (neither) }
            dt { "If they were equally good" } dd { "so uneven a share would come about with probability " (format!("{:.3}", longarm_results::stats::mcnemar_exact(only[0], only[1]))) " (exact McNemar)" }
        } }
        div.scroll tabindex="0" role="region" aria-label="Episodes" { table {
            thead { tr { th { "Task" } th { (name(a)) } th { (name(b)) } } }
            tbody { @for task in &tasks { tr {
                td.name { (task.split_once('/').map_or(task.as_str(), |(_, n)| n)) }
                @for of in episodes {
                    @let (solved, dots) = marks(of, task);
                    td { (solved) br; span.dots aria-hidden="true" { (dots) } }
                }
            } } }
        } }
    }
}
