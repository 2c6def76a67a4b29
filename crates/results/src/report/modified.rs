//! Skills beside the same skills in modified scenes, as BOSS has them.

use std::collections::BTreeMap;

use super::charts;
use super::html::{Html, counted, percent, signed};
use super::single::short;
use crate::{Run, TaskResult};

/// A skill in a modified scene.
struct Delta<'a> {
    plain: &'a TaskResult,
    modified: &'a TaskResult,
}

impl Delta<'_> {
    /// Ratio Performance Delta: the share of its success that the skill loses; none where it never
    /// has any.
    fn rpd(&self) -> Option<f64> {
        crate::boss::loss(self.plain.success.mean, self.modified.success.mean)
    }
}

/// Number of modifications and skill of `c1-SKILL-with-…`, `c2-K-SKILL` and `modK-N-SKILL`.
fn modified(name: &str) -> Option<(u32, &str)> {
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

/// The modified skills whose plain ones were run too, by the number of modifications.
fn deltas(run: &Run) -> BTreeMap<u32, Vec<Delta<'_>>> {
    let tasks = &run.results.tasks;
    let mut out: BTreeMap<u32, Vec<Delta<'_>>> = BTreeMap::new();
    for t in tasks.iter().filter(|t| t.n > 0) {
        let Some((count, skill)) = t.task.strip_prefix("boss/").and_then(modified) else {
            continue;
        };
        let id = format!("boss/{skill}");
        if let Some(plain) = tasks.iter().find(|p| p.task == id && p.n > 0) {
            out.entry(count).or_default().push(Delta { plain, modified: t });
        }
    }
    out
}

pub(super) fn section(page: &mut Html, run: &Run) {
    let all = deltas(run);
    if all.is_empty() {
        return;
    }
    page.section("What modified scenes cost", "Each point is a skill: success in its own scene to the right, in the modified scene upwards; below the line the modification costs something, and a larger point stands for several skills. RPD is the share of its success that a skill loses; it is undefined for a skill that is never solved.");
    page.raw("<div class=\"scatters\">");
    for (count, deltas) in &all {
        page.raw("<figure>").el("h3", "", &counted(u64::from(*count), "modification"));
        let points: Vec<[f64; 2]> =
            deltas.iter().map(|d| [d.plain.success.mean, d.modified.success.mean]).collect();
        page.raw(&charts::scatter(&points)).raw("<figcaption>");
        let defined: Vec<f64> = deltas.iter().filter_map(Delta::rpd).collect();
        let positive: Vec<f64> = defined.iter().copied().filter(|r| *r > 0.0).collect();
        if positive.is_empty() {
            page.text(&format!("None of {} loses.", counted(defined.len() as u64, "skill")));
        } else {
            let mean = positive.iter().sum::<f64>() / positive.len() as f64;
            page.text(&format!("{} of {} lose, ", positive.len(), defined.len()))
                .text(&format!("{} of their success in the mean.", percent(mean)));
        }
        let undefined = deltas.len() - defined.len();
        if undefined > 0 {
            let text = format!("RPD undefined for {}.", counted(undefined as u64, "skill"));
            page.el("span", "soft", &text);
        }
        page.raw("</figcaption></figure>");
    }
    page.raw("</div><details><summary class=\"plain\">Skill by skill</summary>");
    table(page, &all);
    page.raw("</details></section>");
}

fn table(page: &mut Html, all: &BTreeMap<u32, Vec<Delta<'_>>>) {
    let mut skills: BTreeMap<&str, (&TaskResult, BTreeMap<u32, &Delta<'_>>)> = BTreeMap::new();
    for (count, deltas) in all {
        for d in deltas {
            let row = skills.entry(&d.plain.task).or_insert((d.plain, BTreeMap::new()));
            row.1.insert(*count, d);
        }
    }
    page.raw("<div class=\"wide\"><table class=\"num\"><tr><th>Skill</th><th class=\"r\">Unmodified, %</th>");
    for count in all.keys() {
        page.raw(&format!("<th class=\"r\">{count} mod., %</th><th class=\"r\">RPD, %</th>"));
    }
    page.raw("</tr>");
    let whole = |t: &TaskResult| format!("{:.0}", 100.0 * t.success.mean);
    for (skill, (plain, by_count)) in skills {
        page.raw("<tr>").el("td", "name", short(skill)).el("td", "r", &whole(plain));
        for count in all.keys() {
            let Some(d) = by_count.get(count) else {
                page.raw("<td class=\"r\">–</td><td class=\"r\">–</td>");
                continue;
            };
            page.el("td", "r", &whole(d.modified));
            match d.rpd() {
                Some(r) => page.el("td", "r", &signed(100.0 * r)),
                None => page.el("td", "r soft", "undefined"),
            };
        }
        page.raw("</tr>");
    }
    page.raw("</table></div>");
}
