//! openpi: the server speaks first, then one question, one answer. Episodes are not part of it.

use longarm_types::Action;

use super::{
    super::{chunk::Chunk, fault::Fault, layout::Encoder, msgpack::MsgView, need},
    Dialect, infer_ms,
};

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
    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn encoder_mut(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    fn boundaries(&self) -> bool {
        false
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
