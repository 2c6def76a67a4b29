//! Published policies beside a run.

use longarm_types::protocol::{Measure, Protocol, Published, PublishedRow};

use super::groups::{capital, name};
use super::html::{Html, ends, fixed};
use crate::groups::of;
use crate::stats::Interval;
use crate::{Measured, Mechanisms, Run};

/// A number of a run that may have been published of others, too.
pub struct Column {
    /// Its key in published rows.
    pub key: String,
    /// What it is a number of: a label, a group, or the whole.
    pub of: String,
    /// What is measured, where the protocol declares several measures.
    pub measure: Option<String>,
    /// The run's own mean with its interval, 0–100.
    pub value: Interval,
}

impl Column {
    /// Its heading in one line.
    pub fn heading(&self) -> String {
        match &self.measure {
            Some(measure) => format!("{} {measure}", self.of),
            None => self.of.clone(),
        }
    }

    /// What a policy is published with.
    pub fn published(&self, row: &PublishedRow) -> Option<f64> {
        row.scores.get(&self.key).copied()
    }
}

/// What of a run can stand beside published rows of one suite: labels, groups, metrics, each by every
/// measure that the protocol declares.
pub fn columns(run: &Run, suite: &str, m: &Mechanisms) -> Vec<Column> {
    let protocol = run.config.protocol(suite);
    let measures = protocol.measures();
    let labels = m.labels.iter().filter(|l| l.suite == suite && l.regime.is_some());
    let labels = labels.filter_map(|l| Some((l.label.as_str(), l.name.as_str(), l.intervals?)));
    // One group alone is the whole, and the metrics say that.
    let several = protocol.groups.len() > 1;
    let groups = m.regimes.iter().filter(|g| g.suite == suite && several);
    let groups = groups.filter_map(|g| Some((g.regime.as_str(), g.regime.as_str(), g.intervals?)));
    let one = |(key, named, measured): (&str, &str, Measured)| {
        let column = |measure: &Measure| match measures.len() {
            1 => Column {
                key: key.to_owned(),
                of: key.to_owned(),
                measure: None,
                value: of(&measured, *measure),
            },
            _ => Column {
                key: protocol.published_key(key, *measure),
                of: named.to_owned(),
                measure: Some(name(&protocol, *measure)),
                value: of(&measured, *measure),
            },
        };
        measures.iter().map(column).collect::<Vec<_>>()
    };
    let metrics = m.metrics.iter().filter(|x| x.suite == suite).map(|x| Column {
        key: x.name.clone(),
        of: if measures.len() > 1 { "overall".to_owned() } else { x.name.clone() },
        measure: (measures.len() > 1).then(|| x.name.clone()),
        value: x.interval.unwrap_or(Interval { mean: x.value, lo: x.value, hi: x.value }),
    });
    labels.chain(groups).flat_map(one).chain(metrics).collect()
}

/// Headings of some columns: in two rows where several measures are taken of the same.
fn headings(page: &mut Html, protocol: &Protocol, columns: &[Column]) {
    if protocol.measures().len() == 1 {
        page.raw("<tr><th></th>");
        for c in columns {
            page.el("th", "r", &c.of);
        }
        page.raw("</tr>");
        return;
    }
    page.raw("<tr><th></th>");
    for same in columns.chunk_by(|a, b| a.of == b.of) {
        page.raw(&format!("<th class=\"r\" colspan=\"{}\">", same.len()));
        page.text(&capital(&same[0].of)).raw("</th>");
    }
    page.raw("</tr><tr><th></th>");
    for c in columns {
        page.el("th", "r", c.measure.as_deref().unwrap_or_default());
    }
    page.raw("</tr>");
}

/// What is published of single tasks: `TASK score` and `TASK success`.
fn tasks(page: &mut Html, run: &Run, published: &Published) {
    let of = |row: &PublishedRow, task: &str, what: &str| {
        row.scores.get(&format!("{task} {what}")).copied()
    };
    let known =
        |row: &&PublishedRow| run.results.tasks.iter().any(|t| of(row, &t.task, "score").is_some());
    let rows: Vec<&PublishedRow> = published.rows.iter().filter(known).collect();
    if rows.is_empty() {
        return;
    }
    page.section("Task by task beside what is published", &published.source);
    page.raw("<div class=\"wide\"><table><tr><th></th>");
    page.el("th", "r", &format!("{} (this run)", run.config.policy));
    for row in &rows {
        page.el("th", "r", &row.policy);
    }
    for t in &run.results.tasks {
        if rows.iter().all(|r| of(r, &t.task, "score").is_none()) {
            continue;
        }
        page.raw("</tr><tr>").el("td", "", super::single::short(&t.task));
        let own = format!("{} / {}", fixed(t.score.mean), fixed(100.0 * t.success.mean));
        page.el("td", "r num", &own);
        for row in &rows {
            let [score, success] =
                ["score", "success"].map(|w| of(row, &t.task, w).map_or("–".to_owned(), fixed));
            page.el("td", "r num", &format!("{score} / {success}"));
        }
    }
    page.raw("</tr></table></div>");
    page.el("p", "why", "Score (partial success) / success (binary).").raw("</section>");
}

pub(super) fn references(page: &mut Html, run: &Run) {
    let Some(m) = &run.results.mechanisms else { return };
    for (suite, protocol) in &run.config.protocols {
        let Some(published) = &protocol.published else { continue };
        tasks(page, run, published);
        let columns = columns(run, suite, m);
        if columns.is_empty() {
            continue;
        }
        page.section("Beside what is published", &published.source);
        page.raw("<div class=\"wide\"><table>");
        headings(page, protocol, &columns);
        page.raw("<tr>").el("td", "", &format!("{} (this run)", run.config.policy));
        for c in &columns {
            page.raw("<td class=\"r num\">").text(&fixed(c.value.mean));
            page.el("small", "under", &ends(c.value, 1.0)).raw("</td>");
        }
        for row in &published.rows {
            page.raw("</tr><tr>").el("td", "", &row.policy);
            for c in &columns {
                let score = c.published(row).map_or("–".to_owned(), fixed);
                page.el("td", "r num", &score);
            }
        }
        page.raw("</tr></table></div></section>");
    }
}
