//! MessagePack, written into a reused buffer and read without building a tree.
//!
//! A reader that builds values would let a 64 MB reply of one-byte items grow to gigabytes. Here a
//! reply is checked once from end to end and then looked at in place, so decoding takes no memory
//! at all, whatever arrives.

use bytes::{Bytes, BytesMut};

/// Why bytes are not one MessagePack value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The value goes on after the last byte.
    #[error("the message ends in the middle of a value")]
    Truncated,
    /// 0xc1, which the format leaves unused.
    #[error("byte 0xc1 is not MessagePack")]
    Reserved,
    /// Something follows the value.
    #[error("{0} bytes follow the value")]
    Trailing(usize),
}

/// A message being written. The memory is used again once the message was sent.
#[derive(Debug, Default)]
pub struct Pack(BytesMut, usize);

impl Pack {
    /// What was written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes the message out; its memory returns when the last handle is dropped.
    pub fn take(&mut self) -> Bytes {
        self.1 = self.0.len();
        self.0.split().freeze()
    }

    /// Forgets what was written and makes room for a message as long as the last.
    pub fn clear(&mut self) {
        self.0.clear();
        self.0.reserve(self.1);
    }

    /// Bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// `len` zero bytes to fill in place.
    pub fn zeroed(&mut self, len: usize) -> &mut [u8] {
        let at = self.0.len();
        self.0.resize(at + len, 0);
        &mut self.0[at..]
    }

    fn sized(&mut self, len: usize, fix: Option<(u8, usize)>, tags: [Option<u8>; 3]) {
        match (fix, tags) {
            (Some((base, max)), _) if len <= max => self.raw(&[base | len as u8]),
            (_, [Some(t), ..]) if len <= 0xff => self.raw(&[t, len as u8]),
            (_, [_, Some(t), _]) if len <= 0xffff => {
                self.raw(&[t]);
                self.raw(&(len as u16).to_be_bytes());
            }
            (_, [.., t]) => {
                self.raw(&[t.unwrap_or(0xc6)]);
                self.raw(&(len as u32).to_be_bytes());
            }
        }
    }

    /// Head of a map; that many keys and values follow.
    pub fn map(&mut self, len: usize) {
        self.sized(len, Some((0x80, 15)), [None, Some(0xde), Some(0xdf)]);
    }

    /// Head of an array.
    pub fn array(&mut self, len: usize) {
        self.sized(len, Some((0x90, 15)), [None, Some(0xdc), Some(0xdd)]);
    }

    /// A string.
    pub fn str(&mut self, s: &str) {
        self.sized(s.len(), Some((0xa0, 31)), [Some(0xd9), Some(0xda), Some(0xdb)]);
        self.raw(s.as_bytes());
    }

    /// Head of a byte string; its bytes follow.
    pub fn bin(&mut self, len: usize) {
        self.sized(len, None, [Some(0xc4), Some(0xc5), Some(0xc6)]);
    }

    /// Nothing.
    pub fn nil(&mut self) {
        self.raw(&[0xc0]);
    }

    /// A truth value.
    pub fn bool(&mut self, b: bool) {
        self.raw(&[0xc2 | u8::from(b)]);
    }

    /// A whole number, in the fewest bytes, as Python's msgpack writes it.
    pub fn uint(&mut self, n: u64) {
        match n {
            0..=0x7f => self.raw(&[n as u8]),
            0x80..=0xff => self.raw(&[0xcc, n as u8]),
            0x100..=0xffff => {
                self.raw(&[0xcd]);
                self.raw(&(n as u16).to_be_bytes());
            }
            0x1_0000..=0xffff_ffff => {
                self.raw(&[0xce]);
                self.raw(&(n as u32).to_be_bytes());
            }
            _ => {
                self.raw(&[0xcf]);
                self.raw(&n.to_be_bytes());
            }
        }
    }

    /// A number.
    pub fn f64(&mut self, x: f64) {
        self.raw(&[0xcb]);
        self.raw(&x.to_be_bytes());
    }
}

/// What stands at the head of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Head {
    Nil,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    /// Bytes that follow.
    Str(usize),
    Bin(usize),
    Ext(usize),
    /// Values that follow.
    Array(usize),
    /// Pairs that follow.
    Map(usize),
}

fn be<const N: usize>(bytes: &[u8]) -> Result<[u8; N], DecodeError> {
    bytes.get(1..=N).and_then(|b| b.try_into().ok()).ok_or(DecodeError::Truncated)
}

/// The head of the first value and how many bytes it takes.
fn head(bytes: &[u8]) -> Result<(Head, usize), DecodeError> {
    let tag = *bytes.first().ok_or(DecodeError::Truncated)?;
    let len8 = || be::<1>(bytes).map(|[n]| usize::from(n));
    let len16 = || be::<2>(bytes).map(|b| usize::from(u16::from_be_bytes(b)));
    let len32 = || be::<4>(bytes).map(|b| u32::from_be_bytes(b) as usize);
    Ok(match tag {
        0x00..=0x7f => (Head::UInt(u64::from(tag)), 1),
        0x80..=0x8f => (Head::Map(usize::from(tag & 0x0f)), 1),
        0x90..=0x9f => (Head::Array(usize::from(tag & 0x0f)), 1),
        0xa0..=0xbf => (Head::Str(usize::from(tag & 0x1f)), 1),
        0xc0 => (Head::Nil, 1),
        0xc1 => return Err(DecodeError::Reserved),
        0xc2 | 0xc3 => (Head::Bool(tag == 0xc3), 1),
        0xc4 => (Head::Bin(len8()?), 2),
        0xc5 => (Head::Bin(len16()?), 3),
        0xc6 => (Head::Bin(len32()?), 5),
        // An extension's type byte counts as one of its bytes.
        0xc7 => (Head::Ext(len8()? + 1), 2),
        0xc8 => (Head::Ext(len16()? + 1), 3),
        0xc9 => (Head::Ext(len32()?.saturating_add(1)), 5),
        0xca => (Head::Float(f64::from(f32::from_be_bytes(be(bytes)?))), 5),
        0xcb => (Head::Float(f64::from_be_bytes(be(bytes)?)), 9),
        0xcc => (Head::UInt(len8()? as u64), 2),
        0xcd => (Head::UInt(len16()? as u64), 3),
        0xce => (Head::UInt(len32()? as u64), 5),
        0xcf => (Head::UInt(u64::from_be_bytes(be(bytes)?)), 9),
        0xd0 => (Head::Int(i64::from(i8::from_be_bytes(be(bytes)?))), 2),
        0xd1 => (Head::Int(i64::from(i16::from_be_bytes(be(bytes)?))), 3),
        0xd2 => (Head::Int(i64::from(i32::from_be_bytes(be(bytes)?))), 5),
        0xd3 => (Head::Int(i64::from_be_bytes(be(bytes)?)), 9),
        0xd4..=0xd8 => (Head::Ext((1usize << (tag - 0xd4)) + 1), 1),
        0xd9 => (Head::Str(len8()?), 2),
        0xda => (Head::Str(len16()?), 3),
        0xdb => (Head::Str(len32()?), 5),
        0xdc => (Head::Array(len16()?), 3),
        0xdd => (Head::Array(len32()?), 5),
        0xde => (Head::Map(len16()?), 3),
        0xdf => (Head::Map(len32()?), 5),
        0xe0..=0xff => (Head::Int(i64::from(tag as i8)), 1),
    })
}

/// Length of the first value. Nesting costs nothing: only the number of values owed is kept.
fn length(bytes: &[u8]) -> Result<usize, DecodeError> {
    let mut at = 0usize;
    let mut owed = 1u64;
    while owed > 0 {
        // Every value takes a byte: a head that promises more values than bytes is a lie.
        if owed > (bytes.len() - at) as u64 {
            return Err(DecodeError::Truncated);
        }
        let (what, size) = head(&bytes[at..])?;
        at += size;
        owed -= 1;
        match what {
            Head::Str(n) | Head::Bin(n) | Head::Ext(n) => {
                at = at
                    .checked_add(n)
                    .filter(|&a| a <= bytes.len())
                    .ok_or(DecodeError::Truncated)?;
            }
            Head::Array(n) => owed += n as u64,
            Head::Map(n) => owed += 2 * n as u64,
            _ => {}
        }
    }
    Ok(at)
}

/// A value in place.
#[derive(Clone, Copy, Debug)]
pub struct MsgView<'a>(&'a [u8]);

impl<'a> MsgView<'a> {
    /// Checks that the bytes are exactly one value.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        match length(bytes)? {
            n if n == bytes.len() => Ok(Self(bytes)),
            n => Err(DecodeError::Trailing(bytes.len() - n)),
        }
    }

    fn head(&self) -> (Head, usize) {
        // Checked when parsed; nil would be the harmless answer.
        head(self.0).unwrap_or((Head::Nil, 1))
    }

    fn body(&self, at: usize, len: usize) -> &'a [u8] {
        self.0.get(at..at + len).unwrap_or(&[])
    }

    /// A string's or byte string's bytes.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match self.head() {
            (Head::Str(n) | Head::Bin(n), at) => Some(self.body(at, n)),
            _ => None,
        }
    }

    /// A byte string's bytes.
    pub fn as_bin(&self) -> Option<&'a [u8]> {
        match self.head() {
            (Head::Bin(n), at) => Some(self.body(at, n)),
            _ => None,
        }
    }

    /// Text, from a string or a byte string.
    pub fn as_str(&self) -> Option<&'a str> {
        self.as_bytes().and_then(|b| str::from_utf8(b).ok())
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self.head().0 {
            Head::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// A number.
    pub fn as_f64(&self) -> Option<f64> {
        match self.head().0 {
            Head::Int(i) => Some(i as f64),
            Head::UInt(u) => Some(u as f64),
            Head::Float(f) => Some(f),
            _ => None,
        }
    }

    /// A whole number that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self.head().0 {
            Head::UInt(u) => Some(u),
            Head::Int(i) => u64::try_from(i).ok(),
            _ => None,
        }
    }

    /// Whether it is nil.
    pub fn is_nil(&self) -> bool {
        self.head().0 == Head::Nil
    }

    /// The values of an array.
    pub fn items(&self) -> Option<Items<'a>> {
        match self.head() {
            (Head::Array(n), at) => Some(Items { rest: &self.0[at..], left: n }),
            _ => None,
        }
    }

    /// The keys and values of a map.
    pub fn pairs(&self) -> Option<impl Iterator<Item = (MsgView<'a>, MsgView<'a>)> + use<'a>> {
        let (Head::Map(n), at) = self.head() else { return None };
        let mut items = Items { rest: &self.0[at..], left: n.saturating_mul(2) };
        Some(std::iter::from_fn(move || Some((items.next()?, items.next()?))))
    }

    /// The value of this key, whether the key is a string or a byte string.
    pub fn get(&self, key: &str) -> Option<MsgView<'a>> {
        self.pairs()?.find(|(k, _)| k.as_bytes() == Some(key.as_bytes())).map(|(_, v)| v)
    }

    /// What it is, in words, for messages.
    pub fn kind(&self) -> &'static str {
        match self.head().0 {
            Head::Nil => "nil",
            Head::Bool(_) => "a truth value",
            Head::Int(_) | Head::UInt(_) => "a whole number",
            Head::Float(_) => "a number",
            Head::Str(_) => "a string",
            Head::Bin(_) => "bytes",
            Head::Ext(_) => "an extension",
            Head::Array(_) => "a list",
            Head::Map(_) => "a map",
        }
    }
}

/// Values one after another.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    rest: &'a [u8],
    left: usize,
}

impl Items<'_> {
    /// How many are still to come.
    pub fn left(&self) -> usize {
        self.left
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = MsgView<'a>;

    fn next(&mut self) -> Option<MsgView<'a>> {
        self.left = self.left.checked_sub(1)?;
        let n = length(self.rest).ok()?;
        let (value, rest) = self.rest.split_at(n);
        self.rest = rest;
        Some(MsgView(value))
    }
}
