//! Everything that can go wrong with a server, each in one sentence.

use std::time::Duration;

use bytes::Bytes;

use super::{conventions::Difference, msgpack::DecodeError, numpy::clip};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// No connection.
    #[error("no connection: {0}")]
    Down(String),
    #[error("no answer within {} s", .0.as_secs_f64())]
    Slow(Duration),
    /// The server is gone, or goes.
    #[error("the server closed the connection ({0})")]
    Closed(String),
    /// The server hung up on us with a complaint, or because its own code failed.
    #[error("the server closed the connection ({0})")]
    HungUp(String),
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
    /// The two sides mean different conventions.
    #[error("{0}")]
    Convention(String),
    /// We cannot ask what the server wants to be asked.
    #[error("{0}")]
    Request(String),
}

/// Whose fault it is when a question fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// The policy's: it answered, and wrongly.
    Policy,
    /// The policy's if its server still serves, nobody's if it does not.
    PolicyIfServed,
    /// Nobody's: the connection is gone.
    Connection,
    /// Ours: the two sides do not fit together.
    Setup,
}

impl Fault {
    /// Both sides name what they mean.
    pub(super) fn differing(differences: &[Difference]) -> Self {
        let each: Vec<_> = differences
            .iter()
            .map(|d| format!("{}: server {}, ours {}", d.what, d.server, d.ours))
            .collect();
        Self::Convention(format!("conventions differ ({})", each.join("; ")))
    }

    pub(super) fn blame(&self) -> Blame {
        match self {
            Self::Down(_) | Self::Closed(_) => Blame::Connection,
            Self::Slow(_) | Self::Text(_) | Self::HungUp(_) => Blame::PolicyIfServed,
            Self::TooLarge { .. }
            | Self::Unasked(_)
            | Self::Protocol(_)
            | Self::NotMsgpack(_)
            | Self::Reply(_) => Blame::Policy,
            Self::Convention(_) | Self::Request(_) => Blame::Setup,
        }
    }

    /// A server's own account of what happened, where it is longer than a line.
    pub(super) fn account(&self) -> Option<&str> {
        let Self::Text(text) = self else { return None };
        let text = text.trim();
        // A traceback says what happened at its end.
        let mut from = text.len().saturating_sub(LONGEST_ACCOUNT);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        text.contains('\n').then(|| &text[from..])
    }
}

/// Most bytes of a traceback that are kept.
const LONGEST_ACCOUNT: usize = 8000;

/// A Python traceback says what happened in its last line.
fn last_line(text: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|l| !l.is_empty());
    clip(line.unwrap_or("an empty text message"))
}
