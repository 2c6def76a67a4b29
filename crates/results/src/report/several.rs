//! The comparison of several runs.

use std::collections::BTreeMap;

use super::charts;
use super::groups::{Shown, capital};
use super::header::metric_name;
use super::html::{Html, ends, fixed, signed, whole};
use super::single::{details, method, settings, short};
use crate::stats::{Interval, p_value_text};
use crate::{CONFIDENCE, Comparison, LabelResult, RowSummary, Run, compare};

pub(super) fn report(page: &mut Html, runs: &[Run], title: &str) {
    let rows: Vec<&[RowSummary]> = runs.iter().map(|r| r.rows.as_slice()).collect();
    let comparison = compare(&rows);
    header(page, runs, &comparison, title);
    pairs(page, runs, &comparison);
    super::agent::substitutions(page, runs, &comparison);
    tasks(page, runs);
    mechanisms(page, runs);
    page.section(
        "Run by run",
        "Where each run’s episodes die, stage by stage, and its configuration.",
    );
    for (i, run) in runs.iter().enumerate() {
        page.raw("<details><summary class=\"plain\"><span>").el("span", "key", &key(i)).text(" ");
        page.text(&run.name).raw("</span></summary>");
        details(page, run);
        settings(page, run);
        page.raw("</details>");
    }
    page.raw("</section>");
    method(page, true);
}

/// A, B, C … as names short enough for every row.
fn key(index: usize) -> String {
    match u8::try_from(index) {
        Ok(i) if i < 26 => char::from(b'A' + i).to_string(),
        _ => (index + 1).to_string(),
    }
}

fn header(page: &mut Html, runs: &[Run], c: &Comparison, title: &str) {
    page.raw("<header><p class=\"kicker\">longarm comparison</p>").el("h1", "", title);
    let separated = c.pairs.iter().filter(|p| p.adjusted <= 1.0 - CONFIDENCE).count() as u64;
    let lead = match (c.pairs.len() as u64, separated) {
        (1, 0) => "The two runs are not separated: more episodes are needed to tell them apart."
            .to_owned(),
        (1, _) => "The two runs are separated.".to_owned(),
        (all, s) => format!(
            "{s} of {all} pairs are separated at 5 % over the whole family; runs that share a letter are not."
        ),
    };
    page.el("p", "lead", &lead);
    for run in runs {
        for note in &run.notes {
            page.el("p", "note", &format!("{}: {note}", run.name));
        }
    }
    page.raw("</header><div class=\"wide\"><table class=\"stack\"><tr><th></th><th>Run</th><th>Letters</th><th style=\"width:30%\">Success</th><th class=\"r\">%</th><th class=\"r\">Score</th><th class=\"r\">n</th><th class=\"r\">Errors</th></tr>");
    let mut order: Vec<usize> = (0..runs.len()).collect();
    let success = |i: usize| runs[i].results.suite.success;
    order.sort_by(|&a, &b| success(b).mean.total_cmp(&success(a).mean).then(a.cmp(&b)));
    for i in order {
        let s = &runs[i].results.suite;
        page.raw("<tr><td class=\"k\">").el("span", "key", &key(i)).raw("</td><td class=\"most\">");
        page.el("span", "key only-narrow", &key(i)).text(" ").text(&runs[i].name);
        if !runs[i].config.evidence.is_simulated() {
            page.text(" ").el("span", "key real", "real");
        }
        page.raw("<br>").el("small", "soft", &runs[i].config.policy).raw("</td>");
        page.el("td", "letters rest", &c.letters[i]).raw("<td class=\"all\">");
        page.raw(&charts::bar(s.success)).raw("</td><td class=\"r num\" data-l=\"Success, %\">");
        page.text(&fixed(100.0 * s.success.mean)).raw("<br>");
        page.el("small", "soft", &ends(s.success, 100.0));
        page.raw("</td><td class=\"r num\" data-l=\"Score\">")
            .text(&fixed(s.score.mean))
            .raw("<br>");
        page.el("small", "soft", &ends(s.score, 1.0));
        page.raw("</td><td class=\"r num\" data-l=\"n\">").text(&whole(s.n)).raw("</td>");
        let errors = match (s.policy_errors, s.harness_errors) {
            (0, 0) => "–".to_owned(),
            (p, 0) => format!("{} policy", whole(p)),
            (0, h) => format!("{} harness", whole(h)),
            (p, h) => format!("{} policy, {} harness", whole(p), whole(h)),
        };
        page.raw("<td class=\"r soft all\" data-l=\"Errors\">").text(&errors).raw("</td></tr>");
    }
    page.raw("</table></div>");
}

fn pairs(page: &mut Html, runs: &[Run], c: &Comparison) {
    page.section("Pair by pair", "Difference in success on the episodes both ran, in points, with its paired 95 % interval. “Only” counts the episodes that just one of the two solved.");
    let reach =
        c.pairs.iter().flat_map(|p| [p.success.lo.abs(), p.success.hi.abs()]).fold(0.05, f64::max)
            * 105.0;
    page.raw("<div class=\"wide\"><table class=\"stack\"><tr><th>Pair</th><th class=\"r\">Shared</th><th class=\"r\">Only first</th><th class=\"r\">Only second</th><th style=\"width:24%\"></th><th class=\"r\">Difference</th><th class=\"r\">p, Holm</th><th class=\"r\">p, any time</th><th>So</th></tr>");
    for p in &c.pairs {
        page.raw("<tr><td class=\"num most\">").el("span", "key", &key(p.a)).text(" − ");
        page.el("span", "key", &key(p.b)).raw("</td>");
        let counts = [
            ("Shared", p.counts.n()),
            ("Only first", p.counts.only_a),
            ("Only second", p.counts.only_b),
        ];
        for (name, n) in counts {
            page.raw("<td class=\"r num\" data-l=\"")
                .raw(name)
                .raw("\">")
                .text(&whole(n))
                .raw("</td>");
        }
        if p.counts.n() == 0 {
            page.raw("<td colspan=\"4\" class=\"soft all\">no shared episodes: run both on the same seeds</td><td class=\"rest\">–</td></tr>");
            continue;
        }
        let points = p.success.scaled(100.0);
        page.raw("<td class=\"all\">").raw(&charts::difference(points, reach));
        page.raw("</td><td class=\"r num\" data-l=\"Difference\">");
        page.text(&signed(points.mean)).raw("<br>").el("small", "soft", &ends(points, 1.0));
        page.raw("</td><td class=\"r num\" data-l=\"p, Holm\">").text(&p_value_text(p.adjusted));
        page.raw("</td><td class=\"r num\" data-l=\"p, any time\">")
            .text(&p_value_text(p.sequential));
        let verdict = if p.adjusted > 1.0 - CONFIDENCE {
            "not separated".to_owned()
        } else {
            let better = if p.counts.only_a > p.counts.only_b { p.a } else { p.b };
            format!("{} is better", runs[better].name)
        };
        page.raw("</td>").el("td", "rest", &verdict).raw("</tr>");
    }
    page.raw("</table></div></section>");
}

fn lane(page: &mut Html, run: usize, chart: &str, value: &str, more: &str) {
    page.raw("<div class=\"lane\">").el("span", "key", &key(run)).raw("<div>").raw(chart);
    page.raw("</div><div class=\"value\">").text(value).text(" ").el("small", "soft", more);
    page.raw("</div></div>");
}

fn tasks(page: &mut Html, runs: &[Run]) {
    page.section("Tasks", "Success by task, in percent, with 95 % Wilson intervals.");
    let mut all: BTreeMap<&str, Vec<(usize, Interval, u64)>> = BTreeMap::new();
    for (i, run) in runs.iter().enumerate() {
        for t in &run.results.tasks {
            all.entry(&t.task).or_default().push((i, t.success, t.n));
        }
    }
    for (task, lanes) in all {
        let n: Vec<u64> = lanes.iter().map(|l| l.2).collect();
        let same = n.iter().all(|v| *v == n[0]);
        let trials = if same {
            format!("n = {} each", whole(n[0]))
        } else {
            format!("n = {}", n.iter().map(|v| whole(*v)).collect::<Vec<_>>().join(", "))
        };
        page.raw("<div class=\"group\"><div>").text(short(task)).raw("<br>");
        page.el("small", "soft", &trials).raw("</div><div>");
        for (i, success, _) in lanes {
            lane(
                page,
                i,
                &charts::point(success),
                &fixed(100.0 * success.mean),
                &ends(success, 100.0),
            );
        }
        page.raw("</div></div>");
    }
    page.raw("</section>");
}

fn mechanisms(page: &mut Html, runs: &[Run]) {
    // Suites, their groups and labels in the order in which protocols declare them.
    type Key<'a> = (&'a str, usize, Option<&'a str>, usize, &'a str);
    let mut all: BTreeMap<Key, Vec<(usize, &LabelResult)>> = BTreeMap::new();
    for (i, run) in runs.iter().enumerate() {
        let labels = run.results.mechanisms.iter().flat_map(|m| &m.labels);
        for l in labels {
            let protocol = run.config.protocol(&l.suite);
            let group = protocol.groups.iter().position(|g| Some(&g.name) == l.regime.as_ref());
            let place = protocol.label(&l.label).map_or(usize::MAX, |(place, ..)| place);
            let group = group.unwrap_or(usize::MAX);
            let key = (l.suite.as_str(), group, l.regime.as_deref(), place, l.name.as_str());
            all.entry(key).or_default().push((i, l));
        }
    }
    if all.is_empty() {
        return;
    }
    page.section("What they are good at", "Mean of the tasks that carry a label by the benchmark's first measure, with its 95 % interval (± is a standard error).");
    page.raw("<div class=\"two\">");
    let mut keys: Vec<(&str, usize, Option<&str>)> = all.keys().map(|k| (k.0, k.1, k.2)).collect();
    keys.dedup();
    for key in keys {
        page.raw("<div><h3><span>");
        page.text(&key.2.map_or(key.0.to_owned(), capital)).raw("</span></h3>");
        for ((.., name), lanes) in all.iter().filter(|(k, _)| (k.0, k.1, k.2) == key) {
            page.raw("<div class=\"group\"><div>").text(name).raw("</div><div>");
            for (i, l) in lanes {
                let measure = runs[*i].config.protocol(&l.suite).measures()[0];
                let shown = Shown::label(l, measure);
                let chart = charts::point(shown.share());
                lane(page, *i, &chart, &fixed(shown.value.mean), &shown.beside);
            }
            page.raw("</div></div>");
        }
        page.raw("</div>");
    }
    page.raw("</div>");
    let mut metrics: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (i, run) in runs.iter().enumerate() {
        for m in run.results.mechanisms.iter().flat_map(|m| &m.metrics) {
            let name = metric_name(&run.config.protocol(&m.suite), &m.name);
            let value = format!("{} {}", key(i), fixed(m.value));
            metrics.entry(format!("{name}, {}", m.title)).or_default().push(value);
        }
    }
    for (name, values) in metrics {
        page.el("p", "gap", &format!("{name}: {}.", values.join(", ")));
    }
    page.raw("</section>");
}
