//! Connections for clients that are no policies: bytes by a deadline, plain or encrypted.

use std::io::{self, Read, Write};
use std::time::Instant;

pub use super::tls::Trust;
use super::{Address, fault::Fault, stream::Stream};

/// Whether this build has encrypted connections.
pub const ENCRYPTS: bool = cfg!(feature = "wss");

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoConnection {
    /// The deadline passed.
    #[error("no connection in time")]
    Late,
    /// Nobody answers; somebody may later.
    #[error("{0}")]
    Away(String),
    /// Somebody answers who is not trusted or does not speak TLS: trying again cannot help.
    #[error("{0}")]
    Refused(String),
}

/// A connection whose every operation ends by its deadline, as [`io::ErrorKind::TimedOut`] if it must.
#[derive(Debug)]
pub struct Connection(Stream);

impl Connection {
    /// Connect; encrypted where the address says so, which takes somebody to trust.
    pub fn open(
        address: &Address,
        trust: Option<&Trust>,
        until: Instant,
    ) -> Result<Self, NoConnection> {
        let limit = until.saturating_duration_since(Instant::now());
        if limit.is_zero() {
            return Err(NoConnection::Late);
        }
        let stream = Stream::open(address, trust, limit).map_err(|fault| match fault {
            Fault::Slow(_) => NoConnection::Late,
            Fault::Request(why) => NoConnection::Refused(why),
            Fault::Down(why) => NoConnection::Away(why),
            other => NoConnection::Away(other.to_string()),
        })?;
        Ok(Self(stream))
    }

    /// Move the deadline.
    pub fn set_deadline(&mut self, until: Instant) {
        self.0.timed().deadline = until;
    }
}

impl Read for Connection {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl Write for Connection {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.0.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
