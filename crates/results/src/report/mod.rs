//! One self-contained page for people: nothing is fetched, nothing runs.
//!
//! Everything that comes from rows or configurations is escaped; the page's own content policy
//! forbids scripts and foreign addresses besides.

mod agent;
mod charts;
mod episodes;
mod groups;
mod header;
mod html;
mod matrix;
mod modified;
mod reference;
mod several;
mod single;
mod stages;
mod timeline;

use std::collections::BTreeSet;

use html::Html;

pub use reference::{Column, columns};
pub use timeline::{Moment, Story, timeline};

use crate::{RowSummary, Run};

/// Most episodes shown with pictures, in one run.
const SHOWN: usize = 12;
/// Largest picture that is embedded.
const LARGEST: usize = 3 << 20;

/// A PNG, JPEG, WebP or GIF to embed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Picture {
    /// From a file's bytes; `None` when they are no such picture or more than 3 MB.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        let kind = match bytes.get(..12)? {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P'] => "image/webp",
            [b'G', b'I', b'F', b'8', ..] => "image/gif",
            _ => return None,
        };
        (bytes.len() <= LARGEST).then_some(Self { kind, bytes })
    }

    fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.kind, html::base64(&self.bytes))
    }
}

/// The episodes worth showing: of each task the first failure and the first success that have a
/// picture or a video.
pub(crate) fn chosen_episodes(rows: &[RowSummary]) -> Vec<&RowSummary> {
    let mut seen = BTreeSet::new();
    let shown = rows.iter().filter(|r| r.filmstrip.is_some() || r.video.is_some());
    let mut first: Vec<&RowSummary> =
        shown.filter(|r| seen.insert((&r.task, r.success()))).collect();
    let failures = first.iter().filter(|r| !r.success()).count();
    // Failures teach more: they get what successes leave of the room, and at least two thirds.
    let successes = SHOWN - failures.min(SHOWN * 2 / 3);
    let mut left = (SHOWN, successes);
    first.retain(|r| {
        let room = left.0 > 0 && (!r.success() || left.1 > 0);
        if room {
            left.0 -= 1;
            left.1 -= usize::from(r.success());
        }
        room
    });
    first
}

/// The report of one run, or the comparison of several.
pub fn render(runs: &[Run]) -> String {
    let mut page = Html::default();
    let title = match runs {
        [] => "Nothing was run".to_owned(),
        [one] => format!("{} on {}", one.config.policy, suites(one)),
        [first, ..] => format!("{} runs on {}", runs.len(), suites(first)),
    };
    begin(&mut page, &title);
    match runs {
        [] => {
            page.raw("<header>").el("h1", "", &title);
            page.el("p", "lead", "No run was given to this report.").raw("</header>");
        }
        [one] => single::report(&mut page, one, &title),
        _ => several::report(&mut page, runs, &title),
    }
    page.raw("</main></body></html>\n");
    page.finish()
}

/// The head of a page, up to where its contents begin.
fn begin(page: &mut Html, title: &str) {
    page.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        .raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self' file:\">")
        .el("title", "", &format!("{title} · longarm"))
        .raw("<style>")
        .raw(include_str!("style.css"))
        .raw("</style></head><body><main>");
}

fn suites(run: &Run) -> String {
    match run.results.suite.suite.as_str() {
        "" => run.config.selectors.join(", "),
        some => some.replace('+', ", "),
    }
}
