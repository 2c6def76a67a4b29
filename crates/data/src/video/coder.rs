//! Frames in, H.264 samples out.

use openh264::encoder::{
    BitRate, ColorPrimaries, Complexity, Encoder, EncoderConfig, FrameRate, FrameType,
    IntraFramePeriod, MatrixCoefficients, QpRange, RateControlMode, TransferCharacteristics,
    VuiConfig,
};
use openh264::{OpenH264API, Timestamp};

use super::VideoOptions;
use super::planes::Planes;
use crate::{Error, Result, image, mp4};

/// The coarsest quantizer there is.
pub(super) const COARSEST: u8 = 51;
/// Smallest side the encoder takes.
const MIN_SIDE: usize = 16;
/// Largest longer and shorter side the encoder takes.
const MAX_SIDES: (usize, usize) = (3840, 2160);

const PRIMARIES: ColorPrimaries = ColorPrimaries::Bt709;
const TRANSFER: TransferCharacteristics = TransferCharacteristics::Srgb;
const MATRIX: MatrixCoefficients = MatrixCoefficients::Smpte170M;

/// What the stream and its container say about colours.
pub(super) fn colour() -> mp4::Colour {
    mp4::Colour {
        primaries: PRIMARIES.as_u8().into(),
        transfer: TRANSFER.as_u8().into(),
        matrix: MATRIX.as_u8().into(),
        full_range: false,
    }
}

pub(super) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// An encoder with what it has made so far.
pub(super) struct Coder {
    encoder: Encoder,
    /// Key frames this encoder has made.
    keys: u32,
    pub(super) options: VideoOptions,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) planes: Planes,
    /// Samples not yet taken away.
    pub(super) samples: Vec<u8>,
    pub(super) sizes: Vec<u32>,
    pub(super) sync: Vec<u32>,
    pub(super) sps: Vec<u8>,
    pub(super) pps: Vec<u8>,
}

impl Coder {
    /// Refuses invalid sizes and options; the encoder's own complaint is the inner error.
    pub(super) fn new(
        width: usize,
        height: usize,
        options: VideoOptions,
    ) -> Result<Result<Self, Cause>> {
        let options = options.check()?;
        let fail = |reason| Err(Error::Size { width, height, reason });
        if width.min(height) < MIN_SIDE {
            return fail("H.264 needs at least 16 pixels a side");
        }
        if width.max(height) > MAX_SIDES.0 || width.min(height) > MAX_SIDES.1 {
            return fail("the encoder takes at most 3840x2160");
        }
        let planes = Planes::new(width.next_multiple_of(2), height.next_multiple_of(2));
        Ok(start(&planes, options).map(|encoder| Self {
            encoder,
            keys: 0,
            options,
            width,
            height,
            planes,
            samples: Vec::new(),
            sizes: Vec::new(),
            sync: Vec::new(),
            sps: Vec::new(),
            pps: Vec::new(),
        }))
    }

    pub(super) fn frames(&self) -> u32 {
        self.sizes.len() as u32
    }

    /// Refuses frames of another length.
    pub(super) fn check(&self, rgb: &[u8]) -> Result<()> {
        image::check_length("RGB frame", self.width, self.height, 3, rgb.len())
    }

    /// Encodes a frame that was checked. After an error the samples no longer match the sizes.
    pub(super) fn push(&mut self, rgb: &[u8]) -> Result<(), Cause> {
        self.planes.fill(rgb, self.width, self.height);
        let frame = self.frames();
        let milliseconds = u64::from(frame) * 1000 / u64::from(self.options.fps);
        let timestamp = Timestamp::from_millis(milliseconds);
        let stream = loop {
            match self.encoder.encode_at(&self.planes, timestamp) {
                Ok(stream) => break stream,
                Err(error) if self.options.qp >= COARSEST => return Err(plain(&error)),
                // Its buffer holds a byte a pixel, which noise exceeds; it is of no use after.
                Err(_) => {
                    self.options.qp = (self.options.qp + 6).min(COARSEST);
                    self.encoder = start(&self.planes, self.options)?;
                    // Neighbouring key frames must differ in their number, and each encoder counts
                    // from the same: spend the number that the last key frame may have had.
                    let collides = self.keys % 2 == 1;
                    if collides {
                        let blank = Planes::new(self.planes.width, self.planes.height);
                        self.encoder.encode_at(&blank, timestamp).map_err(|e| plain(&e))?;
                        self.encoder.force_intra_frame();
                    }
                    self.keys = u32::from(collides);
                }
            }
        };

        let before = self.samples.len();
        for layer in (0..stream.num_layers()).filter_map(|i| stream.layer(i)) {
            for nal in (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)) {
                let nal = strip_start_code(nal);
                let set = match nal.first().map(|b| b & 0x1f) {
                    Some(7) => &mut self.sps,
                    Some(8) => &mut self.pps,
                    Some(_) => {
                        self.samples.extend_from_slice(&(nal.len() as u32).to_be_bytes());
                        self.samples.extend_from_slice(nal);
                        continue;
                    }
                    None => continue,
                };
                // Parameter sets live in the index, once; the encoder repeats them per key frame.
                if set.is_empty() {
                    set.extend_from_slice(nal);
                } else if set != nal {
                    return Err("the encoder changed its parameters".into());
                }
            }
        }
        if self.samples.len() == before {
            return Err("the encoder skipped the frame".into());
        }
        if self.sps.len() < 4 || self.pps.is_empty() {
            return Err("the encoder gave no parameter sets".into());
        }
        if stream.frame_type() == FrameType::IDR {
            self.sync.push(frame);
            self.keys += 1;
        }
        self.sizes.push((self.samples.len() - before) as u32);
        Ok(())
    }
}

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
        .complexity(if options.quick { Complexity::Low } else { Complexity::Medium })
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
