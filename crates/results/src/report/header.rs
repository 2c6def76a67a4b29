//! What a page says first.

use longarm_types::Protocol;
use longarm_types::protocol::{MeanOver, Measure};

use super::html::{Html, counted, ends, fixed, percent, whole};
use super::single::short;
use crate::stats::quantile;
use crate::{Evidence, RowSummary, Run, RunOptions, TaskResult};

/// A metric with the benchmark it belongs to: `NAME overall`.
pub(super) fn metric_name(protocol: &Protocol, name: &str) -> String {
    format!("{} {name}", protocol.title).trim().to_owned()
}

/// Title, summary and tiles.
pub(super) fn header(page: &mut Html, run: &Run, title: &str) {
    let r = &run.results;
    let s = &r.suite;
    page.raw("<header>")
        .el("p", "kicker", &format!("longarm {} · {}", evaluation(run), run.name))
        .el("h1", "", title)
        .raw("<p class=\"lead\">Solved <b>")
        .text(&percent(s.success.mean))
        .raw("</b> of the episodes, 95 % interval ")
        .text(&format!("{} to {}", fixed(100.0 * s.success.lo), fixed(100.0 * s.success.hi)))
        .text(&format!(", n = {} over {}", whole(s.n), counted(s.tasks, "task")))
        .text(". ");
    if let Some((task, stage, died)) = deadliest(&r.tasks) {
        let lost = r.counts.n - r.counts.successes;
        page.text(&format!("{} of {} ended at ", whole(died), counted(lost, "failure")))
            .el("b", "", run.config.stage_title(task, stage))
            .text(&format!(" in {}.", short(task)));
    }
    page.raw("</p>");
    for note in run.notes.iter().cloned().chain(agent_note(&run.config.options)) {
        page.el("p", "note", &note);
    }
    page.raw("<dl class=\"tiles\">");
    let ci = ends;
    tile(
        page,
        "Success",
        &percent(s.success.mean),
        &ci(s.success, 100.0),
        &match run.config.options.execution.run_on.is_some() {
            true => format!(
                "at some step {}, at the last {}",
                percent(s.success_ever),
                percent(s.success_at_end)
            ),
            false => "episodes end with their success".to_owned(),
        },
    );
    tile(page, "Score", &fixed(s.score.mean), &ci(s.score, 1.0), "stages completed, in percent");
    for m in r.mechanisms.iter().flat_map(|m| &m.metrics) {
        let protocol = run.config.protocol(&m.suite);
        let declared = protocol.metrics.iter().find(|d| d.name == m.name);
        let groups = match declared.filter(|d| d.over == MeanOver::Groups) {
            None => m.interval.map_or(String::new(), |i| ci(i, 1.0)),
            Some(d) => {
                let own = r.mechanisms.iter().flat_map(|m| &m.regimes);
                let own = own.filter(|g| g.suite == m.suite).map(|g| match d.measure {
                    Measure::Success => fixed(g.success),
                    Measure::Score => fixed(g.mean),
                    Measure::Composite => fixed(f64::midpoint(g.success, g.mean)),
                });
                own.collect::<Vec<_>>().join(" and ")
            }
        };
        tile(page, &metric_name(&protocol, &m.name), &fixed(m.value), &groups, &m.title);
    }
    let errors = [
        (s.policy_errors, "policy error", "counted as failure"),
        (s.harness_errors, "harness error", "not counted"),
    ];
    let errors: Vec<String> = errors
        .into_iter()
        .filter(|e| e.0 > 0)
        .map(|(n, what, how)| format!("{}, {how}", counted(n, what)))
        .collect();
    let errors = if errors.is_empty() { "no errors".to_owned() } else { errors.join("; ") };
    tile(
        page,
        "Episodes",
        &whole(s.n),
        &format!("{} × {}", counted(s.tasks, "task"), run.config.episodes),
        &errors,
    );
    if let Some((p50, p95)) = answer_times(&run.rows) {
        tile(
            page,
            "Answer time",
            &format!("{} ms", fixed(p50)),
            "median",
            &format!("95th percentile {} ms", fixed(p95)),
        );
    }
    page.raw("</dl></header>");
}

/// What a page is about.
fn evaluation(run: &Run) -> &'static str {
    match run.config.evidence {
        Evidence::Simulated => "evaluation",
        Evidence::Real => "evaluation on a real arm",
    }
}

fn tile(page: &mut Html, name: &str, value: &str, more: &str, below: &str) {
    page.raw("<div class=\"tile\">").el("dt", "", name).raw("<dd>").text(value);
    if !more.is_empty() {
        page.el("small", "", more);
    }
    page.raw("</dd>").el("p", "", below).raw("</div>");
}

/// Median of the episodes' medians, and of their 95th percentiles.
fn answer_times(rows: &[RowSummary]) -> Option<(f64, f64)> {
    let middle = |of: fn(&crate::InferenceTimes) -> f64| {
        let mut v: Vec<f64> = rows.iter().filter_map(|r| r.inference.as_ref()).map(of).collect();
        v.sort_by(f64::total_cmp);
        (!v.is_empty()).then(|| quantile(&v, 0.5))
    };
    Some((middle(|i| i.p50_ms)?, middle(|i| i.p95_ms)?))
}

fn deadliest(tasks: &[TaskResult]) -> Option<(&str, &str, u64)> {
    let all = tasks.iter().flat_map(|t| t.stages.iter().map(|s| (&*t.task, &*s.name, s.died)));
    all.filter(|d| d.2 > 0).max_by(|a, b| a.2.cmp(&b.2).then(b.cmp(a)))
}

/// What an agent was made of, and which of its parts were told the truth.
fn agent_note(options: &RunOptions) -> Option<String> {
    let agent = options.agent.as_ref()?;
    let parts = agent.get("parts").and_then(|p| p.as_str())?;
    let told = agent.get("oracles").and_then(|o| o.as_array()).into_iter().flatten();
    let told: Vec<&str> = told.filter_map(|o| o.as_str()).collect();
    Some(match told.is_empty() {
        true => format!("The agent: {parts}. No part was told the truth."),
        false => format!("The agent: {parts}. Told the truth: {}.", told.join(", ")),
    })
}
