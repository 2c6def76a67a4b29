//! What becomes of pictures while an episode is recorded.

use longarm_data::Histogram;
use longarm_data::video::{ClipEncoder, VideoOptions};
use longarm_render::Frame;
use longarm_types::Flip;

use super::Modality;
use super::layout::RecordedView;

/// What becomes of one camera's pictures.
pub(super) struct Sink {
    pub(super) view: RecordedView,
    pub(super) encoder: Option<ClipEncoder>,
    pub(super) histogram: Histogram,
    pub(super) rgb: Vec<u8>,
    pub(super) depth: Vec<f32>,
    pub(super) segment: Vec<i16>,
}

impl Sink {
    /// For a camera; its pictures are encoded as they come, or kept as they are.
    pub(super) fn new(view: &RecordedView, fps: u32, video: bool) -> Result<Self, String> {
        let encoder = match video {
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
