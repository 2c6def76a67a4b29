//! Archives that arrive in pieces, and go on where they broke off.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Json;
use http_body_util::BodyExt;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use super::submissions::own;
use super::{Answer, Refusal, Who, waiting};
use crate::app::App;
use crate::model::State as Stands;

/// Longest pause between two pieces.
pub(super) const PAUSE: Duration = Duration::from_secs(60);

/// How far an upload has come.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Upload {
    /// Bytes that have arrived; the next ones follow them.
    offset: u64,
    /// Bytes in all.
    size: u64,
    status: Stands,
}

/// Uploads that somebody is writing now: one writer each.
static BUSY: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

struct Writing(String);

impl Writing {
    fn begin(id: &str) -> Answer<Self> {
        let mut busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
        match busy.insert(id.to_owned()) {
            true => Ok(Self(id.to_owned())),
            false => {
                Err(Refusal::new(StatusCode::CONFLICT, "this upload is being written already"))
            }
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        BUSY.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

pub(super) fn too_large(app: &App) -> Refusal {
    let what = format!("an archive may have {} bytes here", app.settings.upload);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, what)
}

pub(super) fn check_size(app: &App, size: u64) -> Answer<()> {
    match size {
        0 => Err(Refusal::bad("size is 0: there is nothing to upload")),
        n if n > app.settings.upload => Err(too_large(app)),
        _ => Ok(()),
    }
}

fn arrived(app: &App, id: &str) -> u64 {
    std::fs::metadata(app.upload(id)).map_or(0, |m| m.len())
}

pub(super) async fn offset(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Answer<Json<Upload>> {
    let s = own(&app, &who, &id)?;
    let offset = if s.status == Stands::Uploading { arrived(&app, &id) } else { s.received };
    Ok(Json(Upload { offset, size: s.size, status: s.status }))
}

pub(super) fn disk(e: std::io::Error) -> Refusal {
    tracing::error!(error = %e, "an upload cannot be written");
    Refusal::new(StatusCode::INSUFFICIENT_STORAGE, "the upload cannot be written on this server")
}

pub(super) async fn append(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    headers: HeaderMap,
    mut body: Body,
) -> Answer<Json<Upload>> {
    let from = headers.get("upload-offset").and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    let from =
        from.ok_or_else(|| Refusal::bad("the header Upload-Offset says from which byte on"))?;
    let s = own(&app, &who, &id)?;
    if s.status != Stands::Uploading {
        let what = format!("submission {id} is {}; it takes no more bytes", s.status);
        return Err(Refusal::new(StatusCode::CONFLICT, what));
    }
    let _writing = Writing::begin(&id)?;
    let have = arrived(&app, &id);
    if from != have {
        let what = format!("{have} bytes have arrived; go on from there, not from {from}");
        return Err(Refusal::new(StatusCode::CONFLICT, what));
    }
    let mut file =
        File::options().create(true).append(true).open(app.upload(&id)).await.map_err(disk)?;
    let mut length = have;
    let done = loop {
        match tokio::time::timeout(PAUSE, body.frame()).await {
            Err(_) => {
                break Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the upload paused too long"));
            }
            Ok(None) => break Ok(()),
            Ok(Some(Err(e))) => break Err(Refusal::bad(format!("the upload broke off: {e}"))),
            Ok(Some(Ok(frame))) => {
                let Ok(data) = frame.into_data() else { continue };
                if length + data.len() as u64 > s.size {
                    let what = format!("submission {id} announced {} bytes and sends more", s.size);
                    break Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, what));
                }
                file.write_all(&data).await.map_err(disk)?;
                length += data.len() as u64;
            }
        }
    };
    file.flush().await.map_err(disk)?;
    file.sync_all().await.map_err(disk)?;
    let s = waiting(|| app.store.received(&id, length))?;
    if s.status == Stands::Queued {
        app.bell.ring();
    }
    done?;
    Ok(Json(Upload { offset: length, size: s.size, status: s.status }))
}
