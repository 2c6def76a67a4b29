//! A board by what its protocols put together: a column of means for each.

use longarm_types::Protocol;
use longarm_types::protocol::Measure;
use maud::{Markup, html};

use super::board::{Choice, address, place};
use crate::board::Board;
use crate::model::Mean;
use crate::ranking::Ranked;
use crate::views::{self, Column, View};

/// Return the views of a board with the columns for which some row has a number.
pub(super) fn held(board: &Board, rows: &[Ranked]) -> Vec<View> {
    let mut views = views::of(board);
    for view in &mut views {
        view.columns.retain(|c| rows.iter().any(|r| r.row.means.contains_key(&c.key)));
    }
    views.retain(|v| !v.columns.is_empty());
    views
}

/// What is measured of the tasks of a column, first what counts most.
fn measures(board: &Board, column: &Column) -> Vec<Measure> {
    let declared = board.protocols.get(&column.suite).map(Protocol::measures);
    declared.filter(|m| !m.is_empty()).unwrap_or_else(|| vec![Measure::Score])
}

fn value(mean: Mean, measure: Measure) -> f64 {
    match measure {
        Measure::Success => mean.success,
        Measure::Score => mean.score,
        Measure::Composite => f64::midpoint(mean.success, mean.score),
    }
}

/// The column by which rows are sorted.
fn sorted(choice: &Choice, view: &View) -> Option<usize> {
    let at = choice.get("sort")?.parse::<usize>().ok()?.checked_sub(1)?;
    (at < view.columns.len()).then_some(at)
}

/// Sort rows by the column that is chosen, if one is.
pub(super) fn sort(board: &Board, view: &View, choice: &Choice, rows: &mut [&Ranked]) {
    let Some(column) = sorted(choice, view).map(|i| &view.columns[i]) else { return };
    let measure = measures(board, column)[0];
    let of = |r: &Ranked| r.row.means.get(&column.key).map_or(-1.0, |m| value(*m, measure));
    rows.sort_by(|a, b| of(b).total_cmp(&of(a)));
}

/// What the numbers of a table mean, beside it: a table that scrolls would take it along.
pub(super) fn legend(board: &Board, view: &View) -> Markup {
    html! { p.soft #means { "Means over the tasks of each column, 0–100: " (what(board, view)) ". The best is bold; a heading sorts." } }
}

pub(super) fn table(board: &Board, rows: &[&Ranked], view: &View, choice: &Choice) -> Markup {
    let sorted = sorted(choice, view);
    let columns: Vec<(&Column, Vec<Measure>, f64)> = view
        .columns
        .iter()
        .map(|c| {
            let all = measures(board, c);
            let held = rows.iter().filter_map(|r| r.row.means.get(&c.key));
            let best = held.map(|m| value(*m, all[0])).fold(f64::NEG_INFINITY, f64::max);
            (c, all, best)
        })
        .collect();
    html! {
        table aria-describedby="means" {
            thead { tr {
                th.n scope="col" { "Place" } th scope="col" { "Policy" } th.n.spare scope="col" { "Average" }
                @for (i, c) in view.columns.iter().enumerate() {
                    @let is = sorted == Some(i);
                    @let to = if is { String::new() } else { (i + 1).to_string() };
                    th.n.turn scope="col" aria-sort=[is.then_some("descending")] {
                        a href=(address(board, choice, &[("sort", &to), ("page", "")])) { (c.name) @if is { span aria-hidden="true" { " ▾" } } }
                    }
                }
            } }
            tbody {
                @for r in rows {
                    tr.past[!r.current] {
                        td.n { (place(r)) }
                        th.name scope="row" { a href={ "/rows/" (r.row.id) } { (r.row.description.policy_name) } }
                        td.n.spare { (format!("{:.1}", r.row.average)) }
                        @for (c, all, best) in &columns {
                            td.n { (cell(r.row.means.get(&c.key), all, *best, rows.len() > 1)) }
                        }
                    }
                }
            }
        }
    }
}

fn cell(mean: Option<&Mean>, measures: &[Measure], best: f64, several: bool) -> Markup {
    let Some(mean) = mean else { return html! { span.soft { "–" } } };
    let first = value(*mean, measures[0]);
    html! {
        @if several && first >= best { b { (format!("{first:.1}")) } } @else { (format!("{first:.1}")) }
        @if let Some(second) = measures.get(1) { br; small.soft { (format!("{:.1}", value(*mean, *second))) } }
    }
}

/// What the numbers are, in words: as each protocol calls them.
fn what(board: &Board, view: &View) -> String {
    let mut out: Vec<String> = Vec::new();
    for c in &view.columns {
        let Some(protocol) = board.protocols.get(&c.suite) else { continue };
        let names: Vec<&str> =
            measures(board, c).into_iter().take(2).map(|m| protocol.measure_name(m)).collect();
        let names = names.join(", below it ");
        if !out.contains(&names) {
            out.push(names);
        }
    }
    out.join("; ")
}
