//! Tasks as people write them, in TOML or JSON.
//!
//! A [`TaskForm`] is read with serde and becomes a [`TaskSpec`]: objects carry their place, steps
//! and predicates are one line each, stages follow from the plan, a plan from the goal. What the
//! engine itself prints (a whole `TaskSpec`, alone or under `spec`) is read as well.

mod call;
mod fields;
mod formula;
mod goal;
mod locate;
mod model;
mod rig;
mod spec;
mod step;
mod values;

use longarm_assets::Asset;
use serde::de::DeserializeOwned;

pub use fields::{AssetRef, Line, OneOrMany, Short};
use locate::Document;
pub use locate::FormError;
pub use model::{
    ChosenForm, ObjectForm, OrderForm, RegionForm, ScaleForm, SceneForm, StageForm, StagesForm,
    TaskForm,
};
pub use rig::{CameraForm, RigForm, own_rig};
pub use values::{Area, AtForm, Colours, Groups, PartForm, PartWord, Range, Span, Values};

use crate::TaskSpec;

/// The files a task names, read inside the folder of the task.
pub trait Files {
    /// The asset in a file.
    fn asset(&self, path: &str) -> Result<Asset, String>;
    /// The text of a scene or rig file.
    fn text(&self, path: &str) -> Result<String, String>;
    /// The task of this id whose scene is meant.
    fn task(&self, id: &str) -> Result<TaskSpec, String> {
        Err(format!("no task {id:?} is known here; name a scene file"))
    }
}

/// For tasks that name no files.
pub struct NoFiles;

impl Files for NoFiles {
    fn asset(&self, path: &str) -> Result<Asset, String> {
        Err(format!("cannot read {path:?}: this task has no folder; give the object's content"))
    }
    fn text(&self, path: &str) -> Result<String, String> {
        Err(format!("cannot read {path:?}: this task has no folder; write its content into it"))
    }
}

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// A task that was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The task.
    pub task: TaskSpec,
    /// Whether the file gave the id, rather than its name.
    pub named: bool,
    /// The seed of the scene printed beside the specification, where there is one.
    pub seed: Option<u64>,
}

/// Read a task; `id` is its id if the text gives none.
pub fn read(text: &str, format: Format, id: &str, files: &dyn Files) -> Result<Read, FormError> {
    let doc = Document::new(text, format)?;
    if doc.is_spec() {
        let (task, seed): (TaskSpec, _) = doc.spec()?;
        task.validate().map_err(|e| doc.about(&e))?;
        return Ok(Read { task, named: true, seed });
    }
    let mut form: TaskForm = doc.parse()?;
    let mut base = None;
    if let Some(id) = form.scene.take_if(|s| s.contains('/') && !s.contains('.')) {
        let at = |message: String| doc.at(&id, message);
        base = Some(files.task(&id).and_then(|t| spec::scene_of(t, &id)).map_err(at)?);
    }
    if let Some(path) = form.scene.take() {
        let at = |message: String| doc.at(&path, message);
        let text = files.text(&path).map_err(at)?;
        let scene: SceneForm = parse_as(&text, &path).map_err(at)?;
        form.share(scene).map_err(|(name, say)| doc.at(&name, say))?;
    }
    let named = form.id.is_some();
    let task = form.spec(id, base, files).map_err(|(name, say)| doc.at(&name, say))?;
    task.validate().map_err(|e| doc.about(&e))?;
    Ok(Read { task, named, seed: None })
}

/// A value in a file beside the task; errors say where in that file.
fn parse_as<T: DeserializeOwned>(text: &str, path: &str) -> Result<T, String> {
    let json = path.to_ascii_lowercase().ends_with(".json");
    let format = if json { Format::Json } else { Format::Toml };
    Document::new(text, format).and_then(|d| d.parse()).map_err(|e| format!("{path}:{e}"))
}
