//! A planner behind a WebSocket: a program of the user's own, asked as policy servers are.

use longarm_policy::remote::msgpack::{MsgView, Pack};
use longarm_policy::remote::numpy::Keys;
use longarm_policy::{EpisodeInfo, Policy, PolicyError, Remote, RemoteSpec};

use crate::World;
use crate::memory::{Frame, Picture};
use crate::part::{Answer, Planner, Question};

/// Longest sentence that is taken, bytes.
const LONGEST: usize = 500;

/// Asks a server what to do next, over one connection per episode.
pub(crate) struct SocketPlanner {
    remote: Remote,
    cameras: Vec<String>,
}

impl SocketPlanner {
    pub(crate) fn new(server: &str, cameras: &[String]) -> Result<Self, String> {
        let spec: RemoteSpec = server.parse().map_err(|e| format!("server: {e}"))?;
        let remote = Remote::new(&spec).map_err(|e| e.to_string())?;
        Ok(Self { remote, cameras: cameras.to_vec() })
    }
}

impl Planner for SocketPlanner {
    fn begin(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.remote.begin_episode(episode)
    }

    fn plan(&mut self, asked: &Question<'_>, world: &mut dyn World) -> Result<Answer, PolicyError> {
        let Self { remote, cameras } = self;
        let now = match cameras.is_empty() {
            true => Vec::new(),
            false => crate::agent::pictures(world.observe()),
        };
        let reply = remote.exchange(|pack| write(pack, asked, &now, cameras))?;
        read(&reply, asked).map_err(|why| {
            let address = remote.address();
            PolicyError::Fault(format!("planner {address}: {why}"))
        })
    }

    fn looks(&self) -> bool {
        !self.cameras.is_empty()
    }

    fn end(&mut self) {
        self.remote.end_episode();
    }
}

/// Pack a question as a map.
fn write(pack: &mut Pack, asked: &Question<'_>, now: &[Picture], cameras: &[String]) {
    pack.map(8);
    pack.str("instruction");
    pack.str(asked.instruction);
    pack.str("step");
    pack.uint(asked.step.into());
    for (name, lines) in [("report", asked.report), ("said", asked.said)] {
        pack.str(name);
        pack.array(lines.len());
        lines.iter().for_each(|l| pack.str(l));
    }
    pack.str("failed");
    or_nil(pack, asked.failed);
    for (name, frames) in [("keyframes", &asked.keyframes), ("recent", &asked.recent)] {
        pack.str(name);
        pack.array(frames.len());
        frames.iter().for_each(|f| frame(pack, f, cameras));
    }
    pack.str("pictures");
    pictures(pack, now, cameras);
}

fn or_nil(pack: &mut Pack, text: Option<&str>) {
    match text {
        Some(text) => pack.str(text),
        None => pack.nil(),
    }
}

fn frame(pack: &mut Pack, frame: &Frame, cameras: &[String]) {
    pack.map(3);
    pack.str("step");
    pack.uint(frame.step.into());
    pack.str("note");
    or_nil(pack, frame.note.as_deref());
    pack.str("pictures");
    pictures(pack, &frame.pictures, cameras);
}

/// Pictures by camera, as arrays of rows, columns and colours.
fn pictures(pack: &mut Pack, all: &[Picture], cameras: &[String]) {
    let shown: Vec<&Picture> = all.iter().filter(|p| cameras.contains(&p.camera)).collect();
    pack.map(shown.len());
    for p in shown {
        pack.str(&p.camera);
        Keys::Bin.u8(pack, &p.rgb, &[p.height, p.width, 3]);
    }
}

/// Read an answer: `subtask`, a sentence or nothing once all is done, and `keyframes`, steps of recent frames.
fn read(reply: &[u8], asked: &Question<'_>) -> Result<Answer, String> {
    let reply = MsgView::parse(reply).map_err(|e| format!("its answer is not MessagePack: {e}"))?;
    let subtask = reply.get("subtask").ok_or("its answer has no \"subtask\"")?;
    let say = match subtask.as_str().map(str::trim) {
        Some(say) if say.len() > LONGEST => {
            return Err(format!("its subtask is longer than {LONGEST} bytes"));
        }
        Some(say) => Some(say.to_owned()).filter(|s| !s.is_empty()),
        None if subtask.is_nil() => None,
        None => return Err(format!("its subtask is {}, not a sentence", subtask.kind())),
    };
    let named = reply.get("keyframes").filter(|k| !k.is_nil());
    let mut keyframes = Vec::new();
    if let Some(named) = named {
        for step in named.items().ok_or("its keyframes are no list of steps")? {
            let step = step.as_u64().and_then(|s| u32::try_from(s).ok());
            let step = step.ok_or("its keyframes are no list of steps")?;
            if !asked.recent.iter().any(|f| f.step == step) {
                return Err(format!("its keyframe {step} is not among the recent frames"));
            }
            keyframes.push(step);
        }
    }
    Ok(Answer { say, keyframes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question<'a>(recent: &'a [Frame]) -> Question<'a> {
        Question {
            instruction: "pour twice",
            step: 7,
            report: &[],
            recent: recent.iter().collect(),
            keyframes: Vec::new(),
            said: &[],
            failed: None,
        }
    }

    fn packed(write: impl FnOnce(&mut Pack)) -> Vec<u8> {
        let mut pack = Pack::default();
        write(&mut pack);
        pack.take().to_vec()
    }

    #[test]
    fn questions_are_maps_that_others_can_read() {
        let seen = Picture { camera: "top".into(), width: 2, height: 1, rgb: vec![9; 6] };
        let frames = [Frame { step: 5, pictures: vec![seen.clone()], note: Some("done".into()) }];
        let (now, cameras) = (std::slice::from_ref(&seen), ["top".to_owned()]);
        let bytes = packed(|pack| write(pack, &question(&frames), now, &cameras));
        let map = MsgView::parse(&bytes).unwrap();
        assert_eq!(map.get("instruction").unwrap().as_str(), Some("pour twice"));
        assert!(map.get("failed").unwrap().is_nil());
        let recent = map.get("recent").unwrap().items().unwrap().next().unwrap();
        assert_eq!(recent.get("step").unwrap().as_u64(), Some(5));
        assert_eq!(recent.get("note").unwrap().as_str(), Some("done"));
        let picture = recent.get("pictures").unwrap().get("top").unwrap();
        assert!(longarm_policy::remote::numpy::NdArray::is_marked(&picture));
        assert!(map.get("pictures").unwrap().get("top").is_some());
    }

    #[test]
    fn answers_are_sentences_or_faults() {
        type Writes<'a> = &'a dyn Fn(&mut Pack);
        let frames = [Frame { step: 5, ..Frame::default() }];
        let says = |write: Writes<'_>| read(&packed(write), &question(&frames));
        let subtask = |pack: &mut Pack, more: usize| {
            pack.map(1 + more);
            pack.str("subtask");
        };
        let done = says(&|p| {
            subtask(p, 0);
            p.nil();
        });
        assert_eq!(done, Ok(Answer::default()));
        let told = says(&|p| {
            subtask(p, 1);
            p.str("pour the wine");
            p.str("keyframes");
            p.array(1);
            p.uint(5);
        });
        let want = Answer { say: Some("pour the wine".into()), keyframes: vec![5] };
        assert_eq!(told, Ok(want));
        let wrong: [(Writes<'_>, &str); 4] = [
            (&|p| p.map(0), "no \"subtask\""),
            (
                &|p| {
                    subtask(p, 0);
                    p.uint(3);
                },
                "not a sentence",
            ),
            (
                &|p| {
                    subtask(p, 0);
                    p.str(&"x".repeat(501));
                },
                "longer than",
            ),
            (
                &|p| {
                    subtask(p, 1);
                    p.nil();
                    p.str("keyframes");
                    p.array(1);
                    p.uint(6);
                },
                "keyframe 6 is not among",
            ),
        ];
        for (write, why) in wrong {
            let e = says(write).unwrap_err();
            assert!(e.contains(why), "{e}");
        }
        assert!(read(b"\xc1", &question(&frames)).unwrap_err().contains("not MessagePack"));
    }
}
