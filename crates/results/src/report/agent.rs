//! Where an agent loses its points, part by part.

use super::charts;
use super::html::{Html, ends, fixed, signed, url, whole};
use super::single::short;
use crate::run::is_plain_path;
use crate::stats::wilson;
use crate::{Attribution, CONFIDENCE, Comparison, Part, RowSummary, Run, Thought};

/// What the parts of a run's agent did.
pub(super) fn section(page: &mut Html, run: &Run) {
    let judged: Vec<(&RowSummary, &Attribution)> =
        run.rows.iter().filter_map(|r| Some((r, r.agent.as_ref()?))).collect();
    if judged.is_empty() {
        return;
    }
    let by_the_wall =
        run.config.options.agent.as_ref().is_some_and(|a| a.get("reproduces").is_some());
    page.section(
        "Where the agent loses its points",
        "Each answer of the planner is held against the task's plan: is this step allowed now, and was there \
         none to be done when it said so? The actor is held against what it was told, where that was allowed; the \
         reporter against the true scene, hidden objects included.",
    );
    if by_the_wall {
        page.el(
            "p",
            "gap",
            "This agent's answers were timed by the wall clock. The run does not reproduce: its actions replay, \
             its decisions do not.",
        );
    }
    let mut all = Attribution::default();
    judged.iter().for_each(|(_, a)| all.add(a));
    page.raw("<div class=\"wide\"><table><tr><th>Part</th><th class=\"r\">Right</th><th class=\"r\">Wrong</th><th class=\"r\">Missed</th><th class=\"r\">Precision, %</th><th class=\"r\">Recall, %</th></tr>");
    for (name, t) in all.tallies() {
        if t.right + t.wrong + t.missed == 0 {
            continue;
        }
        page.raw("<tr>").el("td", "", name);
        for n in [t.right, t.wrong, t.missed] {
            page.el("td", "r num", &whole(n.into()));
        }
        page.el("td", "r num", &share(t.of_said())).el("td", "r num", &share(t.of_wanted()));
        page.raw("</tr>");
    }
    page.raw("</table></div>");
    pace(page, &all, &judged);
    first_mistakes(page, &judged);
    by_task(page, run, &judged);
    timelines(page, run);
    page.raw("</section>");
}

/// How fast it thought: rates, latencies, how old answers were, and what was spent.
fn pace(page: &mut Html, all: &Attribution, judged: &[(&RowSummary, &Attribution)]) {
    if all.questions == 0 || all.steps == 0 {
        return;
    }
    let paces: Vec<&Thought> = judged.iter().filter_map(|(_, a)| a.pace.as_ref()).collect();
    let (steps, questions) = (f64::from(all.steps), f64::from(all.questions));
    let old = fixed(all.behind as f64 / steps);
    let Some(first) = paces.first() else {
        let text = format!(
            "One question in {} steps; the answer in force was {old} steps old in the mean.",
            fixed(steps / questions)
        );
        page.el("p", "gap", &text);
        return;
    };
    // Of an episode's percentiles the median over episodes.
    let middle = |of: &dyn Fn(&Thought) -> u32| {
        let mut all: Vec<u32> = paces.iter().map(|p| of(p)).collect();
        all.sort_unstable();
        all[all.len() / 2]
    };
    let chunks: f64 = paces.iter().map(|p| f64::from(p.chunks)).sum();
    let unit = if first.rate == 1 { "actions" } else { "control steps" };
    let often = |n: f64| match first.rate {
        1 => format!("{:.2} an action", n / steps),
        rate => format!("{:.2} a second", n / steps * f64::from(rate)),
    };
    page.raw("<div class=\"wide\"><table><tr><th>Pace</th><th class=\"r\">Asked</th>");
    page.el("th", "r", &format!("Answer takes, {unit}: p50")).el("th", "r", "p95");
    page.el("th", "r", &format!("Age of the answer in force, {unit}: p50")).el("th", "r", "p95");
    page.el("th", "r", "mean").raw("</tr><tr>").el("td", "", "planner");
    page.el("td", "r num", &often(questions));
    for n in [
        middle(&|p| p.latency[0]),
        middle(&|p| p.latency[1]),
        middle(&|p| p.staleness[0]),
        middle(&|p| p.staleness[1]),
    ] {
        page.el("td", "r num", &whole(n.into()));
    }
    page.el("td", "r num", &old).raw("</tr><tr>").el("td", "", "actor");
    page.el("td", "r num", &often(chunks));
    page.raw("<td></td><td></td><td></td><td></td><td></td></tr></table></div>");
    let sum = |of: &dyn Fn(&Thought) -> u64| paces.iter().map(|p| of(p)).sum::<u64>();
    let (calls, tokens) = (sum(&|p| p.calls.into()), sum(&|p| p.tokens));
    if calls > 0 {
        let money = match sum(&|p| p.millionths) {
            0 => String::new(),
            n => format!(", {:.4} by the endpoint's price", n as f64 / 1e6),
        };
        let text =
            format!("Models were asked {} times: {} tokens{money}.", whole(calls), whole(tokens));
        page.el("p", "gap", &text);
    }
}

/// Links to what the agent thought, failures first.
fn timelines(page: &mut Html, run: &Run) {
    let shown = |r: &&RowSummary| r.timeline.as_deref().is_some_and(is_plain_path);
    let mut rows: Vec<&RowSummary> = run.rows.iter().filter(shown).collect();
    rows.sort_by_key(|r| r.success());
    if rows.is_empty() {
        return;
    }
    page.raw("<details><summary class=\"plain\">What it thought, episode by episode</summary><ul>");
    for row in rows {
        let path = row.timeline.as_deref().unwrap_or_default();
        page.raw("<li><a href=\"").text(&url(&format!("{}{path}", run.link_prefix))).raw("\">");
        page.text(&format!("{} seed {}", short(&row.task), row.seed)).raw("</a> ");
        page.el("span", "soft", if row.success() { "success" } else { "failed" }).raw("</li>");
    }
    page.raw("</ul></details>");
}

/// A share in percent; a dash where there is nothing to share.
fn share((right, of): (u64, u64)) -> String {
    if of == 0 { "–".to_owned() } else { fixed(100.0 * right as f64 / of as f64) }
}

/// The points lost in episodes, by who made the first mistake in them.
fn first_mistakes(page: &mut Html, judged: &[(&RowSummary, &Attribution)]) {
    let counted: Vec<_> = judged.iter().filter(|(r, _)| r.counts()).collect();
    let n = counted.len().max(1) as f64;
    page.raw("<div class=\"wide\"><table><tr><th>First mistake</th><th class=\"r\">Episodes</th><th class=\"r\">Of them failed</th><th style=\"width:30%\">Failed</th><th class=\"r\">Points of score lost</th></tr>");
    for part in Part::ALL.map(Some).into_iter().chain([None]) {
        let own: Vec<_> = counted.iter().filter(|(_, a)| a.first == part).collect();
        let failed = own.iter().filter(|(r, _)| !r.success()).count() as u64;
        let lost: f64 = own.iter().map(|(r, _)| 100.0 - r.score).sum();
        page.raw("<tr>").el("td", "", part.map_or("none", Part::name));
        page.el("td", "r num", &whole(own.len() as u64)).el("td", "r num", &whole(failed));
        page.raw("<td>");
        if !own.is_empty() {
            page.raw(&charts::bar(wilson(failed, own.len() as u64, CONFIDENCE)));
        }
        page.raw("</td>").el("td", "r num", &fixed(lost / n)).raw("</tr>");
    }
    page.raw("</table></div>");
}

/// Precision of the parts, task by task, beside what others published of theirs.
fn by_task(page: &mut Html, run: &Run, judged: &[(&RowSummary, &Attribution)]) {
    let published = run.config.protocols.values().filter_map(|p| p.published.as_ref());
    let rows: Vec<_> = published.flat_map(|p| &p.rows).collect();
    let key = |task: &str, part: Part| format!("{task} {}", part.name());
    let known = |task: &str| -> Vec<_> {
        let of = |part| rows.iter().filter(move |r| r.scores.contains_key(&key(task, part)));
        Part::ALL.into_iter().flat_map(of).map(|r| r.policy.as_str()).collect()
    };
    page.raw("<details><summary class=\"plain\">Precision of the parts, task by task</summary>");
    page.raw("<div class=\"wide\"><table><tr><th>Task</th><th class=\"r\">Score</th>");
    for part in Part::ALL {
        page.el("th", "r", &format!("{}, %", part.name()));
    }
    page.raw("<th>Published</th></tr>");
    for t in &run.results.tasks {
        let mut sum = Attribution::default();
        judged.iter().filter(|(r, _)| *r.task == *t.task).for_each(|(_, a)| sum.add(a));
        let mut claims = sum.objects;
        claims.add(sum.colours);
        claims.add(sum.areas);
        page.raw("<tr>").el("td", "", short(&t.task)).el("td", "r num", &fixed(t.score.mean));
        for tally in [sum.planner, sum.actor, claims] {
            page.el("td", "r num", &share(tally.of_said()));
        }
        let mut policies = known(&t.task);
        policies.dedup();
        let beside = rows.iter().filter(|r| policies.contains(&r.policy.as_str())).map(|r| {
            let of = |part: Part| {
                let value =
                    r.scores.get(&key(&t.task, part)).map_or("–".to_owned(), |v| fixed(*v));
                format!("{} {value}", part.name())
            };
            format!("{}: {}", r.policy, Part::ALL.map(of).join(", "))
        });
        page.el("td", "soft", &beside.collect::<Vec<_>>().join("; ")).raw("</tr>");
    }
    page.raw("</table></div></details>");
}

/// The parts of a run's agent: name and kind.
fn parts(run: &Run) -> Option<Vec<(&str, &str)>> {
    let line = run.config.options.agent.as_ref()?.get("parts")?.as_str()?;
    Some(line.split(", ").filter_map(|p| p.split_once(' ')).collect())
}

/// The same episodes with parts replaced by others: what each is worth.
pub(super) fn substitutions(page: &mut Html, runs: &[Run], c: &Comparison) {
    let of: Vec<_> = runs.iter().map(parts).collect();
    let mut lines = Vec::new();
    for p in &c.pairs {
        let (Some(a), Some(b)) = (&of[p.a], &of[p.b]) else { continue };
        let other: Vec<_> = a.iter().zip(b).filter(|(x, y)| x != y).collect();
        // Several at once say nothing about one.
        let [((part, one), (_, two))] = other[..] else { continue };
        if p.counts.n() == 0 {
            continue;
        }
        // From what sees to what is told.
        let (one, two, sign) = if *one == "oracle" { (two, one, 1.0) } else { (one, two, -1.0) };
        let turned = |i: crate::stats::Interval, by: f64| {
            let i = i.scaled(sign * by);
            crate::stats::Interval { mean: i.mean, lo: i.lo.min(i.hi), hi: i.lo.max(i.hi) }
        };
        let rest = a.iter().filter(|(name, kind)| name != part && *kind != "none");
        let rest: Vec<String> = rest.map(|(name, kind)| format!("{name} {kind}")).collect();
        lines.push((
            *part,
            *one,
            *two,
            rest.join(", "),
            p.counts.n(),
            turned(p.success, 100.0),
            turned(p.score, 1.0),
        ));
    }
    if lines.is_empty() {
        return;
    }
    page.section(
        "What each part is worth",
        "The same episodes with one part of the agent replaced by another: gain in points, with its paired 95 % \
         interval.",
    );
    page.raw("<div class=\"wide\"><table><tr><th>Part</th><th>From</th><th>To</th><th>Beside</th><th class=\"r\">Shared</th><th class=\"r\">Success</th><th class=\"r\">Score</th></tr>");
    for (part, from, to, rest, n, success, score) in lines {
        page.raw("<tr>").el("td", "", part).el("td", "", from).el("td", "", to);
        page.el("td", "soft", &rest);
        page.el("td", "r num", &whole(n));
        for gain in [success, score] {
            page.raw("<td class=\"r num\">").text(&signed(gain.mean)).raw("<br>");
            page.el("small", "soft", &ends(gain, 1.0)).raw("</td>");
        }
        page.raw("</tr>");
    }
    page.raw("</table></div></section>");
}
