//! Pictures: PNG files, captions, compositions, and colours for depth and segmentation.

use crate::atomic::AtomicFile;
use crate::{Error, Result, font};
use longarm_types::CameraImage;
use std::io::Write;
use std::path::Path;

/// An sRGB colour.
pub type Colour = [u8; 3];

/// Paper of contact sheets: a warm near-white.
const PAPER: Colour = [250, 247, 242];
const INK: Colour = [52, 47, 42];
const FRAME: Colour = [219, 212, 202];
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

/// A page of pictures in a grid, each under its title.
///
/// ```
/// use longarm_data::image::{ContactSheet, Image};
/// let mut sheet = ContactSheet::new().columns(2);
/// for (name, colour) in [("red", [200, 40, 40]), ("green", [40, 160, 60])] {
///     sheet.push(name, Image::filled(64, 48, colour)?);
/// }
/// let page = sheet.render()?;
/// assert!(page.width() > 128);
/// # Ok::<(), longarm_data::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ContactSheet {
    tiles: Vec<(String, Image)>,
    columns: Option<usize>,
}

impl ContactSheet {
    /// A sheet without tiles, about as wide as it is high.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fixes how many tiles make a row; 0 is taken as 1.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = Some(columns.max(1));
        self
    }

    /// Adds a tile at the end. Titles take up to two lines.
    pub fn push(&mut self, title: impl Into<String>, image: Image) {
        self.tiles.push((title.into(), image));
    }

    /// Number of tiles.
    pub fn len(&self) -> usize {
        self.tiles.len()
    }

    /// Whether there are no tiles.
    pub fn is_empty(&self) -> bool {
        self.tiles.is_empty()
    }

    /// Draws the sheet. A sheet without tiles is an error.
    pub fn render(&self) -> Result<Image> {
        let cell = self.tiles.iter().map(|(_, i)| i.width).max().ok_or(Error::Empty)?;
        let columns = self
            .columns
            .unwrap_or_else(|| (1..).find(|c| c * c >= self.tiles.len()).unwrap_or(1))
            .min(self.tiles.len());
        // Legible on a page that a viewer shrinks to the screen, yet a title still fits its tile.
        let scale = (cell / 160).clamp(1, 4);
        let margin = 14 * scale;
        let gap = 4 * scale;

        struct Row<'a> {
            tiles: Vec<(Vec<String>, &'a Image)>,
            titles: usize,
            height: usize,
        }
        let rows: Vec<Row<'_>> = self
            .tiles
            .chunks(columns)
            .map(|tiles| {
                let tiles: Vec<_> = tiles
                    .iter()
                    .map(|(title, image)| {
                        let letters = (cell + scale) / (font::ADVANCE * scale);
                        (font::wrap(title, letters, 2), image)
                    })
                    .collect();
                let lines = tiles.iter().map(|(title, _)| title.len()).max().unwrap_or(0);
                let titles = if lines == 0 { 0 } else { text_height(lines, scale) + gap };
                let height = tiles.iter().map(|(_, image)| image.height).max().unwrap_or(0);
                Row { tiles, titles, height }
            })
            .collect();

        let width = cell.saturating_add(margin).saturating_mul(columns).saturating_add(margin);
        let height = rows.iter().fold(margin, |sum, row| {
            sum.saturating_add(row.titles + margin).saturating_add(row.height)
        });
        let mut page = Image::filled(width, height, PAPER)?;
        let mut y = margin;
        for row in rows {
            let top = y + row.titles;
            for (column, (title, image)) in row.tiles.into_iter().enumerate() {
                let x = margin + column * (cell + margin);
                // One-line titles stay close to their picture beside two-line ones.
                let mut line_y = top - row.titles;
                if !title.is_empty() {
                    line_y = top - gap - text_height(title.len(), scale);
                }
                for line in title {
                    page.text(x, line_y, &line, scale, INK);
                    line_y += font::LINE * scale;
                }
                page.rect(x - 1, top - 1, image.width + 2, image.height + 2, FRAME);
                page.paste(image, x, top);
            }
            y = top + row.height + margin;
        }
        Ok(page)
    }
}

/// Shows depth in colours, near bright yellow to far dark violet; what was not hit (0, negative,
/// not finite) is nearly black. `range` in metres fixes the ends of the scale, so that pictures
/// compare; without it they are the nearest and farthest hit.
pub fn depth_to_rgb(
    width: usize,
    height: usize,
    depth: &[f32],
    range: Option<(f32, f32)>,
) -> Result<Image> {
    check_length("depth picture", width, height, 1, depth.len())?;
    let hit = |d: &f32| d.is_finite() && *d > 0.0;
    let (near, far) = range.unwrap_or_else(|| {
        depth.iter().copied().filter(hit).fold((f32::MAX, 0.0), |(a, b), d| (a.min(d), b.max(d)))
    });
    let rgb = depth.iter().flat_map(|d| {
        if !hit(d) {
            return NOTHING;
        }
        // A flat scene has no scale; show it near. NaN in `range` ends here too.
        let t = (d - near) / (far - near);
        scale_colour(if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 })
    });
    Image::new(width, height, rgb.collect())
}

fn scale_colour(t: f32) -> Colour {
    // Brightness falls evenly along the scale, so that it reads in grey as well.
    const STOPS: [Colour; 7] = [
        [253, 231, 76],
        [160, 218, 82],
        [74, 193, 109],
        [33, 145, 140],
        [49, 104, 142],
        [68, 57, 131],
        [62, 12, 78],
    ];
    let position = t * (STOPS.len() - 1) as f32;
    let i = (position as usize).min(STOPS.len() - 2);
    let f = position - i as f32;
    std::array::from_fn(|c| {
        let (a, b) = (f32::from(STOPS[i][c]), f32::from(STOPS[i + 1][c]));
        (a + (b - a) * f + 0.5) as u8
    })
}

/// Shows instance numbers in colours; negative ones (nothing hit) nearly black. A number has the
/// same colour in every picture.
pub fn segmentation_to_rgb(width: usize, height: usize, segment: &[i32]) -> Result<Image> {
    check_length("segmentation picture", width, height, 1, segment.len())?;
    Image::new(width, height, segment.iter().flat_map(|&id| segment_colour(id)).collect())
}

/// The colour of an instance number in [`segmentation_to_rgb`].
pub fn segment_colour(id: i32) -> Colour {
    // Twelve that are told apart at a glance; scenes seldom have more objects. The first is calm,
    // as instance 0 tends to be the room or the table.
    const FIRST: [Colour; 12] = [
        [96, 112, 140],
        [230, 85, 64],
        [64, 140, 214],
        [104, 178, 74],
        [245, 190, 65],
        [146, 104, 190],
        [72, 188, 180],
        [236, 132, 178],
        [156, 108, 72],
        [188, 205, 92],
        [250, 156, 96],
        [176, 196, 222],
    ];
    let Ok(n) = usize::try_from(id) else { return NOTHING };
    if let Some(&colour) = FIRST.get(n) {
        return colour;
    }
    // Steps of the golden angle never come close to a recent hue; brightness alternates too.
    let hue = (n as u32).wrapping_mul(0x9e37_79b9) >> 16;
    let turn = hue * 6;
    let (sector, f) = (turn >> 16, (turn & 0xffff) >> 8);
    let high = [235, 175, 205][n % 3];
    let low = high * 2 / 5;
    let (up, down) = (low + (high - low) * f / 255, high - (high - low) * f / 255);
    let [r, g, b] = match sector {
        0 => [high, up, low],
        1 => [down, high, low],
        2 => [low, high, up],
        3 => [low, down, high],
        4 => [up, low, high],
        _ => [high, low, down],
    };
    [r as u8, g as u8, b as u8]
}
