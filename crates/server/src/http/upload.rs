//! Archives that arrive, in one piece or in several.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Multipart, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Json;
use http_body_util::BodyExt;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use super::submissions::{add, host, own};
use super::{Answer, Refusal, Who, waiting};
use crate::app::{App, uploads};
use crate::model::{Description, Method, State as Stands, Submission};
use crate::secret::fresh_id;

/// Longest pause between two pieces.
const PAUSE: Duration = Duration::from_secs(60);

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

fn too_large(app: &App) -> Refusal {
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

fn disk(e: std::io::Error) -> Refusal {
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
    let s = own(&app, &who, &id)?;
    if s.status != Stands::Uploading {
        let what = format!("submission {id} is {}; it takes no more bytes", s.status);
        return Err(Refusal::new(StatusCode::CONFLICT, what));
    }
    let from = headers.get("upload-offset").and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    let from =
        from.ok_or_else(|| Refusal::bad("the header Upload-Offset says from which byte on"))?;
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

/// A file that goes unless it is kept.
struct Draft(std::path::PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Take a submission whose archive comes in the same form.
pub(super) async fn form(app: &Arc<App>, account: i64, mut form: Multipart) -> Answer<Submission> {
    let broken =
        |e: axum::extract::multipart::MultipartError| Refusal::new(e.status(), e.body_text());
    let draft = Draft(uploads(&app.settings.data).join(format!(".{}.part", fresh_id()?)));
    let mut d = Description::default();
    let mut asked = AskedAt::default();
    let mut size = None;
    while let Some(mut field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "run" {
            size = Some(store(app, &draft, &mut field).await?);
            continue;
        }
        let mut text = Vec::new();
        while let Some(part) = field.chunk().await.map_err(broken)? {
            text.extend_from_slice(&part);
            if text.len() > 16_384 {
                return Err(Refusal::bad(format!("{name} is too long")));
            }
        }
        let text =
            String::from_utf8(text).map_err(|_| Refusal::bad(format!("{name} is not text")))?;
        fill(&mut d, &mut asked, &name, &text)?;
    }
    let size = match (size, asked.policy()) {
        (Some(size), None) => size,
        (None, Some(policy)) => return host(app, account, d, &policy, Method::Remote, asked.board),
        (Some(_), Some(_)) => {
            return Err(Refusal::bad(
                "the form has both a run and a policy server; send one of them",
            ));
        }
        (None, None) => {
            let what = "the form has neither a file in its field run, a tar of a run directory, nor a policy \
                        server in serverIp and serverPort, or policy";
            return Err(Refusal::bad(what));
        }
    };
    let s = add(app, account, d, size, None)?;
    std::fs::rename(&draft.0, app.upload(&s.id)).map_err(disk)?;
    let s = waiting(|| app.store.received(&s.id, size))?;
    app.bell.ring();
    Ok(s)
}

async fn store(
    app: &App,
    draft: &Draft,
    field: &mut axum::extract::multipart::Field<'_>,
) -> Answer<u64> {
    let mut file = File::create(&draft.0).await.map_err(disk)?;
    let mut size = 0;
    loop {
        let late = |_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the upload paused too long");
        let part: Option<Bytes> = tokio::time::timeout(PAUSE, field.chunk())
            .await
            .map_err(late)?
            .map_err(|e| Refusal::new(e.status(), e.body_text()))?;
        let Some(part) = part else { break };
        size += part.len() as u64;
        if size > app.settings.upload {
            return Err(too_large(app));
        }
        file.write_all(&part).await.map_err(disk)?;
    }
    file.flush().await.map_err(disk)?;
    file.sync_all().await.map_err(disk)?;
    Ok(size)
}

/// Where a form says that a policy is asked.
#[derive(Default)]
struct AskedAt {
    policy: String,
    host: String,
    port: String,
    board: Option<String>,
}

impl AskedAt {
    fn policy(&self) -> Option<String> {
        match (self.policy.is_empty(), self.host.is_empty()) {
            (false, _) => Some(self.policy.clone()),
            (true, true) => None,
            (true, false) => {
                let bracketed = self.host.contains(':');
                let host = if bracketed { format!("[{}]", self.host) } else { self.host.clone() };
                let port = if self.port.is_empty() { "8000" } else { &self.port };
                Some(format!("openpi:{host}:{port}"))
            }
        }
    }
}

/// Put a text field of a form where it belongs.
fn fill(d: &mut Description, asked: &mut AskedAt, name: &str, text: &str) -> Answer<()> {
    let yes = || match text {
        "yes" | "true" | "on" => Ok(true),
        "no" | "false" | "off" | "" => Ok(false),
        _ => Err(Refusal::bad(format!("{name} is yes or no, not {text:?}"))),
    };
    match name {
        "policyName" => text.clone_into(&mut d.policy_name),
        "name" => text.clone_into(&mut d.name),
        "affiliation" => text.clone_into(&mut d.affiliation),
        "link" => text.clone_into(&mut d.link),
        "notes" => d.notes = text.replace("\r\n", "\n"),
        "openSource" => d.open_source = yes()?,
        "memory" => d.memory = Some(yes()?),
        "parameters" if text.is_empty() => {}
        "parameters" => {
            let number =
                text.parse().map_err(|_| Refusal::bad("parameters is a number of millions"))?;
            d.parameters = Some(number);
        }
        "apiSupport" => drop(yes()?),
        // What the benchmark's own form asks for and this server does not do.
        "serverIp" => text.clone_into(&mut asked.host),
        "serverPort" => text.clone_into(&mut asked.port),
        "policy" => text.clone_into(&mut asked.policy),
        "board" => asked.board = Some(text.to_owned()).filter(|b| !b.is_empty()),
        "modelFile" if text.is_empty() => {}
        "modelFile" => {
            let what =
                "models are not taken by this form; send one with `longarm submit --checkpoint`";
            return Err(Refusal::new(StatusCode::NOT_IMPLEMENTED, what));
        }
        _ => return Err(Refusal::bad(format!("there is no field {name:?}"))),
    }
    Ok(())
}
