//! BEHAVIOR's fork of openpi: health is asked for first, a reset gets no answer, and the reply holds
//! one `action`, with an `action_chunk` when a chunk was asked for.

use longarm_types::{Action, Observation};

use super::{
    super::{
        address::Address,
        chunk::Chunk,
        conventions::Stated,
        fault::Fault,
        layout::{Encoder, Execute, Layout},
        link::{Link, healthy},
        msgpack::{MsgView, Pack},
        need,
    },
    Dialect, infer_ms, metadata,
};
use crate::EpisodeInfo;

#[derive(Debug)]
pub(super) struct Behavior {
    encoder: Encoder,
}

impl Behavior {
    pub fn new(encoder: Encoder) -> Self {
        Self { encoder }
    }
}

impl Dialect for Behavior {
    fn layout(&self) -> &Layout {
        &self.encoder.layout
    }

    fn boundaries(&self) -> bool {
        true
    }

    fn before(&self, address: &Address) -> Result<(), Fault> {
        healthy(address, "/healthz")
    }

    fn greet(&mut self, link: &mut Link, _: &mut Pack) -> Result<Stated, Fault> {
        metadata(link, |m| Ok(Stated::read(m)))
    }

    fn begin(&mut self, link: &mut Link, pack: &mut Pack, _: &EpisodeInfo) -> Result<(), Fault> {
        pack.clear();
        pack.map(1);
        pack.str("reset");
        pack.bool(true);
        link.send(pack.take())
    }

    fn ask(
        &mut self,
        pack: &mut Pack,
        observation: &Observation,
        episode: &EpisodeInfo,
    ) -> Result<(), Fault> {
        let chunk = match self.encoder.layout.execute {
            Execute::Exactly(k) if k > 1 => Some(k),
            _ => None,
        };
        pack.map(self.encoder.entries(observation) + usize::from(chunk.is_some()));
        if let Some(k) = chunk {
            pack.str("__action_chunk_size__");
            pack.uint(k as u64);
        }
        self.encoder.write(pack, observation, episode).map_err(Fault::Request)
    }

    fn answer(
        &mut self,
        reply: &[u8],
        chunk: &Chunk,
        out: &mut Vec<Action>,
    ) -> Result<Option<f64>, Fault> {
        let reply = MsgView::parse(reply)?;
        let before = out.len();
        // The first action comes in either case, and must be the chunk's first.
        let one = Chunk { execute: Execute::Exactly(1), ..chunk.clone() };
        one.read(&need(&reply, "action")?, out)?;
        if let Some(more) = reply.get("action_chunk") {
            let first = out.pop();
            chunk.read(&more, out)?;
            if out.get(before) != first.as_ref() {
                out.truncate(before);
                return Err(Fault::Reply(
                    "the server's action_chunk does not begin with its action".to_owned(),
                ));
            }
        } else if let Execute::Exactly(k) = chunk.execute
            && k > 1
        {
            out.truncate(before);
            return Err(Fault::Reply(format!(
                "the server sent no action_chunk; {k} actions were asked for"
            )));
        }
        Ok(infer_ms(&reply))
    }
}
