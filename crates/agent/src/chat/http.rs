//! One request over HTTP/1.1, with a deadline and a limit on what comes back. Redirects are not followed.

use std::io::{self, Read, Write};
use std::time::Instant;

use longarm_policy::remote::Address;
use longarm_policy::remote::dial::{Connection, ENCRYPTS, NoConnection, Trust};

/// Read where requests go: `http://HOST:PORT/PATH`, or `https://` where this build encrypts.
pub(crate) fn url(text: &str) -> Result<Address, String> {
    let (rest, tls) = match (text.strip_prefix("http://"), text.strip_prefix("https://")) {
        (Some(rest), _) => (rest, false),
        (_, Some(rest)) => (rest, true),
        _ => {
            return Err(format!("{text:?}: an endpoint is http://HOST:PORT/v1 or https://HOST/v1"));
        }
    };
    if tls && !ENCRYPTS {
        return Err(format!(
            "{text:?}: this build has no encrypted connections; the Python package's longarm has, and so has \
             one built with --features wss; or give http:// and a proxy on this machine"
        ));
    }
    let (at, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (host, port) = match at.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            let port = port.parse().map_err(|_| format!("{text:?}: {port:?} is not a port"))?;
            (host, port)
        }
        _ => (at, if tls { 443 } else { 80 }),
    };
    if host.is_empty() || host.contains(['@', '?', '#', ' ']) || path.contains([' ', '#']) {
        return Err(format!("{text:?} is not http://HOST:PORT/PATH"));
    }
    let path = format!("/{}", path.trim_end_matches('/'));
    Ok(Address { host: host.trim_matches(['[', ']']).to_owned(), port, path, tls })
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
    /// Whoever is there is not trusted.
    Refused(String),
    /// It did not answer in time.
    Late,
    /// It answered with something else than an answer.
    Garbled(String),
}

/// Post a body and return the answer.
pub(crate) fn post(
    (url, trust): (&Address, Option<&Trust>),
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
    deadline: Instant,
    most: usize,
) -> Result<Reply, Lost> {
    let at = url.authority();
    let mut stream = Connection::open(url, trust, deadline).map_err(|e| match e {
        NoConnection::Late => Lost::Late,
        NoConnection::Away(why) => Lost::Unreachable(format!("{at} cannot be reached: {why}")),
        NoConnection::Refused(why) => Lost::Refused(format!("{at}: {why}")),
    })?;
    let mut head = format!(
        "POST {}{path} HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\nAccept: application/json\r\n",
        url.path.trim_end_matches('/'),
        body.len()
    );
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    let sent = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body))
        .and_then(|()| stream.flush());
    // A server may answer and hang up before it has read everything: what it says counts.
    let bytes = read(&mut stream, most)?;
    if bytes.is_empty() {
        let why = sent.err().map_or("it hung up".to_owned(), |e| e.to_string());
        return Err(Lost::Unreachable(format!("{at} cannot be reached: {why}")));
    }
    parse(&bytes)
}

/// Read until the server hangs up or the body is complete.
fn read(stream: &mut impl Read, most: usize) -> Result<Vec<u8>, Lost> {
    let mut bytes = Vec::new();
    let mut part = [0; 16 * 1024];
    loop {
        match stream.read(&mut part) {
            Ok(0) => return Ok(bytes),
            Ok(n) => bytes.extend_from_slice(&part[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::TimedOut => return Err(Lost::Late),
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
        let at = url("http://gpu1:8000/v1/").unwrap();
        assert_eq!((at.host.as_str(), at.port, at.path.as_str()), ("gpu1", 8000, "/v1"));
        assert_eq!(url("http://gpu1").unwrap().port, 80);
        assert_eq!(url("http://[::1]:81/v1").unwrap().host, "::1");
        for bad in ["gpu1:8000", "ftp://gpu1", "http://", "http://a:b/", "http://key@gpu1/"] {
            assert!(url(bad).is_err(), "{bad}");
        }
        match url("https://api.example.com/v1") {
            Ok(at) => assert!(ENCRYPTS && at.tls && at.port == 443),
            Err(e) => assert!(!ENCRYPTS && e.contains("--features wss"), "{e}"),
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
