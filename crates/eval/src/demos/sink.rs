//! What becomes of pictures while an episode is recorded.

use longarm_data::image::encode_jpeg;
use longarm_data::video::{ClipEncoder, VideoOptions};
use longarm_data::{Column, Histogram, Pack};
use longarm_render::Frame;
use longarm_types::Flip;

use super::layout::RecordedView;
use super::{Format, Modality};

/// What becomes of one camera's pictures.
pub(super) struct Sink {
    pub(super) view: RecordedView,
    pub(super) encoder: Option<ClipEncoder>,
    pub(super) histogram: Histogram,
    pub(super) rgb: Vec<u8>,
    pub(super) depth: Vec<f32>,
    pub(super) segment: Vec<i16>,
    pub(super) jpegs: Option<Jpegs>,
}

/// A camera's pictures, each compressed by itself.
#[derive(Default)]
pub(super) struct Jpegs {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<i64>,
}

impl Jpegs {
    fn push(&mut self, width: usize, height: usize, rgb: &[u8]) -> Result<(), String> {
        let one = encode_jpeg(width, height, rgb).map_err(|e| e.to_string())?;
        self.bytes.extend_from_slice(&one);
        self.ends.push(self.bytes.len() as i64);
        Ok(())
    }

    /// Put them into a pack.
    pub(super) fn store(self, name: &str, pack: &mut Pack) {
        pack.push(format!("{name}/jpeg"), Column::U8 { width: 1, values: self.bytes });
        pack.push(format!("{name}/ends"), Column::I64(self.ends));
    }

    /// Take them out of a pack.
    pub(super) fn take(name: &str, pack: &mut Pack) -> Option<Self> {
        match (pack.take(&format!("{name}/jpeg"))?, pack.take(&format!("{name}/ends"))?) {
            (Column::U8 { values: bytes, .. }, Column::I64(ends)) => Some(Self { bytes, ends }),
            _ => None,
        }
    }

    /// The file of one picture.
    pub(super) fn get(&self, frame: usize) -> Option<&[u8]> {
        let start = frame.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before))?;
        self.bytes.get(*start as usize..*self.ends.get(frame)? as usize)
    }
}

impl Sink {
    /// For a camera; its pictures are encoded as they come, or kept as they are.
    pub(super) fn new(view: &RecordedView, fps: u32, format: Format) -> Result<Self, String> {
        let encoder = match format.video() {
            true => Some(
                ClipEncoder::new(&view.name, view.width, view.height, VideoOptions::dataset(fps))
                    .map_err(|e| e.to_string())?,
            ),
            false => None,
        };
        Ok(Self {
            view: view.clone(),
            encoder,
            histogram: Histogram::default(),
            rgb: Vec::new(),
            depth: Vec::new(),
            segment: Vec::new(),
            jpegs: (format == Format::Jsonl).then(Jpegs::default),
        })
    }

    /// Take a picture in.
    pub(super) fn take(
        &mut self,
        frame: &Frame,
        flip: Flip,
        flipped: &mut Vec<u8>,
        modalities: &[Modality],
        sampled: bool,
    ) -> Result<(), String> {
        let rgb = match flip {
            Flip::None => &frame.rgb[..],
            flip => {
                flipped.resize(frame.rgb.len(), 0);
                flip.write(&frame.rgb, frame.width, flipped);
                flipped.as_slice()
            }
        };
        if let Some(encoder) = &mut self.encoder {
            if sampled {
                self.histogram.add(rgb, frame.width);
            }
            return encoder.push(rgb).map_err(|e| e.to_string());
        }
        if let Some(jpegs) = &mut self.jpegs {
            return jpegs.push(frame.width, frame.height, rgb);
        }
        for m in modalities {
            match m {
                Modality::Rgb => self.rgb.extend_from_slice(rgb),
                Modality::Depth => self.depth.extend_from_slice(&frame.depth),
                Modality::Segmentation => {
                    // Scenes have some dozens of bodies.
                    self.segment.extend(frame.segment.iter().map(|s| *s as i16));
                }
            }
        }
        Ok(())
    }
}
