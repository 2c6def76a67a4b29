//! What an agent remembers: the last frames, and keyframes in a bank.

use std::collections::VecDeque;

use longarm_types::Seed;
use serde::{Deserialize, Serialize};

/// One picture of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Camera name.
    pub camera: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// RGB, row by row from the top.
    pub rgb: Vec<u8>,
}

/// A remembered moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Control step.
    pub step: u32,
    /// What was seen; empty where the planner does not look.
    pub pictures: Vec<Picture>,
    /// What was done then, in words, where somebody said so.
    pub note: Option<String>,
}

/// Which frame stands for keyframes that are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Representative {
    First,
    #[default]
    Median,
    Last,
}

/// Which keyframe goes when the bank is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Evict {
    #[default]
    Oldest,
    Newest,
    FewestVotes,
}

/// The keyframe bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankSpec {
    /// Nominations at most this many control steps apart are one keyframe.
    #[serde(default = "merge")]
    pub merge: u32,
    /// Which of them stands for all.
    #[serde(default)]
    pub keep: Representative,
    /// Most keyframes; as many as come without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<usize>,
    /// Which one goes when there are more.
    #[serde(default)]
    pub evict: Evict,
    /// Who nominates.
    #[serde(default)]
    pub by: Nominator,
}

fn merge() -> u32 {
    6
}

/// Who says which frames are keyframes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nominator {
    /// The planner's answers.
    #[default]
    Planner,
    /// The truth: frames at which a step of the plan was completed, with a note of it.
    Oracle,
    /// The same frames in an order that is drawn once for the episode.
    Shuffled,
}

/// What is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemorySpec {
    /// Last frames that the planner sees.
    #[serde(default)]
    pub recent: usize,
    /// Control steps from one of them to the next.
    #[serde(default)]
    pub stride: u32,
    /// Keyframes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank: Option<BankSpec>,
    /// The planner is told what was said before.
    #[serde(default)]
    pub summary: bool,
}

/// Keyframes: nominations, merged where they are near each other.
#[derive(Clone, Debug)]
pub struct Bank {
    spec: BankSpec,
    /// Sorted by step.
    nominated: Vec<Frame>,
}

impl Bank {
    /// An empty one.
    pub fn new(spec: BankSpec) -> Self {
        Self { spec, nominated: Vec::new() }
    }

    /// Take in a nomination. What is known to stay outside for good is let go.
    pub fn nominate(&mut self, frame: Frame) {
        let at = self.nominated.partition_point(|f| f.step <= frame.step);
        self.nominated.insert(at, frame);
    }

    /// Return the keyframes, oldest first.
    pub fn keyframes(&self) -> Vec<&Frame> {
        let mut groups: Vec<&[Frame]> = Vec::new();
        let mut rest = &self.nominated[..];
        while !rest.is_empty() {
            let near = |w: &[Frame]| w[1].step - w[0].step <= self.spec.merge;
            let len = 1 + rest.windows(2).take_while(|w| near(w)).count();
            let (group, others) = rest.split_at(len);
            groups.push(group);
            rest = others;
        }
        while self.spec.cap.is_some_and(|cap| groups.len() > cap) {
            let goes = match self.spec.evict {
                Evict::Oldest => 0,
                Evict::Newest => groups.len() - 1,
                // Of equals the oldest.
                Evict::FewestVotes => {
                    (0..groups.len()).min_by_key(|i| groups[*i].len()).unwrap_or(0)
                }
            };
            groups.remove(goes);
        }
        let one = |group: &[Frame]| match self.spec.keep {
            Representative::First => 0,
            Representative::Median => (group.len() - 1) / 2,
            Representative::Last => group.len() - 1,
        };
        groups.into_iter().map(|g| &g[one(g)]).collect()
    }
}

/// Put keyframes into an order of the seed's own. It stays as it is while more of them come.
pub(crate) fn shuffle(keyframes: &mut [&Frame], seed: Seed) {
    keyframes.sort_by_cached_key(|f| {
        (Seed(seed.0 ^ u64::from(f.step)).stream("keyframes").next_u64(), f.step)
    });
}

/// The last frames, a stride apart, newest last.
#[derive(Clone, Debug)]
pub struct Recent {
    size: usize,
    stride: u32,
    frames: VecDeque<Frame>,
}

impl Recent {
    /// An empty one.
    pub fn new(size: usize, stride: u32) -> Self {
        Self { size, stride: stride.max(1), frames: VecDeque::new() }
    }

    /// Whether the frame of a step belongs in it.
    pub fn wants(&self, step: u32) -> bool {
        self.size > 0 && step.is_multiple_of(self.stride)
    }

    /// Take in a frame.
    pub fn push(&mut self, frame: Frame) {
        if self.frames.len() == self.size {
            self.frames.pop_front();
        }
        self.frames.push_back(frame);
    }

    /// Return the frames, oldest first.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &Frame> {
        self.frames.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bank(spec: BankSpec, steps: &[u32]) -> Vec<u32> {
        let mut bank = Bank::new(spec);
        for step in steps {
            bank.nominate(Frame { step: *step, ..Frame::default() });
        }
        bank.keyframes().iter().map(|f| f.step).collect()
    }

    fn spec() -> BankSpec {
        toml::from_str("").unwrap()
    }

    #[test]
    fn near_nominations_are_one_keyframe() {
        let steps = [40, 10, 12, 13, 90, 46];
        assert_eq!(bank(spec(), &steps), [12, 40, 90]);
        assert_eq!(bank(BankSpec { keep: Representative::First, ..spec() }, &steps), [10, 40, 90]);
        assert_eq!(bank(BankSpec { keep: Representative::Last, ..spec() }, &steps), [13, 46, 90]);
        assert_eq!(bank(BankSpec { merge: 0, ..spec() }, &steps).len(), 6);
    }

    #[test]
    fn a_full_bank_lets_go_as_it_is_told() {
        let steps = [10, 12, 40, 90, 91];
        let full = |evict| BankSpec { cap: Some(2), evict, ..spec() };
        assert_eq!(bank(full(Evict::Oldest), &steps), [40, 90]);
        assert_eq!(bank(full(Evict::Newest), &steps), [10, 40]);
        assert_eq!(bank(full(Evict::FewestVotes), &steps), [10, 90]);
    }

    #[test]
    fn a_wrong_order_stays_the_same_while_keyframes_come() {
        let frames: Vec<Frame> =
            (0..20).map(|i| Frame { step: 7 * i, ..Frame::default() }).collect();
        let order = |n: usize, seed: u64| {
            let mut some: Vec<&Frame> = frames[..n].iter().collect();
            shuffle(&mut some, Seed(seed));
            some.iter().map(|f| f.step).collect::<Vec<_>>()
        };
        let all = order(20, 3);
        assert!(!all.is_sorted() && all != order(20, 4));
        let first: Vec<u32> = all.iter().copied().filter(|s| *s < 70).collect();
        assert_eq!(order(10, 3), first);
    }

    #[test]
    fn the_window_keeps_the_last_frames_a_stride_apart() {
        let mut recent = Recent::new(3, 4);
        for step in (0..30).filter(|s| Recent::new(3, 4).wants(*s)) {
            recent.push(Frame { step, ..Frame::default() });
        }
        assert_eq!(recent.frames().map(|f| f.step).collect::<Vec<_>>(), [20, 24, 28]);
    }
}
