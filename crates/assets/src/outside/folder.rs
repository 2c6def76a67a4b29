//! Files of the user's, read once, and only from where they may be read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use super::OutsideError;

/// Where files come from. Paths are relative, with `/`, and never lead out.
pub trait Source {
    /// The content of a file of at most `most` bytes.
    fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, OutsideError>;
}

/// A folder on disk. Links and paths that lead out of it are refused unless they end in a folder
/// that was allowed.
pub struct Folder {
    root: PathBuf,
    allowed: Vec<PathBuf>,
    read: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl Folder {
    /// The folder at a path; files in `allowed` folders may be named by absolute paths or `..`.
    pub fn new(root: &Path, allowed: &[PathBuf]) -> Result<Self, OutsideError> {
        let real = |p: &Path| {
            let shown = p.display().to_string();
            p.canonicalize().map_err(|e| OutsideError::new(&shown, format!("cannot open: {e}")))
        };
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let allowed = allowed.iter().map(|p| real(p)).collect::<Result<_, _>>()?;
        Ok(Self { root: real(root)?, allowed, read: RefCell::default() })
    }

    /// What was read, by path.
    pub fn into_files(self) -> BTreeMap<String, Vec<u8>> {
        self.read.into_inner()
    }
}

impl Source for Folder {
    fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, OutsideError> {
        if let Some(known) = self.read.borrow().get(path) {
            return Ok(known.clone());
        }
        let fail = |say: String| OutsideError::new(path, say);
        let p = Path::new(path);
        let plain = p.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !plain && self.allowed.is_empty() {
            return Err(fail(
                "absolute paths and `..` are not read; copy the file into the folder".into(),
            ));
        }
        let real =
            self.root.join(p).canonicalize().map_err(|e| fail(format!("cannot read: {e}")))?;
        let inside =
            real.starts_with(&self.root) || self.allowed.iter().any(|a| real.starts_with(a));
        if !inside {
            return Err(fail(format!(
                "leads out of {}; copy the file into the folder",
                self.root.display()
            )));
        }
        let meta = real.metadata().map_err(|e| fail(format!("cannot read: {e}")))?;
        if !meta.is_file() {
            return Err(fail("is not a file".into()));
        }
        let too_large = || fail(format!("is larger than {most} bytes"));
        if meta.len() > most as u64 {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        std::fs::File::open(&real)
            .and_then(|f| f.take(most as u64 + 1).read_to_end(&mut bytes))
            .map_err(|e| fail(format!("cannot read: {e}")))?;
        if bytes.len() > most {
            return Err(too_large());
        }
        self.read.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }
}

/// Files that came with a task.
pub(super) struct Carried<'a>(pub &'a BTreeMap<String, Vec<u8>>);

impl Source for Carried<'_> {
    fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, OutsideError> {
        match self.0.get(path) {
            None => Err(OutsideError::new(path, "is not among the files the task carries")),
            Some(b) if b.len() > most => {
                Err(OutsideError::new(path, format!("is larger than {most} bytes")))
            }
            Some(b) => Ok(b.clone()),
        }
    }
}

/// `file` as named in a file at `from`, both relative to the same folder.
pub(crate) fn beside(from: &str, dir: &str, file: &str) -> String {
    if Path::new(file).is_absolute() {
        return file.to_owned();
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in dir.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}
