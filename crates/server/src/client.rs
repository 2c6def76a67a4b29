//! Asking a server: a small HTTP client for the command line.

mod answer;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use longarm_policy::remote::Address;
use longarm_policy::remote::dial::{Connection, ENCRYPTS, Trust};
use serde_json::Value;

/// What a connection over which a server asks is called.
pub(crate) const TUNNEL: &str = "longarm-policy";
/// How long an answer, or a piece of what is sent, may take.
const WAIT: Duration = Duration::from_secs(120);
/// Longest answer that is read.
const LONGEST: u64 = 64 << 20;

/// A server and who we are to it.
#[derive(Clone)]
pub struct Client {
    address: Address,
    trust: Option<Arc<Trust>>,
    token: Option<String>,
}

/// Why there is no answer, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct ClientError {
    /// The status, where the server refused.
    pub status: Option<u16>,
    /// What is wrong.
    pub what: String,
}

impl ClientError {
    fn new(what: impl Into<String>) -> Self {
        Self { status: None, what: what.into() }
    }
}

impl Client {
    /// A client of `http://HOST:PORT` or `https://HOST:PORT`; the latter must have a certificate that this machine
    /// trusts, or that is in a file of PEM.
    pub fn new(url: &str, token: Option<String>, ca: Option<&Path>) -> Result<Self, ClientError> {
        let wrong = || {
            let what = format!("{url:?} is not the address of a server: http://HOST:PORT");
            ClientError::new(what)
        };
        let (rest, tls) = match (url.strip_prefix("http://"), url.strip_prefix("https://")) {
            (Some(rest), _) => (rest, false),
            (_, Some(rest)) if ENCRYPTS => (rest, true),
            (_, Some(_)) => {
                let what =
                    "this build has no encrypted connections; use one built with --features tls";
                return Err(ClientError::new(format!("{url}: {what}")));
            }
            _ => return Err(wrong()),
        };
        let (at, path) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |s: &str| !s.contains([' ', '\r', '\n', '@', '#', '?']);
        if at.is_empty() || !plain(at) || !plain(path) {
            return Err(wrong());
        }
        if token.as_ref().is_some_and(|t| t.contains(|c: char| !c.is_ascii_graphic())) {
            return Err(ClientError::new("the token holds characters that no token has"));
        }
        let (host, port) = match at.rsplit_once(':') {
            Some((host, port)) if !at.ends_with(']') => (host, port.parse().map_err(|_| wrong())?),
            _ => (at, if tls { 443 } else { 80 }),
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        let path = match path.trim_end_matches('/') {
            "" => String::new(),
            path => format!("/{path}"),
        };
        let trust = match tls {
            true => Some(Arc::new(Trust::load(ca).map_err(ClientError::new)?)),
            false => None,
        };
        Ok(Self { address: Address { host, port, path, tls }, trust, token })
    }

    /// Ask for something.
    pub fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.json("GET", path, &[], 0, &mut std::io::empty())
    }

    /// Send JSON.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        let text = body.to_string();
        let kind = [("Content-Type", "application/json".to_owned())];
        self.json("POST", path, &kind, text.len() as u64, &mut text.as_bytes())
    }

    /// Send bytes from an offset on.
    pub fn append(
        &self,
        path: &str,
        offset: u64,
        size: u64,
        body: &mut dyn Read,
    ) -> Result<Value, ClientError> {
        let at = [("Upload-Offset", offset.to_string())];
        self.json("PATCH", path, &at, size, body)
    }

    fn json(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        size: u64,
        body: &mut dyn Read,
    ) -> Result<Value, ClientError> {
        let (status, text) = self.request(method, path, headers, size, body)?;
        let value: Value = serde_json::from_slice(&text).unwrap_or_default();
        if (200..300).contains(&status) {
            return Ok(value);
        }
        let what = value["error"].as_str().map_or_else(
            || format!("{} answered with status {status}", self.address.authority()),
            str::to_owned,
        );
        Err(ClientError { status: Some(status), what })
    }

    fn lost(&self, e: &dyn std::fmt::Display) -> ClientError {
        ClientError::new(format!("{}: {e}", self.address.authority()))
    }

    /// How a request begins.
    fn head(&self, method: &str, path: &str) -> String {
        let (at, prefix) = (self.address.authority(), &self.address.path);
        let mut head = format!("{method} {prefix}{path} HTTP/1.1\r\nHost: {at}\r\n");
        if let Some(token) = &self.token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        head
    }

    /// Send a request and return the status and body of the answer.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        size: u64,
        body: &mut dyn Read,
    ) -> Result<(u16, Vec<u8>), ClientError> {
        let lost = |e: std::io::Error| self.lost(&e);
        let mut stream =
            Connection::open(&self.address, self.trust.as_deref(), Instant::now() + WAIT)
                .map_err(|e| self.lost(&e))?;
        let mut head = self.head(method, path) + "Connection: close\r\n";
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {size}\r\n\r\n");
        stream.write_all(head.as_bytes()).map_err(lost)?;
        // A server that refuses may answer before it has read everything.
        let sent = send(&mut body.take(size), &mut stream);
        stream.set_deadline(Instant::now() + WAIT);
        let answer = read(&mut stream);
        match (sent, answer) {
            (_, Ok(answer)) => Ok(answer),
            (Err(e), _) | (Ok(_), Err(e)) => Err(lost(e)),
        }
    }
}

/// Send a body; each piece has its time.
fn send(body: &mut dyn Read, stream: &mut Connection) -> std::io::Result<()> {
    let mut piece = vec![0; 64 << 10];
    loop {
        let n = body.read(&mut piece)?;
        stream.set_deadline(Instant::now() + WAIT);
        if n == 0 {
            return stream.flush();
        }
        stream.write_all(&piece[..n])?;
    }
}

fn read(stream: &mut Connection) -> std::io::Result<(u16, Vec<u8>)> {
    let garbled = |what: &str| std::io::Error::other(format!("it does not speak HTTP: {what}"));
    let mut reader = BufReader::new(stream.take(LONGEST));
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|s| s.parse().ok());
    let status = status.ok_or_else(|| garbled(line.trim()))?;
    let (mut length, mut chunked) = (None, false);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse::<u64>().ok(),
            "transfer-encoding" => chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !chunked {
        match length {
            Some(n) => reader.take(n).read_to_end(&mut body)?,
            None => reader.read_to_end(&mut body)?,
        };
        return Ok((status, body));
    }
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let size =
            u64::from_str_radix(line.trim(), 16).map_err(|_| garbled("a chunk without a size"))?;
        (&mut reader).take(size).read_to_end(&mut body)?;
        line.clear();
        reader.read_line(&mut line)?;
        if size == 0 {
            return Ok((status, body));
        }
    }
}
