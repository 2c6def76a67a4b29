//! One request over HTTP/1.1, with a deadline and a limit on what comes back. Redirects are not followed.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Where requests go: `http://HOST:PORT/PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    pub host: String,
    pub port: u16,
    pub path: String,
}

impl std::str::FromStr for Url {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix("http://") else {
            let why = match text.starts_with("https://") {
                true => "encrypted endpoints need a proxy on this machine that speaks http://",
                false => "an endpoint is http://HOST:PORT/v1",
            };
            return Err(format!("{text:?}: {why}"));
        };
        let (at, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match at.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                let port = port.parse().map_err(|_| format!("{text:?}: {port:?} is not a port"))?;
                (host, port)
            }
            _ => (at, 80),
        };
        if host.is_empty() || host.contains(['@', '?', '#', ' ']) || path.contains([' ', '#']) {
            return Err(format!("{text:?} is not http://HOST:PORT/PATH"));
        }
        let path = format!("/{}", path.trim_end_matches('/'));
        Ok(Self { host: host.trim_matches(['[', ']']).to_owned(), port, path })
    }
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub status: u16,
    /// Seconds after which it wants to be asked again.
    pub retry_after: Option<f64>,
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Nobody is there.
    Unreachable(String),
    /// It did not answer in time.
    Late,
    /// It answered with something else than an answer.
    Garbled(String),
}

/// Post a body and return the answer.
pub(crate) fn post(
    url: &Url,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
    deadline: Instant,
    most: usize,
) -> Result<Reply, Lost> {
    let unreachable = |e: &dyn std::fmt::Display| {
        Lost::Unreachable(format!("{}:{} cannot be reached: {e}", url.host, url.port))
    };
    let addresses = (url.host.as_str(), url.port).to_socket_addrs().map_err(|e| unreachable(&e))?;
    let mut stream = Err(unreachable(&"it has no address"));
    for address in addresses {
        stream = TcpStream::connect_timeout(&address, left(deadline)?).map_err(|e| unreachable(&e));
        if stream.is_ok() {
            break;
        }
    }
    let mut stream = stream?;
    let mut head = format!(
        "POST {}{path} HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\nAccept: application/json\r\n",
        url.path.trim_end_matches('/'),
        url.host,
        url.port,
        body.len()
    );
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    let sent = stream
        .set_write_timeout(Some(left(deadline)?))
        .and_then(|()| stream.write_all(head.as_bytes()))
        .and_then(|()| stream.write_all(body));
    // A server may answer and hang up before it has read everything: what it says counts.
    let sent = sent.map_err(|e| unreachable(&e));
    let bytes = read(&mut stream, deadline, most)?;
    if bytes.is_empty() {
        sent?;
        return Err(Lost::Unreachable(format!("{}:{} hung up", url.host, url.port)));
    }
    parse(&bytes)
}

fn left(deadline: Instant) -> Result<Duration, Lost> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left < Duration::from_millis(1) { Err(Lost::Late) } else { Ok(left) }
}

/// Read until the server hangs up or the body is complete.
fn read(stream: &mut TcpStream, deadline: Instant, most: usize) -> Result<Vec<u8>, Lost> {
    let mut bytes = Vec::new();
    let mut part = [0; 16 * 1024];
    loop {
        let timeout = stream.set_read_timeout(Some(left(deadline)?));
        timeout.map_err(|e| Lost::Unreachable(e.to_string()))?;
        match stream.read(&mut part) {
            Ok(0) => return Ok(bytes),
            Ok(n) => bytes.extend_from_slice(&part[..n]),
            Err(e) if matches!(e.kind(), std::io::ErrorKind::Interrupted) => {}
            Err(e)
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) => {}
            Err(_) => return Ok(bytes),
        }
        if bytes.len() > most {
            return Err(Lost::Garbled(format!("its answer is longer than {most} bytes")));
        }
        if complete(&bytes) {
            return Ok(bytes);
        }
    }
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.windows(4).position(|w| w == b"\r\n\r\n")?;
    Some((&bytes[..at], &bytes[at + 4..]))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.lines().skip(1).filter_map(|l| l.split_once(':'));
    lines.into_iter().find(|(n, _)| n.trim().eq_ignore_ascii_case(name)).map(|(_, v)| v.trim())
}

/// Whether a whole answer is there; one that says neither its length nor its pieces ends with the connection.
fn complete(bytes: &[u8]) -> bool {
    let Some((head, body)) = split(bytes) else { return false };
    let head = String::from_utf8_lossy(head);
    if let Some(n) = header(&head, "content-length").and_then(|v| v.parse::<usize>().ok()) {
        return body.len() >= n;
    }
    let pieces = header(&head, "transfer-encoding").is_some_and(|v| v.contains("chunked"));
    pieces && body.ends_with(b"0\r\n\r\n") && joined(body).is_some()
}

fn parse(bytes: &[u8]) -> Result<Reply, Lost> {
    let garbled = || Lost::Garbled("its answer is not HTTP".to_owned());
    let (head, body) = split(bytes).ok_or_else(garbled)?;
    let head = String::from_utf8_lossy(head);
    let status = head.split(' ').nth(1).and_then(|s| s.get(..3)).and_then(|s| s.parse().ok());
    let status = status.ok_or_else(garbled)?;
    let retry_after = header(&head, "retry-after").and_then(|v| v.parse().ok());
    let pieces = header(&head, "transfer-encoding").is_some_and(|v| v.contains("chunked"));
    let length = header(&head, "content-length").and_then(|v| v.parse::<usize>().ok());
    let body = match (pieces, length) {
        (true, _) => joined(body).ok_or_else(garbled)?,
        (false, Some(n)) if body.len() < n => {
            return Err(Lost::Garbled("its answer breaks off".to_owned()));
        }
        (false, Some(n)) => body[..n].to_vec(),
        (false, None) => body.to_vec(),
    };
    Ok(Reply { status, retry_after, body })
}

/// Join the pieces of a chunked body.
fn joined(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let end = body.windows(2).position(|w| w == b"\r\n")?;
        let size = std::str::from_utf8(&body[..end]).ok()?.split(';').next()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        body = &body[end + 2..];
        if size == 0 {
            return Some(out);
        }
        out.extend_from_slice(body.get(..size)?);
        body = body.get(size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_refused() {
        let url: Url = "http://gpu1:8000/v1/".parse().unwrap();
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("gpu1", 8000, "/v1"));
        assert_eq!("http://gpu1".parse::<Url>().unwrap().port, 80);
        assert_eq!("http://[::1]:81/v1".parse::<Url>().unwrap().host, "::1");
        for bad in ["gpu1:8000", "https://gpu1", "http://", "http://a:b/", "http://key@gpu1/"] {
            assert!(bad.parse::<Url>().is_err(), "{bad}");
        }
    }

    #[test]
    fn answers_are_put_together() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
        assert_eq!(parse(whole).unwrap().body, b"hi");
        assert!(complete(whole) && !complete(&whole[..whole.len() - 1]));
        let pieces = b"HTTP/1.1 429 Slow\r\nTransfer-Encoding: chunked\r\nRetry-After: 2\r\n\r\n\
                       2\r\nhi\r\n1;x=y\r\n!\r\n0\r\n\r\n";
        let reply = parse(pieces).unwrap();
        assert_eq!((reply.status, reply.retry_after), (429, Some(2.0)));
        assert_eq!(reply.body, b"hi!");
        assert!(complete(pieces));
        // The end of a piece may look like the end of all.
        let more = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n0\r\n\r\n\r\n\r\n";
        assert!(!complete(&more[..more.len() - 3]) && !complete(more));
        for bad in [&b"hello"[..], b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"] {
            assert!(matches!(parse(bad), Err(Lost::Garbled(_))));
        }
    }
}
