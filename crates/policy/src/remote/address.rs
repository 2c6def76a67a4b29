//! Where a server listens and what a connection's headers may be called.

use std::fmt;

use super::spec::SpecError;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Host name or address, without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Path, with its leading slash; empty for the root.
    pub path: String,
    /// Whether the connection is encrypted.
    pub tls: bool,
}

impl Address {
    /// How a URL begins.
    pub(super) fn scheme(&self) -> &'static str {
        if self.tls { "wss://" } else { "ws://" }
    }

    /// `HOST:PORT` as URLs have it.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { self.scheme() } else { "" };
        write!(f, "{scheme}{}{}", self.authority(), self.path)
    }
}

/// A header's name is what RFC 9110 calls a token.
pub(super) fn check_header(name: &str) -> Result<(), SpecError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    match !name.is_empty() && name.chars().all(fits) {
        true => Ok(()),
        false => Err(SpecError(format!("{name:?} is not a name of a header"))),
    }
}

/// Reads `HOST`, `HOST:PORT`, `ws://HOST:PORT/PATH` or `wss://HOST:PORT/PATH`.
pub(super) fn address(text: &str) -> Result<Address, SpecError> {
    let wrong = |why: &str| SpecError(format!("{text:?} is not HOST:PORT: {why}"));
    if text.starts_with("http:") || text.starts_with("https:") {
        return Err(wrong("a URL of a policy server begins with ws:// or wss://"));
    }
    let tls = text.starts_with("wss://");
    if tls && !cfg!(feature = "wss") {
        return Err(SpecError(format!(
            "{text}: this build has no encrypted connections; the Python package's longarm has, and so has \
             one built with --features wss; or forward the port (ssh -L) and give ws://localhost:PORT"
        )));
    }
    let url = text.trim_start_matches(if tls { "wss://" } else { "ws://" });
    let (bare, path) = match url.split_once('/') {
        Some((bare, path)) => (bare, path.trim_end_matches('/')),
        None => (url, ""),
    };
    if path.contains(|c: char| !c.is_ascii_graphic() || matches!(c, '#' | '"' | '<' | '>')) {
        return Err(wrong("the path has characters that no URL has"));
    }
    let path = if path.is_empty() { String::new() } else { format!("/{path}") };
    let (host, port) = match bare.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or_else(|| wrong("] is missing"))?;
            (host, after.strip_prefix(':'))
        }
        None => match bare.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (bare, None),
        },
    };
    let odd =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '@' | '#' | '[' | ']');
    if host.is_empty() || host.contains(odd) || (host.contains(':') && !bare.starts_with('[')) {
        return Err(wrong("the host is missing or malformed"));
    }
    let port = match port {
        None if tls => 443,
        None => 8000,
        Some(p) => match p.parse() {
            Ok(p) if p != 0 => p,
            _ => return Err(wrong("the port is a number from 1 to 65535")),
        },
    };
    Ok(Address { host: host.to_owned(), port, path, tls })
}
