//! A submitter's connection becomes the one over which the policy is asked.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::TcpStream;

use super::{Answer, Refusal, Who, own};
use crate::app::App;
use crate::client::TUNNEL;
use crate::model::Method;
use crate::tunnel::Asking;

pub(super) async fn connect(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    mut request: Request,
) -> Answer {
    let s = own(&app, &who, &id)?;
    // A judge may look at it, but does not answer for it.
    if s.account != who.known()?.account.id {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "only its submitter answers for it"));
    }
    if s.method != Method::DialOut || s.status.is_final() {
        let what = format!("submission {id} is {} by {} and is not asked here", s.status, s.method);
        return Err(Refusal::new(StatusCode::CONFLICT, what));
    }
    let wanted = request.headers().get(header::UPGRADE).is_some_and(|v| v == TUNNEL);
    if !wanted {
        let what = format!("this needs the header Upgrade: {TUNNEL}");
        return Err(Refusal::new(StatusCode::UPGRADE_REQUIRED, what));
    }
    let told = app.tunnels.wait(&id);
    let told = told.ok_or_else(|| {
        Refusal::new(StatusCode::TOO_MANY_REQUESTS, "enough connections of it wait to be asked")
    })?;
    let becomes = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(theirs) = becomes.await else { return };
        let mut theirs = TokioIo::new(theirs);
        let mut byte = [0; 1];
        // They say nothing before they are asked: whoever does, or hangs up, is let go.
        let asking = either(async { told.await.ok() }, async {
            let _ = theirs.read(&mut byte).await;
            None
        });
        if let Some(asking) = asking.await {
            let _ = pass(theirs, asking).await;
        }
    });
    let answer = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::CONNECTION, "upgrade")
        .header(header::UPGRADE, TUNNEL)
        .body(Body::empty());
    Ok(answer.map_err(|e| Refusal::bad(e.to_string()))?.into_response())
}

/// Carry bytes both ways until either side ends.
async fn pass(
    mut theirs: TokioIo<hyper::upgrade::Upgraded>,
    asking: Asking,
) -> std::io::Result<()> {
    theirs.write_all(&asking.first).await?;
    asking.stream.set_nonblocking(true)?;
    let mut ours = TcpStream::from_std(asking.stream)?;
    let (mut from, mut to) = tokio::io::split(&mut theirs);
    let (mut asks, mut hears) = ours.split();
    let there = async { copy(&mut asks, &mut to).await.map(drop) };
    let back = async { copy(&mut from, &mut hears).await.map(drop) };
    either(there, back).await
}

/// Wait for whichever of two is done first.
async fn either<T>(a: impl Future<Output = T>, b: impl Future<Output = T>) -> T {
    let (mut a, mut b) = (std::pin::pin!(a), std::pin::pin!(b));
    std::future::poll_fn(|context| match a.as_mut().poll(context) {
        std::task::Poll::Pending => b.as_mut().poll(context),
        ready => ready,
    })
    .await
}
