//! Policies behind a firewall: whoever submits connects to this server, and over that connection the server
//! asks as if it had connected itself.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::app::App;
use crate::secret::Token;

/// Connections of a submission that wait at once.
const WAITING: usize = 4;
/// How long the server waits for a submitter to connect before it tries again.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a connection on this machine may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);

/// One that asks, and what it has said already.
pub(crate) struct Asking {
    pub(crate) stream: TcpStream,
    pub(crate) first: Vec<u8>,
}

/// Connections of submitters that wait to be asked.
#[derive(Default)]
pub(crate) struct Tunnels {
    waiting: Mutex<BTreeMap<String, VecDeque<oneshot::Sender<Asking>>>>,
    came: Condvar,
}

impl Tunnels {
    /// Let a connection wait; none where too many do.
    pub(crate) fn wait(&self, submission: &str) -> Option<oneshot::Receiver<Asking>> {
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, of| {
            of.retain(|w| !w.is_closed());
            !of.is_empty()
        });
        let of = all.entry(submission.to_owned()).or_default();
        if of.len() >= WAITING {
            return None;
        }
        let (tell, told) = oneshot::channel();
        of.push_back(tell);
        self.came.notify_all();
        Some(told)
    }

    /// Hand somebody over who asks; dropped where nobody comes.
    fn hand(&self, submission: &str, mut asking: Asking, stop: &AtomicBool) {
        let until = Instant::now() + PATIENCE;
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while !stop.load(Ordering::SeqCst) {
            while let Some(tell) = all.get_mut(submission).and_then(VecDeque::pop_front) {
                match tell.send(asking) {
                    Ok(()) => return,
                    Err(back) => asking = back,
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            // Not longer than a moment, so that a stop is seen.
            let wait = left.min(Duration::from_millis(500));
            all = match self.came.wait_timeout(all, wait) {
                Ok((all, _)) => all,
                Err(e) => e.into_inner().0,
            };
        }
    }
}

/// An address on this machine behind which a submitter's policy is.
pub(crate) struct Bridge {
    port: u16,
    /// Path that nobody else on this machine knows.
    secret: String,
    stop: Arc<AtomicBool>,
}

impl Bridge {
    /// Open one for a submission.
    pub(crate) fn open(app: &Arc<App>, submission: &str) -> Result<Self, String> {
        let wrong = |e: std::io::Error| format!("no way to the submitter's connections: {e}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(wrong)?;
        let port = listener.local_addr().map_err(wrong)?.port();
        let secret = Token::new().map_err(|e| e.to_string())?.text().to_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let (app, id, greeting, stopped) =
            (Arc::clone(app), submission.to_owned(), format!("GET /{secret}"), Arc::clone(&stop));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                // Strangers are hung up on.
                if let Ok(asking) = stream.and_then(|s| greeted(s, greeting.as_bytes())) {
                    app.tunnels.hand(&id, asking, &stopped);
                }
            }
        });
        Ok(Self { port, secret, stop })
    }

    /// Return where the policy is asked, and the path that opens the door.
    pub(crate) fn address(&self, path: &str) -> (String, u16, String) {
        (Ipv4Addr::LOCALHOST.to_string(), self.port, format!("/{}{path}", self.secret))
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes whoever listens.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Read how somebody begins, and take the secret out of it.
fn greeted(mut stream: TcpStream, greeting: &[u8]) -> std::io::Result<Asking> {
    stream.set_read_timeout(Some(GREETING))?;
    let mut said = vec![0; greeting.len()];
    stream.read_exact(&mut said)?;
    if said != greeting {
        let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        return Err(std::io::ErrorKind::PermissionDenied.into());
    }
    let mut next = [0; 1];
    stream.read_exact(&mut next)?;
    stream.set_read_timeout(None)?;
    let mut first = b"GET ".to_vec();
    if next[0] != b'/' {
        first.push(b'/');
    }
    first.push(next[0]);
    Ok(Asking { stream, first })
}
