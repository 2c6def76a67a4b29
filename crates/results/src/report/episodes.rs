//! Single episodes: those that broke, and those to look at.

use std::collections::BTreeMap;

use longarm_types::EpisodeOutcome;

use super::html::{Html, counted, url, whole};
use super::single::short;
use crate::run::is_plain_path;
use crate::{RowSummary, Run};

/// Why episodes broke.
pub(super) fn errors(page: &mut Html, run: &Run) {
    let mut reasons: BTreeMap<(bool, &str), (u64, &RowSummary)> = BTreeMap::new();
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

/// Pictures and films of a few.
pub(super) fn films(page: &mut Html, run: &Run) {
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
        let end = match (row.outcome, row.failed_at()) {
            (EpisodeOutcome::Success, _) => "success".to_owned(),
            (EpisodeOutcome::PolicyError, _) => "policy error".to_owned(),
            (EpisodeOutcome::HarnessError, _) => "harness error".to_owned(),
            (_, Some(i)) => {
                let title = run.config.stage_title(&row.task, &row.stages[i].name);
                format!("failed at: {title}")
            }
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
