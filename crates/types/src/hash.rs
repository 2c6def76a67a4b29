use std::fmt;

use serde::{Deserialize, Serialize};

/// A 128-bit digest, printed as 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest(pub [u8; 16]);

impl Digest {
    /// Digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut h = RunningHash::default();
        h.bytes(bytes);
        h.digest()
    }

    /// The first eight hex digits, for people.
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Digest> for String {
    fn from(d: Digest) -> Self {
        d.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = String;
    fn try_from(s: String) -> Result<Self, String> {
        let bad = || format!("{s:?} is not a digest of 32 hex digits");
        if s.len() != 32 || !s.is_ascii() {
            return Err(bad());
        }
        let mut out = [0; 16];
        for (i, b) in out.iter_mut().enumerate() {
            *b = u8::from_str_radix(&s[2 * i..2 * i + 2], 16).map_err(|_| bad())?;
        }
        Ok(Self(out))
    }
}

/// Hashes a stream of numbers without allocating.
#[derive(Clone, Default)]
pub struct RunningHash(blake3::Hasher);

impl RunningHash {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds the exact bits of floats, little endian.
    pub fn floats(&mut self, values: &[f64]) {
        let mut buf = [0u8; 512];
        for chunk in values.chunks(64) {
            for (slot, v) in buf.chunks_exact_mut(8).zip(chunk) {
                slot.copy_from_slice(&v.to_le_bytes());
            }
            self.0.update(&buf[..chunk.len() * 8]);
        }
    }

    /// Adds the exact bits of single floats, little endian.
    pub fn singles(&mut self, values: &[f32]) {
        for v in values {
            self.0.update(&v.to_le_bytes());
        }
    }

    /// The digest so far; hashing may go on.
    pub fn digest(&self) -> Digest {
        let mut out = [0; 16];
        out.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        Digest(out)
    }
}

impl fmt::Debug for RunningHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunningHash({})", self.digest())
    }
}
