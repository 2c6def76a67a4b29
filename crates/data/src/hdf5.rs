//! HDF5 files: groups, contiguous datasets, attributes.
//!
//! Own code because it is small and the crates that write HDF5 are not: they come with readers,
//! editors and filters, in a hundred times the lines. Format: superblock 2, object headers 2, links
//! in the headers themselves, texts in global heaps ("HDF5 File Format Specification Version 3.0").

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use crate::atomic::AtomicFile;
use crate::{Column, Result};

const UNDEFINED: u64 = u64::MAX;
const SUPERBLOCK: u64 = 48;

/// What an attribute holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A whole number.
    Int(i64),
    /// Numbers.
    Floats(Vec<f64>),
    /// A text of any length.
    Text(String),
}

#[derive(Default)]
struct Group {
    groups: BTreeMap<String, Group>,
    /// Addresses of the headers of datasets.
    datasets: BTreeMap<String, u64>,
    attributes: BTreeMap<String, Attribute>,
}

/// Writes a file piece by piece: values go to the file at once, only the tree stays in memory. The
/// file appears under its name when [`Hdf5Writer::finish`] succeeds.
pub struct Hdf5Writer {
    file: AtomicFile,
    /// Where the next piece goes.
    end: u64,
    root: Group,
}

impl Hdf5Writer {
    /// Starts a file that will become `path`. The directory must exist.
    pub fn create(path: &Path) -> Result<Self> {
        let mut file = AtomicFile::create(path)?;
        file.with(|f| f.write_all(&[0; SUPERBLOCK as usize]))?;
        Ok(Self { file, end: SUPERBLOCK, root: Group::default() })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        let at = self.end;
        // Eight-byte borders, as the library keeps them.
        let padding = bytes.len().next_multiple_of(8) - bytes.len();
        self.file.with(|f| {
            f.write_all(bytes)?;
            f.write_all(&[0; 8][..padding])
        })?;
        self.end += (bytes.len() + padding) as u64;
        Ok(at)
    }

    fn group(&mut self, path: &str) -> &mut Group {
        let names = path.split('/').filter(|n| !n.is_empty());
        names.fold(&mut self.root, |g, n| g.groups.entry(n.to_owned()).or_default())
    }

    /// Sets an attribute of a group, making the group where it is missing.
    pub fn attribute(&mut self, group: &str, name: &str, value: Attribute) {
        self.group(group).attributes.insert(name.to_owned(), value);
    }

    /// Writes a dataset of rows of the given shape; groups on the way are made.
    pub fn dataset(&mut self, path: &str, column: &Column, shape: &[usize]) -> Result<()> {
        let bytes = column.to_bytes(path)?;
        if shape.iter().product::<usize>() != column.width() {
            let what = format!("rows of {} values have no shape {shape:?}", column.width());
            return Err(crate::Error::Layout { name: path.into(), what });
        }
        let dims: Vec<u64> =
            std::iter::once(column.rows()).chain(shape.iter().copied()).map(|n| n as u64).collect();
        let data = match bytes.is_empty() {
            true => UNDEFINED,
            false => self.append(&bytes)?,
        };
        let mut layout = vec![3, 1];
        layout.extend_from_slice(&data.to_le_bytes());
        layout.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        let header = header(&[
            (0x01, dataspace(&dims)),
            (0x03, datatype(column)),
            // Allocated late, filled if set: the library's own default.
            (0x05, vec![3, 0x0a]),
            (0x08, layout),
        ]);
        let at = self.append(&header)?;
        let (group, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.group(group).datasets.insert(name.to_owned(), at);
        Ok(())
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> Result<()> {
        let root = std::mem::take(&mut self.root);
        let root = self.close(root)?;
        let mut block = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
        for v in [0, UNDEFINED, self.end, root] {
            block.extend_from_slice(&v.to_le_bytes());
        }
        block.extend_from_slice(&checksum(&block).to_le_bytes());
        self.file.with(|f| {
            f.seek(SeekFrom::Start(0))?;
            f.write_all(&block)
        })?;
        self.file.commit()
    }

    /// Writes a group after all that is in it; where its header is.
    fn close(&mut self, group: Group) -> Result<u64> {
        let mut links = group.datasets;
        for (name, inner) in group.groups {
            let at = self.close(inner)?;
            links.insert(name, at);
        }
        let mut info = vec![0, 0];
        info.extend_from_slice(&[0xff; 16]);
        let mut messages = vec![(0x02, info), (0x0a, vec![0, 0])];
        for (name, at) in links {
            // UTF-8 name, its length in two bytes, a hard link.
            let mut link = vec![1, 0x11, 1];
            link.extend_from_slice(&(name.len() as u16).to_le_bytes());
            link.extend_from_slice(name.as_bytes());
            link.extend_from_slice(&at.to_le_bytes());
            messages.push((0x06, link));
        }
        for (name, value) in group.attributes {
            messages.push((0x0c, self.attribute_message(&name, value)?));
        }
        self.append(&header(&messages))
    }

    fn attribute_message(&mut self, name: &str, value: Attribute) -> Result<Vec<u8>> {
        let (kind, space, data) = match value {
            Attribute::Int(v) => {
                (datatype(&Column::I64(Vec::new())), scalar(), v.to_le_bytes().to_vec())
            }
            Attribute::Floats(values) => {
                let space = dataspace(&[values.len() as u64]);
                let column = Column::F64 { width: 1, values };
                (datatype(&column), space, column.to_bytes(name)?)
            }
            Attribute::Text(text) => {
                let heap = self.heap(text.as_bytes())?;
                let mut data = (text.len() as u32).to_le_bytes().to_vec();
                data.extend_from_slice(&heap.to_le_bytes());
                data.extend_from_slice(&1u32.to_le_bytes());
                // Variable length, a string in UTF-8, of bytes.
                let mut kind = vec![0x19, 0x01, 0x01, 0x00];
                kind.extend_from_slice(&16u32.to_le_bytes());
                kind.extend_from_slice(&datatype(&Column::U8 { width: 1, values: Vec::new() }));
                (kind, scalar(), data)
            }
        };
        let mut out = vec![3, 0];
        for n in [name.len() + 1, kind.len(), space.len()] {
            out.extend_from_slice(&(n as u16).to_le_bytes());
        }
        // The name is UTF-8 and ends in zero.
        out.push(1);
        out.extend_from_slice(name.as_bytes());
        out.push(0);
        for part in [kind, space, data] {
            out.extend_from_slice(&part);
        }
        Ok(out)
    }

    /// A global heap with one object, number 1; where it is.
    fn heap(&mut self, object: &[u8]) -> Result<u64> {
        let padded = object.len().next_multiple_of(8);
        // No smaller than the library's least, the rest is one free object.
        let size = (16 + 16 + padded + 16).max(4096);
        let mut out = b"GCOL\x01\0\0\0".to_vec();
        out.extend_from_slice(&(size as u64).to_le_bytes());
        out.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0]);
        out.extend_from_slice(&(object.len() as u64).to_le_bytes());
        out.extend_from_slice(object);
        out.resize(32 + padded, 0);
        let free = size - out.len();
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&(free as u64).to_le_bytes());
        out.resize(size, 0);
        self.append(&out)
    }
}

fn scalar() -> Vec<u8> {
    vec![2, 0, 0, 0]
}

fn dataspace(dims: &[u64]) -> Vec<u8> {
    let mut out = vec![2, dims.len() as u8, 0, 1];
    out.extend(dims.iter().flat_map(|d| d.to_le_bytes()));
    out
}

fn datatype(column: &Column) -> Vec<u8> {
    let integer = |bytes: u8, signed: bool| {
        let mut out = vec![0x10, if signed { 0x08 } else { 0 }, 0, 0, bytes, 0, 0, 0];
        out.extend_from_slice(&[0, 0, bytes * 8, 0]);
        out
    };
    let float = |bytes: u8, exponent: [u8; 2], mantissa: u8, bias: u32| {
        // Little endian, an implied leading bit, the sign on top.
        let mut out = vec![0x11, 0x20, bytes * 8 - 1, 0, bytes, 0, 0, 0];
        out.extend_from_slice(&[0, 0, bytes * 8, 0, exponent[0], exponent[1], 0, mantissa]);
        out.extend_from_slice(&bias.to_le_bytes());
        out
    };
    match column {
        Column::F32 { .. } => float(4, [23, 8], 23, 127),
        Column::F64 { .. } => float(8, [52, 11], 52, 1023),
        Column::I16 { .. } => integer(2, true),
        Column::I64(_) => integer(8, true),
        Column::U8 { .. } | Column::Bool(_) | Column::Text(_) | Column::Texts(_) => {
            integer(1, false)
        }
    }
}

/// An object header of messages: kind and content.
fn header(messages: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let size: usize = messages.iter().map(|(_, m)| 4 + m.len()).sum();
    // The length of the first and only chunk takes four bytes.
    let mut out = b"OHDR\x02\x02".to_vec();
    out.extend_from_slice(&(size as u32).to_le_bytes());
    for (kind, content) in messages {
        out.push(*kind);
        out.extend_from_slice(&(content.len() as u16).to_le_bytes());
        out.push(0);
        out.extend_from_slice(content);
    }
    out.extend_from_slice(&checksum(&out).to_le_bytes());
    out
}

/// Bob Jenkins' lookup3 (`hashlittle`) from zero, which the format uses for metadata.
fn checksum(bytes: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let (mut a, mut b, mut c) = (start, start, start);
    let word = |s: &[u8], i: usize| {
        (0..4).fold(0u32, |w, k| w | u32::from(*s.get(4 * i + k).unwrap_or(&0)) << (8 * k))
    };
    let mut rest = bytes;
    while rest.len() > 12 {
        a = a.wrapping_add(word(rest, 0));
        b = b.wrapping_add(word(rest, 1));
        c = c.wrapping_add(word(rest, 2));
        a = a.wrapping_sub(c) ^ c.rotate_left(4);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(6);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(8);
        b = b.wrapping_add(a);
        a = a.wrapping_sub(c) ^ c.rotate_left(16);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(19);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(4);
        b = b.wrapping_add(a);
        rest = &rest[12..];
    }
    if rest.is_empty() {
        return c;
    }
    a = a.wrapping_add(word(rest, 0));
    b = b.wrapping_add(word(rest, 1));
    c = c.wrapping_add(word(rest, 2));
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::checksum;

    /// The vectors in the comments of lookup3.c.
    #[test]
    fn checksums_are_those_of_lookup3() {
        assert_eq!(checksum(b""), 0xdead_beef);
        assert_eq!(checksum(b"Four score and seven years ago"), 0x1777_0551);
    }
}
