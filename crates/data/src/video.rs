//! H.264 video in mp4 files.

use crate::atomic::AtomicFile;
use crate::{Error, Result, image, mp4};
use openh264::encoder::{
    BitRate, ColorPrimaries, Complexity, Encoder, EncoderConfig, FrameRate, FrameType,
    IntraFramePeriod, MatrixCoefficients, QpRange, RateControlMode, TransferCharacteristics,
    VuiConfig,
};
use openh264::formats::YUVSource;
use openh264::{OpenH264API, Timestamp};
use std::io::Write;
use std::path::Path;

/// Smallest side the encoder takes.
const MIN_SIDE: usize = 16;
/// Largest longer and shorter side the encoder takes.
const MAX_SIDES: (usize, usize) = (3840, 2160);
/// The coarsest quantizer there is.
const COARSEST: u8 = 51;
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
}

impl VideoOptions {
    /// For people: a key frame every two seconds, quantizer 20 (no visible artefacts).
    pub fn viewing(fps: u32) -> Self {
        Self { fps, gop: fps.saturating_mul(2).max(1), qp: 20, faststart: true }
    }

    /// For training: a key frame every second frame, so that fetching a random frame decodes at
    /// most two; quantizer 18.
    pub fn dataset(fps: u32) -> Self {
        Self { fps, gop: 2, qp: 18, faststart: true }
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
    encoder: Encoder,
    /// Key frames this encoder has made.
    keys: u32,
    options: VideoOptions,
    width: usize,
    height: usize,
    planes: Planes,
    /// Samples not yet in the file.
    pending: Vec<u8>,
    sizes: Vec<u32>,
    sync: Vec<u32>,
    sps: Vec<u8>,
    pps: Vec<u8>,
    /// A frame was lost half-way; what is in the file no longer matches the index.
    broken: bool,
}

impl std::fmt::Debug for Mp4Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mp4Writer")
            .field("path", &self.file.target())
            .field("size", &(self.width, self.height))
            .field("options", &self.options)
            .field("frames", &self.sizes.len())
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
        let options = options.check()?;
        let fail = |reason| Err(Error::Size { width, height, reason });
        if width.min(height) < MIN_SIDE {
            return fail("H.264 needs at least 16 pixels a side");
        }
        if width.max(height) > MAX_SIDES.0 || width.min(height) > MAX_SIDES.1 {
            return fail("the encoder takes at most 3840x2160");
        }
        let mut file = AtomicFile::create(path.as_ref())?;
        file.with(mp4::begin)?;
        let planes = Planes::new(width.next_multiple_of(2), height.next_multiple_of(2));
        let encoder = start(&planes, options).map_err(|source| Error::Encode {
            path: path.as_ref().to_owned(),
            frame: 0,
            source,
        })?;
        Ok(Self {
            file,
            encoder,
            keys: 0,
            options,
            width,
            height,
            planes,
            pending: Vec::new(),
            sizes: Vec::new(),
            sync: Vec::new(),
            sps: Vec::new(),
            pps: Vec::new(),
            broken: false,
        })
    }

    /// Appends a frame: RGB, row by row from the top. A frame of the wrong length is refused and
    /// the video goes on; after any other error it cannot be finished.
    pub fn push(&mut self, rgb: &[u8]) -> Result<()> {
        image::check_length("RGB frame", self.width, self.height, 3, rgb.len())?;
        if self.broken {
            return Err(self.unfinished("an earlier frame failed"));
        }
        if self.frames() >= mp4::MAX_FRAMES {
            return Err(self.unfinished("too many frames for one file"));
        }
        self.planes.fill(rgb, self.width, self.height);
        let result = self.encode();
        self.broken = result.is_err();
        result
    }

    fn encode(&mut self) -> Result<()> {
        let frame = self.sizes.len() as u32;
        let fail = |source| Error::Encode { path: self.file.target().to_owned(), frame, source };
        let milliseconds = u64::from(frame) * 1000 / u64::from(self.options.fps);
        let timestamp = Timestamp::from_millis(milliseconds);
        let stream = loop {
            match self.encoder.encode_at(&self.planes, timestamp) {
                Ok(stream) => break stream,
                Err(error) if self.options.qp >= COARSEST => return Err(fail(plain(&error))),
                // Its buffer holds a byte a pixel, which noise exceeds; it is of no use after.
                Err(_) => {
                    self.options.qp = (self.options.qp + 6).min(COARSEST);
                    self.encoder = start(&self.planes, self.options).map_err(fail)?;
                    // Neighbouring key frames must differ in their number, and each encoder counts
                    // from the same: spend the number that the last key frame may have had.
                    let collides = self.keys % 2 == 1;
                    if collides {
                        let blank = Planes::new(self.planes.width, self.planes.height);
                        let blank = self.encoder.encode_at(&blank, timestamp);
                        blank.map_err(|e| fail(plain(&e)))?;
                        self.encoder.force_intra_frame();
                    }
                    self.keys = u32::from(collides);
                }
            }
        };

        let before = self.pending.len();
        for layer in (0..stream.num_layers()).filter_map(|i| stream.layer(i)) {
            for nal in (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)) {
                let nal = strip_start_code(nal);
                let set = match nal.first().map(|b| b & 0x1f) {
                    Some(7) => &mut self.sps,
                    Some(8) => &mut self.pps,
                    Some(_) => {
                        self.pending.extend_from_slice(&(nal.len() as u32).to_be_bytes());
                        self.pending.extend_from_slice(nal);
                        continue;
                    }
                    None => continue,
                };
                // Parameter sets live in the index, once; the encoder repeats them per key frame.
                if set.is_empty() {
                    set.extend_from_slice(nal);
                } else if set != nal {
                    return Err(fail("the encoder changed its parameters".into()));
                }
            }
        }
        if self.pending.len() == before {
            return Err(fail("the encoder skipped the frame".into()));
        }
        if self.sps.len() < 4 || self.pps.is_empty() {
            return Err(fail("the encoder gave no parameter sets".into()));
        }
        if stream.frame_type() == FrameType::IDR {
            self.sync.push(frame);
            self.keys += 1;
        }
        self.sizes.push((self.pending.len() - before) as u32);
        if self.pending.len() >= FLUSH {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.with(|f| f.write_all(&self.pending))?;
        self.pending.clear();
        Ok(())
    }

    /// Frames so far.
    pub fn frames(&self) -> u32 {
        self.sizes.len() as u32
    }

    /// Width and height of the video: the frames', rounded up to even.
    pub fn encoded_size(&self) -> (usize, usize) {
        (self.planes.width, self.planes.height)
    }

    /// Completes the file and gives it its name, replacing an older one. A video without frames is
    /// an error.
    pub fn finish(mut self) -> Result<VideoSummary> {
        if self.broken {
            return Err(self.unfinished("an earlier frame failed"));
        }
        if self.sizes.is_empty() {
            return Err(self.unfinished("it has no frames"));
        }
        self.flush()?;
        let track = mp4::Track {
            width: self.planes.width as u16,
            height: self.planes.height as u16,
            fps: self.options.fps,
            colour: mp4::Colour {
                primaries: PRIMARIES.as_u8().into(),
                transfer: TRANSFER.as_u8().into(),
                matrix: MATRIX.as_u8().into(),
                full_range: false,
            },
            sps: &self.sps,
            pps: &self.pps,
            sizes: &self.sizes,
            sync: &self.sync,
        };
        let faststart = self.options.faststart;
        self.file.with(|f| mp4::finish(f, &track, faststart))?;
        self.file.commit()?;
        Ok(VideoSummary {
            frames: self.sizes.len() as u32,
            bytes: self.sizes.iter().map(|&s| u64::from(s)).sum(),
        })
    }

    fn unfinished(&self, reason: &'static str) -> Error {
        Error::Unfinished { path: self.file.target().to_owned(), reason }
    }
}

const PRIMARIES: ColorPrimaries = ColorPrimaries::Bt709;
const TRANSFER: TransferCharacteristics = TransferCharacteristics::Srgb;
const MATRIX: MatrixCoefficients = MatrixCoefficients::Smpte170M;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The encoder's error without the stack trace it carries along.
fn plain(error: &openh264::Error) -> Cause {
    error.to_string().into()
}

fn start(planes: &Planes, options: VideoOptions) -> Result<Encoder, Cause> {
    Encoder::with_api_config(OpenH264API::from_source(), config(planes, options))
        .map_err(|e| plain(&e))
}

fn config(planes: &Planes, options: VideoOptions) -> EncoderConfig {
    // Not a target: at a fixed quantizer the encoder only picks the stream's level by it.
    let pixels = (planes.width * planes.height) as u64 * u64::from(options.fps);
    let bits = (pixels / 4).clamp(100_000, 100_000_000) as u32;
    EncoderConfig::new()
        .num_threads(1)
        // The one mode that takes the quantizer from the range, never skips a frame and does not
        // warn on stderr about it.
        .rate_control_mode(RateControlMode::Bufferbased)
        .qp(QpRange::new(options.qp, options.qp))
        .skip_frames(false)
        .bitrate(BitRate::from_bps(bits))
        .max_frame_rate(FrameRate::from_hz(options.fps as f32))
        .intra_frame_period(IntraFramePeriod::from_num_frames(options.gop))
        // Key frames come by count alone, and every block gets the same care: background
        // detection leaves ghosts behind slow grippers.
        .scene_change_detect(false)
        .adaptive_quantization(false)
        .background_detection(false)
        .complexity(Complexity::Medium)
        .vui(
            VuiConfig::new()
                .color_primaries(PRIMARIES)
                .transfer_characteristics(TRANSFER)
                .matrix_coefficients(MATRIX)
                .full_range(false),
        )
}

fn strip_start_code(nal: &[u8]) -> &[u8] {
    nal.strip_prefix(&[0, 0, 0, 1]).or_else(|| nal.strip_prefix(&[0, 0, 1])).unwrap_or(nal)
}

/// A frame as 4:2:0 YCbCr with even sides.
struct Planes {
    width: usize,
    height: usize,
    y: Vec<u8>,
    cb: Vec<u8>,
    cr: Vec<u8>,
}

impl Planes {
    fn new(width: usize, height: usize) -> Self {
        let quarter = vec![128; width / 2 * (height / 2)];
        Self { width, height, y: vec![16; width * height], cb: quarter.clone(), cr: quarter }
    }

    /// Converts an RGB frame, repeating its last row and column where it is smaller. In integers:
    /// the same on every machine.
    fn fill(&mut self, rgb: &[u8], width: usize, height: usize) {
        let luma = |p: &[u8]| {
            let sum = 16829 * u32::from(p[0]) + 33039 * u32::from(p[1]) + 6416 * u32::from(p[2]);
            ((sum + (16 << 16) + (1 << 15)) >> 16) as u8
        };
        let rows = rgb.chunks_exact(width * 3);
        for (row, y) in rows.clone().zip(self.y.chunks_exact_mut(self.width)) {
            for (p, y) in row.chunks_exact(3).zip(y.iter_mut()) {
                *y = luma(p);
            }
            if self.width > width {
                y[width] = y[width - 1];
            }
        }
        if self.height > height {
            self.y.copy_within((height - 1) * self.width..height * self.width, height * self.width);
        }

        let half = self.width / 2;
        let chroma = self.cb.chunks_exact_mut(half).zip(self.cr.chunks_exact_mut(half));
        for (j, (cb, cr)) in chroma.enumerate() {
            let top = &rgb[2 * j * width * 3..][..width * 3];
            let bottom = &rgb[(2 * j + 1).min(height - 1) * width * 3..][..width * 3];
            let mut convert = |i: usize, left: usize, right: usize| {
                let sum = |c: usize| {
                    i32::from(top[left + c])
                        + i32::from(top[right + c])
                        + i32::from(bottom[left + c])
                        + i32::from(bottom[right + c])
                };
                let (r, g, b) = (sum(0), sum(1), sum(2));
                const HALF: i32 = (128 << 18) + (1 << 17);
                cb[i] = ((-9714 * r - 19070 * g + 28784 * b + HALF) >> 18) as u8;
                cr[i] = ((28784 * r - 24103 * g - 4681 * b + HALF) >> 18) as u8;
            };
            for i in 0..width / 2 {
                convert(i, i * 6, i * 6 + 3);
            }
            if self.width > width {
                convert(half - 1, (width - 1) * 3, (width - 1) * 3);
            }
        }
    }
}

impl YUVSource for Planes {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.y
    }

    fn u(&self) -> &[u8] {
        &self.cb
    }

    fn v(&self) -> &[u8] {
        &self.cr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(colour: [u8; 3], width: usize, height: usize) -> Planes {
        let mut planes = Planes::new(width.next_multiple_of(2), height.next_multiple_of(2));
        planes.fill(&colour.repeat(width * height), width, height);
        planes
    }

    /// The corner values of BT.601 in limited range.
    #[test]
    fn colours_land_where_the_standard_says() {
        for (rgb, expected) in [
            ([0, 0, 0], [16, 128, 128]),
            ([255, 255, 255], [235, 128, 128]),
            ([255, 0, 0], [81, 90, 240]),
            ([0, 255, 0], [145, 54, 34]),
            ([0, 0, 255], [41, 240, 110]),
        ] {
            let p = converted(rgb, 17, 19);
            for (plane, value) in [(&p.y, expected[0]), (&p.cb, expected[1]), (&p.cr, expected[2])]
            {
                assert!(plane.iter().all(|&v| v == value), "{rgb:?}: {plane:?} is not {value}");
            }
        }
    }

    #[test]
    fn odd_sides_repeat_their_last_pixels() {
        let (w, h) = (17, 19);
        let rgb: Vec<u8> = (0..w * h).flat_map(|i| [(i % w * 15) as u8; 3]).collect();
        let mut p = Planes::new(18, 20);
        p.fill(&rgb, w, h);
        assert!(p.y.chunks(18).all(|row| row[17] == row[16] && row[16] > row[15]));
        assert_eq!(p.y[18 * 18..19 * 18], p.y[19 * 18..]);
    }
}
