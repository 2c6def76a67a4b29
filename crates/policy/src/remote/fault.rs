//! Everything that can go wrong with a server, each in one sentence.

use std::time::Duration;

use bytes::Bytes;

use super::{msgpack::DecodeError, numpy::clip};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// No connection. The only fault that is tried again at once.
    #[error("no connection: {0}")]
    Down(String),
    #[error("no answer within {} s", .0.as_secs_f64())]
    Slow(Duration),
    #[error("the server closed the connection ({0})")]
    Closed(String),
    /// A text frame; openpi puts a traceback into it.
    #[error("the server failed: {}", last_line(.0))]
    Text(String),
    #[error("the server sent a message of {size} bytes; at most {max} are taken (max-mb)")]
    TooLarge { size: usize, max: usize },
    #[error("the server sent a message that nobody had asked for")]
    Unasked(Bytes),
    #[error("the server does not speak WebSocket correctly: {0}")]
    Protocol(String),
    #[error("the server's message is not MessagePack: {0}")]
    NotMsgpack(#[from] DecodeError),
    /// MessagePack, but not what belongs there.
    #[error("{0}")]
    Reply(String),
    /// The two sides mean different things.
    #[error("{0}")]
    Convention(String),
    /// We cannot ask what the server wants to be asked.
    #[error("{0}")]
    Request(String),
}

/// A Python traceback says what happened in its last line.
fn last_line(text: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|l| !l.is_empty());
    clip(line.unwrap_or("an empty text message"))
}
