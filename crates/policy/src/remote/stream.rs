//! The bytes of a connection, plain or encrypted, that never wait beyond a deadline.

use std::{
    io::{self, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    time::{Duration, Instant},
};

use super::{
    address::Address,
    fault::Fault,
    numpy::clip,
    tls::{Encrypted, Trust},
};

/// A host that does not even answer is given up sooner than one that computes.
const CONNECT: Duration = Duration::from_secs(5);

/// A socket whose every operation ends by the deadline, however slowly bytes trickle.
#[derive(Debug)]
pub(super) struct Timed {
    tcp: TcpStream,
    pub(super) deadline: Instant,
    /// Do not wait at all.
    pub(super) polling: bool,
}

impl Timed {
    fn open(address: &Address, limit: Duration) -> Result<Self, Fault> {
        let deadline = Instant::now() + limit;
        Ok(Self { tcp: dial(address, limit.min(CONNECT))?, deadline, polling: false })
    }

    /// Waits for nothing from now on, or for everything until the deadline.
    pub(super) fn poll(&mut self, polling: bool) -> io::Result<()> {
        self.polling = polling;
        self.tcp.set_nonblocking(polling)
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }

    /// A socket timeout shows as either kind; tungstenite would take one of them for "try later".
    fn timed<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|e| match e.kind() {
            io::ErrorKind::WouldBlock if !self.polling => io::ErrorKind::TimedOut.into(),
            _ => e,
        })
    }
}

impl Read for Timed {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.polling {
            self.tcp.set_read_timeout(Some(self.left()?))?;
        }
        let got = self.tcp.read(buf);
        self.timed(got)
    }
}

impl Write for Timed {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if !self.polling {
            self.tcp.set_write_timeout(Some(self.left()?))?;
        }
        let put = self.tcp.write(buf);
        self.timed(put)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}

/// The bytes of a connection.
#[derive(Debug)]
pub(super) enum Stream {
    /// As they are.
    Plain(Timed),
    /// Over TLS.
    Encrypted(Encrypted),
}

impl Stream {
    /// Connects, and encrypts if the address says so; `limit` bounds the handshake.
    pub(super) fn open(
        address: &Address,
        trust: Option<&Trust>,
        limit: Duration,
    ) -> Result<Self, Fault> {
        let timed = Timed::open(address, limit)?;
        match trust {
            _ if !address.tls => Ok(Self::Plain(timed)),
            Some(t) => Encrypted::open(t, &address.host, timed, limit).map(Self::Encrypted),
            None => Err(Fault::Request("nobody is trusted for encrypted connections".to_owned())),
        }
    }

    /// The socket below.
    pub(super) fn timed(&mut self) -> &mut Timed {
        match self {
            Self::Plain(timed) => timed,
            Self::Encrypted(tls) => tls.timed(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.read(buf),
            Self::Encrypted(tls) => tls.read(buf),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.write(buf),
            Self::Encrypted(tls) => tls.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(timed) => timed.flush(),
            Self::Encrypted(tls) => tls.flush(),
        }
    }
}

fn dial(address: &Address, limit: Duration) -> Result<TcpStream, Fault> {
    let addresses = (address.host.as_str(), address.port)
        .to_socket_addrs()
        .map_err(|e| Fault::Down(format!("the host name does not resolve ({e})")))?;
    let mut last = "the host name has no address".to_owned();
    for a in addresses {
        match TcpStream::connect_timeout(&a, limit) {
            Ok(tcp) => {
                tcp.set_nodelay(true).map_err(|e| Fault::Down(e.to_string()))?;
                return Ok(tcp);
            }
            Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => {
                last = "nothing listens there (connection refused)".to_owned();
            }
            Err(e) => last = e.to_string(),
        }
    }
    Err(Fault::Down(last))
}

/// Asks `GET path` over HTTP; a server that is ready answers 200.
pub(super) fn healthy(address: &Address, trust: Option<&Trust>, path: &str) -> Result<(), Fault> {
    let mut stream = Stream::open(address, trust, CONNECT)?;
    let down = |e: io::Error| Fault::Down(format!("GET {path} failed ({e})"));
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        address.authority()
    )
    .map_err(down)?;
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < 64 && byte[0] != b'\n' && stream.read(&mut byte).map_err(down)? == 1 {
        line.push(byte[0]);
    }
    let line = String::from_utf8_lossy(&line);
    match line.split(' ').nth(1).map(str::trim) {
        Some("200") => Ok(()),
        _ => Err(Fault::Down(format!("GET {path} answered {:?}", clip(line.trim())))),
    }
}
