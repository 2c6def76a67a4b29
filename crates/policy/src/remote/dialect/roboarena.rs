//! RoboArena's fork of openpi: the server says at the handshake what it wants to be sent, requests
//! name an endpoint, and a reset is acknowledged in text.

use longarm_types::{Action, FormatPictures, Observation};

use super::{
    super::{
        chunk::Chunk,
        conventions::Stated,
        fault::Fault,
        layout::Encoder,
        link::{Incoming, Link},
        msgpack::{MsgView, Pack},
        need,
        numpy::NdArray,
        spec::RemoteSpec,
    },
    Dialect, infer_ms, metadata,
};
use crate::{
    EpisodeInfo,
    formats::{OUTSIDE, WRIST},
};

/// What a server acknowledges a reset with.
const RESET: &str = "reset successful";

#[derive(Debug)]
pub(super) struct RoboArena {
    encoder: Encoder,
    /// The user set the size; the server's wish is then not followed.
    sized: bool,
    session: bool,
}

impl RoboArena {
    pub fn new(encoder: Encoder, spec: &RemoteSpec) -> Self {
        Self { encoder, sized: spec.size.is_some(), session: false }
    }

    /// Sends what the server asks for.
    fn configure(&mut self, config: &MsgView<'_>) -> Result<Stated, Fault> {
        let flag = |key: &str| config.get(key).and_then(|v| v.as_bool()).unwrap_or(false);
        if flag("needs_stereo_camera") {
            return Err(Fault::Convention(
                "the server needs stereo cameras; our robots have none".to_owned(),
            ));
        }
        let external = config.get("n_external_cameras").and_then(|v| v.as_u64()).unwrap_or(1);
        if external > 2 {
            return Err(Fault::Convention(format!(
                "the server needs {external} external cameras; the dialect has at most 2"
            )));
        }
        let mut keys = Vec::new();
        for i in 0..external as usize {
            // The second picture comes from the second camera where there is one.
            let mut order = OUTSIDE.to_vec();
            order.rotate_left(i);
            keys.push((format!("observation/exterior_image_{i}_left"), order));
        }
        if flag("needs_wrist_camera") {
            keys.push(("observation/wrist_image_left".to_owned(), WRIST.to_vec()));
        }
        self.encoder.layout.format.pictures = FormatPictures::Keyed(keys);
        if !self.sized {
            let size = config.get("image_resolution").filter(|v| !v.is_nil());
            self.encoder.layout.prepare.size = match size.map(|v| v.items().map(|i| i.take(3))) {
                None => None,
                Some(items) => {
                    let sides: Vec<_> = items.into_iter().flatten().map(|v| v.as_u64()).collect();
                    match sides[..] {
                        [Some(h @ 1..=4096), Some(w @ 1..=4096)] => Some([h as usize, w as usize]),
                        _ => {
                            return Err(Fault::Convention(
                                "the server's image_resolution is not two sides of 1 to 4096 pixels"
                                    .to_owned(),
                            ));
                        }
                    }
                }
            };
        }
        self.session = flag("needs_session_id");
        let mut stated = Stated::read(config);
        if let Some(space) = config.get("action_space").and_then(|v| v.as_str()) {
            stated.form(space);
        }
        Ok(stated)
    }

    fn session_id(episode: &EpisodeInfo) -> String {
        format!("longarm-{}-{:016x}", episode.task, episode.policy_seed.0)
    }
}

impl Dialect for RoboArena {
    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn encoder_mut(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    fn greet(&mut self, link: &mut Link, _: &mut Pack) -> Result<Stated, Fault> {
        metadata(link, |m| self.configure(m))
    }

    fn begin(
        &mut self,
        link: &mut Link,
        pack: &mut Pack,
        episode: &EpisodeInfo,
    ) -> Result<(), Fault> {
        pack.clear();
        pack.map(1 + usize::from(self.session));
        pack.str("endpoint");
        pack.str("reset");
        if self.session {
            pack.str("session_id");
            pack.str(&Self::session_id(episode));
        }
        link.send(pack.take())?;
        match link.receive()? {
            Incoming::Text(text) if text.trim() == RESET => Ok(()),
            Incoming::Text(text) => Err(Fault::Text(text)),
            Incoming::Binary(_) => {
                Err(Fault::Reply(format!("the server answered a reset with data, not {RESET:?}")))
            }
        }
    }

    fn open(&mut self, pack: &mut Pack, entries: usize, _: &Observation, episode: &EpisodeInfo) {
        pack.map(entries + 1 + usize::from(self.session));
        pack.str("endpoint");
        pack.str("infer");
        if self.session {
            pack.str("session_id");
            pack.str(&Self::session_id(episode));
        }
    }

    fn answer(
        &mut self,
        reply: &[u8],
        chunk: &Chunk,
        out: &mut Vec<Action>,
    ) -> Result<Option<f64>, Fault> {
        let reply = MsgView::parse(reply)?;
        // Older servers answer with the bare array, newer ones with a map around it.
        let actions = if NdArray::is_marked(&reply) || reply.items().is_some() {
            reply
        } else {
            need(&reply, "actions")?
        };
        chunk.read(&actions, out)?;
        Ok(infer_ms(&reply))
    }
}
