//! Skills beside the same skills in modified scenes, as BOSS has them.

use super::charts;
use super::html::{Html, counted, percent, signed};
use super::single::short;
use crate::Run;
use crate::boss::{Deltas, Role, SkillDelta, Tally, measure};
use crate::stats::Interval;

/// Number of modifications and skill of `c1-SKILL-with-…`, `c2-K-SKILL` and `modK-N-SKILL`.
fn modified(name: &str) -> Option<(usize, &str)> {
    if let Some(skill) = name.strip_prefix("c1-") {
        return Some((1, skill.split_once("-with-").map_or(skill, |(s, _)| s)));
    }
    if let Some(rest) = name.strip_prefix("mod") {
        let (count, rest) = rest.split_once('-')?;
        return Some((count.parse().ok()?, rest.split_once('-')?.1));
    }
    let (count, skill) = name.strip_prefix("c2-")?.split_once('-')?;
    Some((count.parse().ok()?, skill))
}

fn role(id: &str) -> Option<Role> {
    let (count, skill) = modified(id.strip_prefix("boss/")?)?;
    Some(Role::Modified { skill: format!("boss/{skill}"), count })
}

/// The modified skills whose plain ones were run too, by the number of modifications.
fn deltas(run: &Run) -> (Vec<Deltas>, Option<Interval>) {
    let mut found = measure(run.results.tasks.iter().filter(|t| t.n > 0), &role);
    for d in &mut found.deltas {
        let before = d.skills.len();
        d.skills.retain(|s| s.plain.n > 0);
        d.undefined -= before - d.skills.len();
    }
    found.deltas.retain(|d| !d.skills.is_empty());
    (found.deltas, found.mean)
}

/// `12 % [5, 20]`.
fn ranged(i: Interval) -> String {
    format!("{} [{}, {}]", percent(i.mean), signed(100.0 * i.lo), signed(100.0 * i.hi))
}

fn rate(t: Tally) -> f64 {
    t.rate().unwrap_or_default()
}

pub(super) fn section(page: &mut Html, run: &Run) {
    let (all, mean) = deltas(run);
    if all.is_empty() {
        return;
    }
    page.section("What modified scenes cost", "Each point is a skill: success in its own scene to the right, in the modified scene upwards; below the line the modification costs something, and a larger point stands for several skills. RPD is the share of its success that a skill loses, in brackets its 95 % interval; it is undefined for a skill that is never solved.");
    if let Some(mean) = mean.filter(|_| all.len() > 1) {
        page.el("p", "why", &format!("Mean RPD over all modifications: {}.", ranged(mean)));
    }
    page.raw("<div class=\"scatters\">");
    for d in &all {
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
    table(page, &all);
    page.raw("</details></section>");
}

/// What the scene is called beside its skill.
fn scene(s: &SkillDelta) -> String {
    let rest = short(&s.task).replace(short(&s.skill), "");
    let words: Vec<&str> = rest.split('-').filter(|w| !w.is_empty()).collect();
    match words.as_slice() {
        ["c1", what @ ..] => format!("C1: {}", what.join(" ")),
        ["c2", count] => format!("C2: {count} modifications"),
        [k, n] => {
            let count = k.trim_start_matches("mod").parse().unwrap_or_default();
            format!("drawing {n} of {}", counted(count, "modification"))
        }
        _ => rest,
    }
}

fn table(page: &mut Html, all: &[Deltas]) {
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
        page.raw("<tr><td class=\"name soft\">").text("· ").text(&scene(s)).raw("</td><td></td>");
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
