//! openpi: the server speaks first, then one question, one answer. Episodes are not part of it.

use longarm_types::{Action, Observation};

use super::{
    super::{
        chunk::Chunk,
        conventions::Stated,
        fault::Fault,
        layout::{Encoder, Layout},
        link::Link,
        msgpack::{MsgView, Pack},
        need,
    },
    Dialect, infer_ms, metadata,
};
use crate::EpisodeInfo;

#[derive(Debug)]
pub(super) struct OpenPi {
    encoder: Encoder,
}

impl OpenPi {
    pub fn new(encoder: Encoder) -> Self {
        Self { encoder }
    }
}

impl Dialect for OpenPi {
    fn layout(&self) -> &Layout {
        &self.encoder.layout
    }

    fn boundaries(&self) -> bool {
        false
    }

    fn greet(&mut self, link: &mut Link, _: &mut Pack) -> Result<Stated, Fault> {
        metadata(link, |m| Ok(Stated::read(m)))
    }

    fn ask(
        &mut self,
        pack: &mut Pack,
        observation: &Observation,
        episode: &EpisodeInfo,
    ) -> Result<(), Fault> {
        pack.map(self.encoder.entries(observation));
        self.encoder.write(pack, observation, episode).map_err(Fault::Request)
    }

    fn answer(
        &mut self,
        reply: &[u8],
        chunk: &Chunk,
        out: &mut Vec<Action>,
    ) -> Result<Option<f64>, Fault> {
        let reply = MsgView::parse(reply)?;
        chunk.read(&need(&reply, "actions")?, out)?;
        Ok(infer_ms(&reply))
    }
}
