//! Asking a server: a small HTTP client for the command line. Encrypted servers are reached through a proxy
//! on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// What a connection over which a server asks is called.
pub(crate) const TUNNEL: &str = "longarm-policy";
/// How long an answer may take.
const WAIT: Duration = Duration::from_secs(120);
/// Longest answer that is read.
const LONGEST: u64 = 64 << 20;

/// A server and who we are to it.
#[derive(Clone)]
pub struct Client {
    host: String,
    path: String,
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
    /// A client of `http://HOST:PORT`.
    pub fn new(url: &str, token: Option<String>) -> Result<Self, ClientError> {
        let Some(rest) = url.strip_prefix("http://") else {
            return Err(ClientError::new(match url.starts_with("https://") {
                true => format!(
                    "{url}: encrypted servers need a proxy on this machine that speaks http://"
                ),
                false => format!("{url:?} is not the address of a server: http://HOST:PORT"),
            }));
        };
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |s: &str| !s.contains([' ', '\r', '\n', '@', '#', '?']);
        if host.is_empty() || !plain(host) || !plain(path) {
            return Err(ClientError::new(format!(
                "{url:?} is not the address of a server: http://HOST:PORT"
            )));
        }
        if token.as_ref().is_some_and(|t| t.contains(|c: char| !c.is_ascii_graphic())) {
            return Err(ClientError::new("the token holds characters that no token has"));
        }
        let bare = host.ends_with(']') || !host.contains(':');
        let host = if bare { format!("{host}:80") } else { host.to_owned() };
        Ok(Self { host, path: path.trim_end_matches('/').to_owned(), token })
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
        let what = value["error"]
            .as_str()
            .map_or_else(|| format!("{} answered with status {status}", self.host), str::to_owned);
        Err(ClientError { status: Some(status), what })
    }

    fn lost(&self, e: &std::io::Error) -> ClientError {
        ClientError::new(format!("{}: {e}", self.host))
    }

    fn connect(&self) -> Result<TcpStream, ClientError> {
        let open = || {
            let stream = TcpStream::connect(&self.host)?;
            stream.set_read_timeout(Some(WAIT))?;
            stream.set_write_timeout(Some(WAIT))?;
            stream.set_nodelay(true)?;
            Ok(stream)
        };
        open().map_err(|e| self.lost(&e))
    }

    /// How a request begins.
    fn head(&self, method: &str, path: &str) -> String {
        let prefix = if self.path.is_empty() { String::new() } else { format!("/{}", self.path) };
        let mut head = format!("{method} {prefix}{path} HTTP/1.1\r\nHost: {}\r\n", self.host);
        if let Some(token) = &self.token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        head
    }

    /// Open a connection over which the server asks.
    pub fn tunnel(&self, path: &str) -> Result<TcpStream, ClientError> {
        let mut stream = self.connect()?;
        let head =
            self.head("GET", path) + "Connection: upgrade\r\nUpgrade: " + TUNNEL + "\r\n\r\n";
        stream.write_all(head.as_bytes()).map_err(|e| self.lost(&e))?;
        // Byte by byte: what follows the answer is not ours to read.
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") && answer.len() < 16 << 10 {
            let mut byte = [0; 1];
            stream.read_exact(&mut byte).map_err(|e| self.lost(&e))?;
            answer.push(byte[0]);
        }
        let answer = String::from_utf8_lossy(&answer);
        match answer.split(' ').nth(1).and_then(|s| s.parse().ok()) {
            Some(101) => {
                stream
                    .set_read_timeout(None)
                    .and_then(|()| stream.set_write_timeout(None))
                    .map_err(|e| self.lost(&e))?;
                Ok(stream)
            }
            status => Err(ClientError { status, what: format!("{} lets nobody in", self.host) }),
        }
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
        let mut stream = self.connect()?;
        let mut head = self.head(method, path) + "Connection: close\r\n";
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {size}\r\n\r\n");
        stream.write_all(head.as_bytes()).map_err(lost)?;
        // A server that refuses may answer before it has read everything.
        let sent = std::io::copy(&mut body.take(size), &mut stream);
        let answer = read(&stream);
        match (sent, answer) {
            (_, Ok(answer)) => Ok(answer),
            (Err(e), _) | (Ok(_), Err(e)) => Err(lost(e)),
        }
    }
}

fn read(stream: &TcpStream) -> std::io::Result<(u16, Vec<u8>)> {
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
