//! Published policies beside a run.

use longarm_types::protocol::Measure;

use super::html::{Html, fixed};
use crate::{Mechanisms, Run};

/// A number of a run that may have been published of others, too.
pub struct Column {
    /// Its key in published rows, and its heading.
    pub key: String,
    /// The run's own mean.
    pub mean: f64,
    /// Standard error.
    pub se: Option<f64>,
}

/// What of a run can stand beside published rows of one suite: labels, groups, metrics.
pub fn columns(run: &Run, suite: &str, m: &Mechanisms) -> Vec<Column> {
    let protocol = run.config.protocol(suite);
    let measure = protocol.measures()[0];
    let pick = |score: (f64, f64), success: (f64, f64)| match measure {
        Measure::Success => success,
        Measure::Score => score,
    };
    let labels = m.labels.iter().filter(|l| l.suite == suite && l.regime.is_some());
    let labels = labels.map(|l| (&l.label, pick((l.mean, l.se), (l.success, l.success_se))));
    let groups = m.regimes.iter().filter(|g| g.suite == suite);
    let groups = groups.map(|g| (&g.regime, pick((g.mean, g.se), (g.success, g.success_se))));
    let both = labels.chain(groups);
    let both = both.map(|(key, (mean, se))| Column { key: key.clone(), mean, se: Some(se) });
    let metrics = m.metrics.iter().filter(|x| x.suite == suite);
    let metrics = metrics.map(|x| Column { key: x.name.clone(), mean: x.value, se: None });
    both.chain(metrics).collect()
}

pub(super) fn references(page: &mut Html, run: &Run) {
    let Some(m) = &run.results.mechanisms else { return };
    for (suite, protocol) in &run.config.protocols {
        let Some(published) = &protocol.published else { continue };
        let columns = columns(run, suite, m);
        if columns.is_empty() {
            continue;
        }
        page.section("Beside what is published", &published.source);
        page.raw("<div class=\"wide\"><table><tr><th></th>");
        for c in &columns {
            page.el("th", "r", &c.key);
        }
        page.raw("</tr><tr>").el("td", "", &format!("{} (this run)", run.config.policy));
        for c in &columns {
            page.raw("<td class=\"r num\">").text(&fixed(c.mean));
            if let Some(se) = c.se {
                page.el("small", "under", &format!("± {}", fixed(se)));
            }
            page.raw("</td>");
        }
        for row in &published.rows {
            page.raw("</tr><tr>").el("td", "", &row.policy);
            for c in &columns {
                let score = row.scores.get(&c.key).map_or("–".to_owned(), |s| fixed(*s));
                page.el("td", "r num", &score);
            }
        }
        page.raw("</tr></table></div></section>");
    }
}
