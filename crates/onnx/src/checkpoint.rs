//! A model and its manifest: a file with another beside it, a folder or a tar that holds both.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tar::{Archive, Builder, EntryType, Header};

use crate::{Manifest, OnnxError};

/// Names in an archive that was packed here.
const MODEL: &str = "model.onnx";
const MANIFEST: &str = "model.onnx.toml";
/// Longest manifest.
const LONGEST: u64 = 4 << 20;
/// Largest model.
const LARGEST: u64 = 4 << 30;

/// A model and what is said of it.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// What its inputs and outputs mean.
    pub manifest: Manifest,
    /// The model.
    pub model: Vec<u8>,
    text: String,
}

impl Checkpoint {
    /// Read `FILE.onnx` with `FILE.onnx.toml` beside it, or a folder or `.tar` that holds one model and one
    /// manifest.
    pub fn read(path: &Path) -> Result<Self, OnnxError> {
        let said = |e: String| OnnxError(format!("{}: {e}", path.display()));
        let (model, text) = match () {
            () if path.is_dir() => folder(path).map_err(said)?,
            () if path.extension().is_some_and(|e| e == "tar") => archive(path).map_err(said)?,
            () => {
                let mut beside = path.as_os_str().to_owned();
                beside.push(".toml");
                (whole(path, LARGEST)?, text(whole(Path::new(&beside), LONGEST)?).map_err(said)?)
            }
        };
        let manifest = Manifest::parse(&text).map_err(|e| said(format!("manifest, {e}")))?;
        Ok(Self { manifest, model, text })
    }

    /// Write it as an archive: the same bytes each time, so that an upload that broke off can go on.
    pub fn pack(&self, into: &Path) -> std::io::Result<u64> {
        let mut out = Builder::new(File::create(into)?);
        for (name, bytes) in [(MANIFEST, self.text.as_bytes()), (MODEL, &self.model)] {
            let mut header = Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_mtime(0);
            out.append_data(&mut header, name, bytes)?;
        }
        Ok(out.into_inner()?.metadata()?.len())
    }
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "the manifest is not text".into())
}

fn whole(path: &Path, most: u64) -> Result<Vec<u8>, OnnxError> {
    let said = |e: String| OnnxError(format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(|e| said(e.to_string()))?;
    bounded(file, most).map_err(said)
}

fn bounded(from: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    match bytes.len() as u64 > most {
        true => Err(format!("it has more than {most} bytes")),
        false => Ok(bytes),
    }
}

/// The model and the manifest among some files.
#[derive(Default)]
struct Found {
    model: Option<Vec<u8>>,
    manifest: Option<Vec<u8>>,
}

impl Found {
    fn take(&mut self, name: &Path, from: impl Read) -> Result<(), String> {
        let kind = name.extension().and_then(|e| e.to_str());
        let (place, most) = match kind {
            Some("onnx") => (&mut self.model, LARGEST),
            Some("toml") => (&mut self.manifest, LONGEST),
            _ => return Ok(()),
        };
        if place.is_some() {
            return Err(format!("it holds more than one file .{}", kind.unwrap_or_default()));
        }
        *place = Some(bounded(from, most).map_err(|e| format!("{}: {e}", name.display()))?);
        Ok(())
    }

    fn both(self) -> Result<(Vec<u8>, String), String> {
        let model = self.model.ok_or("it holds no model: a file .onnx")?;
        let manifest = self.manifest.ok_or("it holds no manifest: a file .toml")?;
        Ok((model, text(manifest)?))
    }
}

fn folder(path: &Path) -> Result<(Vec<u8>, String), String> {
    let list = std::fs::read_dir(path).map_err(|e| e.to_string())?;
    let list = list.map(|e| e.map(|e| e.path())).collect::<Result<Vec<PathBuf>, _>>();
    let mut found = Found::default();
    for file in list.map_err(|e| e.to_string())?.iter().filter(|p| p.is_file()) {
        found.take(file, File::open(file).map_err(|e| e.to_string())?)?;
    }
    found.both()
}

fn archive(path: &Path) -> Result<(Vec<u8>, String), String> {
    let said = |e: std::io::Error| format!("the archive cannot be read: {e}");
    let mut found = Found::default();
    let mut archive = Archive::new(File::open(path).map_err(said)?);
    for (i, entry) in archive.entries().map_err(said)?.enumerate() {
        let entry = entry.map_err(said)?;
        if i >= 100 {
            return Err("the archive has more than 100 entries".into());
        }
        let name = entry.path().map_err(said)?.into_owned();
        match entry.header().entry_type() {
            EntryType::Regular => found.take(&name, entry)?,
            EntryType::Directory => {}
            kind => {
                let name = name.display();
                return Err(format!("{name} is neither a file nor a folder ({kind:?})"));
            }
        }
    }
    found.both()
}
