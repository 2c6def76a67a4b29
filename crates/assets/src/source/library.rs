//! Folders that models are read from, and models ready to compile.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use longarm_types::Digest;

use super::{Element, check_mesh, check_picture};
use crate::outside::limits::{MOST_MESH_BYTES, MOST_XML};
use crate::outside::{Folder, OutsideError, Source, beside};

/// Bytes of a picture.
const MOST_PICTURE_BYTES: usize = 128 << 20;

/// Named folders that files are read from. A path is `NAME:PATH/IN/THE/FOLDER`.
#[derive(Default)]
pub struct Library {
    folders: Vec<(String, Folder)>,
    used: RefCell<BTreeMap<String, Digest>>,
    /// Meshes and pictures that were found sound.
    sound: RefCell<BTreeMap<String, Digest>>,
}

/// A model ready to compile, with where it comes from.
#[derive(Clone, Debug, Default)]
pub struct SourceModel {
    /// MJCF.
    pub xml: String,
    /// Meshes and pictures by the names the MJCF has for them.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Every file that was read, with its hash.
    pub used: BTreeMap<String, Digest>,
}

impl Library {
    /// Add a folder under a name. Where several have the same name, a file is read from the first that
    /// has it.
    pub fn add(&mut self, name: &str, path: &Path) -> Result<(), OutsideError> {
        self.folders.push((name.to_owned(), Folder::new(path, &[])?));
        Ok(())
    }

    /// Return whether some folder of this name has the file.
    pub fn has(&self, path: &str) -> bool {
        self.bytes(path, MOST_PICTURE_BYTES).is_ok()
    }

    fn bytes(&self, path: &str, most: usize) -> Result<Vec<u8>, OutsideError> {
        let (name, inside) = path.split_once(':').unwrap_or(("", path));
        let mut failed = None;
        for (_, folder) in self.folders.iter().filter(|(own, _)| own == name) {
            match folder.read(inside, most) {
                Ok(bytes) => return Ok(bytes),
                Err(e) => failed = Some(e),
            }
        }
        let message = failed
            .map_or_else(|| format!("no folder {name:?} was given"), |e: OutsideError| e.message);
        Err(OutsideError::new(path, message))
    }

    /// Read a file of at most `most` bytes and remember that it was used.
    fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, OutsideError> {
        let bytes = self.bytes(path, most)?;
        self.used.borrow_mut().insert(path.to_owned(), Digest::of(&bytes));
        Ok(bytes)
    }

    /// Read the text of a file.
    pub fn text(&self, path: &str) -> Result<String, OutsideError> {
        let bytes = self.read(path, MOST_XML)?;
        String::from_utf8(bytes).map_err(|_| OutsideError::new(path, "is not UTF-8"))
    }

    /// Read a file that holds no model: its bytes, which count as used.
    pub fn file(&self, path: &str) -> Result<Vec<u8>, OutsideError> {
        self.read(path, MOST_MESH_BYTES)
    }

    /// Read a model. Files it names are meant beside it.
    pub fn model(&self, path: &str) -> Result<Element, OutsideError> {
        let text = self.text(path)?;
        let (folder, inside) = path.split_once(':').unwrap_or(("", path));
        Element::parse(path, &text, &|file| format!("{folder}:{}", beside(inside, "", file)))
    }

    /// Read a model as MuJoCo does: meshes and pictures are in the folders that its compiler names, and a
    /// mesh without a name is called as its file.
    pub fn mjcf(&self, path: &str) -> Result<Element, OutsideError> {
        let text = self.text(path)?;
        let (folder, inside) = path.split_once(':').unwrap_or(("", path));
        let mut out = Element::parse(path, &text, &str::to_owned)?;
        let compiler = out.section("compiler");
        let dir = |name: &str| compiler.get(name).unwrap_or_default().to_owned();
        let (meshes, pictures) = (dir("meshdir"), dir("texturedir"));
        out.visit(&mut |e| {
            let Some(file) = e.get("file").map(str::to_owned) else { return };
            let name = file.rsplit('/').next().unwrap_or_default();
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let within = if e.tag() == "mesh" { &meshes } else { &pictures };
            if e.tag() == "mesh" && e.name().is_none() {
                e.set("name", stem);
            }
            e.set("file", format!("{folder}:{}", beside(inside, within, &file)));
        });
        Ok(out)
    }

    /// Forget which files were used, before another model is read.
    pub fn begin(&self) {
        self.used.borrow_mut().clear();
    }

    /// Check every file a model names, each once however many models name it, and return all that were
    /// used since [`Library::begin`].
    pub fn list(&self, model: &Element) -> Result<BTreeMap<String, Digest>, OutsideError> {
        for element in model.all() {
            let Some(path) = element.get("file") else { continue };
            let known = self.sound.borrow().get(path).copied();
            match known {
                Some(hash) => drop(self.used.borrow_mut().insert(path.to_owned(), hash)),
                None => drop(self.checked(element.tag(), path)?),
            }
        }
        Ok(self.used.borrow().clone())
    }

    /// Read a mesh or picture as MuJoCo may see it.
    fn checked(&self, tag: &str, path: &str) -> Result<(String, Vec<u8>), OutsideError> {
        let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let bytes = match tag {
            "mesh" => check_mesh(&ending, &self.read(path, MOST_MESH_BYTES)?),
            _ => check_picture(&ending, self.read(path, MOST_PICTURE_BYTES)?),
        };
        let bytes = bytes.map_err(|say| OutsideError::new(path, say))?;
        if let Some(hash) = self.used.borrow().get(path) {
            self.sound.borrow_mut().insert(path.to_owned(), *hash);
        }
        Ok((ending, bytes))
    }

    /// Write a model with every file it names.
    pub fn finish(&self, model: &Element) -> Result<SourceModel, OutsideError> {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut files = BTreeMap::new();
        for element in model.all() {
            let Some(path) = element.get("file") else { continue };
            if names.contains_key(path) {
                continue;
            }
            let (ending, bytes) = self.checked(element.tag(), path)?;
            let name = format!("f{}.{ending}", names.len());
            files.insert(name.clone(), bytes);
            names.insert(path.to_owned(), name);
        }
        let mut xml = String::new();
        model.write(&mut xml, &|_, path| names.get(path).cloned().unwrap_or_default());
        Ok(SourceModel { xml, files, used: self.used.borrow().clone() })
    }
}
