//! One file of an uncompressed zip archive.

use super::PickleError;

fn bad(what: &'static str) -> PickleError {
    PickleError::Archive { what }
}

fn number(bytes: &[u8], at: usize, n: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(n)?)?;
    Some(bytes.iter().rev().fold(0, |sum, b| (sum << 8) | usize::from(*b)))
}

/// Return the content of the file whose name ends so.
pub(super) fn entry<'a>(bytes: &'a [u8], name: &str) -> Result<&'a [u8], PickleError> {
    let short = || bad("that ends in the middle");
    // The directory's end is the last record; a comment of up to 64 kB may follow.
    let from = bytes.len().saturating_sub(22 + 0xffff);
    let end = bytes[from..].windows(4).rposition(|w| w == b"PK\x05\x06").ok_or_else(short)? + from;
    let count = number(bytes, end + 10, 2).ok_or_else(short)?;
    let mut at = number(bytes, end + 16, 4).ok_or_else(short)?;
    for _ in 0..count {
        let field = |offset: usize, n: usize| number(bytes, at + offset, n).ok_or_else(short);
        if bytes.get(at..at + 4) != Some(b"PK\x01\x02") {
            return Err(bad("whose directory is damaged"));
        }
        let (method, sum, packed, size) =
            (field(10, 2)?, field(16, 4)?, field(20, 4)?, field(24, 4)?);
        let (name_len, extra, comment) = (field(28, 2)?, field(30, 2)?, field(32, 2)?);
        let local = field(42, 4)?;
        let own = bytes.get(at + 46..at + 46 + name_len).ok_or_else(short)?;
        at += 46 + name_len + extra + comment;
        if own != name.as_bytes() && !own.ends_with(format!("/{name}").as_bytes()) {
            continue;
        }
        if method != 0 || packed != size {
            return Err(bad("whose array is compressed; PyTorch writes it uncompressed"));
        }
        let skip = |offset| number(bytes, local.checked_add(offset)?, 2);
        let head = skip(26).zip(skip(28)).map(|(a, b)| 30 + a + b).ok_or_else(short)?;
        let content = bytes.get(local + head..).and_then(|b| b.get(..size)).ok_or_else(short)?;
        if checksum(content) as usize != sum {
            return Err(bad("whose array is damaged: its checksum differs"));
        }
        return Ok(content);
    }
    Err(bad("without an array: there is no data.pkl in it"))
}

/// CRC-32 as zip has it.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8)
            .fold(sum ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, step)
}
