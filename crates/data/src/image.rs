//! Pictures: PNG files, captions, compositions, and colours for depth and segmentation.

mod colours;
mod sheet;

use crate::atomic::AtomicFile;
use crate::{Error, Result, font};
use longarm_types::CameraImage;
use std::io::Write;
use std::path::Path;

pub use colours::{depth_to_rgb, segment_colour, segmentation_to_rgb};
pub use sheet::ContactSheet;

/// An sRGB colour.
pub type Colour = [u8; 3];

/// Captions on darkened strips.
const CAPTION: Colour = [255, 252, 246];
/// Where a sensor hit nothing, and beside views that are shorter than their neighbours.
const NOTHING: Colour = [30, 29, 32];

/// An RGB picture, row by row from the top. Never empty.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({}x{})", self.width, self.height)
    }
}

/// Which edge of a picture a caption lies along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Along the top.
    Top,
    /// Along the bottom.
    Bottom,
}

impl Image {
    /// Takes `width`×`height`×3 bytes.
    pub fn new(width: usize, height: usize, rgb: Vec<u8>) -> Result<Self> {
        check_length("RGB picture", width, height, 3, rgb.len())?;
        Ok(Self { width, height, rgb })
    }

    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, colour: Colour) -> Result<Self> {
        let bytes = length(width, height, 3)?;
        Self::new(width, height, colour.repeat(bytes / 3))
    }

    /// Pixels across.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels down.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The pixels, three bytes each.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The pixels, given away.
    pub fn into_rgb(self) -> Vec<u8> {
        self.rgb
    }

    /// A pixel's colour, or `None` outside the picture.
    pub fn pixel(&self, x: usize, y: usize) -> Option<Colour> {
        (x < self.width && y < self.height).then(|| {
            let at = (y * self.width + x) * 3;
            [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
        })
    }

    /// Copies `other` with its top left corner to (`x`, `y`); what lies outside is cut.
    pub fn paste(&mut self, other: &Self, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let to = ((y + row) * self.width + x) * 3;
            let from = row * other.width * 3;
            self.rgb[to..to + columns * 3].copy_from_slice(&other.rgb[from..from + columns * 3]);
        }
    }

    /// Writes `text` over the picture on a darkened strip along `edge`, breaking it into at most
    /// three lines; a longer text ends in dots. The letters grow with the picture. An empty text
    /// draws nothing.
    pub fn caption(&mut self, edge: Edge, text: &str) {
        let scale = (self.width / 320).min(self.height / 120).max(1);
        let margin = 4 * scale;
        let columns = (self.width.saturating_sub(2 * margin) + scale) / (font::ADVANCE * scale);
        let lines = font::wrap(text, columns, 3);
        if lines.is_empty() {
            return;
        }
        // Descenders already leave air below the last line.
        let strip = text_height(lines.len(), scale) + 2 * margin - scale;
        let top = match edge {
            Edge::Top => 0,
            Edge::Bottom => self.height.saturating_sub(strip),
        };
        let rows = top * self.width * 3..(top + strip).min(self.height) * self.width * 3;
        for v in &mut self.rgb[rows] {
            *v = (u16::from(*v) * 72 / 255) as u8;
        }
        for (i, line) in lines.iter().enumerate() {
            self.text(margin, top + margin + i * font::LINE * scale, line, scale, CAPTION);
        }
    }

    fn text(&mut self, x: usize, y: usize, text: &str, scale: usize, colour: Colour) {
        for (i, c) in text.chars().enumerate() {
            for (row, bits) in font::glyph(c).into_iter().enumerate() {
                for column in (0..8).filter(|b| bits >> b & 1 == 1) {
                    let x = x + (i * font::ADVANCE + column) * scale;
                    self.rect(x, y + row * scale, scale, scale, colour);
                }
            }
        }
    }

    fn rect(&mut self, x: usize, y: usize, width: usize, height: usize, colour: Colour) {
        let end = (x + width).min(self.width);
        for row in y..(y + height).min(self.height) {
            if x < end {
                let row = row * self.width;
                for pixel in self.rgb[(row + x) * 3..(row + end) * 3].chunks_exact_mut(3) {
                    pixel.copy_from_slice(&colour);
                }
            }
        }
    }

    /// Writes the picture as PNG; see [`write_png`].
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<()> {
        write_png(path, self.width, self.height, &self.rgb)
    }
}

impl TryFrom<&CameraImage> for Image {
    type Error = Error;

    fn try_from(camera: &CameraImage) -> Result<Self> {
        Self::new(camera.width, camera.height, camera.rgb.clone())
    }
}

fn text_height(lines: usize, scale: usize) -> usize {
    (lines.saturating_sub(1) * font::LINE + font::HEIGHT) * scale
}

fn length(width: usize, height: usize, channels: usize) -> Result<usize> {
    let fail = |reason| Error::Size { width, height, reason };
    if width == 0 || height == 0 {
        return Err(fail("it has no pixels"));
    }
    // What PNG can hold, and far below anything that could overflow below.
    if width.max(height) > i32::MAX as usize {
        return Err(fail("a side is too long"));
    }
    width
        .checked_mul(height)
        .and_then(|n| n.checked_mul(channels))
        .filter(|&n| n <= isize::MAX as usize)
        .ok_or(fail("too many pixels"))
}

pub(crate) fn check_length(
    what: &'static str,
    width: usize,
    height: usize,
    channels: usize,
    got: usize,
) -> Result<()> {
    let expected = length(width, height, channels)?;
    if got == expected { Ok(()) } else { Err(Error::Length { what, width, height, expected, got }) }
}

/// Encodes `width`×`height`×3 bytes of sRGB as PNG.
pub fn encode_png(width: usize, height: usize, rgb: &[u8]) -> Result<Vec<u8>> {
    check_length("RGB picture", width, height, 3, rgb.len())?;
    let mut out = Vec::new();
    let fail = |e: png::EncodingError| Error::Png(Box::new(e));
    let mut encoder = png::Encoder::new(&mut out, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header().map_err(fail)?;
    writer.write_image_data(rgb).map_err(fail)?;
    writer.finish().map_err(fail)?;
    Ok(out)
}

/// Encodes `width`×`height`×3 bytes of sRGB as JPEG.
pub fn encode_jpeg(width: usize, height: usize, rgb: &[u8]) -> Result<Vec<u8>> {
    /// Of 100; artefacts are below what a model sees.
    const QUALITY: u8 = 92;
    check_length("RGB picture", width, height, 3, rgb.len())?;
    let side = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let mut out = Vec::new();
    jpeg_encoder::Encoder::new(&mut out, QUALITY)
        .encode(rgb, side(width), side(height), jpeg_encoder::ColorType::Rgb)
        .map_err(|e| Error::Jpeg(Box::new(e)))?;
    Ok(out)
}

/// Writes `width`×`height`×3 bytes of sRGB as a PNG file that is complete as soon as it exists.
pub fn write_png(path: impl AsRef<Path>, width: usize, height: usize, rgb: &[u8]) -> Result<()> {
    let bytes = encode_png(width, height, rgb)?;
    let mut file = AtomicFile::create(path.as_ref())?;
    file.with(|f| f.write_all(&bytes))?;
    file.commit()
}

/// Puts pictures side by side, their tops aligned, `gap` dark pixels apart.
pub fn hstack(images: &[&Image], gap: usize) -> Result<Image> {
    let height = images.iter().map(|i| i.height).max().ok_or(Error::Empty)?;
    let gaps = gap.saturating_mul(images.len() - 1);
    let width = images.iter().fold(gaps, |sum, i| sum.saturating_add(i.width));
    let mut out = Image::filled(width, height, NOTHING)?;
    let mut x = 0;
    for image in images {
        out.paste(image, x, 0);
        x += image.width + gap;
    }
    Ok(out)
}
