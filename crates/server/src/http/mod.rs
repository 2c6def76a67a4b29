//! The API and how requests reach pages: one table of endpoints says who may ask what.

mod accounts;
mod auth;
mod error;
mod form;
pub(crate) mod limit;
pub(crate) mod metrics;
mod openapi;
mod submissions;
mod tunnel;
mod upload;
mod work;

use std::sync::Arc;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{self, HeaderValue};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Json, Response};
use axum::serve::{IncomingStream, Listener};
use serde_json::json;

pub(crate) use accounts::first;
pub(crate) use auth::{Peer, Who, session_cookie, spent_cookie};
pub(crate) use error::{Answer, Refusal};
pub(crate) use submissions::{Action, act, own, visible};

use crate::app::App;
use crate::{console, pages};

/// Largest body of a request that is not an upload.
pub(crate) const BODY: usize = 64 << 10;
/// Largest of what a worker tells at once.
const FINDINGS: usize = 4 << 20;

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anyone.
    Public,
    /// Anyone with an account; what is somebody else's needs a judge.
    Account,
    /// Judges and administrators.
    Judge,
    /// Administrators.
    Administrator,
}

/// One entry of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What it does; empty for pages, which no program reads.
    pub(crate) summary: &'static str,
    /// Schema of what is sent, and of what comes back; empty where there is none.
    pub(crate) schemas: [&'static str; 2],
}

impl Endpoint {
    /// Most bytes of a body; archives are counted as they are written.
    fn most(&self) -> Option<usize> {
        match (self.method, self.path) {
            ("post", "/api/submissions" | "/submit" | "/console/runs/{id}/{episode}/video")
            | ("patch", "/api/submissions/{id}/upload") => None,
            ("post", "/api/work/{id}") => Some(FINDINGS),
            _ => Some(BODY),
        }
    }
}

macro_rules! endpoints {
    ($($method:ident $path:literal $access:ident $handler:path, $sent:literal => $back:literal, $summary:literal;)*) => {
        /// Every endpoint there is.
        pub(crate) const ENDPOINTS: &[Endpoint] = &[$(Endpoint {
            method: stringify!($method),
            path: $path,
            access: Access::$access,
            summary: $summary,
            schemas: [$sent, $back],
        }),*];

        fn routes() -> Router<Arc<App>> {
            Router::new()$(.route($path, axum::routing::$method($handler)))*
        }
    };
}

endpoints! {
    get "/healthz" Public health, "" => "Health", "Return 200 when the server is ready.";
    get "/metrics" Public metrics::show, "" => "", "Return counts in Prometheus' format.";
    get "/api/openapi.json" Public openapi::show, "" => "Any", "Return this description.";
    get "/api/key" Public key, "" => "Key", "Return the key that receipts are checked with.";
    get "/api/boards" Public submissions::boards, "" => "Boards", "Return the boards with their tasks, episodes and seeds.";
    get "/api/leaderboard" Public submissions::leaderboard, "" => "Leaderboard", "Return the published rows, of one board or of all.";
    get "/api/rows/{id}" Public submissions::row, "" => "Any", "Return a published row with its results.";
    get "/api/rows/{id}/receipt" Public submissions::receipt, "" => "Receipt", "Return the signed receipt of a row.";
    post "/api/setup" Public accounts::setup, "Setup" => "NewToken", "Make the first administrator with the code from the server's console.";
    get "/api/account" Account accounts::own, "" => "OwnAccount", "Return the account and its tokens.";
    post "/api/tokens" Account accounts::add_token, "TokenLabel" => "NewToken", "Make another token for the account.";
    delete "/api/tokens/{id}" Account accounts::revoke, "" => "Done", "Refuse a token from now on.";
    get "/api/submissions" Account submissions::list, "" => "Submissions", "Return the account's submissions; a judge sees all.";
    post "/api/submissions" Account submissions::create, "NewSubmission" => "Created", "Submit: JSON and an upload that follows, or a form with the archive in it.";
    get "/api/submissions/{id}" Account submissions::show, "" => "Submission", "Return where a submission stands.";
    get "/api/submissions/{id}/upload" Account upload::offset, "" => "Upload", "Return how many bytes have arrived.";
    patch "/api/submissions/{id}/upload" Account upload::append, "Bytes" => "Upload", "Send the next bytes, from Upload-Offset on.";
    get "/api/submissions/{id}/policy" Account tunnel::connect, "" => "", "Become the connection over which a submitted policy is asked (Upgrade: longarm-policy).";
    post "/api/submissions/{id}/cancel" Account submissions::cancel, "" => "Submission", "Stop a submission that is not done.";
    post "/api/submissions/{id}/retry" Account submissions::retry, "" => "Submission", "Play a failed submission again from the files it came with.";
    post "/api/submissions/{id}/withdraw" Account submissions::withdraw, "" => "Submission", "Take a submission off the board.";
    post "/api/submissions/{id}/publish" Judge submissions::publish, "" => "Submission", "Publish a completed submission that waits for a judge.";
    post "/api/work" Judge work::take, "WorkerInfo" => "WorkList", "Take episodes to replay, as a worker on another machine.";
    post "/api/work/{id}" Judge work::tell, "Findings" => "Done", "Tell what was seen in episodes of a submission; a sample is played on the server, too.";
    get "/api/accounts" Administrator accounts::list, "" => "Accounts", "Return all accounts.";
    post "/api/accounts" Administrator accounts::create, "NewAccount" => "NewToken", "Make an account and its first token.";
    patch "/api/accounts/{id}" Administrator accounts::change, "AccountChange" => "Account", "Change what an account may do.";
    get "/api/audit" Administrator accounts::audit, "" => "Audit", "Return the latest entries of the audit log.";
    get "/" Public pages::home, "" => "", "";
    get "/style.css" Public pages::style, "" => "", "";
    get "/boards/{name}" Public pages::board, "" => "", "";
    get "/rows/{id}" Public pages::row, "" => "", "";
    get "/rows/{id}/report" Public pages::report, "" => "", "";
    get "/rows/{id}/films/{file}" Public pages::film, "" => "", "";
    get "/compare" Public pages::compare, "" => "", "";
    get "/submit" Public pages::how_to, "" => "", "";
    post "/submit" Account form::page, "" => "", "";
    get "/page.js" Public pages::script, "" => "", "";
    get "/setup" Public pages::setup, "" => "", "";
    post "/setup" Public pages::set_up, "" => "", "";
    get "/sign-in" Public pages::sign_in, "" => "", "";
    post "/sign-in" Public pages::signed_in, "" => "", "";
    post "/sign-out" Account pages::sign_out, "" => "", "";
    get "/account" Account pages::account, "" => "", "";
    get "/submissions/{id}" Account pages::submission, "" => "", "";
    post "/submissions/{id}/{action}" Account pages::act, "" => "", "";
    get "/console" Judge console::home, "" => "", "";
    post "/console" Judge console::new_run, "" => "", "";
    get "/console/script.js" Public console::script, "" => "", "";
    get "/console/style.css" Public console::style, "" => "", "";
    get "/console/tasks/{suite}/{task}" Public console::task, "" => "", "";
    get "/console/live/{camera}" Judge console::live, "" => "", "";
    get "/console/reference/{kind}/{suite}/{task}/{seed}/{camera}" Judge console::reference, "" => "", "";
    get "/console/runs/{id}" Judge console::run, "" => "", "";
    get "/console/runs/{id}/report" Judge console::report, "" => "", "";
    get "/console/runs/{id}/{episode}" Judge console::show, "" => "", "";
    get "/console/runs/{id}/{episode}/socket" Judge console::connect, "" => "", "";
    post "/console/runs/{id}/{episode}/stop" Judge console::stop, "" => "", "";
    post "/console/runs/{id}/{episode}/video" Judge console::video, "" => "", "";
}

async fn health() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok" }))
}

async fn key(State(app): State<Arc<App>>) -> Json<serde_json::Value> {
    Json(json!({ "algorithm": "ed25519", "key": app.keys.public() }))
}

/// Run something that waits for the disk, without holding up other requests.
pub(crate) fn waiting<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// Connections that are not encrypted.
pub(crate) struct Plain(pub(crate) tokio::net::TcpListener);

impl Listener for Plain {
    type Io = tokio::net::TcpStream;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, peer) = Listener::accept(&mut self.0).await;
        // Questions to policies are small and each is waited for.
        let _ = stream.set_nodelay(true);
        (stream, peer)
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

/// Serve until told to stop.
pub(crate) async fn serve<L: Listener<Addr: std::fmt::Debug>>(
    listener: L,
    app: Arc<App>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()>
where
    Peer: for<'a> Connected<IncomingStream<'a, L>>,
{
    let router = routes()
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(&app), auth::admit))
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::wrong_method)
        .layer(from_fn_with_state(Arc::clone(&app), observe))
        .layer(from_fn(headers))
        .with_state(app);
    let service = router.into_make_service_with_connect_info::<Peer>();
    axum::serve(listener, service).with_graceful_shutdown(stop).await
}

/// The entry of the table that a request has reached.
pub(crate) fn endpoint(request: &Request) -> Option<&'static Endpoint> {
    let path = request.extensions().get::<MatchedPath>()?;
    let method = match request.method().as_str() {
        // Whoever may read may ask how long it is.
        "HEAD" => "get".to_owned(),
        other => other.to_ascii_lowercase(),
    };
    ENDPOINTS.iter().find(|e| e.path == path.as_str() && e.method == method)
}

/// Count and log what was asked and answered.
async fn observe(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let began = std::time::Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let (status, took) = (response.status().as_u16(), began.elapsed());
    app.metrics.request(status, took);
    tracing::info!(%method, path, status, ms = took.as_secs_f64() * 1e3, "request");
    response
}

/// Pages run no scripts but our own files, are not framed, and ask no other host for anything.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; media-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";

async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await.into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
