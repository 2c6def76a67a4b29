//! Videos of episodes.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Multipart, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect};
use tokio::io::AsyncWriteExt;

use super::episode::{Event, Stage};
use crate::app::App;
use crate::http::{Answer, Refusal, Who, waiting};

/// What a file begins with, and the ending it gets.
fn ending(head: &[u8]) -> Option<&'static str> {
    match head {
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("mp4"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("webm"),
        _ => None,
    }
}

/// A file that goes unless it is kept.
struct Draft(std::path::PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Take a video that a judge attaches, within the limits of submissions.
pub(crate) async fn video(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path((run, episode)): Path<(String, usize)>,
    mut form: Multipart,
) -> Answer {
    let console = app.console()?;
    let name = who.known()?.account.name.clone();
    let found = waiting(|| {
        let desk = console.desk();
        let e = desk.episode(&run, episode)?;
        let of = desk.runs.get(&run)?;
        let (sheet, place) = of.sheet(episode).zip(of.place(episode))?;
        let name = format!("videos/{}-{}", sheet.id.as_str().replace('/', "-"), place.seed);
        Some((e.stage, of.dir.clone(), name))
    });
    let Some((stage, dir, path)) = found else {
        return Err(Refusal::missing("there is no such episode").page());
    };
    if stage == Stage::Closed {
        let what = "this episode is closed; its row stays as it is";
        return Err(Refusal::new(StatusCode::CONFLICT, what).page());
    }
    let broken = |e: axum::extract::multipart::MultipartError| {
        Refusal::new(e.status(), e.body_text()).page()
    };
    let disk = |e: std::io::Error| {
        tracing::error!(error = %e, "a video cannot be written");
        Refusal::new(StatusCode::INSUFFICIENT_STORAGE, "the video cannot be written here").page()
    };
    while let Some(mut field) = form.next_field().await.map_err(broken)? {
        if field.name() != Some("video") {
            continue;
        }
        std::fs::create_dir_all(dir.join("videos")).map_err(disk)?;
        let draft = Draft(dir.join("videos").join(format!(".{}.tmp", crate::secret::fresh_id()?)));
        let mut file = tokio::fs::File::create(&draft.0).await.map_err(disk)?;
        let (mut length, mut head) = (0u64, Vec::new());
        while let Some(part) = field.chunk().await.map_err(broken)? {
            length += part.len() as u64;
            if length > app.settings.upload {
                let what = format!("a video may have {} bytes here", app.settings.upload);
                return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, what).page());
            }
            if head.len() < 8 {
                head.extend(part.iter().take(8 - head.len()));
            }
            file.write_all(&part).await.map_err(disk)?;
        }
        let Some(ending) = ending(&head) else {
            let what = "this is neither an MP4 nor a WebM";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what).page());
        };
        file.sync_all().await.map_err(disk)?;
        let name_of = format!("{path}.{ending}");
        std::fs::rename(&draft.0, dir.join(&name_of)).map_err(disk)?;
        let recorded = waiting(|| {
            let mut desk = console.desk();
            desk.record(&run, episode, &name, Event::Video { file: name_of })
        });
        recorded.map_err(|why| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why).page())?;
        console.change();
        return Ok(Redirect::to(&format!("/console/runs/{run}/{episode}")).into_response());
    }
    Err(Refusal::bad("the form has no file in its field video").page())
}
