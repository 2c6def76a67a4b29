//! What was done, exactly: action traces.

use std::path::Path;

use longarm_data::write_atomically;
use longarm_types::{Action, ControlMode, Digest, MAX_ACTION, RunningHash, TaskId};

use crate::{Error, Result, TRACES};

const MAGIC: &[u8; 8] = b"LNGARMTR";
/// Actions as the rig takes them, and under another control mode.
const VERSIONS: [u16; 2] = [1, 2];
const DIGEST: usize = 16;

/// The actions of one episode.
///
/// # On disk
/// All little endian: the magic `LNGARMTR`, version u16, values per action u16, number of actions
/// u32, seed u64, length of the task id u16, the task id, in version 2 the control mode in the same form,
/// the values as f32, and the first 16 bytes of the BLAKE3 hash of everything before them.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Task.
    pub task: TaskId,
    /// Seed.
    pub seed: u64,
    /// What the actions command, where it is not what the rig takes by default.
    pub control: Option<ControlMode>,
    dim: usize,
    values: Vec<f32>,
}

/// Where a trace belongs, relative to the run directory.
pub fn trace_name(task: &TaskId, seed: u64) -> String {
    format!("{TRACES}/{task}/{seed}.trace")
}

impl Trace {
    /// An empty trace of actions of `dim` values.
    ///
    /// # Panics
    /// If `dim` is zero or more than [`MAX_ACTION`].
    pub fn new(task: TaskId, seed: u64, dim: usize) -> Self {
        assert!((1..=MAX_ACTION).contains(&dim), "actions have 1 to {MAX_ACTION} values");
        Self { task, seed, control: None, dim, values: Vec::new() }
    }

    /// Return the same trace of actions under a control mode.
    pub fn under(mut self, control: Option<ControlMode>) -> Self {
        self.control = control;
        self
    }

    /// Adds an action. `false`, and nothing added, when it has another length than the rest: such an
    /// action was never executed.
    pub fn push(&mut self, action: &[f32]) -> bool {
        let fits = action.len() == self.dim;
        if fits {
            self.values.extend_from_slice(action);
        }
        fits
    }

    /// Values per action.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of actions.
    pub fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The actions in order.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = Action> + '_ {
        self.values.chunks_exact(self.dim).map(Action::new)
    }

    /// The hash that an episode's record has over its actions.
    pub fn action_hash(&self) -> Digest {
        let mut h = RunningHash::default();
        h.singles(&self.values);
        h.digest()
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.values.len() * 4 + DIGEST);
        let texts = [Some(self.task.as_str()), self.control.map(ControlMode::as_str)];
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSIONS[usize::from(self.control.is_some())].to_le_bytes());
        out.extend_from_slice(&(self.dim as u16).to_le_bytes());
        out.extend_from_slice(&(self.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.seed.to_le_bytes());
        for text in texts.into_iter().flatten() {
            out.extend_from_slice(&(text.len() as u16).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        for v in &self.values {
            out.extend_from_slice(&v.to_le_bytes());
        }
        out.extend_from_slice(&Digest::of(&out).0);
        out
    }

    /// From a file's bytes; what is wrong otherwise.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (body, digest) =
            bytes.split_last_chunk::<DIGEST>().ok_or("it is shorter than any trace")?;
        let mut rest = body;
        if &take::<8>(&mut rest)? != MAGIC {
            return Err("it does not begin as one".into());
        }
        let version = u16::from_le_bytes(take(&mut rest)?);
        if !VERSIONS.contains(&version) {
            let [old, new] = VERSIONS;
            return Err(format!("it has version {version}, this version reads {old} and {new}"));
        }
        if Digest::of(body).0 != *digest {
            return Err("its contents do not match its hash; it was cut or changed".into());
        }
        let dim = usize::from(u16::from_le_bytes(take(&mut rest)?));
        let count = u32::from_le_bytes(take(&mut rest)?) as usize;
        let seed = u64::from_le_bytes(take(&mut rest)?);
        let task: TaskId = text(&mut rest)?.parse().map_err(|e| format!("{e}"))?;
        let control = match version == VERSIONS[0] {
            true => None,
            false => Some(text(&mut rest)?.parse().map_err(|e| format!("{e}"))?),
        };
        let values = rest;
        if !(1..=MAX_ACTION).contains(&dim) || values.len() != dim * count * 4 {
            return Err(format!(
                "it promises {count} actions of {dim} values and holds {} bytes",
                values.len()
            ));
        }
        let number = |c: &[u8]| c.try_into().map_or(0.0, f32::from_le_bytes);
        Ok(Self { task, seed, control, dim, values: values.chunks_exact(4).map(number).collect() })
    }

    /// Writes the file and its folders; it appears whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
        }
        Ok(write_atomically(path, &self.to_bytes())?)
    }

    /// Reads a file and checks its hash.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        Self::from_bytes(&bytes).map_err(|what| Error::Trace { path: path.to_owned(), what })
    }
}

fn text<'a>(rest: &mut &'a [u8]) -> Result<&'a str, String> {
    let length = usize::from(u16::from_le_bytes(take(rest)?));
    let (head, tail) = rest.split_at_checked(length).ok_or("its header is cut")?;
    *rest = tail;
    std::str::from_utf8(head).map_err(|_| "its header is not text".to_owned())
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], String> {
    let (head, tail) = rest.split_first_chunk::<N>().ok_or("its header is cut")?;
    *rest = tail;
    Ok(*head)
}
