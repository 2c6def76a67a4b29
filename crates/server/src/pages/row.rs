//! One policy on one board, and two side by side.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse};
use longarm_results::{Results, RowSummary, Run, TaskResult, report as reports};
use maud::{Markup, html};

use super::layout::{bar, interval, trust};
use super::{films, own, shared};
use crate::app::App;
use crate::http::{Answer, Refusal, Who, visible, waiting};
use crate::model::BoardRow;
use crate::store::StoredRow;
use crate::views::capital;

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
        true => {
            // It is another page once there are more films.
            let asked = format!("/rows/{id} {}", crate::films::count(&app, &id));
            shared(&app, &who, &headers, &asked, make)
        }
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
            dt { "Average" } dd { span.number { (format!("{:.1}", r.average)) } " " small.soft { @if let Some(i) = r.range { (format!("{:.0}–{:.0}, ", i.lo, i.hi)) } "the benchmark's own number, 0–100" } }
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
        (films::section(app, found))
        (labels(results))
        (tasks(results))
        (stages(results))
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
                thead { tr { th scope="col" { "Tasks that measure" } @if grouped { th scope="col" { "Group" } } th.n scope="col" { "Tasks" } th scope="col" { "Score" } th.n scope="col" { "Success, %" } } }
                tbody { @for l in &m.labels { tr {
                    th.name scope="row" { (capital(&l.name)) }
                    @if grouped { td { (capital(l.regime.as_deref().unwrap_or(""))) } }
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
                thead { tr { th scope="col" { "Task" } th.n scope="col" { "Solved" } th scope="col" { "Success, %" } th.n scope="col" { "Score" } th scope="col" { "Fails most often at" } } }
                tbody { @for t in &results.tasks { tr {
                    th.name scope="row" { (short(&t.task)) }
                    td.n { (t.successes) " of " (t.n) }
                    td.w { (interval(t.success, 100.0)) (bar(t.success, 1.0)) }
                    td.n { (format!("{:.1}", t.score.mean)) }
                    td { @if let Some((stage, n)) = worst(t) { (stage) " " small.soft { (n) " of " (t.n - t.successes) } } }
                } } }
            } }
        }
    }
}

/// Where episodes of each task fail: of those that came to a stage, how many completed it.
fn stages(results: &Results) -> Markup {
    let failed = |t: &&TaskResult| t.successes < t.n && t.n > 0;
    let all: Vec<&TaskResult> = results.tasks.iter().filter(failed).collect();
    html! {
        section aria-labelledby="stages" {
            h2 id="stages" { "Where it fails" }
            @if all.is_empty() { p.soft { "Nowhere: every episode was solved." } }
            @else { p.soft { "Stage by stage, of the tasks with failed episodes: how many episodes completed a stage, and how many failed with it as the first that was missing." } }
            @for t in &all {
                details {
                    summary { (short(&t.task)) " " small.soft { (t.n - t.successes) " of " (t.n) " failed" } }
                    div.scroll tabindex="0" role="region" aria-label={ "Stages of " (short(&t.task)) } { table {
                        thead { tr { th scope="col" { "Stage" } th scope="col" { "Completed" } th.n scope="col" { "Failed here" } } }
                        tbody {
                            @for s in &t.stages { tr {
                                th.name scope="row" { (s.name) }
                                td.w { (s.completed) " of " (s.n) (share(s.completed, s.n)) }
                                td.n { @if s.died > 0 { b { (s.died) } } @else { span.soft { "0" } } }
                            } }
                            @if t.died_after_last > 0 { tr {
                                th.name scope="row" { "after the last stage" }
                                td.w { span.soft { "something forbidden, or undone at the end" } }
                                td.n { b { (t.died_after_last) } }
                            } }
                        }
                    } }
                }
            }
        }
    }
}

/// A share as a bar.
fn share(of: u64, all: u64) -> Markup {
    let width = 100.0 * of as f64 / all.max(1) as f64;
    html! {
        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.scale x="0" y="2" width="100" height="6" {}
            rect.mean x="0" y="2" width=(format!("{width:.1}")) height="6" {}
        }
    }
}

/// A task without its suite.
pub(super) fn short(task: &str) -> &str {
    task.split_once('/').map_or(task, |(_, name)| name)
}

fn checking(r: &BoardRow, app: &App) -> Markup {
    html! {
        section aria-labelledby="check" {
            h2 id="check" { "Check it yourself" }
            p { "The receipt is signed with this server's key. With it, nobody has to ask the server again:" }
            pre tabindex="0" { code {
                "curl -O " (app.settings.public_url.as_deref().unwrap_or("SERVER")) "/api/rows/" (r.id) "/receipt\n"
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
