//! What is said, and how it is written down.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Hello;

/// Name of the protocol.
pub const PROTOCOL: &str = "longarm-bridge";
/// Its version.
pub const VERSION: u32 = 1;

/// What a console says: one JSON object in a text message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ToBridge {
    /// An episode begins: halt, and do whatever the robot does before one.
    Begin {
        /// Task.
        task: String,
        /// Seed of the initialization.
        seed: u64,
        /// What the policy is told.
        instruction: String,
    },
    /// Take actions from now on.
    Go {},
    /// An action, for the observation of this step.
    Action {
        /// Step of the observation it answers.
        step: u64,
        /// Its numbers.
        values: Vec<f32>,
    },
    /// The console is there.
    Alive {},
    /// Halt at once.
    Stop {
        /// Comes back in the answer.
        id: u64,
        /// Why.
        reason: String,
    },
    /// The episode is over.
    End {},
}

/// What a bridge says in text messages; observations are binary, see [`encode`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromBridge {
    /// First of all: what the arm is.
    Hello(Box<Hello>),
    /// The episode may begin.
    Ready {},
    /// The arm stands still.
    Halted(Stopped),
    /// The episode is over.
    Ended {
        /// Anything worth knowing.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
    },
    /// Something was not done.
    Error {
        /// What kind.
        code: Refused,
        /// In words.
        message: String,
    },
}

/// Who halted an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HaltedBy {
    /// The console's `stop`.
    Stop,
    /// Nothing was heard of the console for the watchdog's time, or its connection ended.
    Watchdog,
    /// The bridge: an emergency stop, a limit, a fault.
    Bridge,
}

impl HaltedBy {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Watchdog => "watchdog",
            Self::Bridge => "bridge",
        }
    }
}

/// That an arm was halted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// By what.
    pub by: HaltedBy,
    /// The `stop` that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// Control step at which it stands.
    #[serde(default)]
    pub step: u64,
    /// Milliseconds since the console was heard last.
    #[serde(default)]
    pub silent_ms: u64,
}

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refused {
    /// Another console drives.
    Busy,
    /// Not a message of this protocol.
    BadMessage,
    /// An action that is none: its length, a number that is not finite.
    BadAction,
    /// An action, but the arm is halted.
    NotRunning,
    /// Nothing was begun.
    NoEpisode,
    /// A task that the bridge does not know.
    UnknownTask,
    /// The arm could not do it.
    Fault,
}

/// A picture that follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureHead {
    /// Name of the camera.
    pub camera: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
}

/// The head of an observation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Control steps since the episode began.
    pub step: u64,
    /// Whether actions are taken.
    pub running: bool,
    /// Numbers by name: `joint_position`, `tool_pose`, `gripper_opening` and so on.
    pub fields: BTreeMap<String, Vec<f64>>,
    /// Pictures, in the order of their bytes.
    #[serde(default)]
    pub pictures: Vec<PictureHead>,
}

/// Why an observation cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Shorter than it says.
    #[error("an observation of {got} bytes ends before its {what}")]
    Short {
        /// What is missing.
        what: &'static str,
        /// Bytes there are.
        got: usize,
    },
    /// A head that is none.
    #[error("the head of an observation is not what it should be: {0}")]
    Head(String),
    /// Bytes that belong to no picture.
    #[error("an observation has {0} bytes after its last picture")]
    Long(usize),
}

/// Write an observation: the length of the head as four bytes, little endian; the head as JSON; then the pictures'
/// bytes, RGB, row by row from the top.
pub fn encode(head: &Seen, pictures: &[&[u8]]) -> Vec<u8> {
    let text = serde_json::to_vec(head).unwrap_or_default();
    let mut out =
        Vec::with_capacity(4 + text.len() + pictures.iter().map(|p| p.len()).sum::<usize>());
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(&text);
    pictures.iter().for_each(|p| out.extend_from_slice(p));
    out
}

/// Read an observation.
pub fn decode(bytes: &[u8]) -> Result<(Seen, Vec<&[u8]>), WireError> {
    let short = |what| WireError::Short { what, got: bytes.len() };
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(|| short("length"))?;
    let length = u32::from_le_bytes(*length) as usize;
    let (head, mut rest) = rest.split_at_checked(length).ok_or_else(|| short("head"))?;
    let head: Seen = serde_json::from_slice(head).map_err(|e| WireError::Head(e.to_string()))?;
    let mut pictures = Vec::new();
    for p in &head.pictures {
        let size = p.width.checked_mul(p.height).and_then(|n| n.checked_mul(3));
        let size = size.ok_or_else(|| short("pictures"))?;
        let (picture, more) = rest.split_at_checked(size).ok_or_else(|| short("pictures"))?;
        pictures.push(picture);
        rest = more;
    }
    match rest.len() {
        0 => Ok((head, pictures)),
        n => Err(WireError::Long(n)),
    }
}
