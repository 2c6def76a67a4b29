//! The protocols, behind one trait.

mod behavior;
mod openpi;
mod roboarena;
mod vla_eval;

use bytes::Bytes;
use longarm_types::{Action, Observation};

use super::{
    address::Address,
    chunk::Chunk,
    conventions::Stated,
    fault::Fault,
    layout::{Encoder, Layout},
    link::Link,
    msgpack::{MsgView, Pack},
    numpy::scalar,
    spec::{DialectName, RemoteSpec},
    tls::Trust,
};
use crate::EpisodeInfo;

/// A protocol between us and a policy server.
pub(super) trait Dialect: Send + std::fmt::Debug {
    /// What writes observations.
    fn encoder(&self) -> &Encoder;

    /// The same, to write with.
    fn encoder_mut(&mut self) -> &mut Encoder;

    /// What is sent and what comes back.
    fn layout(&self) -> &Layout {
        &self.encoder().layout
    }

    /// Whether the server is told of episodes. If not, each has a connection of its own.
    fn boundaries(&self) -> bool {
        true
    }

    /// Before connecting: whether the server is ready.
    fn before(&self, _: &Address, _: Option<&Trust>) -> Result<(), Fault> {
        Ok(())
    }

    /// The handshake, and what the server says of itself.
    fn greet(&mut self, link: &mut Link, _: &mut Pack) -> Result<Stated, Fault> {
        metadata(link, |m| Ok(Stated::read(m)))
    }

    /// An episode begins.
    fn begin(&mut self, _: &mut Link, _: &mut Pack, _: &EpisodeInfo) -> Result<(), Fault> {
        Ok(())
    }

    /// Opens the question: a map with the dialect's own entries, and room for `entries` more.
    fn open(&mut self, pack: &mut Pack, entries: usize, _: &Observation, _: &EpisodeInfo) {
        pack.map(entries);
    }

    /// Writes the question.
    fn ask(
        &mut self,
        pack: &mut Pack,
        observation: &Observation,
        episode: &EpisodeInfo,
    ) -> Result<(), Fault> {
        let entries = self.encoder().entries(observation);
        self.open(pack, entries, observation, episode);
        self.encoder_mut().write(pack, observation, episode).map_err(Fault::Request)
    }

    /// Reads the answer; returns the server's own milliseconds if it gives them.
    fn answer(
        &mut self,
        reply: &[u8],
        chunk: &Chunk,
        out: &mut Vec<Action>,
    ) -> Result<Option<f64>, Fault>;

    /// What it means that this arrived before a question was asked.
    fn unasked(&self, message: Bytes) -> Fault {
        Fault::Unasked(message)
    }

    /// An episode is over.
    fn end(&mut self, _: &mut Link, _: &mut Pack) -> Result<(), Fault> {
        Ok(())
    }
}

/// The dialect a spec names.
pub(super) fn of(spec: &RemoteSpec) -> Box<dyn Dialect> {
    let encoder = Encoder::new(Layout::of(spec));
    match spec.dialect {
        DialectName::OpenPi => Box::new(openpi::OpenPi::new(encoder)),
        DialectName::VlaEval => Box::new(vla_eval::VlaEval::new(encoder)),
        DialectName::RoboArena => Box::new(roboarena::RoboArena::new(encoder, spec)),
        DialectName::Behavior => Box::new(behavior::Behavior::new(encoder)),
    }
}

/// The first message of openpi and its forks: a map with whatever the server wants known.
fn metadata(
    link: &mut Link,
    read: impl FnOnce(&MsgView<'_>) -> Result<Stated, Fault>,
) -> Result<Stated, Fault> {
    let first = link.data()?;
    let view = MsgView::parse(&first)?;
    if view.pairs().is_none() {
        return Err(Fault::Reply(format!(
            "the server greeted with {} instead of a map",
            view.kind()
        )));
    }
    read(&view)
}

/// openpi's `server_timing: {infer_ms}`.
fn infer_ms(reply: &MsgView<'_>) -> Option<f64> {
    scalar(&reply.get("server_timing")?.get("infer_ms")?).filter(|ms| ms.is_finite())
}
