//! Encoded pieces that become parts of longer videos.

use std::io::Write;
use std::path::Path;

use longarm_types::{Digest, RunningHash};

use super::VideoOptions;
use super::coder::{self, Coder};
use crate::atomic::AtomicFile;
use crate::{Column, Error, Pack, Result, mp4};

/// An encoded piece of video. Begins with a key frame, so it can follow any other of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clip {
    /// Encoded pixels across.
    pub width: usize,
    /// Encoded pixels down.
    pub height: usize,
    /// Frames per second.
    pub fps: u32,
    sps: Vec<u8>,
    pps: Vec<u8>,
    samples: Vec<u8>,
    sizes: Vec<u32>,
    sync: Vec<u32>,
}

impl Clip {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.sizes.len()
    }

    /// Bytes of encoded frames.
    pub fn bytes(&self) -> usize {
        self.samples.len()
    }

    /// Whether the other can follow in the same file.
    pub fn joins(&self, other: &Self) -> bool {
        let kind = |c: &Self| (c.width, c.height, c.fps);
        kind(self) == kind(other) && self.sps == other.sps && self.pps == other.pps
    }

    /// Equal for clips that join.
    pub fn kind(&self) -> Digest {
        let mut hash = RunningHash::default();
        hash.bytes(format!("{} {} {} ", self.width, self.height, self.fps).as_bytes());
        hash.bytes(&self.sps);
        hash.bytes(&self.pps);
        hash.digest()
    }

    /// Adds it to a pack under a name.
    pub fn store(self, name: &str, pack: &mut Pack) {
        let kind = [self.width as i64, self.height as i64, i64::from(self.fps)];
        let numbers = |v: &[u32]| Column::I64(v.iter().map(|n| i64::from(*n)).collect());
        pack.push(format!("{name}/kind"), Column::I64(kind.to_vec()));
        pack.push(format!("{name}/sizes"), numbers(&self.sizes));
        pack.push(format!("{name}/sync"), numbers(&self.sync));
        for (part, bytes) in [("sps", self.sps), ("pps", self.pps), ("samples", self.samples)] {
            pack.push(format!("{name}/{part}"), Column::U8 { width: 1, values: bytes });
        }
    }

    /// Takes it out of a pack; `None` when it is not there.
    pub fn take(name: &str, pack: &mut Pack) -> Option<Self> {
        let mut bytes = |part: &str| match pack.take(&format!("{name}/{part}"))? {
            Column::U8 { values, .. } => Some(values),
            _ => None,
        };
        let (sps, pps, samples) = (bytes("sps")?, bytes("pps")?, bytes("samples")?);
        let mut numbers = |part: &str| match pack.take(&format!("{name}/{part}"))? {
            Column::I64(values) => values.into_iter().map(|n| u32::try_from(n).ok()).collect(),
            _ => None,
        };
        let kind: Vec<u32> = numbers("kind")?;
        let &[width, height, fps] = kind.as_slice() else { return None };
        let (sizes, sync) = (numbers("sizes")?, numbers("sync")?);
        Some(Self {
            width: width as usize,
            height: height as usize,
            fps,
            sps,
            pps,
            samples,
            sizes,
            sync,
        })
    }
}

/// Encodes frames into memory, as [`super::Mp4Writer`] does into a file.
pub struct ClipEncoder {
    coder: Coder,
    name: String,
}

impl ClipEncoder {
    /// Starts a clip; `name` appears in errors.
    pub fn new(name: &str, width: usize, height: usize, options: VideoOptions) -> Result<Self> {
        let fail = |source| Error::Encode { path: name.into(), frame: 0, source };
        let coder = Coder::new(width, height, options)?.map_err(fail)?;
        Ok(Self { coder, name: name.to_owned() })
    }

    /// Appends a frame: RGB, row by row from the top.
    pub fn push(&mut self, rgb: &[u8]) -> Result<()> {
        self.coder.check(rgb)?;
        let frame = self.coder.frames();
        let path = || self.name.clone().into();
        self.coder.push(rgb).map_err(|source| Error::Encode { path: path(), frame, source })
    }

    /// The clip.
    pub fn finish(self) -> Clip {
        let c = self.coder;
        Clip {
            width: c.planes.width,
            height: c.planes.height,
            fps: c.options.fps,
            sps: c.sps,
            pps: c.pps,
            samples: c.samples,
            sizes: c.sizes,
            sync: c.sync,
        }
    }
}

/// Writes clips one after the other into one mp4, without touching what is encoded: frame *n* of the
/// whole is shown at exactly *n* / fps.
pub struct ClipJoiner {
    file: AtomicFile,
    /// All but samples and sizes of the first clip.
    kind: Option<Clip>,
    sizes: Vec<u32>,
    sync: Vec<u32>,
}

impl ClipJoiner {
    /// Starts a video that will become `path`. The directory must exist.
    pub fn create(path: &Path) -> Result<Self> {
        let mut file = AtomicFile::create(path)?;
        file.with(mp4::begin)?;
        Ok(Self { file, kind: None, sizes: Vec::new(), sync: Vec::new() })
    }

    /// Appends a clip; one that does not join the others is refused.
    pub fn push(&mut self, clip: &Clip) -> Result<()> {
        match &self.kind {
            Some(k) if !k.joins(clip) => {
                return Err(self.unfinished("its clips have different sizes or settings"));
            }
            Some(_) => {}
            None => {
                let (samples, sizes, sync) = Default::default();
                let (sps, pps) = (clip.sps.clone(), clip.pps.clone());
                self.kind = Some(Clip { sps, pps, samples, sizes, sync, ..*clip });
            }
        }
        let first = self.sizes.len() as u32;
        self.sync.extend(clip.sync.iter().map(|s| s + first));
        self.sizes.extend_from_slice(&clip.sizes);
        self.file.with(|f| f.write_all(&clip.samples))
    }

    fn unfinished(&self, reason: &'static str) -> Error {
        Error::Unfinished { path: self.file.target().to_owned(), reason }
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> Result<()> {
        let Some(kind) = self.kind.take().filter(|_| !self.sizes.is_empty()) else {
            return Err(self.unfinished("it has no frames"));
        };
        let track = mp4::Track {
            width: kind.width as u16,
            height: kind.height as u16,
            fps: kind.fps,
            colour: coder::colour(),
            sps: &kind.sps,
            pps: &kind.pps,
            sizes: &self.sizes,
            sync: &self.sync,
        };
        self.file.with(|f| mp4::finish(f, &track, true))?;
        self.file.commit()
    }
}
