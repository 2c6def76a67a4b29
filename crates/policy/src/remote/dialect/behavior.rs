//! BEHAVIOR's fork of openpi: health is asked for first, a reset gets no answer, and the reply holds
//! one `action`, with an `action_chunk` when a chunk was asked for.

use longarm_types::{Action, Observation};

use super::{
    super::{
        address::Address,
        chunk::Chunk,
        fault::Fault,
        layout::{Encoder, Execute},
        link::Link,
        msgpack::{MsgView, Pack},
        need,
        stream::healthy,
        tls::Trust,
    },
    Dialect, infer_ms,
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
    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn encoder_mut(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    fn before(&self, address: &Address, trust: Option<&Trust>) -> Result<(), Fault> {
        healthy(address, trust, "/healthz")
    }

    fn begin(&mut self, link: &mut Link, pack: &mut Pack, _: &EpisodeInfo) -> Result<(), Fault> {
        pack.clear();
        pack.map(1);
        pack.str("reset");
        pack.bool(true);
        link.send(pack.take())
    }

    fn open(&mut self, pack: &mut Pack, entries: usize, _: &Observation, _: &EpisodeInfo) {
        let chunk = match self.encoder.layout.execute {
            Execute::Exactly(k) if k > 1 => Some(k),
            _ => None,
        };
        pack.map(entries + usize::from(chunk.is_some()));
        if let Some(k) = chunk {
            pack.str("__action_chunk_size__");
            pack.uint(k as u64);
        }
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
