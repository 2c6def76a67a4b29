use std::path::Path;

use longarm_types::Digest;
use serde::{Deserialize, Serialize};

use crate::{Column, Error, Result, write_atomically};

const MAGIC: &[u8; 8] = b"LNGARMPK";
const DIGEST: usize = 16;

/// Named columns in one file: an episode on its way into a dataset.
///
/// # On disk
/// The magic `LNGARMPK`, the length of the header as u32 (little endian, like all that follows), the
/// header as JSON, the columns back to back, and the first 16 bytes of the BLAKE3 hash of all that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pack {
    columns: Vec<(String, Column)>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    dtype: String,
    width: usize,
    bytes: usize,
}

impl Pack {
    /// Adds a column.
    pub fn push(&mut self, name: impl Into<String>, column: Column) {
        self.columns.push((name.into(), column));
    }

    /// The column of a name.
    pub fn get(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(n, _)| n == name).map(|(_, c)| c)
    }

    /// Takes a column out.
    pub fn take(&mut self, name: &str) -> Option<Column> {
        let at = self.columns.iter().position(|(n, _)| n == name)?;
        Some(self.columns.remove(at).1)
    }

    /// All columns in order.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.columns.iter().map(|(n, c)| (n.as_str(), c))
    }

    /// Writes the file; it appears whole or not at all. Columns of texts are refused.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut body = Vec::new();
        let mut entries = Vec::new();
        for (name, column) in &self.columns {
            let bytes = column.to_bytes(name)?;
            entries.push(Entry {
                name: name.clone(),
                dtype: column.dtype().to_owned(),
                width: column.width(),
                bytes: bytes.len(),
            });
            body.extend_from_slice(&bytes);
        }
        let header = serde_json::to_vec(&entries).expect("entries are plain");
        let mut out = Vec::with_capacity(12 + header.len() + body.len() + DIGEST);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&(header.len() as u32).to_le_bytes());
        out.extend_from_slice(&header);
        out.extend_from_slice(&body);
        out.extend_from_slice(&Digest::of(&out).0);
        write_atomically(path, &out)
    }

    /// Reads a file and checks its hash.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        parse(&bytes).map_err(|what| Error::Damaged { path: path.to_owned(), what: what.into() })
    }
}

fn parse(bytes: &[u8]) -> Result<Pack, &'static str> {
    let cut = "it is cut";
    let (body, digest) = bytes.split_last_chunk::<DIGEST>().ok_or(cut)?;
    if Digest::of(body).0 != *digest {
        return Err("its contents do not match its hash; it was cut or changed");
    }
    let rest = body.strip_prefix(MAGIC).ok_or("it does not begin as a pack")?;
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(cut)?;
    let (header, mut rest) =
        rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(cut)?;
    let entries: Vec<Entry> =
        serde_json::from_slice(header).map_err(|_| "its header is not a list of columns")?;
    let mut out = Pack::default();
    for e in entries {
        let (values, after) = rest.split_at_checked(e.bytes).ok_or(cut)?;
        rest = after;
        let width = e.width;
        fn words<const N: usize, T>(b: &[u8], f: impl Fn([u8; N]) -> T) -> Vec<T> {
            b.as_chunks::<N>().0.iter().map(|c| f(*c)).collect()
        }
        out.push(
            e.name,
            match e.dtype.as_str() {
                "float32" => Column::F32 { width, values: words(values, f32::from_le_bytes) },
                "float64" => Column::F64 { width, values: words(values, f64::from_le_bytes) },
                "uint8" => Column::U8 { width, values: values.to_vec() },
                "int16" => Column::I16 { width, values: words(values, i16::from_le_bytes) },
                "int64" => Column::I64(words(values, i64::from_le_bytes)),
                "bool" => Column::Bool(values.iter().map(|b| *b != 0).collect()),
                _ => return Err("it has a column of an unknown kind"),
            },
        );
    }
    Ok(out)
}
