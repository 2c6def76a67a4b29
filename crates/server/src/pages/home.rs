//! All boards, and every policy over all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use longarm_results::CONFIDENCE;
use longarm_results::stats::{Interval, holm, letters, normal_cdf};
use maud::{Markup, html};

use super::board::ROWS;
use super::layout::{bar, interval};
use super::shared;
use crate::app::App;
use crate::board::Board;
use crate::http::{Answer, Refusal, Who};
use crate::ranking::{LETTERED, Ranked};

/// Standard errors from the middle of an interval to its end.
const WIDTH: f64 = 1.96;

pub(crate) async fn home(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
) -> Answer {
    let make = || {
        let mut standing = Vec::new();
        for b in &app.boards.all {
            standing.push((b, app.ranking(b)?));
        }
        Ok(("Boards".to_owned(), overview(&standing)))
    };
    shared(&app, &who, &headers, "/", make).map_err(Refusal::page)
}

fn overview(all: &[(&Board, Arc<Vec<Ranked>>)]) -> Markup {
    html! {
        h1 { "Long-horizon manipulation, measured" }
        p.lead { "Policies on the same tasks. Every row was played here, from recorded actions or by asking the policy, before it was published." }
        section aria-labelledby="boards" {
            h2 id="boards" { "Boards" }
            div.scroll tabindex="0" role="region" aria-labelledby="boards" {
                table {
                    thead { tr { th scope="col" { "Board" } th.n scope="col" { "Tasks" } th.n scope="col" { "Episodes each" } th.n scope="col" { "Policies" } th scope="col" { "Best so far" } th.n scope="col" { "Average" } } }
                    tbody {
                        @for (b, rows) in all {
                            @let best = rows.iter().find(|r| r.current);
                            tr {
                                th.name scope="row" { a href={ "/boards/" (b.name) } { (b.title) } }
                                td.n { (b.tasks.len()) }
                                td.n { (b.episodes) }
                                td.n { (rows.iter().filter(|r| r.current).count()) }
                                td { @match best { Some(r) => a href={ "/rows/" (r.row.id) } { (r.row.description.policy_name) }, None => span.soft { "nobody yet" } } }
                                td.n { @if let Some(r) = best { (format!("{:.1}", r.row.average)) } }
                            }
                        }
                    }
                }
            }
        }
        (overall(all))
    }
}

/// A policy of an account, and its rows by board.
struct Policy<'a> {
    name: &'a str,
    rows: BTreeMap<&'a str, &'a Ranked>,
    mean: f64,
    /// Standard error of the mean.
    error: f64,
}

impl<'a> Policy<'a> {
    fn new(name: &'a str, rows: BTreeMap<&'a str, &'a Ranked>) -> Self {
        let n = rows.len().max(1) as f64;
        let mean = rows.values().map(|r| r.row.average).sum::<f64>() / n;
        // An interval of scores has no width where all are alike, however few; one of success has.
        let half = |i: Interval| (i.hi - i.lo) / 2.0;
        let error = |r: &&Ranked| {
            let (range, success) =
                (r.row.range.unwrap_or(r.row.score), r.row.success.scaled(100.0));
            half(range).max(half(success)) / WIDTH
        };
        let error = libm::sqrt(rows.values().map(|r| error(r) * error(r)).sum::<f64>()) / n;
        Self { name, rows, mean, error }
    }

    fn interval(&self) -> Interval {
        let end = |by: f64| (self.mean + by * WIDTH * self.error).clamp(0.0, 100.0);
        Interval { mean: self.mean, lo: end(-1.0), hi: end(1.0) }
    }
}

/// Letters of those that were tried on every board; none where there are too many to read.
fn shared_letters(policies: &[Policy], boards: usize) -> Vec<String> {
    let n = policies.iter().take_while(|p| p.rows.len() == boards).count();
    let mut out = vec![String::new(); policies.len()];
    if !(2..=LETTERED).contains(&n) {
        return out;
    }
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let p = |&(i, j): &(usize, usize)| {
        let (a, b) = (&policies[i], &policies[j]);
        let z = (a.mean - b.mean) / libm::sqrt(a.error * a.error + b.error * b.error);
        (2.0 * normal_cdf(-libm::fabs(z))).min(1.0)
    };
    let apart: Vec<(usize, usize)> = pairs
        .iter()
        .zip(holm(&pairs.iter().map(p).collect::<Vec<_>>()))
        .filter(|(_, p)| *p <= 1.0 - CONFIDENCE)
        .map(|(pair, _)| *pair)
        .collect();
    let means: Vec<f64> = policies[..n].iter().map(|p| p.mean).collect();
    let named = letters(&means, |i, j| apart.contains(&(i.min(j), i.max(j))));
    out[..n].clone_from_slice(&named);
    out
}

/// Every policy on every board.
fn overall(all: &[(&Board, Arc<Vec<Ranked>>)]) -> Markup {
    let held: Vec<_> = all.iter().filter(|(_, rows)| rows.iter().any(|r| r.current)).collect();
    let mut rows: BTreeMap<(&str, i64), BTreeMap<&str, &Ranked>> = BTreeMap::new();
    for (b, of) in &held {
        for r in of.iter().filter(|r| r.current) {
            let key = (r.row.description.policy_name.as_str(), r.row.account);
            rows.entry(key).or_default().insert(&b.name, r);
        }
    }
    let policies = rows.into_iter().map(|((name, _), rows)| Policy::new(name, rows));
    let mut policies: Vec<Policy> = policies.collect();
    // Who was tried on more boards stands above; a mean over fewer is another number.
    policies.sort_by(|a, b| {
        b.rows.len().cmp(&a.rows.len()).then(b.mean.total_cmp(&a.mean)).then(a.name.cmp(b.name))
    });
    let named = shared_letters(&policies, held.len());
    let lettered = named.iter().any(|l| !l.is_empty());
    html! {
        section aria-labelledby="overall" {
            h2 id="overall" { "Over all boards" }
            @if policies.is_empty() { p.empty { "No policy has been published yet. " a href="/submit" { "Be the first." } } }
            @else {
                p.soft { "Mean of the benchmarks' own numbers over the boards a policy was tried on, with its 95 % interval; policies with more boards first." @if lettered { " Those on every board that share a letter cannot be told apart (normal test, Holm)." } }
                div.scroll tabindex="0" role="region" aria-labelledby="overall" {
                    table {
                        thead { tr {
                            th scope="col" { "Policy" } th scope="col" { "By" } th.n scope="col" { "Boards" } th scope="col" { "Mean" } @if lettered { th scope="col" { "Same as" } }
                            @for (b, _) in &held { th.n scope="col" { (b.title) } }
                        } }
                        tbody {
                            @for (p, letters) in policies.iter().zip(&named).take(ROWS) {
                                tr {
                                    th.name scope="row" { (p.name) }
                                    td { (p.rows.values().next().map_or("", |r| r.row.submitter.as_str())) }
                                    td.n { (p.rows.len()) " of " (held.len()) }
                                    td.w { (interval(p.interval(), 1.0)) (bar(p.interval(), 100.0)) }
                                    @if lettered { td { (letters) } }
                                    @for (b, _) in &held {
                                        td.n { @match p.rows.get(b.name.as_str()) {
                                            Some(r) => a href={ "/rows/" (r.row.id) } { (format!("{:.1}", r.row.average)) },
                                            None => span.soft { "–" },
                                        } }
                                    }
                                }
                            }
                        }
                    }
                }
                @if policies.len() > ROWS { p.soft { "The first " (ROWS) " of " (policies.len()) "." } }
            }
        }
    }
}
