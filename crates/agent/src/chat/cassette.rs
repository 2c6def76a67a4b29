//! Recorded answers: a JSONL file keyed by the hash of the request, pictures by theirs.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether answers are recorded or replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CassetteMode {
    /// Ask, and write down what was not asked before.
    Record,
    /// Ask nobody; a request that was not recorded stops the run.
    Replay,
    /// Take what is recorded, ask for the rest and write it down.
    #[default]
    Auto,
}

/// Where answers are recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CassetteSpec {
    /// The file.
    pub file: PathBuf,
    /// What is done with it.
    #[serde(default)]
    pub mode: CassetteMode,
}

/// An answer as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recorded {
    pub key: String,
    /// What was asked, pictures as hashes.
    pub request: Value,
    /// What the model said.
    pub text: String,
    /// Tokens that it took, as far as the server says.
    #[serde(default)]
    pub tokens: u64,
    /// What it cost, where the endpoint had a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// The hash of a request whose pictures are hashes already: equal requests have equal keys, in whatever
/// order their fields were written.
pub(crate) fn key(request: &Value) -> String {
    // Maps of serde_json are sorted by name.
    blake3::hash(request.to_string().as_bytes()).to_hex().to_string()
}

/// The recorded answers of one file, shared by all workers: equal requests have equal answers in a run.
#[derive(Debug)]
pub(crate) struct Cassette {
    path: PathBuf,
    known: BTreeMap<String, Recorded>,
}

/// A cassette in use.
pub(crate) type SharedCassette = Arc<Mutex<Cassette>>;

static OPEN: LazyLock<Mutex<BTreeMap<PathBuf, SharedCassette>>> = LazyLock::new(Mutex::default);

impl Cassette {
    /// Open a file, the same one for everybody who names it. One that is not there is empty, unless it is to
    /// be replayed.
    pub(crate) fn open(spec: &CassetteSpec) -> Result<SharedCassette, String> {
        let path = std::path::absolute(&spec.file).unwrap_or_else(|_| spec.file.clone());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cassette) = open.get(&path) {
            return Ok(cassette.clone());
        }
        let cassette = Arc::new(Mutex::new(Self::read(&path, spec.mode)?));
        open.insert(path, cassette.clone());
        Ok(cassette)
    }

    fn read(path: &Path, mode: CassetteMode) -> Result<Self, String> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound && mode != CassetteMode::Replay => {
                String::new()
            }
            Err(e) => return Err(format!("the cassette {}: {e}", path.display())),
        };
        let mut known = BTreeMap::new();
        for (i, line) in text.lines().enumerate() {
            let wrong = |why: String| format!("{} line {}: {why}", path.display(), i + 1);
            let entry: Recorded = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
            if key(&entry.request) != entry.key {
                return Err(wrong("its key is not that of its request".into()));
            }
            known.entry(entry.key.clone()).or_insert(entry);
        }
        Ok(Self { path: path.to_owned(), known })
    }

    pub(crate) fn get(&self, key: &str) -> Option<Recorded> {
        self.known.get(key).cloned()
    }

    /// Keep an answer and return the one that counts: the first to a request.
    pub(crate) fn keep(&mut self, entry: Recorded) -> Result<Recorded, String> {
        if let Some(first) = self.get(&entry.key) {
            return Ok(first);
        }
        let wrong = |e: &dyn std::fmt::Display| format!("{}: {e}", self.path.display());
        let mut line = serde_json::to_string(&entry).map_err(|e| wrong(&e))?;
        line.push('\n');
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut f| f.write_all(line.as_bytes())).map_err(|e| wrong(&e))?;
        self.known.insert(entry.key.clone(), entry.clone());
        Ok(entry)
    }
}
