//! Pages for people: made here, without a script, of what the store holds.

mod account;
mod board;
pub(crate) mod cache;
mod columns;
mod compare;
mod films;
mod home;
mod layout;
mod row;
mod submit;

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::html;

pub(crate) use account::{
    account, act, check_form, hidden, set_up, setup, sign_in, sign_out, signed_in, submission,
};
pub(crate) use board::board;
pub(crate) use compare::compare;
pub(crate) use films::film;
pub(crate) use home::home;
pub(crate) use row::{report, row};
pub(crate) use submit::how_to;

use crate::app::App;
use crate::http::{Answer, Refusal, Who, waiting};

/// The page about a refusal.
pub(crate) fn refusal(status: StatusCode, what: &str) -> Response {
    let title = match status {
        StatusCode::NOT_FOUND => "There is no such page",
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => "This is not open to you",
        _ => "This did not work",
    };
    let body = html! {
        h1 { (title) }
        p.lead { (what) "." }
        p { a href="/" { "To the boards" } }
    };
    Html(layout::page(title, &Who(None), false, &body)).into_response()
}

/// A whole page of another part of the server.
pub(crate) fn layout_page(title: &str, who: &Who, body: &maud::Markup) -> String {
    layout::page(title, who, false, body)
}

/// A page that depends on who looks.
fn own(title: &str, who: &Who, refresh: bool, body: &maud::Markup) -> Response {
    let mut response = Html(layout::page(title, who, refresh, body)).into_response();
    let value = axum::http::HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, value);
    response
}

/// A page that is the same for all who are not signed in: kept, and not sent again to who has it.
fn shared(
    app: &Arc<App>,
    who: &Who,
    headers: &HeaderMap,
    asked: &str,
    make: impl FnOnce() -> Answer<(String, maud::Markup)>,
) -> Answer {
    if who.0.is_some() {
        let (title, body) = waiting(make)?;
        return Ok(own(&title, who, false, &body));
    }
    let (version, _) = waiting(|| app.store.version())?;
    let page: Bytes = waiting(|| {
        app.pages.get(version, asked, || {
            let (title, body) = make()?;
            Ok::<_, Refusal>(layout::page(&title, who, false, &body))
        })
    })?;
    let tag = format!("\"{}\"", &blake3::hash(&page).to_hex()[..24]);
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|v| v.as_bytes() == tag.as_bytes());
    let headers = [(header::ETAG, tag), (header::VARY, "Cookie".to_owned())];
    Ok(match known {
        true => (StatusCode::NOT_MODIFIED, headers).into_response(),
        false => (headers, Html(page)).into_response(),
    })
}

pub(crate) async fn style() -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/css"), (header::CACHE_CONTROL, "public, max-age=3600")];
    (headers, include_str!("style.css")).into_response()
}

/// What pages do better with a script; they work without.
pub(crate) async fn script() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript"),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, include_str!("page.js")).into_response()
}
