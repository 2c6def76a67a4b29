//! H.264 video in mp4 files.

mod clip;
mod coder;
mod planes;

use crate::atomic::AtomicFile;
use crate::{Error, Result, mp4};
use coder::{COARSEST, Coder};
use std::io::Write;
use std::path::Path;

pub use clip::{Clip, ClipEncoder, ClipJoiner};

/// Encoded bytes gathered before they go to the file.
const FLUSH: usize = 1 << 18;

/// How a video is encoded.
///
/// The encoder works at one quantizer for every block of every frame: no rate control that would
/// starve a busy moment, and no dependence on what came before. Only a frame of pure noise, which
/// takes more than a byte a pixel, makes it go on six steps coarser, from a key frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VideoOptions {
    /// Frames per second, 1 to 240.
    pub fps: u32,
    /// Frames from one key frame to the next at most, 1 or more. Seeking decodes at most this many.
    pub gop: u32,
    /// Quantizer, 12 (finest) to 51 (coarsest). Six more halve the precision.
    pub qp: u8,
    /// Put the index in front of the frames, so that a browser can play while it downloads.
    pub faststart: bool,
    /// Encode faster, at a few per cent more bytes for the same picture.
    pub quick: bool,
}

impl VideoOptions {
    /// For people: a key frame every two seconds, quantizer 20 (no visible artefacts).
    pub fn viewing(fps: u32) -> Self {
        Self { fps, gop: fps.saturating_mul(2).max(1), qp: 20, faststart: true, quick: false }
    }

    /// For training: a key frame every second frame, so that fetching a random frame decodes at
    /// most two; quantizer 18.
    pub fn dataset(fps: u32) -> Self {
        Self { fps, gop: 2, qp: 18, faststart: true, quick: true }
    }

    fn check(self) -> Result<Self> {
        let check = |fine: bool, option, allowed, got| {
            if fine { Ok(()) } else { Err(Error::Option { option, allowed, got }) }
        };
        check((1..=240).contains(&self.fps), "fps", "1..=240", self.fps.into())?;
        check(self.gop >= 1, "gop", "1..", self.gop.into())?;
        check((12..=COARSEST).contains(&self.qp), "qp", "12..=51", self.qp.into())?;
        Ok(self)
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VideoSummary {
    /// Frames in the file.
    pub frames: u32,
    /// Bytes of encoded frames, without the index.
    pub bytes: u64,
}

/// Writes RGB frames of one size as H.264 (constrained baseline, no B-frames) into an mp4 file at
/// a constant rate: frame *n* is shown at exactly *n* / fps.
///
/// - **Size**: 16×16 to 3840×2160. 4:2:0 video has even sides, so an odd side gains one row or
///   column that repeats the last ([`Mp4Writer::encoded_size`]).
/// - **Colour**: the YCbCr matrix is that of BT.601 in limited range, which decoders that ignore
///   flags assume; primaries and transfer are those of sRGB. Both the stream and a `colr` box say
///   so.
/// - **Bytes**: one encoder thread and no clock; equal frames and options give equal files.
/// - **File**: written beside the target under a temporary name and renamed by
///   [`Mp4Writer::finish`]. Dropped before that, it leaves nothing behind.
///
/// ```
/// use longarm_data::video::{Mp4Writer, VideoOptions};
/// # let path = std::env::temp_dir().join(format!("longarm-doc-{}.mp4", std::process::id()));
/// let mut video = Mp4Writer::create(&path, 64, 48, VideoOptions::viewing(20))?;
/// for _ in 0..5 {
///     video.push(&[200; 64 * 48 * 3])?;
/// }
/// assert_eq!(video.finish()?.frames, 5);
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), longarm_data::Error>(())
/// ```
pub struct Mp4Writer {
    file: AtomicFile,
    coder: Coder,
    /// A frame was lost half-way; what is in the file no longer matches the index.
    broken: bool,
}

impl std::fmt::Debug for Mp4Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mp4Writer")
            .field("path", &self.file.target())
            .field("size", &(self.coder.width, self.coder.height))
            .field("options", &self.coder.options)
            .field("frames", &self.coder.sizes.len())
            .finish_non_exhaustive()
    }
}

impl Mp4Writer {
    /// Starts a video of `width`×`height` frames that will become `path`. The directory must
    /// exist.
    pub fn create(
        path: impl AsRef<Path>,
        width: usize,
        height: usize,
        options: VideoOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        let coder = Coder::new(width, height, options)?;
        let mut file = AtomicFile::create(path)?;
        file.with(mp4::begin)?;
        let coder =
            coder.map_err(|source| Error::Encode { path: path.to_owned(), frame: 0, source })?;
        Ok(Self { file, coder, broken: false })
    }

    /// Appends a frame: RGB, row by row from the top. A frame of the wrong length is refused and
    /// the video goes on; after any other error it cannot be finished.
    pub fn push(&mut self, rgb: &[u8]) -> Result<()> {
        self.coder.check(rgb)?;
        if self.broken {
            return Err(self.unfinished("an earlier frame failed"));
        }
        if self.frames() >= mp4::MAX_FRAMES {
            return Err(self.unfinished("too many frames for one file"));
        }
        let frame = self.frames();
        let fail = |source| Error::Encode { path: self.file.target().to_owned(), frame, source };
        let mut result = self.coder.push(rgb).map_err(fail);
        if result.is_ok() && self.coder.samples.len() >= FLUSH {
            result = self.flush();
        }
        self.broken = result.is_err();
        result
    }

    fn flush(&mut self) -> Result<()> {
        self.file.with(|f| f.write_all(&self.coder.samples))?;
        self.coder.samples.clear();
        Ok(())
    }

    /// Frames so far.
    pub fn frames(&self) -> u32 {
        self.coder.frames()
    }

    /// Width and height of the video: the frames', rounded up to even.
    pub fn encoded_size(&self) -> (usize, usize) {
        (self.coder.planes.width, self.coder.planes.height)
    }

    /// Completes the file and gives it its name, replacing an older one. A video without frames is
    /// an error.
    pub fn finish(mut self) -> Result<VideoSummary> {
        if self.broken {
            return Err(self.unfinished("an earlier frame failed"));
        }
        if self.coder.sizes.is_empty() {
            return Err(self.unfinished("it has no frames"));
        }
        self.flush()?;
        let (width, height) = self.encoded_size();
        let track = mp4::Track {
            width: width as u16,
            height: height as u16,
            fps: self.coder.options.fps,
            colour: coder::colour(),
            sps: &self.coder.sps,
            pps: &self.coder.pps,
            sizes: &self.coder.sizes,
            sync: &self.coder.sync,
        };
        let faststart = self.coder.options.faststart;
        self.file.with(|f| mp4::finish(f, &track, faststart))?;
        let sizes = std::mem::take(&mut self.coder.sizes);
        self.file.commit()?;
        Ok(VideoSummary {
            frames: sizes.len() as u32,
            bytes: sizes.iter().map(|&s| u64::from(s)).sum(),
        })
    }

    fn unfinished(&self, reason: &'static str) -> Error {
        Error::Unfinished { path: self.file.target().to_owned(), reason }
    }
}
