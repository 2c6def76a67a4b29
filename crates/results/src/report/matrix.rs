//! Tasks against the capabilities they ask for, as LoHoRavens labels them.

use std::collections::{BTreeMap, BTreeSet};

use super::charts;
use super::html::{Html, counted, fixed};
use super::single::short;
use crate::stats::Interval;
use crate::{Run, TaskResult};

/// Labels that name a capability, in the paper's order.
const CAPABILITIES: [&str; 8] =
    ["color", "size", "spatiality", "arithmetic", "reference", "shape", "commonsense", "occlusion"];
/// Labels that split a suite in two: tasks like those trained on, and others.
const SPLITS: [&str; 2] = ["seen", "unseen"];

fn has(t: &TaskResult, label: &str) -> bool {
    t.labels.iter().any(|l| l == label)
}

fn needs(t: &TaskResult) -> Vec<&'static str> {
    CAPABILITIES.into_iter().filter(|c| has(t, c)).collect()
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

/// Suites whose tasks are labelled with capabilities and a split.
pub(super) fn suites(run: &Run) -> BTreeMap<&str, Vec<&TaskResult>> {
    let mut suites: BTreeMap<&str, Vec<&TaskResult>> = BTreeMap::new();
    for t in run.results.tasks.iter().filter(|t| t.n > 0 && !needs(t).is_empty()) {
        if SPLITS.iter().any(|s| has(t, s)) {
            suites.entry(t.task.split_once('/').map_or("", |(s, _)| s)).or_default().push(t);
        }
    }
    suites
}

/// A section for each of those suites.
pub(super) fn section(page: &mut Html, run: &Run) {
    for (suite, mut tasks) in suites(run) {
        tasks.sort_by_key(|t| (has(t, "unseen"), needs(t).len(), &t.task));
        page.section(
            &format!("Capabilities asked for in {suite}"),
            "A square says that a task asks for a capability; the stronger its colour, the higher the task’s score (at the end of the row). Means are over the tasks that ask for it.",
        );
        table(page, &tasks);
        page.raw("<h3 class=\"gap\">Capabilities at once</h3>")
            .el("p", "why", "Mean score of the tasks that ask for so many at once, ± its standard error over episodes.");
        combined(page, &tasks);
        page.raw("</section>");
    }
}

fn table(page: &mut Html, tasks: &[&TaskResult]) {
    let columns: Vec<&str> =
        CAPABILITIES.into_iter().filter(|c| tasks.iter().any(|t| has(t, c))).collect();
    page.raw("<div class=\"wide\"><table class=\"matrix\"><thead><tr><th>Task</th>");
    for c in &columns {
        page.raw("<th class=\"up\">").el("span", "", c).raw("</th>");
    }
    page.raw("<th class=\"r\">Score</th></tr></thead>");
    for split in SPLITS {
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
    let both = SPLITS.iter().all(|s| tasks.iter().any(|t| has(t, s)));
    let rows = SPLITS.into_iter().filter(|_| both).map(Some).chain([None]);
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

fn combined(page: &mut Html, tasks: &[&TaskResult]) {
    let counts: BTreeSet<usize> = tasks.iter().map(|t| needs(t).len()).collect();
    page.raw("<div class=\"two\">");
    for split in SPLITS {
        if !tasks.iter().any(|t| has(t, split)) {
            continue;
        }
        page.raw("<div><h3>").el("span", "", split).raw("</h3>");
        for &k in &counts {
            let with = tasks.iter().copied().filter(|t| has(t, split) && needs(t).len() == k);
            let Some((value, se, n)) = mean(with) else { continue };
            page.raw("<div class=\"row\"><div class=\"name\">").text(&k.to_string()).text(" ");
            page.el("small", "", &counted(n, "task")).raw("</div><div class=\"plot\">");
            let interval = Interval { mean: value, lo: value - se, hi: value + se };
            page.raw(&charts::bar(interval.scaled(0.01))).raw("</div><div class=\"value\">");
            page.text(&fixed(value)).el("small", "", &format!(" ± {}", fixed(se)));
            page.raw("</div></div>");
        }
        page.raw("</div>");
    }
    page.raw("</div>");
}
