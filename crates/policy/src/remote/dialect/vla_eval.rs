//! vla-eval, protocol 1: every message is an envelope with a number that the answer repeats, we
//! speak first, and episodes are announced.

use bytes::Bytes;
use longarm_types::{Action, ENGINE_VERSION, Observation};

use super::{
    super::{
        chunk::Chunk,
        conventions::Stated,
        fault::Fault,
        layout::Encoder,
        link::Link,
        msgpack::{MsgView, Pack},
        need,
        numpy::clip,
    },
    Dialect,
};
use crate::EpisodeInfo;

const PROTOCOL: u64 = 1;

#[derive(Debug)]
pub(super) struct VlaEval {
    encoder: Encoder,
    seq: u64,
}

impl VlaEval {
    pub fn new(encoder: Encoder) -> Self {
        Self { encoder, seq: 0 }
    }

    /// Everything of an envelope but the payload. The time is the episode's: nothing reads it, and
    /// what we send stays the same in every run.
    fn envelope(&mut self, pack: &mut Pack, kind: &str, time: f64) {
        self.seq += 1;
        pack.clear();
        pack.map(4);
        pack.str("type");
        pack.str(kind);
        pack.str("seq");
        pack.uint(self.seq);
        pack.str("timestamp");
        pack.f64(time);
        pack.str("payload");
    }

    /// The payload of the answer to the last message.
    fn payload<'a>(&self, reply: &'a [u8], kind: &str) -> Result<MsgView<'a>, Fault> {
        let reply = MsgView::parse(reply)?;
        let got = need(&reply, "type")?;
        let payload = need(&reply, "payload")?;
        match got.as_str() {
            Some("error") => {
                let why = payload.get("error").unwrap_or(payload);
                let why = why.as_str().unwrap_or("no reason given");
                return Err(Fault::Text(why.to_owned()));
            }
            Some(k) if k == kind => {}
            other => {
                let got = clip(other.unwrap_or("nothing"));
                return Err(Fault::Reply(format!("the server answered {got:?}; {kind:?} was due")));
            }
        }
        let seq = need(&reply, "seq")?.as_u64();
        if seq != Some(self.seq) {
            return Err(Fault::Reply(format!(
                "the server answered message {}, not message {}",
                seq.map_or("?".to_owned(), |s| s.to_string()),
                self.seq
            )));
        }
        Ok(payload)
    }
}

impl Dialect for VlaEval {
    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn encoder_mut(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    fn greet(&mut self, link: &mut Link, pack: &mut Pack) -> Result<Stated, Fault> {
        self.envelope(pack, "hello", 0.0);
        pack.map(2);
        pack.str("harness_version");
        pack.str(&format!("longarm {ENGINE_VERSION}"));
        pack.str("protocol_version");
        pack.uint(PROTOCOL);
        link.send(pack.take())?;
        let reply = link.data()?;
        let hello = self.payload(&reply, "hello")?;
        match need(&hello, "protocol_version")?.as_u64() {
            Some(PROTOCOL) => Ok(Stated::read(&hello)),
            other => Err(Fault::Convention(format!(
                "the server speaks vla-eval protocol {}; ours is {PROTOCOL}",
                other.map_or("?".to_owned(), |v| v.to_string())
            ))),
        }
    }

    fn begin(
        &mut self,
        link: &mut Link,
        pack: &mut Pack,
        episode: &EpisodeInfo,
    ) -> Result<(), Fault> {
        self.envelope(pack, "episode_start", 0.0);
        pack.map(1);
        pack.str("task");
        pack.map(4);
        for (key, value) in [
            ("name", episode.instruction.as_str()),
            ("id", episode.task.as_str()),
            ("suite", episode.task.suite()),
        ] {
            pack.str(key);
            pack.str(value);
        }
        pack.str("policy_seed");
        pack.uint(episode.policy_seed.0);
        link.send(pack.take())
    }

    fn open(&mut self, pack: &mut Pack, entries: usize, seen: &Observation, _: &EpisodeInfo) {
        self.envelope(pack, "observation", seen.time);
        pack.map(entries);
    }

    fn answer(
        &mut self,
        reply: &[u8],
        chunk: &Chunk,
        out: &mut Vec<Action>,
    ) -> Result<Option<f64>, Fault> {
        let action = self.payload(reply, "action")?;
        chunk.read(&need(&action, "actions")?, out)?;
        Ok(None)
    }

    /// The only way to learn that an episode could not begin.
    fn unasked(&self, message: Bytes) -> Fault {
        match self.payload(&message, "error") {
            Err(e @ Fault::Text(_)) => e,
            _ => Fault::Unasked(message),
        }
    }

    fn end(&mut self, link: &mut Link, pack: &mut Pack) -> Result<(), Fault> {
        self.envelope(pack, "episode_end", 0.0);
        pack.map(0);
        link.send(pack.take())
    }
}
