//! Policies in another process, over WebSocket.
//!
//! ```no_run
//! use longarm_policy::{Policy, Remote, RemoteSpec};
//!
//! let spec: RemoteSpec = "openpi:localhost:8000?preset=libero&execute=5".parse()?;
//! let policy = Remote::connect(&spec)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Four dialects (openpi, vla-eval, RoboArena, BEHAVIOR) are one [`Policy`]. Where a dialect tells
//! the server of episodes, one connection serves many; openpi's does not, so there every episode has
//! a connection of its own and a server that keeps state per connection starts afresh.
//!
//! Whatever a server does, an episode ends: with actions, or as a [`PolicyError`] that says why in
//! one sentence. After a fault the connection is dropped, so that a late answer can never be taken
//! for the answer to a later question; the next episode connects again, with backoff.
//!
//! # Whose fault it is
//! - An answer that is wrong (shape, NaN, not MessagePack, too large) is the policy's.
//! - An exception in its code (a text message, close code 1011) or no answer in time is the policy's
//!   if its server takes a new connection; if it does not, it is nobody's.
//! - A connection that ends without one is nobody's: the server's memory of the episode is gone with
//!   it, so the episode must begin again. The server is tried for `reconnect` seconds, then given up.
//! - Conventions that differ and cameras that are missing are a matter of how we were started.
//!
//! Only the first two count ([`PolicyError::Fault`]). Clocks decide how long a server may take and
//! when it is given up, and nothing else.

mod address;
mod chunk;
mod connect;
pub mod conventions;
pub mod dial;
mod dialect;
mod fault;
mod hint;
mod image;
mod layout;
mod link;
pub mod msgpack;
pub mod numpy;
mod spec;
mod stream;
mod tls;

use std::{sync::Arc, time::Duration};

use longarm_types::{ActionConvention, ActionSpec, Observation};

pub use self::{
    address::Address,
    image::Resizer,
    layout::Execute,
    spec::{ActionChanges, DialectName, PresetName, RemoteSpec, SpecError},
};
use self::{
    chunk::Chunk,
    connect::Patience,
    conventions::Stated,
    dialect::Dialect,
    fault::{Blame, Fault},
    link::Link,
    msgpack::Pack,
    numpy::clip,
    tls::Trust,
};
use crate::{Decision, EpisodeInfo, Policy, PolicyError, Unavailable};

/// A key that no debug print shows.
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// A policy served by another process.
///
/// Several servers share the load: each `Remote` made from one spec (or its clones) takes the next
/// address in turn and stays with it. While its own server is down it uses the next one that is up,
/// and stays there.
#[derive(Debug)]
pub struct Remote {
    spec: RemoteSpec,
    dialect: Box<dyn Dialect>,
    headers: Vec<(String, Secret)>,
    trust: Option<Trust>,
    at: usize,
    link: Option<Link>,
    /// Nothing was said on the connection since the handshake.
    fresh: bool,
    /// The server has answered, or used up the time it had for its first answer.
    warm: bool,
    stated: Stated,
    episode: Option<(EpisodeInfo, Chunk)>,
    pack: Pack,
    notes: Vec<String>,
    server_ms: Option<f64>,
}

impl Remote {
    /// Connects to the next server in turn and compares conventions.
    pub fn connect(spec: &RemoteSpec) -> Result<Self, PolicyError> {
        let mut remote = Self::new(spec)?;
        let patience = Patience::Retries(spec.retries);
        remote.open(patience).map_err(|e| Unavailable::for_good(remote.reason(&e)))?;
        Ok(remote)
    }

    /// Connects when the first episode begins.
    pub fn new(spec: &RemoteSpec) -> Result<Self, PolicyError> {
        let read = |what: &str, path: &std::path::Path| match std::fs::read_to_string(path) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(e) => {
                let path = path.display();
                Err(Unavailable::for_good(format!("cannot read {what} from {path}: {e}")))
            }
        };
        let own = |(name, value): &(String, String)| (name.clone(), Secret(value.clone()));
        let mut headers: Vec<(String, Secret)> = spec.headers.iter().map(own).collect();
        for (name, path) in &spec.header_files {
            headers.push((name.clone(), Secret(read(&format!("header {name}"), path)?)));
        }
        if let Some(path) = &spec.api_key_file {
            let key = read("the API key", path)?;
            headers.push(("Authorization".to_owned(), Secret(format!("Api-Key {key}"))));
        }
        let trust = spec.encrypted().then(|| Trust::load(spec.ca.as_deref())).transpose();
        Ok(Self {
            dialect: dialect::of(spec),
            headers,
            trust: trust.map_err(Unavailable::for_good)?,
            at: spec.next_address(),
            spec: spec.clone(),
            link: None,
            fresh: false,
            warm: false,
            stated: Stated::default(),
            episode: None,
            pack: Pack::default(),
            notes: Vec::new(),
            server_ms: None,
        })
    }

    /// The server in use.
    pub fn address(&self) -> &Address {
        &self.spec.addresses[self.at]
    }

    /// What was taken on trust: conventions the servers did not state.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How long the server says its last answer took, in milliseconds, if it says.
    pub fn server_ms(&self) -> Option<f64> {
        self.server_ms
    }

    /// Rows and columns of the pictures that the server gets; `None` sends them as they are. Known
    /// for certain once connected: some servers say at the handshake what they want.
    pub fn picture_size(&self) -> Option<[usize; 2]> {
        self.dialect.layout().prepare.size
    }

    /// Whether the server's actions can be executed where `action` is what is taken.
    pub fn fits(&self, action: &ActionSpec) -> Result<(), PolicyError> {
        self.convention(action).map_err(|e| Unavailable::for_good(self.reason(&e)))?;
        Ok(())
    }

    fn convention(&self, action: &ActionSpec) -> Result<ActionConvention, Fault> {
        let convention = self.dialect.layout().action.unwrap_or_else(|| action.convention());
        convention.fits(action).map_err(|why| {
            Fault::Convention(format!(
                "conventions differ: {why} (preset {})",
                self.spec.preset.name()
            ))
        })?;
        Ok(convention)
    }

    fn reason(&self, fault: &Fault) -> String {
        format!("policy server {}: {fault}", self.address())
    }

    fn limit(&self) -> Duration {
        if self.warm { self.spec.timeout } else { self.spec.first_timeout }
    }

    fn compare(&self, stated: &Stated, action: Option<&ActionConvention>) -> Result<(), Fault> {
        let differences = stated.differences(action, &self.dialect.layout().observation());
        if differences.is_empty() {
            return Ok(());
        }
        Err(Fault::differing(&differences))
    }

    fn note(&mut self, stated: &Stated) {
        let silent = stated.silence();
        if !silent.is_empty() {
            let note = format!(
                "policy server {} does not state: {}; taken as preset {} has it",
                self.address(),
                silent.join(", "),
                self.spec.preset.name()
            );
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    fn begin(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        let convention = self.convention(&episode.action).map_err(|e| self.broken(&e))?;
        let chunk = Chunk {
            spec: Arc::new(episode.action.clone()),
            convention,
            execute: self.dialect.layout().execute,
        };
        let kept = self.fresh || self.dialect.boundaries();
        if !kept && let Some(link) = self.link.take() {
            link.close();
        }
        match self.begin_on_link(episode, &convention) {
            // A connection kept since the last episode may have ended since; that is not a fault yet.
            Err(Fault::Closed(_) | Fault::HungUp(_) | Fault::Unasked(_)) => {
                self.warm &= self.link.take().is_none();
                self.reopen().map_err(|e| Unavailable::for_good(self.reason(&e)))?;
                self.begin_on_link(episode, &convention).map_err(|e| self.broken(&e))?;
            }
            done => done.map_err(|e| self.broken(&e))?,
        }
        self.episode = Some((episode.clone(), chunk));
        Ok(())
    }

    fn begin_on_link(
        &mut self,
        episode: &EpisodeInfo,
        convention: &ActionConvention,
    ) -> Result<(), Fault> {
        let limit = self.limit();
        let Some(link) = &mut self.link else {
            return Err(Fault::Closed("no connection".to_owned()));
        };
        link.limit(limit);
        link.poll()?;
        self.fresh = false;
        self.dialect.begin(link, &mut self.pack, episode)?;
        self.compare(&self.stated, Some(convention))?;
        match self.stated.scale_difference(&episode.action) {
            Some(d) => Err(Fault::differing(&[d])),
            None => Ok(()),
        }
    }

    /// Ask for something else than actions: send what `write` packs and return what comes back.
    pub fn exchange(&mut self, write: impl FnOnce(&mut Pack)) -> Result<bytes::Bytes, PolicyError> {
        let limit = self.limit();
        self.pack.clear();
        write(&mut self.pack);
        let message = self.pack.take();
        let answer = match &mut self.link {
            None => {
                Err(Fault::Request("there is no connection; an episode must begin first".into()))
            }
            Some(link) => {
                link.limit(limit);
                link.send(message).and_then(|()| link.data())
            }
        };
        self.warm |= answer.is_ok();
        answer.map_err(|e| self.broken(&e))
    }

    fn ask(&mut self, observation: &Observation, decision: &mut Decision) -> Result<(), Fault> {
        let limit = self.limit();
        let (Some(link), Some((episode, chunk))) = (&mut self.link, &self.episode) else {
            return Err(Fault::Request(
                "there is no connection; an episode must begin first".to_owned(),
            ));
        };
        self.pack.clear();
        self.dialect.ask(&mut self.pack, observation, episode)?;
        link.limit(limit);
        link.send(self.pack.take()).map_err(|e| match e {
            Fault::Unasked(message) => self.dialect.unasked(message),
            e => e,
        })?;
        let reply = link.data()?;
        self.server_ms = self.dialect.answer(&reply, chunk, &mut decision.chunk)?;
        decision.believes = subtask(&reply);
        self.warm = true;
        Ok(())
    }

    /// Drops the connection and says why, and whose fault it is.
    fn broken(&mut self, fault: &Fault) -> PolicyError {
        self.link = None;
        self.episode = None;
        let mut reason = self.reason(fault);
        if let Fault::Text(text) = fault
            && let Some(hint) = hint::missing_key(text, &self.spec, self.dialect.layout())
        {
            reason.push_str(&format!("; {hint}"));
        }
        let account = fault.account().map(|a| format!("\n{a}")).unwrap_or_default();
        match fault.blame() {
            Blame::Policy => PolicyError::Fault(reason),
            Blame::Setup => Unavailable::for_good(reason).into(),
            Blame::Connection => {
                self.warm = false;
                Unavailable { reason, lost: true }.into()
            }
            Blame::PolicyIfServed => {
                if matches!(fault, Fault::Slow(_)) {
                    self.warm = true;
                }
                match self.served() {
                    Ok(()) => PolicyError::Fault(reason + &account),
                    Err(then) => {
                        reason.push_str(&format!("; since then {then}{account}"));
                        Unavailable::for_good(reason).into()
                    }
                }
            }
        }
    }
}

impl Policy for Remote {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.end_episode();
        self.begin(episode)
    }

    fn act(
        &mut self,
        observation: &Observation,
        decision: &mut Decision,
    ) -> Result<(), PolicyError> {
        self.ask(observation, decision).map_err(|e| self.broken(&e))
    }

    fn end_episode(&mut self) {
        if self.episode.take().is_none() {
            return;
        }
        if !self.dialect.boundaries() {
            if let Some(link) = self.link.take() {
                link.close();
            }
        } else if let Some(link) = &mut self.link
            && self.dialect.end(link, &mut self.pack).is_err()
        {
            self.link = None;
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.end_episode();
        if let Some(link) = self.link.take() {
            link.close();
        }
    }
}

/// Longest text a server's subtask is taken for, in characters.
const LONGEST_SUBTASK: usize = 200;

/// What the server says it is doing, under `subtask`, if it says.
fn subtask(reply: &[u8]) -> Option<String> {
    let view = msgpack::MsgView::parse(reply).ok()?;
    let text = view.get("subtask")?.as_str()?.trim();
    (!text.is_empty()).then(|| text.chars().take(LONGEST_SUBTASK).collect())
}

/// The value under a key, which must be there.
fn need<'a>(map: &msgpack::MsgView<'a>, key: &str) -> Result<msgpack::MsgView<'a>, Fault> {
    map.get(key).ok_or_else(|| {
        let keys: Vec<_> = map
            .pairs()
            .into_iter()
            .flatten()
            .take(8)
            .filter_map(|(k, _)| k.as_str().map(clip))
            .collect();
        Fault::Reply(if keys.is_empty() {
            format!("the server answered {} without {key:?}", map.kind())
        } else {
            format!("the server answered without {key:?} (keys: {})", keys.join(", "))
        })
    })
}
