//! NumPy's `.npy` files.

use std::path::Path;

use crate::{Column, Error, Result, write_atomically};

/// Writes a column as an array of rows, each of the given shape.
pub fn write(path: &Path, column: &Column, shape: &[usize]) -> Result<()> {
    let name = path.display().to_string();
    let descr = match column {
        Column::F32 { .. } => "<f4",
        Column::F64 { .. } => "<f8",
        Column::U8 { .. } => "|u1",
        Column::I16 { .. } => "<i2",
        Column::I64(_) => "<i8",
        Column::Bool(_) => "|b1",
        Column::Text(_) | Column::Texts(_) => "",
    };
    let bytes = column.to_bytes(&name)?;
    if shape.iter().product::<usize>() != column.width() {
        let what = format!("rows of {} values have no shape {shape:?}", column.width());
        return Err(Error::Layout { name, what });
    }
    let sides: Vec<String> = std::iter::once(column.rows())
        .chain(shape.iter().copied())
        .map(|n| n.to_string())
        .collect();
    let mut header = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({},), }}",
        sides.join(", ")
    );
    // Magic, version, length and header together fill blocks of 64.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(&bytes);
    write_atomically(path, &out)
}
