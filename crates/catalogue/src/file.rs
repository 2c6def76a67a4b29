//! Task files and folders of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use longarm_assets::Asset;
use longarm_assets::outside::{self, Folder, Source, limits};
use longarm_suites::SUITES;
use longarm_task::TaskSpec;
use longarm_task::bddl;
use longarm_task::form::{self, Files, Format};
use longarm_task::place::RegionSpec;
use longarm_types::{Bounds, Digest, Seed};

use crate::{Catalogue, CatalogueError, Found, Result};

/// A task as text that needs no other file: what a run writes down.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Name without folders; its ending says what it is written in.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Most bytes of a task file.
const MOST: usize = 64 << 20;

fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Whether a user means a file with a task.
pub fn is_file(name: &str) -> bool {
    ["toml", "json", "bddl"].contains(&ending(Path::new(name)).as_str())
}

/// Words of a name, as ids have them.
fn kebab(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() { "task".to_owned() } else { words.join("-") }
}

/// The id of a task whose file gives none: its folder's name and its own.
pub(crate) fn id_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if ending(path) == "bddl" {
        return format!("bddl/{}", kebab(&stem));
    }
    let folder = path.canonicalize().ok();
    let folder = folder.as_deref().and_then(Path::parent).and_then(Path::file_name);
    let folder = folder.map_or("local".into(), |f| kebab(&f.to_string_lossy()));
    let taken = SUITES.iter().any(|s| s.name == folder);
    format!("{}{folder}/{}", if taken { "my-" } else { "" }, kebab(&stem))
}

/// Files beside a task.
struct Beside<'a> {
    folder: PathBuf,
    allowed: &'a [PathBuf],
}

impl Files for Beside<'_> {
    fn asset(&self, path: &str) -> Result<Asset, String> {
        let folder = Folder::new(&self.folder, self.allowed).map_err(|e| e.to_string())?;
        outside::load(folder, path).map_err(|e| e.to_string())
    }

    fn text(&self, path: &str) -> Result<String, String> {
        let folder = Folder::new(&self.folder, self.allowed).map_err(|e| e.to_string())?;
        let bytes = folder.read(path, limits::MOST_XML).map_err(|e| e.to_string())?;
        String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))
    }

    fn task(&self, id: &str) -> Result<TaskSpec, String> {
        longarm_suites::task(id).ok_or_else(|| {
            let known: Vec<&str> = longarm_suites::ids().collect();
            format!("no task {id:?} whose scene this could be{}", longarm_types::hint(id, known))
        })
    }
}

/// A task as text that needs no other file.
fn carried_text(task: &TaskSpec) -> String {
    match form::own_rig(task.rig) {
        None => task.to_json(),
        Some(rig) => {
            let rigs = serde_json::json!({ task.rig.as_str(): rig });
            serde_json::json!({ "rigs": rigs, "spec": task }).to_string()
        }
    }
}

/// Files of the user's in a task.
fn outside_of(task: &TaskSpec) -> Vec<(String, Digest)> {
    let mut out: Vec<(String, Digest)> = task
        .objects
        .iter()
        .flat_map(|o| &o.assets)
        .filter_map(Asset::custom)
        .flat_map(|c| c.files().map(|(n, h)| (n.to_owned(), h)).collect::<Vec<_>>())
        .collect();
    out.sort();
    out.dedup();
    out
}

/// Regions that reach beyond where the robot works, each in a sentence.
fn beyond(task: &TaskSpec) -> Vec<String> {
    let Bounds { centre, half } = task.rig().workspace;
    let span = |i: usize| [centre[i] - half[i], centre[i] + half[i]];
    let ([left, right], [near, far]) = (span(0), span(1));
    // A millimetre for numbers that were written rounded.
    let within = |v: f64, [lo, hi]: [f64; 2]| (lo - 1e-3..=hi + 1e-3).contains(&v);
    let inside = |[x, y]: [f64; 2]| within(x, span(0)) && within(y, span(1));
    let out = |r: &&RegionSpec| !r.rects.iter().all(|q| inside([q.0, q.1]) && inside([q.2, q.3]));
    let say = |r: &RegionSpec| {
        format!(
            "region {:?} reaches beyond where the robot works, x {:.2} to {:.2} and y {:.2} to {:.2}: \
             what is put there may fall off the table or out of reach",
            r.name, left, right, near, far
        )
    };
    task.regions.iter().filter(out).map(say).collect()
}

impl Catalogue {
    /// The task in a file.
    pub fn file(&self, path: &Path) -> Result<Found> {
        let shown = path.display().to_string();
        let fail = |say: String| CatalogueError::File(say);
        let meta =
            std::fs::metadata(path).map_err(|e| fail(format!("cannot read {shown}: {e}")))?;
        if !meta.is_file() {
            return Err(fail(format!("{shown} is not a file")));
        }
        if meta.len() > MOST as u64 {
            return Err(fail(format!("{shown} is larger than {} MB", MOST >> 20)));
        }
        let bytes = std::fs::read(path).map_err(|e| fail(format!("cannot read {shown}: {e}")))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if ending(path) == "bddl" {
            let options = bddl::Options::new(id_of(path));
            let bddl::Loaded { task, warnings } = bddl::parse_bytes(&bytes)
                .and_then(|p| bddl::load(&p, &options))
                .map_err(|e| fail(format!("{shown}:{e}")))?;
            let warnings = warnings.iter().map(|w| format!("{shown}:{w}")).collect();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let file = Some(Written { name, text });
            return self.own(
                &shown,
                Found { task: Arc::new(task), file, outside: Vec::new(), warnings },
                None,
            );
        }
        let text = String::from_utf8(bytes).map_err(|_| fail(format!("{shown} is not UTF-8")))?;
        let format = if ending(path) == "json" { Format::Json } else { Format::Toml };
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        self.text(&shown, &text, format, &id_of(path), &folder)
    }

    /// The task in a text; files it names are read in `folder`.
    pub fn text(
        &self,
        shown: &str,
        text: &str,
        format: Format,
        id: &str,
        folder: &Path,
    ) -> Result<Found> {
        let files = Beside { folder: folder.to_owned(), allowed: &self.allowed };
        let read = form::read(text, format, id, &files)
            .map_err(|e| CatalogueError::File(format!("{shown}:{e}")))?;
        let name = format!("{}.json", read.task.id.name());
        let file = Some(Written { name, text: carried_text(&read.task) });
        let outside = outside_of(&read.task);
        let task = Arc::new(read.task);
        let warnings = beyond(&task).iter().map(|w| format!("{shown}: {w}")).collect();
        self.own(shown, Found { task, file, outside, warnings }, read.seed)
    }

    /// Refuse a file with the id of a suite's task, unless it is that very task as it was printed.
    fn own(&self, shown: &str, found: Found, seed: Option<u64>) -> Result<Found> {
        let id = &found.task.id;
        let Some(known) = longarm_suites::task(id.as_str()) else { return Ok(found) };
        if known.hash() == found.task.hash() {
            return Ok(known.into());
        }
        let instance = seed.map(|s| known.instance(Seed(s)).hash());
        if known.instances.is_some() && instance == Some(found.task.hash()) {
            return Ok(found);
        }
        Err(CatalogueError::Taken {
            file: shown.to_owned(),
            id: id.to_string(),
            suite: id.suite().to_owned(),
            name: id.name().to_owned(),
        })
    }

    /// The tasks in a folder: a suite of one's own.
    pub fn folder(&self, path: &Path) -> Result<Vec<Found>> {
        let shown = path.display();
        let fail = |e: std::io::Error| CatalogueError::File(format!("cannot read {shown}: {e}"));
        let mut files = Vec::new();
        for entry in std::fs::read_dir(path).map_err(fail)? {
            let file = entry.map_err(fail)?.path();
            if file.is_file() && is_file(&file.to_string_lossy()) && is_task(&file) {
                files.push(file);
            }
        }
        files.sort();
        if files.is_empty() {
            return Err(CatalogueError::File(format!(
                "{shown} has no task files; `longarm new task {shown}/my-task.toml` writes one"
            )));
        }
        files.iter().map(|f| self.file(f)).collect()
    }
}

/// Whether a file of a folder is meant as a task, not as an object or a scene. What cannot be read
/// is taken for one, so that it is reported.
fn is_task(path: &Path) -> bool {
    let key = |k: &str| ["instruction", "spec", "init"].contains(&k);
    let Ok(text) = std::fs::read_to_string(path) else { return true };
    match ending(path).as_str() {
        "toml" => text.parse::<toml::Table>().map_or(true, |t| t.keys().any(|k| key(k))),
        "json" => {
            let map: Result<serde_json::Map<String, serde_json::Value>, _> =
                serde_json::from_str(&text);
            map.map_or(true, |t| t.keys().any(|k| key(k)))
        }
        _ => true,
    }
}
