//! Where episodes fail, and when stages are completed.

use std::collections::BTreeMap;

use longarm_types::protocol::StepUnit;

use super::charts;
use super::html::{Html, fixed, whole};
use super::single::short;
use crate::Run;

/// Where episodes end.
pub(super) fn deaths(page: &mut Html, run: &Run) {
    let r = &run.results;
    let lost = r.counts.n - r.counts.successes;
    if lost == 0 {
        return;
    }
    page.section("Where episodes die", "The first stage that a failed episode did not complete, most frequent first, and the condition that was most often not met there.");
    // The unmet condition named most often, by task and stage.
    let mut unmet: BTreeMap<(&str, &str), BTreeMap<&str, u64>> = BTreeMap::new();
    for row in run.rows.iter().filter(|r| r.counts()) {
        if let Some(at) = row.failed_at() {
            let names = unmet.entry((&row.task, &row.stages[at].name)).or_default();
            row.unmet.iter().for_each(|u| *names.entry(u).or_default() += 1);
        }
    }
    let mut all: Vec<(u64, &str, &str)> = r
        .tasks
        .iter()
        .flat_map(|t| {
            let after = (t.died_after_last, &*t.task, "after the last stage");
            t.stages.iter().map(|s| (s.died, &*t.task, &*s.name)).chain([after])
        })
        .filter(|d| d.0 > 0)
        .collect();
    all.sort_by(|a, b| b.0.cmp(&a.0).then(a.cmp(b)));
    let most = all.first().map_or(1, |d| d.0) as f64;
    page.raw("<div class=\"rows died\">");
    for (died, task, stage) in all.iter().take(10) {
        page.raw("<div class=\"row\"><div class=\"name\">")
            .text(run.config.stage_title(task, stage))
            .raw("<br>");
        let mut where_ = short(task).to_owned();
        let top = unmet
            .get(&(*task, *stage))
            .and_then(|m| m.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))));
        if let Some((name, _)) = top {
            where_.push_str(&format!(" · not met: {name}"));
        }
        page.el("small", "", &where_).raw("</div><div class=\"plot\">");
        page.raw(&charts::share(*died as f64 / most, false)).raw("</div><div class=\"value\">");
        page.text(&whole(*died));
        page.el("small", "", &format!(" of {} failures", whole(lost))).raw("</div></div>");
    }
    page.raw("</div></section>");
}

/// What an episode's steps are, as the protocols declare it.
fn unit(run: &Run) -> String {
    let suites = run.results.suites.iter().map(|s| run.config.protocol(&s.suite).into_owned());
    let mut by_unit: BTreeMap<StepUnit, Vec<String>> = BTreeMap::new();
    for p in suites {
        by_unit.entry(p.step).or_default().push(p.title);
    }
    let units: Vec<String> = by_unit
        .iter()
        .enumerate()
        .map(|(i, (unit, titles))| match i {
            0 => unit.plural().to_owned(),
            _ => format!("{} in {}", unit.plural(), titles.join(" and ")),
        })
        .collect();
    if units.is_empty() { StepUnit::default().plural().to_owned() } else { units.join("; ") }
}

/// Stage by stage, task by task.
pub(super) fn stages(page: &mut Html, run: &Run) {
    if run.results.tasks.iter().all(|t| t.stages.is_empty()) {
        return;
    }
    let why = format!(
        "The columns show how many episodes completed each stage. Open a task for its stages: how many completed them, how many died there, and when they were completed (line 10–90 %, box 25–75 %, tick median, in {}).",
        unit(run)
    );
    page.section("Stage by stage", &why);
    for t in run.results.tasks.iter().filter(|t| !t.stages.is_empty()) {
        let open = if run.results.tasks.len() <= 1 { " open" } else { "" };
        page.raw(&format!("<details{open}><summary><span>"))
            .text(short(&t.task))
            .raw("</span><span class=\"plot\">");
        let shares: Vec<f64> =
            t.stages.iter().map(|s| s.completed as f64 / s.n.max(1) as f64).collect();
        page.raw(&charts::columns(&shares)).raw("</span><span class=\"num soft\">");
        page.text(&format!("score {}", fixed(t.score.mean)))
            .raw("</span></summary><div class=\"inside\">");
        let horizon = run.config.tasks.iter().find(|(id, _)| id.as_str() == t.task);
        let slowest = t.stages.iter().filter_map(|s| s.step).map(|s| s.p90).fold(1.0, f64::max);
        let most =
            horizon.map(|(_, e)| f64::from(e.horizon)).filter(|h| *h > 0.0).unwrap_or(slowest);
        page.raw("<div class=\"stage head\"><span>Stage</span><span class=\"value\">% <span>died</span></span><span class=\"plot\">Completed</span><div class=\"axis\"><span>0</span>");
        page.raw(&format!("<span>{:.0}</span><span>{most:.0}</span></div></div>", most / 2.0));
        for (s, share) in t.stages.iter().zip(shares) {
            let title = run.config.stage_title(&t.task, &s.name);
            page.raw("<div class=\"stage\">").el("span", "", title).raw("<div class=\"value\">");
            page.raw(&format!("{:.0}", 100.0 * share));
            let died = if s.died > 0 { format!(" −{}", whole(s.died)) } else { " –".into() };
            page.el("span", "soft", &died)
                .raw("</div><div class=\"plot\">")
                .raw(&charts::share(share, true));
            page.raw("</div><div class=\"plot\">")
                .raw(&charts::moments(s.step, most))
                .raw("</div></div>");
        }
        page.raw("</div></details>");
    }
    page.raw("</section>");
}
