//! A muxer for one H.264 track at a constant rate: ISO/IEC 14496-12 and -15.
//!
//! Own code because the candidates did not fit: neither `mp4` 0.14 nor `muxide` 0.5 writes `colr`,
//! without which players guess colours, and `muxide` holds the whole video in memory.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// Ticks a frame lasts; the timescale is this times the rate, so that no time is ever rounded.
pub(crate) const TICKS: u32 = 512;
/// Where the samples begin when the index follows them.
pub(crate) const PAYLOAD: u64 = FTYP.len() as u64 + 16;
/// Frames whose duration still fits the 32-bit fields of the headers.
pub(crate) const MAX_FRAMES: u32 = u32::MAX / TICKS;

const FTYP: &[u8; 32] = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41";

/// Colour description: code points of ISO/IEC 23091-2.
pub(crate) struct Colour {
    pub(crate) primaries: u16,
    pub(crate) transfer: u16,
    pub(crate) matrix: u16,
    pub(crate) full_range: bool,
}

/// What the index needs to know about the samples.
pub(crate) struct Track<'a> {
    pub(crate) width: u16,
    pub(crate) height: u16,
    pub(crate) fps: u32,
    pub(crate) colour: Colour,
    pub(crate) sps: &'a [u8],
    pub(crate) pps: &'a [u8],
    /// Bytes of each sample, in order; the samples lie back to back.
    pub(crate) sizes: &'a [u32],
    /// Indices from zero of the samples where decoding can start.
    pub(crate) sync: &'a [u32],
}

/// Writes what comes before the samples; the length in it is filled in by [`finish`].
pub(crate) fn begin(file: &mut impl Write) -> io::Result<()> {
    file.write_all(FTYP)?;
    file.write_all(&mdat(0))
}

// Always the long form, so that the header's size does not depend on the payload's.
fn mdat(payload: u64) -> [u8; 16] {
    let mut header = *b"\0\0\0\x01mdat\0\0\0\0\0\0\0\0";
    header[8..].copy_from_slice(&(payload + 16).to_be_bytes());
    header
}

/// Completes a file of [`begin`] and samples with its index: in front of the samples if
/// `faststart`, so that a browser can play before it has all of it.
pub(crate) fn finish<F: Read + Write + Seek>(
    file: &mut F,
    track: &Track<'_>,
    faststart: bool,
) -> io::Result<()> {
    let payload: u64 = track.sizes.iter().map(|&s| u64::from(s)).sum();
    file.seek(SeekFrom::Start(FTYP.len() as u64))?;
    file.write_all(&mdat(payload))?;
    if !faststart {
        file.seek(SeekFrom::Start(PAYLOAD + payload))?;
        return file.write_all(&moov(track, PAYLOAD));
    }
    // The index's length depends on how wide its offsets are, and they on its length.
    let mut moov_len = moov(track, PAYLOAD).len() as u64;
    let mut index = moov(track, PAYLOAD + moov_len);
    while index.len() as u64 != moov_len {
        moov_len = index.len() as u64;
        index = moov(track, PAYLOAD + moov_len);
    }
    let start = FTYP.len() as u64;
    shift(file, start, PAYLOAD + payload, moov_len)?;
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&index)
}

/// Moves the bytes `start..end` towards the end of the file by `by`.
fn shift<F: Read + Write + Seek>(file: &mut F, start: u64, end: u64, by: u64) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    let mut at = end;
    // From the back, so that nothing is overwritten before it was read.
    while at > start {
        let n = (at - start).min(buffer.len() as u64);
        at -= n;
        let chunk = &mut buffer[..n as usize];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(chunk)?;
        file.seek(SeekFrom::Start(at + by))?;
        file.write_all(chunk)?;
    }
    Ok(())
}

/// Bytes under construction, nested boxes and all.
struct Boxes(Vec<u8>);

impl Boxes {
    fn boxed(&mut self, kind: &[u8; 4], content: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        self.0.extend_from_slice(kind);
        content(self);
        // An index of 4 GiB would need a billion frames.
        let size = (self.0.len() - start) as u32;
        self.0[start..start + 4].copy_from_slice(&size.to_be_bytes());
    }

    fn full(&mut self, kind: &[u8; 4], flags: u32, content: impl FnOnce(&mut Self)) {
        self.boxed(kind, |b| {
            b.u32(&[flags]);
            content(b);
        });
    }

    fn u32(&mut self, values: &[u32]) {
        self.0.extend(values.iter().flat_map(|v| v.to_be_bytes()));
    }

    fn u16(&mut self, values: &[u16]) {
        self.0.extend(values.iter().flat_map(|v| v.to_be_bytes()));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The unity transformation matrix.
    fn matrix(&mut self) {
        self.u32(&[0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]);
    }
}

/// The index of samples that start at `payload` in the file.
fn moov(track: &Track<'_>, payload: u64) -> Vec<u8> {
    let frames = track.sizes.len() as u32;
    let timescale = track.fps * TICKS;
    let duration = frames * TICKS;
    let mut out = Boxes(Vec::new());
    out.boxed(b"moov", |b| {
        // Times of creation stay 0: equal input, equal bytes.
        b.full(b"mvhd", 0, |b| {
            b.u32(&[0, 0, timescale, duration, 0x1_0000]);
            b.u16(&[0x0100, 0, 0, 0, 0, 0]);
            b.matrix();
            b.u32(&[0, 0, 0, 0, 0, 0, 2]);
        });
        b.boxed(b"trak", |b| {
            // Flags: enabled, in the presentation.
            b.full(b"tkhd", 3, |b| {
                b.u32(&[0, 0, 1, 0, duration, 0, 0]);
                b.u16(&[0, 0, 0, 0]);
                b.matrix();
                b.u32(&[u32::from(track.width) << 16, u32::from(track.height) << 16]);
            });
            b.boxed(b"mdia", |b| {
                b.full(b"mdhd", 0, |b| {
                    b.u32(&[0, 0, timescale, duration]);
                    // Language "und".
                    b.u16(&[0x55c4, 0]);
                });
                b.full(b"hdlr", 0, |b| {
                    b.u32(&[0]);
                    b.bytes(b"vide");
                    b.u32(&[0, 0, 0]);
                    b.bytes(b"VideoHandler\0");
                });
                b.boxed(b"minf", |b| {
                    b.full(b"vmhd", 1, |b| b.u16(&[0, 0, 0, 0]));
                    b.boxed(b"dinf", |b| {
                        b.full(b"dref", 0, |b| {
                            b.u32(&[1]);
                            // Flag: the data is in this file.
                            b.full(b"url ", 1, |_| {});
                        });
                    });
                    b.boxed(b"stbl", |b| sample_table(b, track, payload));
                });
            });
        });
    });
    out.0
}

fn sample_table(b: &mut Boxes, track: &Track<'_>, payload: u64) {
    let frames = track.sizes.len() as u32;
    b.full(b"stsd", 0, |b| {
        b.u32(&[1]);
        b.boxed(b"avc1", |b| avc1(b, track));
    });
    b.full(b"stts", 0, |b| b.u32(&[1, frames, TICKS]));
    b.full(b"stss", 0, |b| {
        b.u32(&[track.sync.len() as u32]);
        for &i in track.sync {
            b.u32(&[i + 1]);
        }
    });
    // Chunks of a second, the usual choice of players' buffers.
    let per_chunk = track.fps;
    let rest = frames % per_chunk;
    b.full(b"stsc", 0, |b| {
        let whole = frames / per_chunk;
        let mut runs = Vec::new();
        if whole > 0 {
            runs.push([1, per_chunk, 1]);
        }
        if rest > 0 {
            runs.push([whole + 1, rest, 1]);
        }
        b.u32(&[runs.len() as u32]);
        for run in runs {
            b.u32(&run);
        }
    });
    b.full(b"stsz", 0, |b| {
        b.u32(&[0, frames]);
        b.u32(track.sizes);
    });
    let mut offset = payload;
    let offsets: Vec<u64> = track
        .sizes
        .chunks(per_chunk as usize)
        .map(|chunk| {
            let start = offset;
            offset += chunk.iter().map(|&s| u64::from(s)).sum::<u64>();
            start
        })
        .collect();
    let count = offsets.len() as u32;
    if offset <= u64::from(u32::MAX) {
        b.full(b"stco", 0, |b| {
            b.u32(&[count]);
            for o in offsets {
                b.u32(&[o as u32]);
            }
        });
    } else {
        b.full(b"co64", 0, |b| {
            b.u32(&[count]);
            for o in offsets {
                b.bytes(&o.to_be_bytes());
            }
        });
    }
}

fn avc1(b: &mut Boxes, track: &Track<'_>) {
    b.u16(&[0, 0, 0, 1]);
    b.u32(&[0, 0, 0, 0]);
    b.u16(&[track.width, track.height]);
    // 72 dpi, one frame per sample, no compressor name, 24 bits, no colour table.
    b.u32(&[0x48_0000, 0x48_0000, 0]);
    b.u16(&[1]);
    b.bytes(&[0; 32]);
    b.u16(&[24, 0xffff]);
    b.boxed(b"avcC", |b| {
        b.bytes(&[1]);
        // Profile, constraints and level, as the sequence itself states them.
        b.bytes(&track.sps[1..4]);
        // Four-byte sample lengths; one sequence parameter set.
        b.bytes(&[0xff, 0xe1]);
        b.u16(&[track.sps.len() as u16]);
        b.bytes(track.sps);
        b.bytes(&[1]);
        b.u16(&[track.pps.len() as u16]);
        b.bytes(track.pps);
    });
    b.boxed(b"colr", |b| {
        b.bytes(b"nclx");
        b.u16(&[track.colour.primaries, track.colour.transfer, track.colour.matrix]);
        b.bytes(&[u8::from(track.colour.full_range) << 7]);
    });
    b.boxed(b"pasp", |b| b.u32(&[1, 1]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn track<'a>(sizes: &'a [u32], sync: &'a [u32]) -> Track<'a> {
        Track {
            width: 64,
            height: 48,
            fps: 20,
            colour: Colour { primaries: 1, transfer: 13, matrix: 6, full_range: false },
            sps: &[0x67, 66, 0xc0, 20],
            pps: &[0x68, 1],
            sizes,
            sync,
        }
    }

    /// Long recordings pass 4 GiB; too large to write in a test, so only their index is.
    #[test]
    fn offsets_widen_when_they_must() {
        let sizes = vec![200_000_000; 45];
        let index = moov(&track(&sizes, &[0]), PAYLOAD);
        let at = index.windows(4).position(|w| w == b"co64").expect("wide offsets");
        let third = u64::from_be_bytes(index[at + 12 + 16..at + 12 + 24].try_into().unwrap());
        assert_eq!(third, PAYLOAD + 40 * 200_000_000);
        assert!(!index.windows(4).any(|w| w == b"stco"));
    }

    #[test]
    fn faststart_moves_every_byte() {
        // Longer than the copy buffer, and not a multiple of it.
        let payload: Vec<u8> = (0..200_001_u32).map(|i| (i * 7 % 251) as u8).collect();
        let mut file = Cursor::new(Vec::new());
        begin(&mut file).unwrap();
        file.write_all(&payload).unwrap();
        finish(&mut file, &track(&[200_001], &[0]), true).unwrap();
        let bytes = file.into_inner();
        assert_eq!(&bytes[36..40], b"moov");
        assert_eq!(&bytes[bytes.len() - payload.len()..], payload);
        let at = bytes.windows(4).position(|w| w == b"stco").unwrap();
        let offset = u32::from_be_bytes(bytes[at + 12..at + 16].try_into().unwrap());
        assert_eq!(offset as usize, bytes.len() - payload.len());
    }
}
