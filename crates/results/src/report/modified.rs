//! Skills beside the same skills in modified scenes, and chains beside their parts.

use std::collections::BTreeMap;

use longarm_types::protocol::Role;

use super::charts;
use super::html::{Html, counted, percent, signed};
use super::single::short;
use crate::Run;
use crate::shift::{ChainDelta, Deltas, ShiftReport, SkillDelta, Tally, measure};
use crate::stats::Interval;

/// What the protocols of a run's suites say about how its tasks are made of others.
fn roles(run: &Run) -> BTreeMap<String, Role> {
    run.config.protocols.values().flat_map(|p| p.roles.clone()).collect()
}

/// The chains, and the modified skills whose plain ones were run too, by the number of modifications.
fn measured(run: &Run, roles: &BTreeMap<String, Role>) -> ShiftReport {
    let mut found = measure(run.results.tasks.iter().filter(|t| t.n > 0), roles);
    for d in &mut found.deltas {
        let before = d.skills.len();
        d.skills.retain(|s| s.plain.n > 0);
        d.undefined -= before - d.skills.len();
    }
    found.deltas.retain(|d| !d.skills.is_empty());
    found
}

/// `12 % [5, 20]`.
fn ranged(i: Interval) -> String {
    format!("{} [{}, {}]", percent(i.mean), signed(100.0 * i.lo), signed(100.0 * i.hi))
}

fn rate(t: Tally) -> f64 {
    t.rate().unwrap_or_default()
}

pub(super) fn section(page: &mut Html, run: &Run) {
    let roles = roles(run);
    let found = measured(run, &roles);
    if !found.deltas.is_empty() {
        deltas(page, &found.deltas, found.mean, &roles);
    }
    if !found.chains.is_empty() {
        chains(page, &found.chains);
    }
}

fn deltas(page: &mut Html, all: &[Deltas], mean: Option<Interval>, roles: &BTreeMap<String, Role>) {
    page.section("What modified scenes cost", "Each point is a skill: success in its own scene to the right, in the modified scene upwards; below the line the modification costs something, and a larger point stands for several skills. RPD is the share of its success that a skill loses, in brackets its 95 % interval; it is undefined for a skill that is never solved.");
    if let Some(mean) = mean.filter(|_| all.len() > 1) {
        page.el("p", "why", &format!("Mean RPD over all modifications: {}.", ranged(mean)));
    }
    page.raw("<div class=\"scatters\">");
    for d in all {
        page.raw("<figure>").el("h3", "", &counted(d.modifications as u64, "modification"));
        let points: Vec<[f64; 2]> =
            d.skills.iter().map(|s| [rate(s.plain), rate(s.modified)]).collect();
        page.raw(&charts::scatter(&points)).raw("<figcaption>");
        let defined = d.skills.len() - d.undefined;
        if let Some(mean) = d.mean {
            page.text(&format!("Mean RPD {}. ", ranged(mean)));
        }
        match d.mean_positive {
            None => page.text(&format!("None of {} loses.", counted(defined as u64, "scene"))),
            Some(mean) => {
                let lose = d.skills.iter().filter(|s| s.rpd.is_some_and(|r| r > 0.0)).count();
                page.text(&format!("{lose} of {defined} lose, "))
                    .text(&format!("{} of their success in the mean.", percent(mean)))
            }
        };
        if d.undefined > 0 {
            let text = format!(" RPD undefined for {}.", counted(d.undefined as u64, "scene"));
            page.el("span", "soft", &text);
        }
        page.raw("</figcaption></figure>");
    }
    page.raw("</div><details><summary class=\"plain\">Scene by scene</summary>");
    table(page, all, roles);
    page.raw("</details></section>");
}

/// What the scene is called beside its skill.
fn scene(s: &SkillDelta, roles: &BTreeMap<String, Role>) -> String {
    match roles.get(&s.task) {
        Some(Role::Modified { challenge: Some(c), title, .. }) => format!("{c}: {title}"),
        Some(Role::Modified { title, .. }) => title.clone(),
        _ => short(&s.task).to_owned(),
    }
}

fn table(page: &mut Html, all: &[Deltas], roles: &BTreeMap<String, Role>) {
    let mut rows: Vec<&SkillDelta> = all.iter().flat_map(|d| &d.skills).collect();
    rows.sort_by_key(|s| &s.skill);
    page.raw("<div class=\"wide\"><table class=\"num\"><tr><th>Skill and scene</th><th class=\"r\">Unmodified, %</th><th class=\"r\">Modified, %</th><th class=\"r\">RPD, %</th><th class=\"r\">95 %</th></tr>");
    let whole = |t: Tally| format!("{:.0}", 100.0 * rate(t));
    let mut last = "";
    for s in rows {
        if s.skill != last {
            last = &s.skill;
            page.raw("<tr>").el("td", "name", short(&s.skill)).el("td", "r", &whole(s.plain));
            page.raw("<td></td><td></td><td></td></tr>");
        }
        page.raw("<tr><td class=\"name soft\">")
            .text("· ")
            .text(&scene(s, roles))
            .raw("</td><td></td>");
        page.el("td", "r", &whole(s.modified));
        match (s.rpd, s.interval) {
            (Some(r), Some(i)) => page.el("td", "r", &signed(100.0 * r)).el(
                "td",
                "r soft",
                &format!("{} … {}", signed(100.0 * i.lo), signed(100.0 * i.hi)),
            ),
            _ => page.el("td", "r soft", "undefined").raw("<td></td>"),
        };
        page.raw("</tr>");
    }
    page.raw("</table></div>");
}

fn chains(page: &mut Html, all: &[ChainDelta]) {
    page.section("What chaining costs", "Share of episodes that completed the first, the first two … and all tasks of a chain, beside the product of their own success rates. DUBR is what is missing to that bound, as a share of it; it is undefined where a part was never solved or not run.");
    let most = all.iter().map(|c| c.levels.len()).max().unwrap_or(0);
    page.raw("<div class=\"wide\"><table class=\"num\"><tr><th>Chain</th>");
    for k in 1..=most {
        page.el("th", "r", &format!("First {k}, %"));
    }
    page.raw("<th class=\"r\">Bound, %</th><th class=\"r\">DUBR, %</th></tr>");
    let share = |v: Option<f64>| v.map_or("–".to_owned(), |v| format!("{:.0}", 100.0 * v));
    for c in all {
        page.raw("<tr>").el("td", "name", short(&c.task));
        for k in 0..most {
            page.el("td", "r", &share(c.levels.get(k).copied()));
        }
        page.el("td", "r", &share(c.upper_bound));
        match c.dubr {
            Some(d) => page.el("td", "r", &signed(100.0 * d)),
            None => page.el("td", "r soft", "undefined"),
        };
        page.raw("</tr>");
    }
    page.raw("</table></div></section>");
}
