//! Codes that lead from paper to a page.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

use crate::{ManualError, escape};

/// White modules around a code.
const MARGIN: i32 = 4;

/// Draw the QR code of an address as SVG, black on white, this many millimetres wide.
pub fn svg(text: &str, millimetres: f64) -> Result<String, ManualError> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium)
        .map_err(|_| ManualError::Code(text.to_owned()))?;
    let side = code.size() + 2 * MARGIN;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            let _ = write!(path, "M{} {}h1v1h-1z", x + MARGIN, y + MARGIN);
        }
    }
    Ok(format!(
        "<svg class=\"qr\" role=\"img\" aria-label=\"QR code of {}\" viewBox=\"0 0 {side} {side}\" \
         width=\"{millimetres:.0}mm\" height=\"{millimetres:.0}mm\" shape-rendering=\"crispEdges\">\
         <rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/><path d=\"{path}\" fill=\"#000\"/></svg>",
        escape(text)
    ))
}
