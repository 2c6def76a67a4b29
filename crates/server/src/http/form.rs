//! Submissions that come as a form: whatever belongs to one is in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use super::submissions::{add, board_named, host};
use super::upload::{PAUSE, disk, too_large};
use super::{Answer, Refusal, Who, waiting};
use crate::app::{App, uploads};
use crate::model::{Description, Method, Submission};
use crate::secret::{fresh_id, hash};

/// Longest field of text; a model's manifest is one.
const TEXT: usize = 64 << 10;

/// A file that goes unless it is kept.
struct Draft(PathBuf);

impl Draft {
    fn new(app: &App) -> Answer<Self> {
        Ok(Self(uploads(&app.settings.data).join(format!(".{}.part", fresh_id()?))))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A file of a form, and how many bytes it has.
type Sent = Option<(Draft, u64)>;

/// What a form holds.
#[derive(Default)]
struct Filled {
    description: Description,
    asked: AskedAt,
    run: Sent,
    model: Sent,
    manifest: String,
    /// How it is submitted; what is left where nothing is said.
    way: Option<Method>,
}

fn broken(e: &MultipartError) -> Refusal {
    Refusal::new(e.status(), e.body_text())
}

/// Take a submission that a program sends.
pub(super) async fn api(app: &Arc<App>, account: i64, form: Multipart) -> Answer<Submission> {
    let filled = read(app, form, None).await?;
    taken(app, account, filled)
}

/// Take a submission that a person sends from a page of ours.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    form: Multipart,
) -> Answer {
    let known = who.known()?;
    let filled = read(&app, form, Some(&known.form)).await.map_err(Refusal::page)?;
    let s = taken(&app, known.account.id, filled).map_err(Refusal::page)?;
    Ok(Redirect::to(&format!("/submissions/{}", s.id)).into_response())
}

/// Read a form; one of a page carries the number of its session before all else.
async fn read(app: &App, mut form: Multipart, session: Option<&str>) -> Answer<Filled> {
    let mut out = Filled::default();
    let mut ours = session.is_none();
    while let Some(mut field) = form.next_field().await.map_err(|e| broken(&e))? {
        let name = field.name().unwrap_or_default().to_owned();
        if !ours && name != "form" {
            break;
        }
        match name.as_str() {
            "run" => out.run = store(app, &mut field).await?,
            "modelFile" => out.model = store(app, &mut field).await?,
            "form" if session.is_some() => {
                let sent = hash(&text(&name, &mut field).await?);
                ours = session.is_some_and(|s| !s.is_empty() && hash(s) == sent);
                if !ours {
                    break;
                }
            }
            _ => {
                let text = text(&name, &mut field).await?;
                fill(&mut out, &name, &text)?;
            }
        }
    }
    if !ours {
        let what = "this form is of another session; load the page again";
        return Err(Refusal::new(StatusCode::FORBIDDEN, what));
    }
    Ok(out)
}

async fn text(name: &str, field: &mut Field<'_>) -> Answer<String> {
    let mut text = Vec::new();
    while let Some(part) = field.chunk().await.map_err(|e| broken(&e))? {
        text.extend_from_slice(&part);
        if text.len() > TEXT {
            return Err(Refusal::bad(format!("{name} is too long")));
        }
    }
    String::from_utf8(text).map_err(|_| Refusal::bad(format!("{name} is not text")))
}

/// Write a file of a form down; a field that nobody filled holds none.
async fn store(app: &App, field: &mut Field<'_>) -> Answer<Sent> {
    let draft = Draft::new(app)?;
    let mut file = File::create(&draft.0).await.map_err(disk)?;
    let mut size = 0;
    loop {
        let late = |_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the upload paused too long");
        let part: Option<Bytes> = tokio::time::timeout(PAUSE, field.chunk())
            .await
            .map_err(late)?
            .map_err(|e| broken(&e))?;
        let Some(part) = part else { break };
        size += part.len() as u64;
        if size > app.settings.upload {
            return Err(too_large(app));
        }
        file.write_all(&part).await.map_err(disk)?;
    }
    file.flush().await.map_err(disk)?;
    file.sync_all().await.map_err(disk)?;
    Ok((size > 0).then_some((draft, size)))
}

/// Make a submission of what a form holds.
fn taken(app: &Arc<App>, account: i64, filled: Filled) -> Answer<Submission> {
    let Filled { description, asked, run, model, manifest, way } = filled;
    let given: Vec<Method> = [
        (run.is_some(), Method::Replay),
        (model.is_some(), Method::Checkpoint),
        (asked.policy().is_some(), Method::Remote),
    ]
    .into_iter()
    .filter_map(|(is, method)| is.then_some(method))
    .collect();
    let way = match (way, given.as_slice()) {
        (Some(way), _) => way,
        (None, [one]) => *one,
        (None, []) => {
            let what = "the form has neither a file in its field run, a tar of a run directory, nor a model in \
                        modelFile, nor a policy server in serverIp and serverPort, or policy";
            return Err(Refusal::bad(what));
        }
        (None, _) => {
            return Err(Refusal::bad(
                "the form has two of a run, a model and a policy server; send one of them",
            ));
        }
    };
    let missing = |what: &str| Refusal::bad(format!("the form has no {what}"));
    match way {
        Method::Remote | Method::DialOut => {
            let policy = asked.policy().ok_or_else(|| missing("address of a policy"))?;
            host(app, account, description, &policy, way, asked.board)
        }
        Method::Replay => {
            let (draft, size) = run.ok_or_else(|| missing("file in its field run"))?;
            keep(app, add(app, account, description, size, None)?, &draft)
        }
        Method::Checkpoint => {
            let (model, _) = model.ok_or_else(|| missing("file in its field modelFile"))?;
            if manifest.trim().is_empty() {
                return Err(missing("manifest of the model in its field manifest"));
            }
            let board = board_named(app, asked.board)?;
            let draft = Draft::new(app)?;
            let size = waiting(|| packed(&model.0, &manifest, &draft.0)).map_err(disk)?;
            keep(app, add(app, account, description, size, Some(board))?, &draft)
        }
    }
}

/// Put a model and its manifest into an archive, as `longarm submit` sends them.
fn packed(model: &Path, manifest: &str, into: &Path) -> std::io::Result<u64> {
    let mut out = tar::Builder::new(std::fs::File::create(into)?);
    let header = |size: u64| {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o644);
        header
    };
    let text = manifest.as_bytes();
    out.append_data(&mut header(text.len() as u64), "model.onnx.toml", text)?;
    let model = std::fs::File::open(model)?;
    out.append_data(&mut header(model.metadata()?.len()), "model.onnx", model)?;
    let mut file = out.into_inner()?;
    file.flush()?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

/// All of an archive has arrived.
fn keep(app: &App, s: Submission, draft: &Draft) -> Answer<Submission> {
    std::fs::rename(&draft.0, app.upload(&s.id)).map_err(disk)?;
    let s = waiting(|| app.store.received(&s.id, s.size))?;
    app.bell.ring();
    Ok(s)
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
fn fill(out: &mut Filled, name: &str, text: &str) -> Answer<()> {
    let (d, asked) = (&mut out.description, &mut out.asked);
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
        "memory" if text.is_empty() => {}
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
        "manifest" => text.clone_into(&mut out.manifest),
        "way" => out.way = Some(text.parse().map_err(|e| Refusal::bad(format!("way: {e}")))?),
        _ => return Err(Refusal::bad(format!("there is no field {name:?}"))),
    }
    Ok(())
}
