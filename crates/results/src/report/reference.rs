//! Published policies beside a run.

use std::collections::BTreeMap;

use super::html::{Html, fixed};
use crate::Run;

/// The column of the overall score.
pub const OVERALL: &str = "overall";

/// What others have published about the tasks of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct References {
    /// Where it comes from, and what to mind when comparing.
    pub source: String,
    /// Policies with their mean scores by label, by regime and [`OVERALL`].
    pub rows: Vec<(String, BTreeMap<String, f64>)>,
}

/// A column: its key in the rows, its heading, the run's own mean and standard error.
struct Column<'a> {
    key: &'a str,
    head: &'a str,
    mean: f64,
    se: Option<f64>,
}

pub(super) fn references(page: &mut Html, run: &Run) {
    let (Some(m), Some(refs)) = (&run.results.mechanisms, &run.references) else { return };
    let mut columns: Vec<Column> = m
        .labels
        .iter()
        .map(|l| Column { key: &l.label, head: &l.label, mean: l.mean, se: Some(l.se) })
        .collect();
    columns.extend(m.regimes.iter().map(|r| Column {
        key: &r.regime,
        head: &r.regime,
        mean: r.mean,
        se: Some(r.se),
    }));
    columns.extend(m.overall.map(|mean| Column { key: OVERALL, head: OVERALL, mean, se: None }));
    page.section("Beside what is published", &refs.source);
    page.raw("<div class=\"wide\"><table><tr><th></th>");
    for c in &columns {
        page.el("th", "r", c.head);
    }
    page.raw("</tr><tr>").el("td", "", &format!("{} (this run)", run.config.policy));
    for c in &columns {
        page.raw("<td class=\"r num\">").text(&fixed(c.mean));
        if let Some(se) = c.se {
            page.el("small", "under", &format!("± {}", fixed(se)));
        }
        page.raw("</td>");
    }
    for (policy, scores) in &refs.rows {
        page.raw("</tr><tr>").el("td", "", policy);
        for c in &columns {
            let score = scores.get(c.key).map_or("–".to_owned(), |s| fixed(*s));
            page.el("td", "r num", &score);
        }
    }
    page.raw("</tr></table></div></section>");
}
