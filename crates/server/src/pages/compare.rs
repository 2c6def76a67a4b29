//! Two policies side by side, episode by episode.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use longarm_results::stats::{mcnemar_exact, p_value_text};
use longarm_types::{EpisodeOutcome, EpisodeRecord, TaskId};
use maud::{Markup, html};

use super::films::ended;
use super::row::short;
use super::shared;
use crate::app::App;
use crate::films;
use crate::http::{Answer, Refusal, Who, visible, waiting};
use crate::model::BoardRow;

/// Episodes of a task that are listed.
const LISTED: usize = 200;

/// What is asked for: two rows, and a task to look into.
type Asked = BTreeMap<String, String>;

pub(crate) async fn compare(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Answer {
    let of = |name: &str| {
        let id = asked.get(name).map(String::as_str).unwrap_or_default();
        visible(&app, &who, id).map_err(Refusal::page)
    };
    let (a, b) = (of("a")?.row, of("b")?.row);
    if a.board != b.board {
        return Err(Refusal::bad("these two rows are on different boards").page());
    }
    let task = asked.get("task").map_or("", String::as_str);
    // Another page once there are more films to lead to.
    let films = [&a, &b].map(|r| films::count(&app, &r.id));
    let key = format!("/compare {} {} {task:?} {films:?}", a.id, b.id);
    let make = || {
        let both =
            Both { app: &app, episodes: [episodes(&app, &a)?, episodes(&app, &b)?], rows: [a, b] };
        let body = match both.task(task) {
            Some(task) => both.one(&task),
            None if task.is_empty() => both.all(),
            None => return Err(Refusal::missing(format!("this board has no task {task:?}"))),
        };
        Ok(("Side by side".to_owned(), body))
    };
    shared(&app, &who, &headers, &key, make).map_err(Refusal::page)
}

/// Episodes by task and seed, each with its index in its submission.
type Episodes = BTreeMap<TaskId, BTreeMap<u64, (u64, EpisodeRecord)>>;

fn episodes(app: &App, row: &BoardRow) -> Answer<Episodes> {
    let mut out = Episodes::new();
    let Some(board) = app.boards.get(&row.board) else { return Ok(out) };
    let submission = waiting(|| app.store.submission(&row.submission))?;
    let seeds = app.seeds(&submission, board);
    let ours: BTreeSet<_> = board.work(&seeds).collect();
    let judged = waiting(|| app.store.judged(&row.submission))?;
    for r in judged.into_iter().filter_map(|j| j.row) {
        if ours.contains(&(&r.episode.task, r.episode.seed)) {
            let of = out.entry(r.episode.task.clone()).or_default();
            of.insert(r.episode.seed, (r.index, r.episode));
        }
    }
    Ok(out)
}

fn solved(e: &EpisodeRecord) -> bool {
    e.outcome == EpisodeOutcome::Success
}

/// How often both, one, or neither of two policies solved the same episode.
#[derive(Default)]
struct Counts {
    both: u64,
    only: [u64; 2],
    neither: u64,
}

struct Both<'a> {
    app: &'a App,
    rows: [BoardRow; 2],
    episodes: [Episodes; 2],
}

impl Both<'_> {
    fn tasks(&self) -> &[TaskId] {
        self.app.boards.get(&self.rows[0].board).map_or(&[], |b| &b.tasks)
    }

    fn task(&self, id: &str) -> Option<TaskId> {
        self.tasks().iter().find(|t| t.as_str() == id).cloned()
    }

    fn name(&self, i: usize) -> &str {
        &self.rows[i].description.policy_name
    }

    fn board(&self) -> Markup {
        let name = &self.rows[0].board;
        let title = self.app.boards.get(name).map_or(name.as_str(), |b| b.title.as_str());
        html! { a href={ "/boards/" (name) } { (title) } }
    }

    fn counts(&self) -> Counts {
        let mut out = Counts::default();
        let [x, y] = &self.episodes;
        for (task, of) in x {
            for (seed, (_, a)) in of {
                match (solved(a), y.get(task).and_then(|of| of.get(seed)).map(|(_, b)| solved(b))) {
                    (true, Some(true)) => out.both += 1,
                    (true, Some(false)) => out.only[0] += 1,
                    (false, Some(true)) => out.only[1] += 1,
                    (false, Some(false)) => out.neither += 1,
                    (_, None) => {}
                }
            }
        }
        out
    }

    fn paired(&self, c: &Counts) -> bool {
        c.both + c.only[0] + c.only[1] + c.neither > 0
    }

    fn heading(&self) -> Markup {
        let [a, b] = &self.rows;
        html! {
            h1 { a href={ "/rows/" (a.id) } { (self.name(0)) } " beside " a href={ "/rows/" (b.id) } { (self.name(1)) } }
        }
    }

    /// Task by task.
    fn all(&self) -> Markup {
        let c = self.counts();
        html! {
            (self.heading())
            p.lead { "On " (self.board()) ". Each mark is an episode in the order of seeds: ● solved, ○ not. A task leads to its episodes." }
            @if !self.paired(&c) {
                p.empty { "They were played on different seeds: rates can be compared, episodes cannot." }
            } @else { dl.facts {
                dt { "Both solved" } dd { (c.both) }
                dt { "Only " (self.name(0)) } dd { (c.only[0]) }
                dt { "Only " (self.name(1)) } dd { (c.only[1]) }
                dt { "Neither" } dd { (c.neither) }
                dt { "If they were equally good" } dd { "so uneven a share would come about with probability " (p_value_text(mcnemar_exact(c.only[0], c.only[1]))) " (exact McNemar)" }
            } }
            div.scroll tabindex="0" role="region" aria-label="Tasks" { table {
                thead { tr { th scope="col" { "Task" } @for i in 0..2 { th scope="col" { (self.name(i)) } } } }
                tbody { @for task in self.tasks() { tr {
                    th.name scope="row" { a href=(self.address(task)) { (short(task.as_str())) } }
                    @for of in &self.episodes {
                        @let marks = marks(of.get(task));
                        td { (marks.0) br; span.dots aria-hidden="true" { (marks.1) } }
                    }
                } } }
            } }
        }
    }

    fn address(&self, task: &TaskId) -> String {
        format!("/compare?a={}&b={}&task={task}", self.rows[0].id, self.rows[1].id)
    }

    /// One task, episode by episode.
    fn one(&self, task: &TaskId) -> Markup {
        let of = |i: usize| self.episodes[i].get(task);
        let mut seeds: BTreeSet<u64> = BTreeSet::new();
        seeds.extend((0..2).filter_map(of).flat_map(BTreeMap::keys).copied());
        html! {
            (self.heading())
            p.lead { (short(task.as_str())) " on " (self.board()) ", episode by episode. " a href={ "/compare?a=" (self.rows[0].id) "&b=" (self.rows[1].id) } { "All tasks" } }
            @if seeds.len() > LISTED { p.soft { "The first " (LISTED) " of " (seeds.len()) " episodes." } }
            div.scroll tabindex="0" role="region" aria-label="Episodes" { table {
                thead { tr { th.n scope="col" { "Seed" } @for i in 0..2 { th scope="col" { (self.name(i)) } th.n scope="col" { "Score" } } } }
                tbody { @for seed in seeds.iter().take(LISTED) {
                    @let pair = [0, 1].map(|i| of(i).and_then(|e| e.get(seed)));
                    @let differ = matches!(pair, [Some((_, a)), Some((_, b))] if solved(a) != solved(b));
                    tr.differ[differ] {
                        th.n scope="row" { (seed) }
                        @for (i, e) in pair.into_iter().enumerate() { (self.episode(i, e)) }
                    }
                } }
            } }
        }
    }

    fn episode(&self, i: usize, found: Option<&(u64, EpisodeRecord)>) -> Markup {
        let Some((index, e)) = found else {
            return html! { td { span.soft { "not played" } } td.n { "–" } };
        };
        let film = format!("{index}.mp4");
        let is_there = films::file(self.app, &self.rows[i].id, &film).is_some_and(|p| p.is_file());
        html! {
            td {
                span.(if solved(e) { "good" } else { "bad" }) aria-hidden="true" { (if solved(e) { "● " } else { "○ " }) }
                (ended(e))
                @if is_there { " " a href={ "/rows/" (self.rows[i].id) "/films/" (film) } { "film" } }
            }
            td.n { (format!("{:.0}", e.score)) }
        }
    }
}

/// How many episodes were solved, in words and as marks.
fn marks(of: Option<&BTreeMap<u64, (u64, EpisodeRecord)>>) -> (String, String) {
    let all: Vec<bool> = of.into_iter().flat_map(|e| e.values().map(|(_, e)| solved(e))).collect();
    let n = all.iter().filter(|s| **s).count();
    (format!("{n} of {}", all.len()), all.iter().map(|s| if *s { '●' } else { '○' }).collect())
}
