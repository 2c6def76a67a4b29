//! The page of one run.

use super::charts;
use super::html::{Html, duration, ends, fixed, whole};
use super::{episodes, groups, header, stages};
use crate::{Run, TaskResult};

const AXIS: &str = "<div class=\"axis\"><span>0</span><span>25</span><span>50</span><span>75</span><span>100</span></div>";

pub(super) fn report(page: &mut Html, run: &Run, title: &str) {
    header::header(page, run, title);
    tasks(page, run);
    details(page, run);
    settings(page, run);
    method(page, false);
}

/// What a comparison shows of each run, too.
pub(super) fn details(page: &mut Html, run: &Run) {
    super::agent::section(page, run);
    groups::section(page, run);
    super::matrix::section(page, run);
    super::modified::section(page, run);
    super::reference::references(page, run);
    stages::deaths(page, run);
    stages::stages(page, run);
    episodes::errors(page, run);
    episodes::films(page, run);
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

pub(super) fn settings(page: &mut Html, run: &Run) {
    let c = &run.config;
    page.section(
        "Configuration",
        "What one needs to run it again. Every task is named by the hash of its specification.",
    );
    page.raw("<dl class=\"settings\">");
    let time: f64 = run.rows.iter().map(|r| r.wall_s).sum();
    for (name, value) in [
        ("Tasks", c.selectors.join(" ")),
        ("Policy", c.policy.clone()),
        ("Episodes", format!("{} of each task, {}", c.episodes, c.seeds_in_words())),
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
