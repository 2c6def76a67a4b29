//! The socket of a page.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::Console;
use super::orders::{Asker, Order};
use crate::app::App;
use crate::http::{Answer, Refusal, Who, waiting};

/// How often a page hears that the console is there.
const BEAT: Duration = Duration::from_millis(500);
/// Longest order.
const LONGEST: usize = 8 << 10;

/// Whether a page of this server asks: browsers always say where a socket's page comes from.
fn own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
    let origin = text(header::ORIGIN).and_then(|o| o.split_once("://"));
    origin.is_some_and(|(_, host)| Some(host) == text(header::HOST))
}

pub(crate) async fn connect(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path((run, episode)): Path<(String, usize)>,
    mut request: Request,
) -> Answer {
    let console = Arc::clone(app.console()?);
    let name = who.known()?.account.name.clone();
    if !own_page(request.headers()) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "this socket is for the console's own pages",
        ));
    }
    if waiting(|| console.desk().episode(&run, episode).is_none()) {
        return Err(Refusal::missing("there is no such episode"));
    }
    let key =
        request.headers().get(header::SEC_WEBSOCKET_KEY).map(|k| derive_accept_key(k.as_bytes()));
    let asked = request.headers().get(header::UPGRADE);
    let asked = asked.is_some_and(|v| v.as_bytes().eq_ignore_ascii_case(b"websocket"));
    let Some(key) = key.filter(|_| asked) else {
        return Err(Refusal::new(StatusCode::UPGRADE_REQUIRED, "this is a WebSocket"));
    };
    let becomes = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(theirs) = becomes.await else { return };
        let config = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let io = TokioIo::new(theirs);
        let ws = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
        let socket = console.socket_number();
        serve(&console, ws, &run, episode, &name, socket).await;
        waiting(|| console.left(socket));
    });
    let answer = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::CONNECTION, "upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_ACCEPT, key)
        .body(Body::empty());
    Ok(answer.map_err(|e| Refusal::bad(e.to_string()))?.into_response())
}

async fn serve<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin>(
    console: &Arc<Console>,
    mut ws: WebSocketStream<S>,
    run: &str,
    episode: usize,
    name: &str,
    socket: u64,
) {
    let mut changed = console.changed.subscribe();
    changed.mark_changed();
    // A network that is gone says nothing: a page knows by what does not come.
    let mut beat = tokio::time::interval(BEAT);
    loop {
        let said = tokio::select! {
            biased;
            said = ws.next() => said,
            _ = beat.tick() => {
                if ws.send(Message::text("{}")).await.is_err() { return }
                continue;
            }
            still = changed.changed() => {
                if still.is_err() { return }
                let view = waiting(|| console.view(run, episode, name, socket));
                if ws.send(Message::text(view.to_string())).await.is_err() { return }
                continue;
            }
        };
        let text = match said {
            Some(Ok(Message::Text(text))) => text,
            // The answer to a goodbye is on its way out: without it the page waits for a minute.
            Some(Ok(Message::Close(_))) => {
                let _ = tokio::time::timeout(BEAT, ws.flush()).await;
                return;
            }
            Some(Err(_)) | None => return,
            Some(Ok(_)) => continue,
        };
        let asker = Asker { name, socket, run, episode };
        let done = match serde_json::from_str::<Order>(text.as_str()) {
            Ok(order) => waiting(|| console.order(&asker, order)),
            Err(e) => Err(format!("this order means nothing here: {e}")),
        };
        if let Err(why) = done {
            let refused = json!({ "refused": why }).to_string();
            if ws.send(Message::text(refused)).await.is_err() {
                return;
            }
        }
    }
}

impl Console {
    /// A page is gone.
    fn left(&self, socket: u64) {
        let mut control = self.control();
        if control.of(socket).is_ok() {
            control.controller = None;
        }
        drop(control);
        self.check_controller();
        self.change();
    }
}
