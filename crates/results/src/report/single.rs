//! The sections of one run.

use std::collections::BTreeMap;

use longarm_types::EpisodeOutcome;

use super::charts;
use super::html::{Html, counted, duration, ends, fixed, percent, url, whole};
use crate::run::is_plain_path;
use crate::stats::{Interval, quantile};
use crate::{Brief, LabelResult, Run, TaskResult};

const AXIS: &str = "<div class=\"axis\"><span>0</span><span>25</span><span>50</span><span>75</span><span>100</span></div>";

pub(super) fn report(page: &mut Html, run: &Run, title: &str) {
    header(page, run, title);
    tasks(page, run);
    details(page, run);
    settings(page, run);
    method(page, false);
}

/// What a comparison shows of each run, too.
pub(super) fn details(page: &mut Html, run: &Run) {
    mechanisms(page, run);
    super::matrix::section(page, run);
    super::modified::section(page, run);
    super::reference::references(page, run);
    deaths(page, run);
    stages(page, run);
    errors(page, run);
    films(page, run);
}

fn header(page: &mut Html, run: &Run, title: &str) {
    let r = &run.results;
    let s = &r.suite;
    page.raw("<header>")
        .el("p", "kicker", &format!("longarm evaluation · {}", run.name))
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
            .el("b", "", stage)
            .text(&format!(" in {}.", short(task)));
    }
    page.raw("</p>");
    for note in &run.notes {
        page.el("p", "note", note);
    }
    page.raw("<dl class=\"tiles\">");
    let ci = ends;
    tile(
        page,
        "Success",
        &percent(s.success.mean),
        &ci(s.success, 100.0),
        &format!(
            "at some step {}, at the last {}",
            percent(s.success_ever),
            percent(s.success_at_end)
        ),
    );
    tile(page, "Score", &fixed(s.score.mean), &ci(s.score, 1.0), "stages completed, in percent");
    if let Some(overall) = r.mechanisms.as_ref().and_then(|m| m.overall) {
        let regimes: Vec<String> =
            r.mechanisms.iter().flat_map(|m| &m.regimes).map(|g| fixed(g.mean)).collect();
        tile(
            page,
            "LongBench overall",
            &fixed(overall),
            &regimes.join(" and "),
            "mean of both regimes",
        );
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

fn tile(page: &mut Html, name: &str, value: &str, more: &str, below: &str) {
    page.raw("<div class=\"tile\">").el("dt", "", name).raw("<dd>").text(value);
    if !more.is_empty() {
        page.el("small", "", more);
    }
    page.raw("</dd>").el("p", "", below).raw("</div>");
}

/// Median of the episodes' medians, and of their 95th percentiles.
fn answer_times(rows: &[Brief]) -> Option<(f64, f64)> {
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

/// The id without its suite.
pub(super) fn short(task: &str) -> &str {
    task.split_once('/').map_or(task, |(_, name)| name)
}

fn tasks(page: &mut Html, run: &Run) {
    page.section("Tasks", "Success by task with its 95 % Wilson interval, best first. Score is the mean share of stages completed, ± its standard deviation over episodes.");
    page.raw("<div class=\"rows\"><div class=\"row head\"><span>Task</span><div class=\"plot\">")
        .raw(AXIS)
        .raw("</div><span class=\"value\">Success, %</span><span class=\"value score\">Score</span></div>");
    let mut order: Vec<&TaskResult> = run.results.tasks.iter().collect();
    order.sort_by(|a, b| b.success.mean.total_cmp(&a.success.mean).then(a.task.cmp(&b.task)));
    for t in order {
        page.raw("<div class=\"row\"><div class=\"name\">").text(short(&t.task));
        page.text(" ")
            .el("small", "num", &format!("n = {}", whole(t.n)))
            .raw("</div><div class=\"plot\">");
        page.raw(&charts::bar(t.success)).raw("</div><div class=\"value\">");
        page.text(&fixed(100.0 * t.success.mean)).text(" ");
        page.el("small", "", &ends(t.success, 100.0)).raw("</div><div class=\"value score\">");
        page.el("small", "only-narrow", "score ").text(&fixed(t.score.mean));
        page.el("small", "", &format!(" ± {}", fixed(t.score.std))).raw("</div></div>");
    }
    page.raw("</div></section>");
}

fn mechanisms(page: &mut Html, run: &Run) {
    let Some(m) = &run.results.mechanisms else { return };
    // The matrix says it better where there is one.
    let matrices = super::matrix::suites(run);
    let without = |l: &&LabelResult| !matrices.contains_key(l.suite.as_str());
    let labels: Vec<&LabelResult> = m.labels.iter().filter(without).collect();
    if labels.is_empty() {
        return;
    }
    page.section("What it is good at", "Mean score of the tasks that carry a label, with the standard error over their pooled episodes.");
    page.raw("<div class=\"two\">");
    let mut groups: BTreeMap<(Option<usize>, &str), Vec<&LabelResult>> = BTreeMap::new();
    for l in labels {
        let place = m.regimes.iter().position(|r| Some(&r.regime) == l.regime.as_ref());
        groups.entry((place, l.suite.as_str())).or_default().push(l);
    }
    for ((place, suite), labels) in groups {
        page.raw("<div><h3><span>");
        match place.map(|p| &m.regimes[p]) {
            Some(r) => {
                page.text(&regime_name(&r.regime)).raw("</span>");
                let n =
                    format!("{} ± {} · {}", fixed(r.mean), fixed(r.se), counted(r.tasks, "task"));
                page.el("span", "num soft", &n);
            }
            None => {
                page.text(suite).raw("</span>");
            }
        }
        page.raw("</h3>");
        for l in labels {
            page.raw("<div class=\"row\"><div class=\"name\">");
            if l.name != l.label {
                page.el("span", "code", &l.label);
            }
            page.text(&l.name).raw("</div><div class=\"plot\">");
            page.raw(&charts::bar(label_interval(l))).raw("</div><div class=\"value\">");
            page.text(&fixed(l.mean)).el("small", "", &format!(" ± {}", fixed(l.se)));
            page.raw("</div></div>");
        }
        page.raw("</div>");
    }
    page.raw("</div></section>");
}

pub(super) fn regime_name(regime: &str) -> String {
    let mut text = regime.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

pub(super) fn label_interval(l: &LabelResult) -> Interval {
    Interval { mean: l.mean, lo: l.mean - l.se, hi: l.mean + l.se }.scaled(0.01)
}

fn deaths(page: &mut Html, run: &Run) {
    let r = &run.results;
    let lost = r.counts.n - r.counts.successes;
    if lost == 0 {
        return;
    }
    page.section("Where episodes die", "The first stage that a failed episode did not complete, most frequent first, and the condition that was most often not met there.");
    // The unmet condition named most often, by task and stage.
    let mut unmet: BTreeMap<(&str, &str), BTreeMap<&str, u64>> = BTreeMap::new();
    for row in run.rows.iter().filter(|r| r.counts()) {
        if let Some(at) = row.died_at() {
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
        page.raw("<div class=\"row\"><div class=\"name\">").text(stage).raw("<br>");
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

/// What an episode's steps are: one of LoHoRavens' is a whole pick and place.
fn unit(run: &Run) -> &'static str {
    let whole = |t: &TaskResult| t.task.starts_with("lohoravens/");
    match (run.results.tasks.iter().any(whole), run.results.tasks.iter().all(whole)) {
        (_, true) => "actions",
        (true, _) => "control steps; actions in LoHoRavens",
        _ => "control steps",
    }
}

fn stages(page: &mut Html, run: &Run) {
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
            page.raw("<div class=\"stage\">").el("span", "", &s.name).raw("<div class=\"value\">");
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

fn errors(page: &mut Html, run: &Run) {
    let mut reasons: BTreeMap<(bool, &str), (u64, &Brief)> = BTreeMap::new();
    for r in &run.rows {
        let harness = match r.outcome {
            EpisodeOutcome::PolicyError => false,
            EpisodeOutcome::HarnessError => true,
            _ => continue,
        };
        // A traceback may follow; the row has it.
        let reason = r.reason.as_deref().and_then(|r| r.lines().next());
        reasons.entry((harness, reason.unwrap_or("no reason given"))).or_insert((0, r)).0 += 1;
    }
    if reasons.is_empty() {
        return;
    }
    let mut all: Vec<_> = reasons.into_iter().collect();
    all.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(&b.0)));
    page.section("Errors", "Policy errors count as failures. Harness errors are ours and count in no mean: run them again with --resume.");
    page.raw("<div class=\"wide\"><table><tr><th class=\"r\">Episodes</th><th>Who</th><th>Reason</th><th>First</th></tr>");
    for ((harness, reason), (n, first)) in all.iter().take(20) {
        page.raw("<tr>").el("td", "r", &whole(*n)).el(
            "td",
            "",
            if *harness { "harness" } else { "policy" },
        );
        page.el("td", "", reason);
        page.el("td", "soft num", &format!("{} seed {}", short(&first.task), first.seed))
            .raw("</tr>");
    }
    page.raw("</table></div>");
    if all.len() > 20 {
        page.el("p", "soft", &format!("and {} more.", counted(all.len() as u64 - 20, "reason")));
    }
    page.raw("</section>");
}

fn films(page: &mut Html, run: &Run) {
    let chosen = super::chosen_episodes(&run.rows);
    if chosen.is_empty() {
        return;
    }
    page.section(
        "To look at",
        "Of each task the first failure and the first success that were filmed.",
    );
    page.raw("<div class=\"film\">");
    for row in chosen {
        page.raw("<figure>");
        let link = row.video.as_deref().filter(|v| is_plain_path(v));
        let link = link.map(|v| url(&format!("{}{v}", run.link_prefix)));
        let picture = run.pictures.get(&(row.task.to_string(), row.seed));
        match (picture, &link) {
            (Some(p), _) => {
                page.raw("<img loading=\"lazy\" alt=\"moments of the episode\" src=\"")
                    .raw(&p.data_url())
                    .raw("\">");
            }
            (None, Some(link)) => {
                page.raw("<video controls preload=\"metadata\" src=\"")
                    .text(link)
                    .raw("\"></video>");
            }
            (None, None) => {}
        }
        page.raw("<figcaption>").el("b", "", short(&row.task));
        let end = match (row.outcome, row.died_at()) {
            (EpisodeOutcome::Success, _) => "success".to_owned(),
            (EpisodeOutcome::PolicyError, _) => "policy error".to_owned(),
            (EpisodeOutcome::HarnessError, _) => "harness error".to_owned(),
            (_, Some(i)) => format!("failed at: {}", row.stages[i].name),
            (_, None) => "failed after the last stage".to_owned(),
        };
        page.el("span", "", &end);
        page.el(
            "span",
            "soft",
            &format!(
                "seed {} · score {:.0} · {} steps",
                row.seed,
                row.score,
                whole(row.steps.into())
            ),
        );
        if let Some(link) = link {
            page.raw("<a href=\"").text(&link).raw("\">video</a>");
        }
        page.raw("</figcaption></figure>");
    }
    page.raw("</div></section>");
}

pub(super) fn settings(page: &mut Html, run: &Run) {
    let c = &run.config;
    page.section(
        "Configuration",
        "What one needs to run it again. Every task is named by the hash of its specification.",
    );
    page.raw("<dl class=\"settings\">");
    let last = c.seed.saturating_add(c.episodes.saturating_sub(1));
    let time: f64 = run.rows.iter().map(|r| r.wall_s).sum();
    for (name, value) in [
        ("Tasks", c.selectors.join(" ")),
        ("Policy", c.policy.clone()),
        ("Episodes", format!("{} of each task, seeds {} to {last}", c.episodes, c.seed)),
        ("Engine", format!("longarm {}, MuJoCo {}", c.engine, c.mujoco)),
        ("Shard", c.shard.to_string()),
        ("Time in episodes", duration(time)),
    ] {
        page.el("dt", "", name).el("dd", "", &value);
    }
    page.raw("</dl><details><summary class=\"plain\">run.toml</summary><pre>").text(&c.to_toml());
    page.raw("</pre></details></section>");
}

pub(super) fn method(page: &mut Html, several: bool) {
    page.raw("<footer><h3>How to read the numbers</h3>");
    page.raw("<p>Intervals are at 95 %. A task’s success has a Wilson interval. A suite’s success is the unweighted mean of its tasks, with Wilson’s interval at the effective sample size of that mean; its score has a task-stratified bootstrap interval (2,000 replicates). Intervals speak about other seeds of the same tasks, not about other tasks.</p>");
    page.raw("<p>An episode in which the policy broke counts as a failure. One in which the harness broke counts in no mean.</p>");
    if several {
        page.raw("<p>Runs are compared on the episodes, by task and seed, that count in both. Two runs share a letter exactly when McNemar’s exact test, corrected by Holm for all pairs, does not separate them at 5 %. Differences are means over tasks with a paired bootstrap. The “any time” p-value comes from a betting martingale and stays valid however often one looked, and whenever one stopped.</p>");
    }
    page.raw("</footer>");
}
