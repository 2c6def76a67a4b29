//! What the two processes say to each other: a length in eight bytes, then that many bytes.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::manifest::{Memory, Number};

/// Longest answer.
pub(crate) const ANSWER: u64 = 1 << 20;

/// How the first question begins; the model's bytes follow.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Load {
    pub inputs: Vec<Slot>,
    pub memory: Vec<Memory>,
    pub output: String,
}

/// An input and the numbers that it takes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub name: String,
    pub number: Number,
    pub shape: Vec<usize>,
}

/// How later questions begin.
pub(crate) const ASK: u8 = 0;
/// The same, at the beginning of an episode: nothing is remembered.
pub(crate) const ASK_FIRST: u8 = 1;

/// How answers begin.
pub(crate) const READY: u8 = 0;
/// A count of axes, their lengths, then numbers.
pub(crate) const NUMBERS: u8 = 1;
/// Text.
pub(crate) const FAULT: u8 = 2;

/// Write a message.
pub(crate) fn write(to: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    let length: usize = parts.iter().map(|p| p.len()).sum();
    to.write_all(&(length as u64).to_le_bytes())?;
    parts.iter().try_for_each(|p| to.write_all(p))?;
    to.flush()
}

/// Read a message into a buffer; whether there was one.
pub(crate) fn read(from: &mut impl Read, most: u64, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        other => other?,
    }
    let length = u64::from_le_bytes(length);
    if length > most {
        return Err(io::Error::other(format!("a message of {length} bytes")));
    }
    into.clear();
    into.resize(length as usize, 0);
    from.read_exact(into)?;
    Ok(true)
}
