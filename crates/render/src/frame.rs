//! Pictures.

use std::collections::BTreeMap;

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// Fill [`Frame::rgb`].
    pub color: bool,
    /// Fill [`Frame::depth`].
    pub depth: bool,
    /// Fill [`Frame::segment`].
    pub segment: bool,
    /// Fill [`Frame::normals`].
    pub normals: bool,
}

impl Channels {
    /// Nothing.
    pub const NONE: Self = Self { color: false, depth: false, segment: false, normals: false };
    /// Colour only.
    pub const COLOR: Self = Self { color: true, ..Self::NONE };
    /// Colour and depth.
    pub const COLOR_DEPTH: Self = Self { depth: true, ..Self::COLOR };
    /// Everything.
    pub const ALL: Self = Self { color: true, depth: true, segment: true, normals: true };
}

/// Value of [`Frame::segment`] where nothing is seen.
pub const NOTHING: i32 = -1;

/// A picture; its buffers are reused from frame to frame. A channel not asked for is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Height × width × 3, top row first.
    pub rgb: Vec<u8>,
    /// Metres along the optical axis (not along the ray) at the pixel's centre; 0 where nothing
    /// is seen before the far limit.
    pub depth: Vec<f32>,
    /// [`Instance::segment`](crate::Instance::segment) at the pixel's centre, or [`NOTHING`].
    pub segment: Vec<i32>,
    /// Unit normals in the world, three numbers per pixel; zero where nothing is seen.
    pub normals: Vec<f32>,
}

impl Frame {
    /// An empty frame.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn prepare(&mut self, width: usize, height: usize, channels: Channels) {
        let n = width * height;
        (self.width, self.height) = (width, height);
        let len = |on: bool, k: usize| if on { n * k } else { 0 };
        self.rgb.resize(len(channels.color, 3), 0);
        self.depth.resize(len(channels.depth, 1), 0.0);
        self.segment.resize(len(channels.segment, 1), NOTHING);
        self.normals.resize(len(channels.normals, 3), 0.0);
    }

    /// Colour of a pixel.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let i = 3 * (y * self.width + x);
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }
}

/// How many pixels of each segment are seen; [`NOTHING`] is not counted.
pub fn visible_pixels(frame: &Frame) -> BTreeMap<i32, usize> {
    let mut counts = BTreeMap::new();
    // Neighbours mostly agree, so count runs.
    for run in frame.segment.chunk_by(|a, b| a == b) {
        if run[0] != NOTHING {
            *counts.entry(run[0]).or_insert(0) += run.len();
        }
    }
    counts
}

/// Adds Gaussian noise of standard deviation `sigma` (in steps of 1/255) to an image. `normal`
/// yields numbers of mean 0 and deviation 1 and is called once per byte.
pub fn add_noise(rgb: &mut [u8], sigma: f32, mut normal: impl FnMut() -> f32) {
    if sigma <= 0.0 {
        return;
    }
    for byte in rgb {
        *byte = (*byte as f32 + sigma * normal() + 0.5).clamp(0.0, 255.0) as u8;
    }
}
