//! Tasks from sentences: steps from a model, checked against a scene, tried, measured, written down, recorded.

mod check;
mod names;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use longarm_agent::chat::{Decomposer, Decomposition, Refused};
use longarm_catalogue::Catalogue;
use longarm_data::keyframes::Rule;
use longarm_data::{image::encode_png, write_atomically};
use longarm_policy::PolicyError;
use longarm_sim::{Env, EnvSettings, ImageSettings, SimError};
use longarm_task::form::Format as Language;
use longarm_task::{Scene, TaskSpec};
use longarm_types::{ENGINE_VERSION, Hints, Seed, counted};
use serde::{Deserialize, Serialize};

pub use check::{Fault, Planned, check};
pub use names::Names;
use write::basic;

use crate::demos::{DemoConfig, DemoError, Format, Modality, Recording, Source, record};
use crate::probe::{Cell, Handicap, handicapped, subtasks, won};
use crate::{PolicySpec, carried};

/// How often an answer is sent back.
pub const REPAIRS: usize = 3;
/// Who carries out what is composed.
pub const PERCEIVING: &str = "expert?grasps=perceived";
/// Where reports lie beside the tasks, and recordings.
const REPORTS: &str = "reports";
const DEMOS: &str = "demos";

/// What is composed, and how.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The task whose scene it is, as task files name it.
    pub scene: String,
    /// Where tasks, reports and recordings go.
    pub out: PathBuf,
    /// Episodes that are tried by each expert.
    pub trials: u64,
    /// Of these the expert must solve as many.
    pub least: u64,
    /// First seed of the trials and of the scene that the model is shown.
    pub seed: u64,
    /// Demonstrations to record; none without.
    pub demos: u64,
    /// How they are written, and pixels a side of their pictures.
    pub format: Format,
    /// See `format`.
    pub size: usize,
    /// Threads of one composition.
    pub workers: usize,
}

/// How many episodes were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solved {
    /// Episodes.
    pub episodes: u64,
    /// Successes.
    pub won: u64,
}

/// What became of a description.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Report {
    /// Its name, and that of the task.
    pub name: String,
    /// What was asked for.
    pub description: String,
    /// The task whose scene it is.
    pub scene: String,
    /// Why there is no task; there is one without.
    pub refused: Option<String>,
    /// Answers that were sent back, each with what was wrong.
    pub sent_back: Vec<Refused>,
    /// The steps that were taken.
    pub steps: Decomposition,
    /// Subtasks, and those of which the probe finds that memory decides them.
    pub subtasks: u64,
    /// See `subtasks`.
    pub memory_dependent: u64,
    /// The expert, with the grasps that assets bring along.
    pub expert: Solved,
    /// The same with grasps from the cameras.
    pub perceiving: Solved,
    /// The expert without memory.
    pub memoryless: Solved,
    /// Demonstrations that were recorded.
    pub demos: u64,
}

/// Why composing stopped: not the description's fault.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    /// A scene that cannot be used.
    #[error("{0}")]
    Scene(String),
    /// The model could not be asked.
    #[error("{0}")]
    Model(#[from] PolicyError),
    /// The simulator failed.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A recording failed.
    #[error(transparent)]
    Demos(#[from] DemoError),
    /// A file cannot be written or read.
    #[error("{0}")]
    File(String),
}

/// Where steps come from.
pub enum Steps<'a> {
    /// A model is asked.
    Model(&'a mut Decomposer),
    /// They are given.
    Given(Decomposition),
}

/// Return words of a description as the name of a task.
pub fn name_of(description: &str) -> String {
    const WORDS: usize = 8;
    let small = description.to_lowercase();
    let words = small.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let told = words.filter(|w| !["the", "a", "an", "and", "of", "to", "it", "its"].contains(w));
    let name = told.take(WORDS).collect::<Vec<_>>().join("-");
    if name.is_empty() { "task".to_owned() } else { name }
}

impl Composition {
    /// Return the report of an earlier composition of this description, if it is there.
    pub fn known(&self, name: &str, description: &str) -> Option<Report> {
        let text = std::fs::read_to_string(self.report_path(name)).ok()?;
        let report: Report = serde_json::from_str(&text).ok()?;
        let same = report.description == description && report.scene == self.scene;
        let kept = report.refused.is_some() || self.task_path(name).is_file();
        let recorded = report.refused.is_some() || report.demos >= self.demos;
        (same && kept && recorded).then_some(report)
    }

    fn report_path(&self, name: &str) -> PathBuf {
        self.out.join(REPORTS).join(format!("{name}.json"))
    }

    /// Return where the file of a task goes.
    pub fn task_path(&self, name: &str) -> PathBuf {
        self.out.join(format!("{name}.toml"))
    }

    /// Return the folder of a task's demonstrations.
    pub fn demos_path(&self, name: &str) -> PathBuf {
        self.out.join(DEMOS).join(name)
    }

    /// Make a task of a description, or say why there is none. `None` if it was interrupted.
    pub fn compose(
        &self,
        name: &str,
        description: &str,
        steps: Steps<'_>,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Option<Report>, ComposeError> {
        // Nothing is to be done in it yet.
        let bare =
            format!("scene = {}\ninstruction = \"-\"\nplan = [\"withdraw\"]\n", basic(&self.scene));
        let base = Catalogue::new().text("scene", &bare, Language::Toml, "scene/bare", &self.out);
        let base =
            base.map_err(|e| ComposeError::Scene(format!("--scene {}: {e}", self.scene)))?.task;
        let scene = longarm_task::sample(&base, Seed(self.seed)).map_err(SimError::from)?;
        let mut report = Report {
            name: name.to_owned(),
            description: description.to_owned(),
            scene: self.scene.clone(),
            ..Report::default()
        };
        let planned = match self.steps(&base, &scene, steps, &mut report, tell)? {
            Some(planned) => planned,
            None => return self.keep(report).map(Some),
        };
        let text = self.text(&report, &planned, None);
        let folder = self.out.canonicalize().unwrap_or_else(|_| self.out.clone());
        let suite = folder.file_name().map(|n| name_of(&n.to_string_lossy())).unwrap_or_default();
        let id = format!("{suite}/{name}");
        let read = Catalogue::new().text(name, &text, Language::Toml, &id, &self.out);
        let task = match read {
            Ok(found) => found.task,
            Err(e) => {
                report.refused = Some(format!("the steps make no task: {e}"));
                return self.keep(report).map(Some);
            }
        };
        if !self.measure(&task, &mut report, tell)? {
            return self.keep(report).map(Some);
        }
        let text = self.text(&report, &planned, Some(&report));
        let path = self.task_path(name);
        let file = |e: &dyn std::fmt::Display| ComposeError::File(e.to_string());
        write_atomically(&path, text.as_bytes()).map_err(|e| file(&e))?;
        if self.demos > 0 && !self.record(&path, &mut report, stop)? {
            return Ok(None);
        }
        self.keep(report).map(Some)
    }

    /// Return a plan, asking and sending back; `None` if the report says why there is none.
    fn steps(
        &self,
        base: &Arc<TaskSpec>,
        scene: &Scene,
        steps: Steps<'_>,
        report: &mut Report,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Option<Planned>, ComposeError> {
        let names = Names::new(base, scene);
        let faults = |all: Vec<Fault>| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let model = match steps {
            Steps::Given(given) => {
                report.steps = given;
                return Ok(match check(&names, &report.steps) {
                    Ok(planned) => Some(planned),
                    Err(all) => {
                        report.refused = Some(faults(all).join("; "));
                        None
                    }
                });
            }
            Steps::Model(model) => model,
        };
        let picture = picture(base, scene)?;
        let mut last = Vec::new();
        for _ in 0..=REPAIRS {
            let asked = model.ask(
                &report.description,
                &names.listed(),
                picture.clone(),
                &report.sent_back,
            )?;
            let (answer, read) = asked;
            last = match read {
                Err(why) => vec![why],
                Ok(steps) => match check(&names, &steps) {
                    Ok(planned) => {
                        report.steps = steps;
                        return Ok(Some(planned));
                    }
                    Err(all) => faults(all),
                },
            };
            last.iter().for_each(|fault| tell(&format!("sent back: {fault}")));
            report.sent_back.push(Refused { answer, faults: last.clone() });
        }
        report.refused = Some(format!("after {REPAIRS} repairs: {}", last.join("; ")));
        Ok(None)
    }

    /// Try a task and measure what it asks of memory; `false` if the report says why it is none.
    fn measure(
        &self,
        task: &Arc<TaskSpec>,
        report: &mut Report,
        tell: &mut dyn FnMut(&str),
    ) -> Result<bool, ComposeError> {
        let seeds = self.seed..self.seed + self.trials;
        let plain = |handicap| handicapped(task, handicap, seeds.clone(), self.workers, || {});
        let solved = |cell: &Cell| Solved { episodes: cell.episodes, won: cell.won };
        let cell = plain(Handicap::None);
        report.expert = solved(&cell);
        if cell.won < self.least {
            report.refused = Some(format!("the expert {}", failures(&cell, self.trials)));
            return Ok(false);
        }
        let cell = won(task, PERCEIVING, seeds.clone(), self.workers);
        report.perceiving = solved(&cell);
        tell(&format!("executed with perceived grasps: {} of {}", cell.won, self.trials));
        if cell.won == 0 {
            let why = failures(&cell, self.trials);
            report.refused = Some(format!("the expert with perceived grasps {why}"));
            return Ok(false);
        }
        let cell = plain(Handicap::NoMemory);
        report.memoryless = solved(&cell);
        let probed = subtasks(task, self.seed..self.seed + 1, self.workers)?;
        report.subtasks = probed.len() as u64;
        report.memory_dependent = probed.iter().filter(|s| s.memory_dependent).count() as u64;
        tell(&format!(
            "the expert {} of {}, without memory {}; memory decides {} of {} subtasks",
            report.expert.won,
            self.trials,
            report.memoryless.won,
            report.memory_dependent,
            report.subtasks
        ));
        Ok(true)
    }

    /// Record demonstrations; `false` if interrupted.
    fn record(
        &self,
        path: &Path,
        report: &mut Report,
        stop: &AtomicBool,
    ) -> Result<bool, ComposeError> {
        let found = Catalogue::new().file(path).map_err(|e| ComposeError::File(e.to_string()))?;
        let files = carried(&found).map(|f| (found.task.id.clone(), f)).into_iter().collect();
        let tasks = [found.task];
        let config = DemoConfig {
            version: DemoConfig::VERSION,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: longarm_sim::mujoco_version().to_owned(),
            format: self.format,
            policy: PERCEIVING.to_owned(),
            episodes: self.demos,
            seed: self.seed,
            split: None,
            seeds: None,
            attempts: self.demos.saturating_mul(2).saturating_add(10),
            keep_failures: false,
            control: None,
            options: Default::default(),
            hints: Hints::None,
            noise: None,
            size: Some([self.size; 2]),
            cameras: Vec::new(),
            modalities: vec![Modality::Rgb],
            source: None,
            keyframes: Rule::default(),
            window_every: None,
            tasks: DemoConfig::hashes(&tasks),
            files,
        };
        config.check()?;
        let policy: PolicySpec =
            PERCEIVING.parse().map_err(|e| ComposeError::Scene(format!("{e}")))?;
        let ready = policy.ready(&tasks).map_err(|e| ComposeError::Scene(e.to_string()))?;
        let source = Source::Policy(&ready);
        let recording = Recording { config, tasks: &tasks, source, workers: self.workers };
        let Some(summary) = record(&recording, &self.demos_path(&report.name), stop, |_| {})?
        else {
            return Ok(false);
        };
        report.demos = summary.tasks.iter().map(|(_, kept, _)| kept).sum();
        Ok(true)
    }

    fn keep(&self, report: Report) -> Result<Report, ComposeError> {
        let file = |e: &dyn std::fmt::Display| ComposeError::File(e.to_string());
        let text = serde_json::to_string_pretty(&report).map_err(|e| file(&e))?;
        let path = self.report_path(&report.name);
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder).map_err(|e| file(&format!("{}: {e}", folder.display())))?;
        write_atomically(&path, text.as_bytes()).map_err(|e| file(&e))?;
        Ok(report)
    }
}

/// Say how many episodes were solved, and where the others failed.
fn failures(cell: &Cell, trials: u64) -> String {
    let at: Vec<String> =
        cell.deaths.iter().map(|(at, n)| format!("{at:?} ({})", counted(*n, "time"))).collect();
    let errors = cell.errors.first().map(|e| format!("; {e}")).unwrap_or_default();
    format!("solves {} of {trials}; it fails at {}{errors}", cell.won, at.join(", "))
}

/// Return a picture of a scene for a model, as PNG.
fn picture(task: &Arc<TaskSpec>, scene: &Scene) -> Result<Vec<u8>, ComposeError> {
    let images = ImageSettings::for_people(&task.rig());
    let mut env = Env::new(task.clone(), EnvSettings { images: Some(images) })?;
    env.reset_scene(scene.clone())?;
    env.observe();
    let shown = env.cameras().and_then(|(cameras, _)| {
        let frame = cameras.frames().map(|(_, f)| f).find(|f| f.width > 0)?;
        encode_png(frame.width, frame.height, &frame.rgb).ok()
    });
    shown.ok_or_else(|| ComposeError::Scene("the scene has no view for people".to_owned()))
}
