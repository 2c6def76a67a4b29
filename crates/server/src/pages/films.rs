//! Films of episodes: a few on the page of a row, and their files.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use longarm_types::{EpisodeOutcome, EpisodeRecord};
use maud::{Markup, html};

use super::row::short;
use crate::app::App;
use crate::films::{self, Shown};
use crate::http::{Answer, Refusal, Who, visible, waiting};
use crate::store::StoredRow;

/// Bytes of a film that are sent at once to who asks for a part.
const PIECE: u64 = 2 << 20;

/// How an episode ended, in words.
pub(super) fn ended(e: &EpisodeRecord) -> String {
    if e.outcome == EpisodeOutcome::Success {
        return format!("solved in {} steps", e.steps);
    }
    let missing = e.stages.iter().find(|s| !s.completed);
    match (e.outcome, missing) {
        (EpisodeOutcome::PolicyError, _) => format!("the policy broke after {} steps", e.steps),
        (_, Some(stage)) => format!("failed at: {}", stage.name),
        (_, None) => "failed after its last stage".to_owned(),
    }
}

/// Films on the page of a row.
pub(super) fn section(app: &App, found: &StoredRow) -> Markup {
    let all = films::shown(app, found).unwrap_or_default();
    if all.is_empty() {
        return html! {};
    }
    let made: Vec<&Shown> = all.iter().filter(|s| s.made).collect();
    html! {
        section aria-labelledby="films" {
            h2 id="films" { "Episodes to look at" }
            p.soft {
                "Played again from the submitted actions: a few that failed, a few that did not. "
                @if made.len() < all.len() { (all.len() - made.len()) " more are filmed when this server has time; load the page again later." }
            }
            div.films { @for s in made {
                @let e = &s.row.episode;
                @let words = format!("{}, {}", short(e.task.as_str()), ended(e));
                @let place = format!("/rows/{}/films/{}", found.row.id, s.row.index);
                figure {
                    img src={ (place) ".png" } loading="lazy" alt={ "Moments of an episode of " (words) };
                    figcaption {
                        b { (short(e.task.as_str())) } ", " (ended(e)) ". " small.soft { "Seed " (e.seed) }
                        @for flag in &s.flags { " " span.tag.bad { (flag) } }
                    }
                    details {
                        summary { "Film" span.out { " of " (words) } }
                        video src={ (place) ".mp4" } controls preload="none" aria-label={ "Film of " (words) } {}
                    }
                }
            } }
        }
    }
}

/// The part of a file that is asked for: from where, and how many bytes; `None` where it is all.
fn part(headers: &HeaderMap, length: u64) -> Result<Option<(u64, u64)>, ()> {
    let asked = headers.get(header::RANGE).and_then(|v| v.to_str().ok());
    let Some(range) = asked.and_then(|r| r.strip_prefix("bytes=")) else { return Ok(None) };
    // Several parts at once may be answered with all of it.
    let Some((from, to)) = range.split_once('-').filter(|_| !range.contains(',')) else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<u64>().map_err(drop);
    let (from, to) = match (from.trim().is_empty(), to.trim().is_empty()) {
        (true, _) => (length.saturating_sub(number(to)?), length.saturating_sub(1)),
        (false, true) => (number(from)?, length.saturating_sub(1)),
        (false, false) => (number(from)?, number(to)?.min(length.saturating_sub(1))),
    };
    if from > to {
        return Err(());
    }
    Ok(Some((from, (to - from + 1).min(PIECE))))
}

fn read(path: &PathBuf, from: u64, most: u64) -> std::io::Result<Vec<u8>> {
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A film or a filmstrip, whole or in part.
pub(crate) async fn film(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path((id, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    visible(&app, &who, &id).map_err(Refusal::page)?;
    let missing = || Refusal::missing(format!("there is no film {name} of {id}")).page();
    let path = films::file(&app, &id, &name).ok_or_else(missing)?;
    let length = waiting(|| path.metadata()).map_err(|_| missing())?.len();
    let kind = if name.ends_with(".mp4") { "video/mp4" } else { "image/png" };
    let kind = [(header::CONTENT_TYPE, kind.to_owned()), (header::ACCEPT_RANGES, "bytes".into())];
    let unsatisfied = || {
        let range = [(header::CONTENT_RANGE, format!("bytes */{length}"))];
        (StatusCode::RANGE_NOT_SATISFIABLE, range).into_response()
    };
    let (from, most) = match part(&headers, length) {
        Err(()) => return Ok(unsatisfied()),
        Ok(None) => (0, length),
        Ok(Some(part)) => part,
    };
    if from >= length {
        return Ok(unsatisfied());
    }
    let bytes = waiting(|| read(&path, from, most)).map_err(|_| missing())?;
    if (from, most) == (0, length) && !headers.contains_key(header::RANGE) {
        return Ok((kind, bytes).into_response());
    }
    let to = from + (bytes.len() as u64).saturating_sub(1);
    let range = [(header::CONTENT_RANGE, format!("bytes {from}-{to}/{length}"))];
    let answer: Response = (StatusCode::PARTIAL_CONTENT, kind, range, bytes).into_response();
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_file_are_what_was_asked_for() {
        let of = |range: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, range.parse().unwrap());
            part(&headers, 100)
        };
        assert_eq!(of("bytes=0-"), Ok(Some((0, 100))));
        assert_eq!(of("bytes=10-19"), Ok(Some((10, 10))));
        assert_eq!(of("bytes=-5"), Ok(Some((95, 5))));
        assert_eq!(of("bytes=90-900"), Ok(Some((90, 10))));
        assert_eq!(of("bytes=0-1,5-6"), Ok(None));
        assert_eq!(of("lines=1-2"), Ok(None));
        for wrong in ["bytes=200-", "bytes=9-3", "bytes=a-b", "bytes=-"] {
            assert_eq!(of(wrong), Err(()), "{wrong}");
        }
    }
}
