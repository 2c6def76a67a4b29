//! Pages of pictures.

use super::{Colour, Image, text_height};
use crate::{Error, Result, font};

/// Paper of contact sheets: a warm near-white.
const PAPER: Colour = [250, 247, 242];
const INK: Colour = [52, 47, 42];
const FRAME: Colour = [219, 212, 202];

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

        struct SheetRow<'a> {
            tiles: Vec<(Vec<String>, &'a Image)>,
            titles: usize,
            height: usize,
        }
        let rows: Vec<SheetRow<'_>> = self
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
                SheetRow { tiles, titles, height }
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
