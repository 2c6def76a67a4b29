//! Pictures of the user's, as PNG.

use super::OutsideError;
use super::folder::Source;
use super::limits::{MOST_PICTURE_BYTES, MOST_PIXELS};

/// An RGB picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub rgb: Vec<u8>,
}

pub(super) fn read(source: &dyn Source, path: &str) -> Result<Picture, OutsideError> {
    let bytes = source.read(path, MOST_PICTURE_BYTES)?;
    let fail = |say: String| OutsideError::new(path, say);
    let bad = |e: png::DecodingError| fail(format!("is not a PNG that can be read: {e}"));
    let mut decoder =
        png::Decoder::new_with_limits(std::io::Cursor::new(bytes), png::Limits { bytes: 64 << 20 });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(bad)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width == 0 || height == 0 || width > MOST_PIXELS || height > MOST_PIXELS {
        return Err(fail(format!(
            "is {width}×{height}; at most {MOST_PIXELS} pixels a side are read"
        )));
    }
    let size = reader.output_buffer_size().ok_or_else(|| fail("is too large".into()))?;
    let mut data = vec![0; size];
    let frame = reader.next_frame(&mut data).map_err(bad)?;
    let n = frame.color_type.samples();
    let pixels = data[..frame.buffer_size()].chunks_exact(n);
    let rgb =
        pixels.flat_map(|p| if n < 3 { [p[0], p[0], p[0]] } else { [p[0], p[1], p[2]] }).collect();
    Ok(Picture { width, height, rgb })
}
