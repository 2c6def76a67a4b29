//! Answers that are none.

use axum::extract::OriginalUri;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use serde_json::json;

use crate::ServeError;
use crate::pages;
use crate::store::StoreError;

/// Why a request was not carried out.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) what: String,
    /// Whether a person reads it.
    pub(crate) page: bool,
}

/// What a handler gives back.
pub(crate) type Answer<T = Response> = Result<T, Refusal>;

impl Refusal {
    pub(crate) fn new(status: StatusCode, what: impl Into<String>) -> Self {
        Self { status, what: what.into(), page: false }
    }

    /// The same for people.
    pub(crate) fn page(self) -> Self {
        Self { page: true, ..self }
    }

    pub(crate) fn bad(what: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what)
    }

    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what)
    }
}

impl From<StoreError> for Refusal {
    fn from(e: StoreError) -> Self {
        let status = match &e {
            StoreError::Missing { .. } => StatusCode::NOT_FOUND,
            StoreError::Conflict(_) => StatusCode::CONFLICT,
            StoreError::Quota(_) => StatusCode::TOO_MANY_REQUESTS,
            StoreError::Database(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::hidden(status, &e)
    }
}

impl From<ServeError> for Refusal {
    fn from(e: ServeError) -> Self {
        Self::hidden(StatusCode::INTERNAL_SERVER_ERROR, &e)
    }
}

impl Refusal {
    /// What is ours to mend is logged, and the world is told that much.
    fn hidden(status: StatusCode, e: &dyn std::fmt::Display) -> Self {
        if status != StatusCode::INTERNAL_SERVER_ERROR {
            return Self::new(status, e.to_string());
        }
        tracing::error!(error = %e, "a request failed");
        Self::new(status, "the server failed; its log says why")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = match self.page {
            true => pages::refusal(self.status, &self.what),
            false => Json(json!({ "error": self.what })).into_response(),
        };
        *response.status_mut() = self.status;
        if self.status == StatusCode::UNAUTHORIZED {
            let value = axum::http::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
        }
        response
    }
}

pub(crate) fn is_page(path: &str) -> bool {
    !path.starts_with("/api/")
}

pub(super) async fn not_found(OriginalUri(uri): OriginalUri) -> Refusal {
    let refusal = Refusal::missing(format!("there is no {}", uri.path()));
    Refusal { page: is_page(uri.path()), ..refusal }
}

pub(super) async fn wrong_method(OriginalUri(uri): OriginalUri) -> Refusal {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    let refusal = Refusal::new(status, format!("{} does not take this method", uri.path()));
    Refusal { page: is_page(uri.path()), ..refusal }
}
