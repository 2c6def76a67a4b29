//! Tasks against the labels that a protocol makes columns of.

use std::collections::BTreeSet;

use longarm_types::protocol::Matrix;

use super::charts;
use super::groups::{capital, interval};
use super::html::{Html, counted, fixed};
use super::single::short;
use crate::{Run, TaskResult};

fn has(t: &TaskResult, label: &str) -> bool {
    t.labels.iter().any(|l| l == label)
}

/// How many columns a task has.
fn needs(m: &Matrix, t: &TaskResult) -> usize {
    m.columns.iter().filter(|c| has(t, c)).count()
}

/// Mean of the tasks' mean scores with its standard error, 0–100; `None` without tasks.
fn mean<'a>(tasks: impl Iterator<Item = &'a TaskResult>) -> Option<(f64, f64, u64)> {
    let (mut sum, mut variance, mut n) = (0.0, 0.0, 0u64);
    for t in tasks {
        sum += t.score.mean;
        variance += t.score.se * t.score.se;
        n += 1;
    }
    let k = n as f64;
    (n > 0).then(|| (sum / k, variance.sqrt() / k, n))
}

/// A section for each suite that declares a matrix.
pub(super) fn section(page: &mut Html, run: &Run) {
    for suite in run.results.suites.iter().map(|s| s.suite.as_str()) {
        let protocol = run.config.protocol(suite);
        let Some(m) = &protocol.matrix else { continue };
        let own = |t: &&TaskResult| {
            t.n > 0
                && t.task.split_once('/').is_some_and(|(s, _)| s == suite)
                && needs(m, t) > 0
                && m.parts.iter().any(|p| has(t, p))
        };
        let mut tasks: Vec<&TaskResult> = run.results.tasks.iter().filter(own).collect();
        if tasks.is_empty() {
            continue;
        }
        let part = |t: &TaskResult| m.parts.iter().position(|p| has(t, p));
        tasks.sort_by_key(|t| (part(t), needs(m, t), &t.task));
        let heading = capital(&m.heading);
        page.section(
            &format!("{heading} asked for in {suite}"),
            "A square says that a task asks for what the column names; the stronger its colour, the higher the task’s score (at the end of the row). Means are over the tasks that ask for it.",
        );
        table(page, m, &tasks);
        page.raw("<h3 class=\"gap\">").text(&heading).raw(" at once</h3>")
            .el("p", "why", "Mean score of the tasks by how many they ask for at once, ± its standard error over episodes.");
        combined(page, m, &tasks);
        page.raw("</section>");
    }
}

fn table(page: &mut Html, m: &Matrix, tasks: &[&TaskResult]) {
    let asked = |c: &&String| tasks.iter().any(|t| has(t, c));
    let columns: Vec<&String> = m.columns.iter().filter(asked).collect();
    page.raw("<div class=\"wide\"><table class=\"matrix\"><thead><tr><th>Task</th>");
    for c in &columns {
        page.raw("<th class=\"up\">").el("span", "", c).raw("</th>");
    }
    page.raw("<th class=\"r\">Score</th></tr></thead>");
    for split in &m.parts {
        let mut part = tasks.iter().filter(|t| has(t, split)).peekable();
        if part.peek().is_none() {
            continue;
        }
        page.raw("<tbody><tr class=\"part\">").el("th", "", split);
        page.raw(&format!("<th colspan=\"{}\"></th></tr>", columns.len() + 1));
        for t in part {
            page.raw("<tr>").el("td", "", short(&t.task));
            for c in &columns {
                page.raw("<td class=\"cell\">");
                if has(t, c) {
                    page.raw(&format!("<i style=\"--v:{:.0}%\"></i>", t.score.mean)).el(
                        "span",
                        "out",
                        "asked for",
                    );
                }
                page.raw("</td>");
            }
            page.el("td", "r", &fixed(t.score.mean)).raw("</tr>");
        }
        page.raw("</tbody>");
    }
    page.raw("<tfoot>");
    let both = m.parts.iter().all(|s| tasks.iter().any(|t| has(t, s)));
    let rows = m.parts.iter().filter(|_| both).map(|p| Some(p.as_str())).chain([None]);
    for split in rows {
        let of = |label: Option<&str>| {
            let wanted = |t: &&TaskResult| {
                split.is_none_or(|s| has(t, s)) && label.is_none_or(|l| has(t, l))
            };
            mean(tasks.iter().copied().filter(wanted))
        };
        page.raw("<tr>").el("td", "", &format!("mean, {}", split.unwrap_or("all")));
        for c in &columns {
            page.el("td", "cell num", &of(Some(c)).map_or("–".into(), |m| format!("{:.0}", m.0)));
        }
        page.el("td", "r", &of(None).map_or("–".into(), |m| fixed(m.0))).raw("</tr>");
    }
    page.raw("</tfoot></table></div>");
}

fn combined(page: &mut Html, m: &Matrix, tasks: &[&TaskResult]) {
    let counts: BTreeSet<usize> = tasks.iter().map(|t| needs(m, t)).collect();
    page.raw("<div class=\"two\">");
    for split in &m.parts {
        if !tasks.iter().any(|t| has(t, split)) {
            continue;
        }
        page.raw("<div><h3>").el("span", "", split).raw("</h3>");
        for &k in &counts {
            let with = tasks.iter().copied().filter(|t| has(t, split) && needs(m, t) == k);
            let Some((value, se, n)) = mean(with) else { continue };
            page.raw("<div class=\"row\"><div class=\"name\">").text(&k.to_string()).text(" ");
            page.el("small", "", &counted(n, "task")).raw("</div><div class=\"plot\">");
            page.raw(&charts::bar(interval(value, se))).raw("</div><div class=\"value\">");
            page.text(&fixed(value)).el("small", "", &format!(" ± {}", fixed(se)));
            page.raw("</div></div>");
        }
        page.raw("</div>");
    }
    page.raw("</div>");
}
