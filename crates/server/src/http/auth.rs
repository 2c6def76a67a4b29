//! Who is asking, and whether they may.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::serve::IncomingStream;
use http_body_util::Limited;

use super::error::is_page;
use super::{Access, Answer, Plain, Refusal, endpoint, waiting};
use crate::app::App;
use crate::clock::Moment;
use crate::model::Role;
use crate::secret::{TOKEN_PREFIX, hash};
use crate::store::Known;

const COOKIE: &str = "longarm_session";

/// Whoever asks; none on public pages without a session.
#[derive(Clone, Debug)]
pub(crate) struct Who(pub(crate) Option<Known>);

impl Who {
    /// Return the account; the table made sure that there is one.
    pub(crate) fn known(&self) -> Answer<&Known> {
        let refusal = || Refusal::new(StatusCode::UNAUTHORIZED, "this needs a token");
        self.0.as_ref().ok_or_else(refusal)
    }

    /// Whether it may see and change what belongs to an account.
    pub(crate) fn may(&self, account: i64) -> bool {
        self.0.as_ref().is_some_and(|k| k.account.id == account || k.account.role >= Role::Judge)
    }
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Connected<IncomingStream<'_, Plain>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Plain>) -> Self {
        Self(stream.remote_addr().ip())
    }
}

#[cfg(feature = "tls")]
impl Connected<IncomingStream<'_, crate::tls::Door>> for Peer {
    fn connect_info(stream: IncomingStream<'_, crate::tls::Door>) -> Self {
        Self(stream.remote_addr().ip())
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|v| v.to_str().ok());
    let mut pairs = all.flat_map(|v| v.split(';')).filter_map(|p| p.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// Return the cookie of a session that has just been opened.
pub(crate) fn session_cookie(app: &App, token: &str, seconds: i64) -> String {
    let public = app.settings.public_url.as_deref().unwrap_or_default();
    let encrypted = app.settings.encrypts() || public.starts_with("https://");
    let secure = if encrypted { "; Secure" } else { "" };
    format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
}

/// Return the cookie that takes one away, and the hash of the session it named.
pub(crate) fn spent_cookie(headers: &HeaderMap) -> (String, Option<[u8; 32]>) {
    (format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"), cookie(headers).map(hash))
}

/// Whether a form was sent from a page of ours.
fn same_origin(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|v: &axum::http::HeaderValue| v.to_str().ok());
    let Some(origin) = text(header::ORIGIN) else {
        // No browser leaves it out of a form that crosses over.
        return true;
    };
    let host = text(header::HOST).unwrap_or_default();
    origin.split_once("://").is_some_and(|(_, o)| o == host)
}

/// Let through whom the table lets through.
pub(super) async fn admit(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let page = is_page(request.uri().path());
    match check(&app, &mut request) {
        Ok(most) => {
            let request = match most {
                None => request,
                Some(most) => request.map(|body| Body::new(Limited::new(body, most))),
            };
            next.run(request).await
        }
        Err(refusal) => {
            let sign_in = page && refusal.status == StatusCode::UNAUTHORIZED;
            match sign_in && request.method() == axum::http::Method::GET {
                true => axum::response::Redirect::to("/sign-in").into_response(),
                false => Refusal { page, ..refusal }.into_response(),
            }
        }
    }
}

/// Return how many bytes may be sent.
fn check(app: &App, request: &mut Request) -> Answer<Option<usize>> {
    let Some(endpoint) = endpoint(request) else {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this takes another method"));
    };
    // Nothing has such a name, and not every database takes it in a question.
    if request.uri().path().contains("%00") {
        return Err(Refusal::missing(format!("there is no {}", request.uri().path())));
    }
    let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|c| c.0.0);
    let peer = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
    let page = is_page(endpoint.path);
    let changes = endpoint.method != "get";
    if page && changes && !same_origin(request.headers()) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "this form comes from another site"));
    }
    let bearer = request.headers().get(header::AUTHORIZATION).map(|v| {
        let text = v.to_str().unwrap_or_default();
        text.strip_prefix("Bearer ").unwrap_or_default().trim().to_owned()
    });
    let who = match bearer {
        Some(token) => {
            let looks = token.starts_with(TOKEN_PREFIX) && token.len() < 100;
            let found = if looks { waiting(|| app.store.by_token(hash(&token)))? } else { None };
            // Who has a good one is let in whatever others try from the same address.
            if found.is_none() {
                return Err(match app.rates.may_guess(peer) {
                    true => Refusal::new(
                        StatusCode::UNAUTHORIZED,
                        "this token is not known, or was revoked",
                    ),
                    false => Refusal::new(
                        StatusCode::TOO_MANY_REQUESTS,
                        "too many wrong tokens from this address; wait a minute",
                    ),
                });
            }
            found
        }
        // A browser sends cookies whoever wrote the page: they open pages, and of the API what is read.
        None if page || !changes => match cookie(request.headers()) {
            Some(token) if token.len() < 100 => {
                waiting(|| app.store.by_session(hash(token), Moment::now()))?
            }
            _ => None,
        },
        None => None,
    };
    let role = who.as_ref().map(|k| k.account.role);
    let enough = match endpoint.access {
        Access::Public => true,
        Access::Account => role.is_some(),
        Access::Judge => role >= Some(Role::Judge),
        Access::Administrator => role >= Some(Role::Administrator),
    };
    if !enough {
        return Err(match role {
            None => Refusal::new(
                StatusCode::UNAUTHORIZED,
                "this needs a token: Authorization: Bearer TOKEN",
            ),
            Some(role) => {
                let needed = match endpoint.access {
                    Access::Administrator => Role::Administrator,
                    _ => Role::Judge,
                };
                let what = format!("this needs {}; you are {}", needed.called(), role.called());
                Refusal::new(StatusCode::FORBIDDEN, what)
            }
        });
    }
    // Judges' workers tell as fast as they play.
    if let Some(known) = who.as_ref().filter(|_| changes && endpoint.access != Access::Judge)
        && !app.rates.may_change(known.account.id)
    {
        let what = "this account changes too much at once; wait a minute";
        return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, what));
    }
    request.extensions_mut().insert(Who(who));
    request.extensions_mut().insert(Peer(peer));
    Ok(endpoint.most())
}
