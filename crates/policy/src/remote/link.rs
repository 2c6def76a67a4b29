//! One WebSocket connection with a clock, a size limit and no way to hang.

use std::{
    io,
    time::{Duration, Instant},
};

use bytes::Bytes;
use tungstenite::{
    Error, HandshakeError, Message, WebSocket,
    client::{IntoClientRequest, client_with_config},
    error::{CapacityError, ProtocolError},
    http::HeaderName,
    protocol::WebSocketConfig,
};

use super::{
    Secret,
    address::Address,
    fault::Fault,
    numpy::clip,
    stream::Stream,
    tls::{self, Trust},
};

/// A message from a server.
#[derive(Debug)]
pub(super) enum Incoming {
    /// Data.
    Binary(Bytes),
    /// Openpi's way to say that something broke; RoboArena's way to say that a reset worked.
    Text(String),
}

/// A connection. The clock it carries is the only one in an episode: it bounds how long a server
/// may take and never reaches the simulation.
#[derive(Debug)]
pub(super) struct Link {
    ws: WebSocket<Stream>,
    limit: Duration,
}

impl Link {
    /// Connects and upgrades to WebSocket. `limit` bounds the upgrade, for a server that computes
    /// for another client answers nobody, and every exchange until [`Link::limit`] says otherwise.
    pub fn open(
        address: &Address,
        trust: Option<&Trust>,
        headers: &[(String, Secret)],
        limit: Duration,
        max_message: usize,
    ) -> Result<Self, Fault> {
        let stream = Stream::open(address, trust, limit)?;
        let path = if address.path.is_empty() { "/" } else { &address.path };
        let mut request = format!("{}{}{path}", address.scheme(), address.authority())
            .into_client_request()
            .map_err(|e| Fault::Down(format!("the address is malformed ({e})")))?;
        for (name, Secret(value)) in headers {
            let wrong = || Fault::Request(format!("header {name} has characters none can carry"));
            let value = value.parse().map_err(|_| wrong())?;
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
            request.headers_mut().insert(name, value);
        }
        // One frame may be a whole message: openpi sends unfragmented ones of any size.
        let config = WebSocketConfig::default()
            .max_message_size(Some(max_message))
            .max_frame_size(Some(max_message))
            // The message goes out at once; a small buffer here saves a copy in pieces.
            .write_buffer_size(0);
        match client_with_config(request, stream, Some(config)) {
            Ok((ws, _)) => Ok(Self { ws, limit }),
            Err(HandshakeError::Failure(e)) => Err(fault(e, limit)),
            Err(HandshakeError::Interrupted(_)) => Err(Fault::Slow(limit)),
        }
    }

    /// How long exchanges may take from now on.
    pub fn limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    fn start_clock(&mut self) {
        self.ws.get_mut().timed().deadline = Instant::now() + self.limit;
    }

    /// Sends a message and starts the clock for its answer. Whatever arrived before the question is
    /// no answer to it, so a message that is already here ends the connection.
    pub fn send(&mut self, message: Bytes) -> Result<(), Fault> {
        self.poll()?;
        self.ws.send(Message::Binary(message)).map_err(|e| fault(e, self.limit))
    }

    /// Answers pings, and finds out whether the server closed or said something unasked. Starts the
    /// clock.
    pub fn poll(&mut self) -> Result<(), Fault> {
        self.start_clock();
        let set = |ws: &mut WebSocket<Stream>, polling| ws.get_mut().timed().poll(polling);
        set(&mut self.ws, true).map_err(|e| Fault::Closed(e.to_string()))?;
        let mut pings = 0;
        let seen = loop {
            match self.ws.read() {
                Ok(Message::Ping(_) | Message::Pong(_)) if pings < 1000 => pings += 1,
                Ok(Message::Close(frame)) => break Err(closed(frame)),
                Ok(Message::Text(text)) => break Err(Fault::Text(text.as_str().to_owned())),
                Ok(m) => break Err(Fault::Unasked(m.into_data())),
                Err(Error::Io(e)) if e.kind() == io::ErrorKind::WouldBlock => break Ok(()),
                Err(e) => break Err(fault(e, self.limit)),
            }
        };
        set(&mut self.ws, false).map_err(|e| Fault::Closed(e.to_string()))?;
        seen
    }

    /// The next message, by the deadline that [`Link::send`] or [`Link::open`] set.
    pub fn receive(&mut self) -> Result<Incoming, Fault> {
        loop {
            match self.ws.read() {
                Ok(Message::Binary(bytes)) => return Ok(Incoming::Binary(bytes)),
                Ok(Message::Text(text)) => return Ok(Incoming::Text(text.as_str().to_owned())),
                Ok(Message::Close(frame)) => return Err(closed(frame)),
                Ok(_) => {}
                Err(e) => return Err(fault(e, self.limit)),
            }
        }
    }

    /// The next message, which must be data.
    pub fn data(&mut self) -> Result<Bytes, Fault> {
        match self.receive()? {
            Incoming::Binary(bytes) => Ok(bytes),
            Incoming::Text(text) => Err(Fault::Text(text)),
        }
    }

    /// Says goodbye without waiting for the answer.
    pub fn close(mut self) {
        self.limit = Duration::from_millis(100);
        self.start_clock();
        // Nobody is left to tell when this fails.
        let _ = self.ws.close(None);
    }
}

fn closed(frame: Option<tungstenite::protocol::CloseFrame>) -> Fault {
    let Some(f) = frame else { return Fault::Closed("no reason given".to_owned()) };
    let code = u16::from(f.code);
    let why = match f.reason.as_str() {
        "" => format!("code {code}"),
        reason => format!("code {code}: {}", clip(reason)),
    };
    match code {
        // What we sent was not to its liking, or its code failed (1011). The others (1000 done, 1001
        // going away, 1012 restarting, …) are those of a server that ends.
        1002 | 1003 | 1007..=1011 => Fault::HungUp(why),
        _ => Fault::Closed(why),
    }
}

const ABRUPT: &str = "it closed the connection without a reason";

fn fault(e: Error, limit: Duration) -> Fault {
    match e {
        Error::Io(e) if matches!(e.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) => {
            Fault::Slow(limit)
        }
        Error::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => Fault::Closed(ABRUPT.into()),
        Error::Io(e) => tls::refusal(&e).unwrap_or_else(|| Fault::Closed(e.to_string())),
        Error::ConnectionClosed | Error::AlreadyClosed => Fault::Closed("no reason given".into()),
        Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete,
        ) => Fault::Closed(ABRUPT.into()),
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            Fault::TooLarge { size, max: max_size }
        }
        Error::Http(response) => Fault::Down(format!("HTTP status {}", response.status())),
        e => Fault::Protocol(clip(&e.to_string())),
    }
}
