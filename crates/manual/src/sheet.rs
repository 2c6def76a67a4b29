//! A task as a judge needs it.

use longarm_suites::{LabTask, SUITES};
use longarm_task::{TaskSpec, sample};
use longarm_types::{Digest, Seed, TaskId};
use serde::Serialize;

use crate::words::{blanks, event, place_words, when, words};
use crate::{ManualError, drawing, escape, lab, page};

/// What a judge ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// Its name in results.
    pub name: String,
    /// What a reader is told.
    pub title: String,
    /// What counts.
    pub counts: String,
    /// Phases that must have counted before, as their places in the list.
    pub after: Vec<usize>,
}

/// What ends an episode as a failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forbidden {
    /// Its name.
    pub name: String,
    /// When it has happened.
    pub happens: String,
    /// Phases that it takes back.
    pub takes_back: Vec<usize>,
}

/// One initialization, ready to be set up.
#[derive(Clone, Debug, PartialEq)]
pub struct Initialization {
    /// Its seed.
    pub seed: u64,
    /// What the policy is told.
    pub instruction: String,
    /// The drawing and its table, as HTML without a script or a style of its own.
    pub drawing: String,
}

enum Source {
    Spec(Box<TaskSpec>),
    Lab(&'static LabTask),
}

/// A task as a judge needs it.
pub struct Sheet {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// Hash of all that decides what is judged.
    pub hash: Digest,
    /// What the policy is told, with what is drawn in brackets.
    pub instruction: String,
    /// Labels, in the words of the suite.
    pub labels: Vec<String>,
    /// Most control steps; none where the benchmark names no limit.
    pub horizon: Option<u32>,
    /// Phases in order.
    pub phases: Vec<Phase>,
    /// What must not happen.
    pub forbidden: Vec<Forbidden>,
    /// How a scene is set up, step by step.
    pub set_up: Vec<String>,
    source: Source,
}

impl Sheet {
    /// The sheet of a task: one that is simulated, too, or one for a lab only.
    pub fn find(id: &str) -> Option<Self> {
        if let Some(spec) = longarm_suites::task(id) {
            return Self::of(spec).ok();
        }
        let (suite, name) = id.split_once('/')?;
        let suite = SUITES.iter().find(|s| s.name == suite)?;
        let task = suite.lab.iter().find(|t| t.name == name)?;
        Self::of_lab(suite.name, task)
    }

    /// The sheet of a task of the engine's.
    pub fn of(spec: TaskSpec) -> Result<Self, ManualError> {
        let stages = spec.stage_list(None).map_err(|e| ManualError::scene(&spec.id, e))?;
        let titles = spec.stage_titles();
        let phases = stages.iter().zip(&titles).map(|(s, title)| {
            let mut counts = when(&s.when);
            if s.hold > 0.0 {
                counts += &format!(", for {} s", s.hold);
            }
            Phase { name: s.name.clone(), title: title.clone(), counts, after: s.after.clone() }
        });
        let phases: Vec<Phase> = phases.collect();
        let forbidden = spec.forbid.iter().map(|f| Forbidden {
            name: f.name.clone(),
            happens: event(&f.event),
            takes_back: spec.revoked(f, &stages),
        });
        let mut forbidden: Vec<Forbidden> = forbidden.collect();
        if let Some(p) = &spec.finally {
            forbidden.push(Forbidden {
                name: "not as it must be at the end".into(),
                happens: format!("at the end it does not hold that {}", words(p)),
                takes_back: Vec::new(),
            });
        }
        Ok(Self {
            title: spec.id.name().replace('-', " "),
            hash: spec.hash(),
            instruction: blanks(&spec.instruction),
            labels: spec.labels.clone(),
            horizon: Some(spec.horizon),
            phases,
            forbidden,
            set_up: steps(&spec),
            id: spec.id.clone(),
            source: Source::Spec(Box::new(spec)),
        })
    }

    /// The sheet of a task for a lab.
    pub fn of_lab(suite: &str, task: &'static LabTask) -> Option<Self> {
        let phases = task.phases.iter().enumerate().map(|(i, (phase, counts))| Phase {
            name: (*phase).to_owned(),
            title: (*phase).to_owned(),
            counts: (*counts).to_owned(),
            // In strict order.
            after: i.checked_sub(1).into_iter().collect(),
        });
        let forbidden = task.fails.iter().map(|f| Forbidden {
            name: f.trim_end_matches('.').to_owned(),
            happens: (*f).to_owned(),
            takes_back: Vec::new(),
        });
        Some(Self {
            id: format!("{suite}/{}", task.name).parse().ok()?,
            title: task.title.to_owned(),
            hash: lab::hash(task),
            instruction: task.instruction.to_owned(),
            labels: Vec::new(),
            horizon: None,
            phases: phases.collect(),
            forbidden: forbidden.collect(),
            set_up: task.set_up.iter().chain(task.shown).map(|s| (*s).to_owned()).collect(),
            source: Source::Lab(task),
        })
    }

    /// The specification, where the task is simulated, too.
    pub fn spec(&self) -> Option<&TaskSpec> {
        match &self.source {
            Source::Spec(spec) => Some(spec),
            Source::Lab(_) => None,
        }
    }

    /// How a seed's scene looks.
    pub fn initialization(&self, seed: u64) -> Result<Initialization, ManualError> {
        match &self.source {
            Source::Spec(spec) => {
                let wrong = |e: &dyn std::fmt::Display| ManualError::scene(&self.id, e);
                let scene = sample(spec, Seed(seed)).map_err(|e| wrong(&e))?;
                let mut out = String::new();
                drawing::initialization(spec, &scene, &spec.rig(), &mut out)
                    .map_err(|e| wrong(&e))?;
                Ok(Initialization { seed, instruction: scene.instruction.clone(), drawing: out })
            }
            Source::Lab(task) => Ok(Initialization {
                seed,
                instruction: task.instruction.to_owned(),
                drawing: lab::drawn(task, seed..seed + 1),
            }),
        }
    }

    /// The page of the task with this many initializations; a code leads to `address`, where there is one.
    pub fn page(&self, initializations: u64, address: Option<&str>) -> Result<String, ManualError> {
        let body = match &self.source {
            Source::Spec(spec) => page::page(self, spec, initializations)?,
            Source::Lab(task) => lab::page(self, task, initializations),
        };
        let Some(address) = address else { return Ok(body) };
        let code = crate::qr::svg(address, 28.0)?;
        let shown = escape(address);
        Ok(format!("<a class=\"lead-in\" href=\"{shown}\">{code}<span>{shown}</span></a>{body}"))
    }
}

/// What to do before an episode of a task.
fn steps(spec: &TaskSpec) -> Vec<String> {
    let mut out = vec!["Bring the arm to its joints at the start, gripper open.".to_owned()];
    let places = spec.init.places.iter();
    out.extend(places.map(|p| format!("Place {} as drawn ({}).", p.object, place_words(&p.place))));
    out.extend(spec.init.parts.iter().map(|(part, _)| format!("Set {part} as listed.")));
    out.extend(spec.init.belts.iter().map(|(belt, [lo, hi])| {
        format!("Start {belt} at the speed listed ({lo}–{hi} m/s) as the episode begins.")
    }));
    out.push(
        "Compare with the drawing: positions within 5 mm, headings within 5°. Step back.".into(),
    );
    out
}
